import { isoTime } from '../../contract/schema.ts';
import type { OwnEmoji } from '../../contract/server-emoji.ts';
import type { ServerEmoji } from '../../database/entities/emoji.entity.ts';

export function emojiRecord({ id, serverId, name, url, isAnimated, createdBy, createdAt }: ServerEmoji): OwnEmoji {
  const smallUrl = `${url}?size=small`;
  return { id, serverId, name, url, smallUrl, isAnimated, createdBy: createdBy ?? null, createdAt: isoTime(createdAt) };
}
