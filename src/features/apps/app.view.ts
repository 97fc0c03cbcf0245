import type { z } from 'zod';
import type { appSchema } from '../../contract/app.ts';
import { isoTime } from '../../contract/schema.ts';

/** A row of `apps`. */
export interface AppRow {
  id: string;
  server_id: string;
  name: string;
  slug: string;
  type: 'html' | 'zip' | 'url';
  status: 'draft' | 'active' | 'archived';
  description: string | null;
  icon_url: string | null;
  url: string | null;
  version: number;
  is_homepage: boolean;
  view_count: number;
  created_by: string | null;
  created_at: Date | string;
  updated_at: Date | string;
}

/**
 * The columns of `AppRow`, not `*`: once a newer node has added a column, PostgreSQL refuses statements that were prepared
 * before and would give one more.
 */
export const appColumns = `id, server_id, name, slug, type, status, description, icon_url, url, version, is_homepage,
  view_count, created_by, created_at, updated_at`;

export type AppRecord = z.input<typeof appSchema>;

export function appRecord(row: AppRow): AppRecord {
  return {
    id: row.id,
    serverId: row.server_id,
    name: row.name,
    slug: row.slug,
    type: row.type,
    status: row.status,
    description: row.description,
    iconUrl: row.icon_url,
    url: row.url,
    version: row.version,
    isHomepage: row.is_homepage,
    viewCount: row.view_count,
    createdBy: row.created_by,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}
