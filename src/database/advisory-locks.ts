import type { Rows } from './database.ts';

/** Numbers that no other program uses on this database, one for each thing that only one may do at a time. */
export const advisoryLocks = {
  /** Nodes that start together queue up here. */
  migrating: 7_215_001,
  chores: 7_215_003,
  /** Shared by all connections of nodes that serve, as long as they last. */
  serving: 7_215_004,
  collectingBlobs: 7_215_040,
};

/** Takes a lock until the end of the transaction. @returns false: someone else has it */
export async function tryLock(rows: Rows, lock: number): Promise<boolean> {
  const [row] = await rows<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [lock]);
  return row?.mine === true;
}
