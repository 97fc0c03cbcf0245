import pg from 'pg';
import type { Rows } from '../../src/database/database.ts';

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

/** Runs one statement on a connection of its own. */
export function query<R extends object>(databaseUrl: string, text: string, values: unknown[] = []): Promise<R[]> {
  return withRows(databaseUrl, (rows) => rows<R>(text, values));
}
