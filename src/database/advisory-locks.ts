import type { Rows } from './database.ts';

/** Advisory lock keys, one for each exclusive operation; no other program uses them on this database. */
export const advisoryLocks = {
  /** Nodes that start at the same time queue up here. */
  migrating: 7_215_001,
  chores: 7_215_003,
  /** All connections of serving nodes hold it shared for as long as they live. */
  serving: 7_215_004,
  /** One node at a time changes what tables are made of. */
  partitioning: 7_215_005,
  /** The one run that partitions messages holds it. */
  moving: 7_215_006,
  /** One node at a time indexes messages. */
  indexing: 7_215_007,
  /** One node at a time indexes files. */
  indexingFiles: 7_215_008,
  collectingBlobs: 7_215_040,
  /** The one run that moves files between stores holds it. */
  movingBlobs: 7_215_041,
};

/** Takes a lock until the end of the transaction. @returns false: another connection holds it */
export async function tryLock(rows: Rows, lock: number): Promise<boolean> {
  const [row] = await rows<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [lock]);
  return row?.mine === true;
}

const lockQuotaOf = "SELECT pg_advisory_xact_lock(hashtext('storage-quotas'), hashtext($1))";

/** Until the commit: what counts against a quota, and is checked against it, does so one after the other. */
export async function lockQuota(rows: Rows, subjectId: string): Promise<void> {
  await rows(lockQuotaOf, [subjectId]);
}
