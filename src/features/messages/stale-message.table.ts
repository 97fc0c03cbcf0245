import type { Rows } from '../../database/database.ts';
import type { NewMessage } from './new-message.ts';

/** The message was composed from something that has changed meanwhile: compose it again. */
export class StaleMessage extends Error {}

/** Whether that can happen to it. */
export const mayBeStale = ({ replyToId, threadId, attachmentIds, forward, lastBotSeq }: NewMessage): boolean =>
  replyToId !== null || threadId !== null || attachmentIds.length > 0 || forward !== null || lastBotSeq !== null;

/** From here to the commit nobody can change the messages of these channels, so quotes stay accurate. */
export async function checkReplies(rows: Rows, added: NewMessage[]): Promise<void> {
  const replies = added.filter((row) => row.replyToId !== null);
  if (replies.length === 0) return;
  const valid = await rows<{ id: string }>(
    `SELECT m.id FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) AS reply (id, updated_at, channel_id)
     JOIN messages m ON m.channel_id = reply.channel_id AND m.id = reply.id AND m.updated_at = reply.updated_at AND m.deleted_at IS NULL
     LEFT JOIN threads t ON t.id = m.thread_id WHERE t.deleted_at IS NULL`,
    [
      replies.map((row) => row.replyToId),
      replies.map((row) => row.replyUpdatedAt),
      replies.map((row) => row.channelId),
    ],
  );
  if (valid.length < replies.length) throw new StaleMessage();
}

/** A bot's message overtaken by another bot's on another node has to be judged again (LoopGuard). */
export async function checkBots(rows: Rows, added: NewMessage[]): Promise<void> {
  const judged = added.filter((row) => row.lastBotSeq !== null);
  if (judged.length === 0) return;
  const overtaken = await rows<{ seq: number }>(
    `SELECT m.seq FROM unnest($1::uuid[], $2::bigint[]) AS judged (channel_id, seq)
     JOIN messages m ON m.channel_id = judged.channel_id AND m.seq > judged.seq
     JOIN users u ON u.id = m.author_id AND u.is_bot LIMIT 1`,
    [judged.map((row) => row.channelId), judged.map((row) => row.lastBotSeq)],
  );
  if (overtaken.length > 0) throw new StaleMessage();
}
