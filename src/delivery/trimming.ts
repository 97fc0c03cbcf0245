import { NIL } from 'uuid';
import type { Chore } from '../cluster/chores.ts';
import type { Rows } from '../database/database.ts';
import type { Range } from '../database/partitions/ranges.ts';
import type { Settings } from '../settings/settings.ts';
import type { DeliveryCounters } from './counters.ts';

const trimBatch = 1000;
/** How many logs a step looks at. */
const trimLogs = 1000;

/** How far a walk through the logs has got. */
export interface Trimmed {
  removed: number;
  /** The log to continue after; null: that was the last one. */
  after: string | null;
}

/** Of the logs that are too long, the head and the floor tell by how much: the entries of others are not looked at. */
const trimByLength = `WITH looked AS MATERIALIZED (
    SELECT id, floor_seq, last_seq - $1 AS beyond FROM streams WHERE id > $4 ORDER BY id LIMIT $3
  ), doomed AS MATERIALIZED (
    SELECT entry.* FROM looked CROSS JOIN LATERAL (
      SELECT stream_id, seq, created_at FROM log_entries
      WHERE stream_id = looked.id AND seq > looked.floor_seq AND seq <= looked.beyond ORDER BY seq LIMIT $2
    ) AS entry WHERE looked.beyond > looked.floor_seq LIMIT $2
  ), locked AS (
    SELECT id FROM streams WHERE id IN (SELECT stream_id FROM doomed) ORDER BY id FOR UPDATE
  ), gone AS (
    DELETE FROM log_entries USING doomed JOIN locked ON locked.id = doomed.stream_id
    WHERE log_entries.stream_id = doomed.stream_id AND log_entries.seq = doomed.seq
      AND log_entries.created_at = doomed.created_at
    RETURNING log_entries.stream_id, log_entries.seq
  ), floors AS (
    UPDATE streams SET floor_seq = greatest(floor_seq, top.seq)
    FROM (SELECT stream_id, max(seq) AS seq FROM gone GROUP BY stream_id) AS top WHERE streams.id = top.stream_id
  )
  SELECT (SELECT count(*)::int FROM gone) AS removed, (SELECT count(*)::int FROM looked) AS looked,
    (SELECT id FROM looked ORDER BY id DESC LIMIT 1) AS last`;

/**
 * Deletes a small batch of entries beyond the newest `keepEvents` of some logs; those past the age go with their partition
 * (see LogPartitions). Transactions are short, so that no send waits long. The heads are locked before the entries, as
 * everywhere: a deadlock would hold up a room for a second.
 *
 * @param after the log after which to start, ordered by id; null: at the first one
 */
export async function trim(rows: Rows, keepEvents: number, after: string | null): Promise<Trimmed> {
  const [trimmed] = await rows<{ removed: number; looked: number; last: string }>(trimByLength, [
    ...[keepEvents, trimBatch, trimLogs],
    after ?? NIL,
  ]);
  const { removed, looked, last } = trimmed ?? { removed: 0, looked: 0, last: null };
  // The batch was full: these logs may have more.
  if (removed === trimBatch) return { removed, after };
  return { removed, after: looked < trimLogs ? null : last };
}

/**
 * Keeps the logs within their length (contract §10.4). It walks through them in steps, and pauses after a step that found
 * nothing, so each step takes the same time however many logs there are.
 */
export function trimming(settings: Settings['delivery'], counters: DeliveryCounters): Chore {
  let at: string | null = null;
  return {
    name: 'trim the logs',
    async step(rows) {
      const { removed, after } = await trim(rows, settings.retentionEvents, at);
      at = after;
      counters.trimmed += removed;
      return removed;
    },
  };
}

const floorLogs = 1000;
const inRange = 'created_at >= $1 AND created_at < $2';
/** From log to log by the index, whatever lies between; all in the partition of that range alone. */
const raise = `WITH RECURSIVE found AS (
    (SELECT stream_id AS id, 1 AS number FROM log_entries WHERE ${inRange} AND stream_id > $3 ORDER BY stream_id LIMIT 1)
    UNION ALL
    SELECT next.id, number + 1 FROM found CROSS JOIN LATERAL (
      SELECT stream_id AS id FROM log_entries WHERE ${inRange} AND stream_id > found.id ORDER BY stream_id LIMIT 1
    ) AS next WHERE number < $4
  ), top AS MATERIALIZED (
    SELECT found.id, last.seq FROM found CROSS JOIN LATERAL (
      SELECT seq FROM log_entries WHERE ${inRange} AND stream_id = found.id ORDER BY seq DESC LIMIT 1
    ) AS last
  ), locked AS (
    SELECT streams.id FROM streams JOIN top ON top.id = streams.id WHERE streams.floor_seq < top.seq
    ORDER BY streams.id FOR UPDATE OF streams
  ), raised AS (
    UPDATE streams SET floor_seq = greatest(floor_seq, top.seq) FROM locked JOIN top ON top.id = locked.id
    WHERE streams.id = locked.id
  )
  SELECT id FROM found ORDER BY number DESC LIMIT 1`;

/**
 * Raises the floors of some logs above their entries of a range, before these are dropped: whoever has not got them
 * starts over (contract §10.4).
 * @param after the log after which to start, ordered by id; null: at the first one
 * @returns the log to continue after; null: there are no more
 */
export async function raiseFloors(rows: Rows, { from, to }: Range, after: string | null): Promise<string | null> {
  const start = from === null ? '-infinity' : new Date(from).toISOString();
  const values = [start, new Date(to).toISOString(), after ?? NIL, floorLogs];
  const [last] = await rows<{ id: string }>(raise, values);
  return last?.id ?? null;
}
