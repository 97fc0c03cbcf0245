import type { Rows } from '../database/database.ts';
import { pipelined } from '../database/transaction.ts';
import { channelRoom, streamId } from '../delivery/entry.ts';
import { insertJobs } from '../notifications/notification.jobs.ts';
import { untitled } from '../threads/thread.title.ts';
import { mentionedBots } from './mentioned-bots.ts';

interface ErasedMessage {
  id: string;
  seq: number;
}

/**
 * Erases messages, with everything attached to them and their content in the log: later readers of the log find that there
 * was a message, but not what it said. The channel's log must be locked. Notifications that quote them follow in the
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
  // What takes several steps comes last, so that it stops if one of the others has failed.
  await pipelined([
    rows('DELETE FROM reactions WHERE message_id = ANY($1::uuid[])', [erasedIds]),
    rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [erasedIds]),
    insertJobs(rows, [{ job: 'erasure', messageIds: erasedIds }]),
    redactLog(rows, channelId, erased),
  ]);
  return erased;
}

/** Removes the content of erased messages from the log, both from their own entries and from those that quote them. */
async function redactLog(rows: Rows, channelId: string, erased: ErasedMessage[]): Promise<void> {
  const gone = new Set(erased.map((message) => message.id));
  const stream = streamId(channelRoom(channelId));
  const replies = await rows<ErasedMessage>(
    `SELECT id, seq FROM messages
     WHERE reply_to_id = ANY($1::uuid[]) AND seq > (SELECT floor_seq FROM streams WHERE id = $2)`,
    [[...gone], stream],
  );
  const told = [...erased, ...replies];
  // Their current names; an earlier one may have been the beginning of the erased message.
  const threads = await rows<{ id: string; name: string }>(
    'SELECT id, name FROM threads WHERE parent_message_id = ANY($1::uuid[])',
    [[...gone]],
  );
  const names = new Map(threads.map(({ id, name }) => [id, name]));
  // Apart from message:new, these events repeat a message's record; an index finds them (see LogRow).
  const entries = await rows<{ seq: number; json: string }>(
    `SELECT seq, data::text AS json FROM log_entries
     WHERE stream_id = $1 AND seq = ANY($2::bigint[]) AND event = 'message:new'
     UNION ALL
     SELECT seq, data::text FROM log_entries
     WHERE stream_id = $1 AND data ->> 'id' = ANY($3::text[])
       AND event IN ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated')`,
    [stream, told.map((message) => message.seq), [...told, ...threads].map(({ id }) => id)],
  );
  if (entries.length === 0) return;
  await rows(
    `UPDATE log_entries SET data = redacted.data FROM unnest($2::bigint[], $3::json[]) AS redacted (seq, data)
     WHERE log_entries.stream_id = $1 AND log_entries.seq = redacted.seq`,
    [stream, entries.map((entry) => entry.seq), entries.map((entry) => redacted(entry.json, gone, names))],
  );
}

/** The fields of an erased message's record. */
const blank = { content: '', attachments: [], reactions: [], mentions: [], metadata: null };

interface Told {
  id: string;
  replyTo?: { id: string } | null;
  thread?: { id: string } | null;
}

/**
 * The record of a message or a thread without the content of the messages in `gone`; JSON text in and out.
 * @param names of threads that start from them
 */
export function redacted(json: string, gone: Set<string>, names: Map<string, string>): string {
  const data: Told = JSON.parse(json);
  const name = names.get(data.id);
  if (name !== undefined) return JSON.stringify({ ...data, name });
  // Its shape stays: clients that read the log from further back must still recognise it as a message.
  const replyTo = data.replyTo && { ...data.replyTo, content: '', deleted: true };
  const thread = data.thread && { ...data.thread, name: names.get(data.thread.id) ?? untitled };
  if (gone.has(data.id)) return JSON.stringify({ ...data, ...blank, replyTo, thread });
  return replyTo && gone.has(replyTo.id) ? JSON.stringify({ ...data, replyTo }) : json;
}
