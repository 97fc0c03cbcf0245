import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { arrayText } from '../../database/array-text.ts';
import type { Rows } from '../../database/database.ts';

/** What a new message says of what was said before it, and where. */
interface Following {
  channelId: string;
  threadId: string | null;
  ifHead: number | null;
  answersTo: number | null;
}

/** A message was not to be sent if anyone spoke meanwhile; those that are written with it are not to blame. */
class HeadMoved extends Error {
  readonly head: number;

  constructor(head: number) {
    super('Someone has spoken since.');
    this.head = head;
  }
}

/** SQL: whether a conversation has a message between two numbers. Each form of it has an index of its own. @param of it */
const hasMessage = (of: string) => `EXISTS (SELECT FROM messages m WHERE m.channel_id = sent.channel_id
    AND m.seq > sent.if_head AND m.seq < sent.seq AND ${of} AND m.deleted_at IS NULL)`;
const hasMoved = `CASE WHEN sent.thread_id IS NULL THEN ${hasMessage('m.thread_id IS NULL')}
    ELSE ${hasMessage('m.thread_id = sent.thread_id')} END`;

/** $1 channel, $2 thread or null, $3 number or null */
const before = `SELECT sent.seq - 1 AS head, ${hasMoved} AS moved FROM (
    SELECT id AS channel_id, $2::uuid AS thread_id, $3::bigint AS if_head, last_seq + 1 AS seq FROM streams WHERE id = $1
  ) AS sent`;
const spoken = `SELECT sent.seq FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[])
    AS sent (channel_id, thread_id, if_head, seq)
  WHERE ${hasMoved} ORDER BY sent.seq LIMIT 1`;

/**
 * Refuses a message for what has happened by now, before it is written: that costs those nothing who write at the same time.
 * Of what happens from here on `checkHeads` decides. @throws AppError HEAD_MOVED with the log's head, VALIDATION_FAILED
 */
export async function requireFollowing(rows: Rows, message: Following): Promise<void> {
  const { channelId, threadId, ifHead, answersTo } = message;
  if (ifHead === null && answersTo === null) return;
  const [log] = await rows<{ head: number; moved: boolean }>(before, [channelId, threadId, ifHead]);
  if (!log) return;
  if (log.moved) throw new AppError('HEAD_MOVED', { extra: { head: log.head } });
  // A log never falls back, so what it has reached it has reached when the message is written.
  if (answersTo === null || answersTo <= log.head) return;
  throw invalid([
    { path: 'answersTo', message: 'must be a number that the log of the channel has reached', code: 'too_big' },
  ]);
}

/**
 * Of messages that were just inserted, with the logs of their channels locked: nobody may have written in the conversation of
 * one after its `ifHead`. Nobody can do so from here to the commit. @throws HeadMoved
 */
export async function checkHeads(rows: Rows, placed: { row: Following; seq: number }[]): Promise<void> {
  const asking = placed.filter(({ row }) => row.ifHead !== null);
  if (asking.length === 0) return;
  const [late] = await rows<{ seq: number }>(spoken, [
    arrayText('uuid', asking, ({ row }) => row.channelId),
    arrayText('uuid', asking, ({ row }) => row.threadId),
    arrayText('bigint', asking, ({ row }) => row.ifHead),
    arrayText('bigint', asking, ({ seq }) => seq),
  ]);
  if (late) throw new HeadMoved(late.seq - 1);
}

/** For what throws HeadMoved. @throws AppError HEAD_MOVED with the log's head */
export function asHeadMoved(error: unknown): never {
  throw error instanceof HeadMoved ? new AppError('HEAD_MOVED', { extra: { head: error.head } }) : error;
}
