import pg from 'pg';
import type { Rows } from '../../src/database/database.ts';
import { trim } from '../../src/delivery/log.ts';

/** Runs `work` with plain SQL on a connection of its own. */
export async function withRows<T>(databaseUrl: string, work: (rows: Rows) => Promise<T>): Promise<T> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(
      async <R extends object>(text: string, values: unknown[] = []) => (await client.query<R>(text, values)).rows,
    );
  } finally {
    await client.end();
  }
}

/** Takes everything but the newest `keepEvents` of each room off the logs, as is done in the background. */
export async function trimLogs(databaseUrl: string, keepEvents: number): Promise<void> {
  await withRows(databaseUrl, async (rows) => {
    while ((await trim(rows, 7, keepEvents)) > 0);
  });
}
