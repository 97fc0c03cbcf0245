import type { MentionRecord } from '../../contract/mention.ts';
import { messageUpdated } from '../../contract/message.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { pipelined } from '../../database/transaction.ts';
import type { Change } from '../../delivery/changes.ts';
import { markEdited, updateText } from './edit.table.ts';
import { linksIn } from './message.links.ts';
import { readMessage } from './message.table.ts';
import { type MessageRow, messageRecord } from './message.view.ts';
import { outdate } from './outdated.ts';
import { retitle } from './thread.view.ts';

/**
 * Replaces the text of a message, also where it was repeated. The same text changes nothing.
 * @returns the message as it is after that, and whether it was changed
 * @throws AppError MESSAGE_NOT_FOUND, CHANNEL_ARCHIVED
 */
export async function replaceText(
  change: Change,
  { id, seq, channel_id: channelId }: MessageRow,
  content: string,
  mentions: MentionRecord[],
): Promise<{ message: MessageRow; isChanged: boolean }> {
  // The log is locked first, so that edits of one message are published in the order in which they are made.
  const given = mentions.length > 0 ? JSON.stringify(mentions) : null;
  const { updated, message } = await pipelined({
    lock: change.lockOpen(channelRoom(channelId)),
    updated: change.rows(updateText, [id, content, given, channelId, linksIn(content)]),
    message: readMessage(change.rows, channelId, id),
  });
  if (updated.length === 0) return { message, isChanged: false };
  await retitle(change, id, content);
  await outdate(change.rows, channelId, [{ id, seq }]);
  return { message, isChanged: true };
}

/** Marks a message as edited after a file was added to it. The log of its channel must be locked. */
export async function markExtended(change: Change, { id, seq, channel_id: channelId }: MessageRow): Promise<void> {
  await change.rows(markEdited, [id, channelId]);
  await outdate(change.rows, channelId, [{ id, seq }]);
  await publishUpdated(change, channelId, id);
}

/** Publishes a message as it is now, after it was changed. The log of its channel must be locked. */
export async function publishUpdated(change: Change, channelId: string, messageId: string): Promise<MessageRow> {
  const row = await readMessage(change.rows, channelId, messageId);
  change.publish(messageUpdated.in(channelRoom(row.channel_id), messageRecord(row, null), row.thread_id));
  return row;
}
