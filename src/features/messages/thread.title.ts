import { channelRoom } from '../../contract/rooms.ts';
import { cut } from '../../contract/schema.ts';
import { threadUpdated } from '../../contract/thread.ts';
import type { Change } from '../../delivery/changes.ts';
import { type ThreadRow, threadColumns, threadRecord } from './thread.view.ts';

export const untitled = 'Thread';
const rename = `UPDATE threads SET name = $2, updated_at = now()
  WHERE parent_message_id = $1 AND NOT is_named AND name <> $2 RETURNING ${threadColumns}`;

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
