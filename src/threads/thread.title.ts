import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { channelRoom } from '../delivery/entry.ts';
import { cut } from '../schema.ts';
import { threadUpdated } from './thread.contract.ts';
import { type ThreadRow, threadColumns, threadRecord } from './thread.view.ts';

export const untitled = 'Thread';
const rename = `UPDATE threads SET name = $2, updated_at = now()
  WHERE parent_message_id = $1 AND NOT is_named AND name <> $2 RETURNING ${threadColumns}`;
const forget = `UPDATE log_entries SET data = jsonb_set(data::jsonb, '{name}', to_jsonb($3::text))::json
  WHERE stream_id = $1 AND data ->> 'id' = $2 AND event IN ('thread:created', 'thread:updated')`;

/** The default name of a thread: the beginning of its message, in one line. */
export function titleOf(content: string): string {
  const line = content.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return cut(line, 100).trim() || untitled;
}

/**
 * Updates the default name of a message's thread after the message was changed: erased text must not live on in it. The
 * channel's log must be locked.
 */
export async function retitle(change: Change, messageId: string, content: string): Promise<void> {
  const [thread] = await change.rows<ThreadRow>(rename, [messageId, titleOf(content)]);
  if (thread) change.publish(threadUpdated.in(channelRoom(thread.channel_id), threadRecord(thread), thread.id));
}

/** Removes the names of a thread that is being deleted from its channel's log: nothing else connects it to its message. */
export async function forgetTitles(rows: Rows, channelId: string, threadId: string): Promise<void> {
  await rows(forget, [channelId, threadId, untitled]);
}
