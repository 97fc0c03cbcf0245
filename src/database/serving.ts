import type { Rows } from './database.ts';

/** Shared by all connections of nodes that serve, as long as they last. */
const servingLock = 7_215_004;

/** What each connection of a node does first: it waits for work that has the database for itself. */
export const takePart = `pg_advisory_lock_shared(${servingLock})`;

/** Keeps nodes away until the end of the transaction. @returns false: one is there already */
export async function keepAlone(rows: Rows): Promise<boolean> {
  const [lock] = await rows<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [servingLock]);
  return lock?.mine === true;
}
