import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { arrayText } from '../../database/array-text.ts';
import type { Rows } from '../../database/database.ts';

/** A new message in its place, as far as it depends on what was said before. */
interface Placed {
  row: { channelId: string; threadId: string | null; ifHead: number | null; answersTo: number | null };
  seq: number;
}

/** A message was not to be sent if anyone spoke meanwhile; those that are written with it are not to blame. */
class HeadMoved extends Error {
  readonly head: number;

  constructor(head: number) {
    super('Someone has spoken since.');
    this.head = head;
  }
}

/** A message says that it answers what was not there yet. */
class AnswersAhead extends Error {}

const spoken = `SELECT sent.seq FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) AS sent (channel_id, thread_id, if_head, seq)
  WHERE EXISTS (SELECT FROM messages m WHERE m.channel_id = sent.channel_id AND m.seq > sent.if_head AND m.seq < sent.seq
    AND m.thread_id IS NOT DISTINCT FROM sent.thread_id AND m.deleted_at IS NULL)
  ORDER BY sent.seq LIMIT 1`;

/**
 * Of messages that were just inserted, with the logs of their channels locked: nobody may have written in the conversation of
 * one after its `ifHead`. Nobody can do so from here to the commit. @throws HeadMoved
 */
export async function checkHeads(rows: Rows, placed: Placed[]): Promise<void> {
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

/** An answer comes after what it answers. @throws AnswersAhead */
export function checkAnswers(placed: Placed[]): void {
  if (placed.some(({ row, seq }) => row.answersTo !== null && row.answersTo >= seq)) throw new AnswersAhead();
}

/** For what throws these. @throws AppError HEAD_MOVED with the log's head, VALIDATION_FAILED */
export function asHeadMoved(error: unknown): never {
  if (error instanceof HeadMoved) throw new AppError('HEAD_MOVED', { extra: { head: error.head } });
  if (error instanceof AnswersAhead) {
    const message = 'must be a number that the log of the channel has reached';
    throw invalid([{ path: 'answersTo', message, code: 'too_big' }]);
  }
  throw error;
}
