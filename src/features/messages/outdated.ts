import { channelRoom, streamId } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import { pipelined } from '../../database/transaction.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';
import { mentionedBots } from './mentioned-bots.ts';
import { untitled } from './thread.view.ts';

/** A message whose text was changed or deleted. */
interface ChangedMessage {
  id: string;
  seq: number;
}

/** Events that repeat the record of a message or a thread, apart from message:new; an index finds them (see LogRow). */
const retold = `event IN ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated')
  AND NOT is_outdated`;
// Entries of replies that were marked since their quote changed still have the reply's own text.
const selectEntries = `SELECT seq, data::text AS json FROM log_entries
   WHERE stream_id = $1 AND seq = ANY($2::bigint[]) AND event = 'message:new'
     AND (NOT is_outdated OR data ->> 'content' <> '')
   UNION ALL
   SELECT seq, data::text FROM log_entries
   WHERE stream_id = $1 AND seq = ANY($3::bigint[]) AND event = 'message:new' AND NOT is_outdated
   UNION ALL
   SELECT seq, data::text FROM log_entries WHERE stream_id = $1 AND data ->> 'id' = ANY($4::text[]) AND ${retold}`;
const selectReplies = `SELECT id, seq FROM messages
   WHERE reply_to_id = ANY($1::uuid[]) AND seq > (SELECT floor_seq FROM streams WHERE id = $2)`;

/**
 * Removes the former text of messages from the log: from their own entries, those that quote them, and the names of their
 * threads. Each entry is rewritten once, however often its message is edited: from then on readers get the current text (see
 * LogRenewal), at the same positions. The channel's log must be locked.
 */
export async function outdate(rows: Rows, channelId: string, changed: ChangedMessage[]): Promise<void> {
  const ids = new Set(changed.map(({ id }) => id));
  const stream = streamId(channelRoom(channelId));
  const replies = await rows<ChangedMessage>(selectReplies, [[...ids], stream]);
  const threads = await rows<{ id: string }>('SELECT id FROM threads WHERE parent_message_id = ANY($1::uuid[])', [
    [...ids],
  ]);
  const entries = await rows<{ seq: number; json: string }>(selectEntries, [
    stream,
    changed.map(({ seq }) => seq),
    replies.map(({ seq }) => seq),
    [...changed, ...replies, ...threads].map(({ id }) => id),
  ]);
  if (entries.length === 0) return;
  const blank = new Map(entries.map(({ seq, json }) => [seq, blanked(json, ids)]));
  await rows(
    `UPDATE log_entries SET data = blank.data, is_outdated = true FROM unnest($2::bigint[], $3::json[]) AS blank (seq, data)
     WHERE log_entries.stream_id = $1 AND log_entries.seq = blank.seq`,
    [stream, [...blank.keys()], [...blank.values()]],
  );
}

/** The fields that replace those of an erased message. */
const noText = { content: '', attachments: [], mentions: [], metadata: null };

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
  const erased = await rows<ErasedMessage>(
    `UPDATE messages SET content = '', metadata = NULL, mentions = NULL, mentioned_bots = ${mentionedBots('NULL')},
       pinned_at = NULL, deleted_at = now() WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL RETURNING id, seq`,
    [ids],
  );
  if (erased.length === 0) return [];
  const erasedIds = erased.map((message) => message.id);
  // The step with several statements is last, so that it stops if one of the others has failed.
  await pipelined([
    rows('DELETE FROM reactions WHERE message_id = ANY($1::uuid[])', [erasedIds]),
    rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [erasedIds]),
    insertJobs(rows, [{ job: 'erasure', messageIds: erasedIds }]),
    outdate(rows, channelId, erased),
  ]);
  return erased;
}
