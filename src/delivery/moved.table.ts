import type { Rows } from '../database/database.ts';

/** What a query for moved logs could see, as text (`xmin:xmax:…`), and the logs. */
export interface Moved {
  snapshot: string;
  ids: string[];
}

/**
 * The logs of people and direct messages that got events since the query whose snapshot is $1; the database notes them
 * (see the migration `0095-moved-logs`). It compares by visibility, since a transaction that commits late has an early id.
 */
export const movedSince = `SELECT pg_current_snapshot()::text AS snapshot,
    array_remove(array_agg(DISTINCT moved.stream_id), NULL)::text[] AS ids
  FROM (SELECT $1::text::pg_snapshot AS before) AS previous LEFT JOIN moved_logs moved
    ON moved.xid >= pg_snapshot_xmin(previous.before) AND NOT pg_visible_in_snapshot(moved.xid, previous.before)`;

const snapshotNow = 'SELECT pg_current_snapshot()::text AS snapshot, ARRAY[]::text[] AS ids';

/** @param before a `pg_snapshot` as text; null: from now on */
export async function readMovedSince(rows: Rows, before: string | null): Promise<Moved> {
  const [found] = before === null ? await rows<Moved>(snapshotNow) : await rows<Moved>(movedSince, [before]);
  if (!found) throw new Error('PostgreSQL told no snapshot.');
  return found;
}

/** Deletes some of the notes that are older. @returns how many */
export async function deleteOldMoves(rows: Rows, seconds: number, limit: number): Promise<number> {
  const gone = await rows<{ xid: string }>(
    `DELETE FROM moved_logs WHERE (xid, stream_id) IN (SELECT xid, stream_id FROM moved_logs ORDER BY xid LIMIT $2)
       AND created_at < now() - make_interval(secs => $1) RETURNING xid::text`,
    [seconds, limit],
  );
  return gone.length;
}
