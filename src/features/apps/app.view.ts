import type { z } from 'zod';
import type { appSchema } from '../../contract/app.ts';
import { isoTime } from '../../contract/schema.ts';
import type { App } from '../../database/entities/app.entity.ts';

export type AppRecord = z.input<typeof appSchema>;

export function appRecord(app: App): AppRecord {
  return {
    id: app.id,
    serverId: app.serverId,
    name: app.name,
    slug: app.slug,
    type: app.type,
    status: app.status,
    description: app.description ?? null,
    iconUrl: app.iconUrl ?? null,
    url: app.url ?? null,
    version: app.version,
    isHomepage: app.isHomepage,
    viewCount: app.viewCount,
    createdBy: app.createdBy ?? null,
    createdAt: isoTime(app.createdAt),
    updatedAt: isoTime(app.updatedAt),
  };
}
