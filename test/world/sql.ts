import pg from 'pg';
import type { Rows } from '../../src/database/database.ts';
import { until } from '../rig/until.ts';

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

const waitsForUs = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';

/**
 * Lets something begin while a row is locked, and changes that row before it goes on.
 * @param lock SQL @param change SQL, with the same $1 @returns what it comes to
 */
export function overtaken<T>(
  databaseUrl: string,
  { lock, change, id }: { lock: string; change: string; id: string },
  begin: () => Promise<T>,
): Promise<T> {
  return withRows(databaseUrl, async (rows) => {
    await rows('BEGIN');
    await rows(lock, [id]);
    const begun = begin();
    await until(async () => (await rows(waitsForUs)).length > 0, { message: 'it does not wait' });
    await rows(change, [id]);
    await rows('COMMIT');
    return begun;
  });
}
