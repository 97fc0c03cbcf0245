import { MAX } from 'uuid';
import type { z } from 'zod';
import type { listOperatedServersSchema, operatorWatchCalls } from '../../contract/operator-watch.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { findServers, sizesOf } from './server-list.table.ts';

type ServerRecord = z.input<typeof operatorWatchCalls.listOperatedServers.answer>[number];

const unknown = { messages: { count: 0, isAbout: true }, attachments: { bytes: 0, isAbout: true } };

/** The servers, newest first, with how much is in them. @throws AppError INVALID_CURSOR */
export async function listServers(
  database: Database,
  { search, limit, cursor }: z.output<typeof listOperatedServersSchema>,
): Promise<ListPage<ServerRecord>> {
  const found = await findServers(database.rows, search, idCursor(cursor) ?? MAX, limit + 1);
  const { records, hasMore } = listPage(found, limit, (server) => server);
  const sizes = await sizesOf(database, records);
  return {
    hasMore,
    records: records.map(({ channels, createdAt, ...server }) => ({
      ...server,
      createdAt: isoTime(createdAt),
      ...(sizes.get(server.id) ?? unknown),
    })),
  };
}
