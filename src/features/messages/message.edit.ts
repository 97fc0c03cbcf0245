import { type Components, componentsVersion } from '../../contract/component.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import { type MessageEdit, messageUpdated } from '../../contract/message.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { pipelined } from '../../database/transaction.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Verdict } from '../filters/filters.ts';
import { markEdited, updateComponents, updateText } from './edit.table.ts';
import type { HeldDraft } from './held.table.ts';
import { linksIn } from './message.links.ts';
import { readMessage } from './message.table.ts';
import { type MessageRow, messageRecord } from './message.view.ts';
import { outdate } from './outdated.ts';
import { retitle } from './thread.view.ts';

/** How a message is edited, beside what is new in it. */
export interface EditOptions {
  /** A moderator has approved it: filters let it through. */
  isApproved?: boolean;
  /** It mentions nobody, whatever is in it. */
  namesNobody?: boolean;
}

/** What an edit came to. */
interface Edited {
  /** The message as it is after that. */
  message: MessageRow;
  isChanged: boolean;
  /** Whether its text is another one. */
  isReworded: boolean;
}

/**
 * Replaces the text of a message, also where it was repeated, and its components. The same again changes nothing.
 * @throws AppError MESSAGE_NOT_FOUND, CHANNEL_ARCHIVED, VALIDATION_FAILED when nothing would be left to show
 */
export async function applyEdit(
  change: Change,
  row: MessageRow,
  { content, components }: MessageEdit,
  mentions: MentionRecord[],
): Promise<Edited> {
  const { id, seq, channel_id: channelId } = row;
  // The log is locked first, so that edits of one message are published in the order in which they are made.
  const { isReworded } = await pipelined({
    lock: change.lockOpen(channelRoom(channelId)),
    isReworded: content !== undefined && reword(change, row, content, mentions),
  });
  const isFitted = components !== undefined && (await refit(change, row, components));
  const message = await readMessage(change.rows, channelId, id);
  const { attachments, poll, forwarded } = message;
  const has = [attachments?.length, poll, forwarded, message.components?.items.length].some(Boolean);
  if (message.content === '' && !has) {
    throw invalid([{ path: 'content', message: 'must not be empty', code: 'too_small' }]);
  }
  const isChanged = isReworded || isFitted;
  if (isReworded) await retitle(change, id, content ?? '', mentions);
  if (isChanged) await outdate(change.rows, channelId, [{ id, seq }]);
  return { message, isChanged, isReworded };
}

/** @returns whether the text was another one */
async function reword(
  change: Change,
  { id, channel_id: channelId }: MessageRow,
  content: string,
  mentions: MentionRecord[],
): Promise<boolean> {
  const given = mentions.length > 0 ? JSON.stringify(mentions) : null;
  const values = [id, content, given, channelId, linksIn(content)];
  return (await change.rows(updateText, values)).length > 0;
}

/** That a message had components is kept: with it goes who used them. */
const noComponents: Components = { version: componentsVersion, items: [] };

/** @returns whether the components were others */
async function refit(
  change: Change,
  { id, channel_id: channelId, components: before }: MessageRow,
  components: Components | null,
): Promise<boolean> {
  if (components === null && before === null) return false;
  const values = [id, channelId, JSON.stringify(components ?? noComponents)];
  return (await change.rows(updateComponents, values)).length > 0;
}

/** An edit that waits for a moderator. */
export function heldEdit(
  row: MessageRow,
  content: string,
  { reason, entry }: Verdict,
  namesNobody: boolean,
): HeldDraft {
  const parts = { replyToId: null, metadata: null, poll: null, components: null, forward: null };
  const answer = { ifHead: null, answersTo: null, answersWithin: null };
  const none = { ...parts, ...answer, nonce: null, sentKey: null, attachmentIds: [] };
  const edit = { kind: 'edit', messageId: row.id, threadId: row.thread_id, content } as const;
  return { ...none, ...edit, previousContent: row.content, reason, pattern: entry?.pattern ?? null, namesNobody };
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
