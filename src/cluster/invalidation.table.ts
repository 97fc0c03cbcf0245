import type { Rows } from '../database/database.ts';

/** A change to what caches hold, or the snapshot alone. */
export interface FoundInvalidation {
  /** What this query could see, the same in each row: a `pg_snapshot` as text, `xmin:xmax:…`. */
  snapshot: string;
  /** Null if nothing was changed. */
  cache: string | null;
  /** Null: all. */
  keys: string[] | null;
}

/**
 * What was committed since the previous query, whose snapshot is $1. It compares by visibility, since a transaction that
 * commits late has an early id and an early time.
 */
export const invalidationsSince = `SELECT pg_current_snapshot()::text AS snapshot, i.cache, i.keys
  FROM (SELECT $1::text::pg_snapshot AS before) AS previous LEFT JOIN invalidations i
    ON i.xid >= pg_snapshot_xmin(previous.before) AND NOT pg_visible_in_snapshot(i.xid, previous.before)`;

/** @param before a `pg_snapshot` as text */
export function readInvalidations(rows: Rows, before: string): Promise<FoundInvalidation[]> {
  return rows<FoundInvalidation>(invalidationsSince, [before]);
}

/** Deletes some of the records that are older. @returns how many */
export async function deleteOld(rows: Rows, seconds: number, limit: number): Promise<number> {
  const gone = await rows<{ id: string }>(
    `DELETE FROM invalidations WHERE id IN (SELECT id FROM invalidations ORDER BY id LIMIT $2)
       AND created_at < now() - make_interval(secs => $1) RETURNING id`,
    [seconds, limit],
  );
  return gone.length;
}
