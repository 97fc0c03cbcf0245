import { channelRoom, streamId } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import { pipelined } from '../../database/transaction.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';
import {
  blankEntries,
  deleteAttachments,
  deleteReactions,
  emptyMessages,
  selectEntries,
  selectReplies,
  selectThreadsOf,
} from './edit.table.ts';
import { untitled } from './thread.view.ts';

/** A message whose text was changed or deleted. */
interface ChangedMessage {
  id: string;
  seq: number;
}

/**
 * Removes the former text of messages from the log: from their own entries, those that quote them, and the names of their
 * threads. Each entry is rewritten once, however often its message is edited: from then on readers get the current text (see
 * LogRenewal), at the same positions. The channel's log must be locked.
 */
export async function outdate(rows: Rows, channelId: string, changed: ChangedMessage[]): Promise<void> {
  const ids = new Set(changed.map(({ id }) => id));
  const stream = streamId(channelRoom(channelId));
  const replies = await rows<ChangedMessage>(selectReplies, [[...ids], stream]);
  const threads = await rows<{ id: string }>(selectThreadsOf, [[...ids]]);
  const entries = await rows<{ seq: number; json: string }>(selectEntries, [
    stream,
    changed.map(({ seq }) => seq),
    replies.map(({ seq }) => seq),
    [...changed, ...replies, ...threads].map(({ id }) => id),
  ]);
  if (entries.length === 0) return;
  const blank = new Map(entries.map(({ seq, json }) => [seq, blanked(json, ids)]));
  await rows(blankEntries, [stream, [...blank.keys()], [...blank.values()]]);
}

/** The fields that replace those of an erased message. */
const noParts = { previews: [], poll: undefined, forwarded: undefined, components: undefined };
const noText = { content: '', attachments: [], mentions: [], metadata: null, ...noParts };

interface Told {
  id: string;
  name?: string;
  content?: string;
  replyTo?: object | null;
  thread?: object | null;
}

/**
 * The record of a message or a thread without what it repeats; JSON text in and out. Its shape stays: clients that read the
 * log from further back on a node of an older version must still recognise it as a message.
 * @param changed messages that lose their own text, too, not just what they quote
 */
export function blanked(json: string, changed: Set<string>): string {
  const data: Told = JSON.parse(json);
  if (data.content === undefined) return JSON.stringify({ ...data, name: untitled });
  const replyTo = data.replyTo && { ...data.replyTo, content: '' };
  const thread = data.thread && { ...data.thread, name: untitled };
  return JSON.stringify({ ...data, ...(changed.has(data.id) ? noText : {}), replyTo, thread });
}

interface ErasedMessage {
  id: string;
  seq: number;
}

/**
 * Erases messages, with everything attached to them and their content in the log: later readers of the log find that there
 * was a message, but not its text. The channel's log must be locked. Notifications that quote them follow in the
 * background.
 *
 * @returns those that existed
 */
export async function eraseMessages(rows: Rows, channelId: string, ids: string[]): Promise<ErasedMessage[]> {
  const erased = await rows<ErasedMessage>(emptyMessages, [ids, channelId]);
  if (erased.length === 0) return [];
  const erasedIds = erased.map((message) => message.id);
  // The step with several statements is last, so that it stops if one of the others has failed.
  await pipelined({
    reactions: rows(deleteReactions, [erasedIds]),
    attachments: rows(deleteAttachments, [erasedIds]),
    jobs: insertJobs(rows, [{ job: 'erasure', messageIds: erasedIds }]),
    log: outdate(rows, channelId, erased),
  });
  return erased;
}
