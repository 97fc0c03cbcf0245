import { trim } from '../../src/delivery/trimming.ts';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { query, withRows } from './sql.ts';

/** Takes everything but the newest `keepEvents` of each room off the logs, as is done in the background. */
export async function trimLogs(databaseUrl: string, keepEvents: number): Promise<void> {
  await withRows(databaseUrl, async (rows) => {
    let removed = 0;
    let after: string | null = null;
    do ({ removed, after } = await trim(rows, keepEvents, after));
    while (removed > 0 || after !== null);
  });
}

/** Lets a node read the logs by a sweep that begins after this call: one under way may have read them before. */
export async function sweepAnew({ delivery }: Pick<Node, 'delivery'>): Promise<void> {
  const ended = () => delivery.counters.sweeps + delivery.counters.failedSweeps;
  const before = ended();
  await until(async () => {
    await delivery.sweep();
    return ended() >= before + 2;
  });
}

/** Behind whatever the room has by now: what is being committed takes its number first, and is not seen here. */
const append = `WITH moved AS (
    UPDATE streams SET last_seq = last_seq + $2::int WHERE id = $1 RETURNING last_seq - $2::int AS head
  ), last AS (SELECT event, data::jsonb FROM log_entries WHERE stream_id = $1 ORDER BY seq DESC LIMIT 1),
  copies AS (SELECT event, data, head + i AS seq FROM moved, last, generate_series(1, $2::int) AS i)
  INSERT INTO log_entries (stream_id, seq, event, data)
  SELECT $1, seq, event, (data || jsonb_build_object('seq', seq, 'eventSeq', seq, 'pad', repeat('x', $3)))::json
  FROM copies RETURNING seq::int`;

/**
 * Appends copies of the last event of a room, as a node does that dies before it can tell the others.
 * @param id of the log
 * @param padBytes how much larger than that event each of them is
 * @returns the number of the last one
 */
export async function appendCopies(databaseUrl: string, id: string, count: number, padBytes = 0): Promise<number> {
  const copies = await query<{ seq: number }>(databaseUrl, append, [id, count, padBytes]);
  if (copies.length !== count) throw new Error('The room has no event to copy.');
  return Math.max(...copies.map(({ seq }) => seq));
}
