import type { Category } from '../../contract/category.ts';
import { isoTime } from '../../contract/schema.ts';

/** A row of `channel_categories`. */
export interface CategoryRow {
  id: string;
  serverId: string;
  name: string;
  position: number;
  createdAt: Date | string;
  updatedAt: Date | string;
}

export function categoryRecord({ id, serverId, name, position, createdAt, updatedAt }: CategoryRow): Category {
  return { id, serverId, name, position, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
