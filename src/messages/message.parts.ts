import type { Rows } from '../database/database.ts';
import { type AttachmentRow, attachmentRecord, selectAttachments } from '../media/attachment.view.ts';
import { readReactions } from '../reactions/reaction.view.ts';
import { isoTimeOrNull } from '../schema.ts';
import { type MessageParts, type MessageRecord, type MessageRow, messageRecord, noParts } from './message.view.ts';

const ofMessages = `${selectAttachments} WHERE message_id = ANY($1::uuid[]) ORDER BY message_id, place`;

/** The complete records of rows: what hangs on them is read with three queries, however many they are. */
export async function withParts(rows: Rows, found: MessageRow[], viewerId: string | null): Promise<MessageRecord[]> {
  if (found.length === 0) return [];
  const parts = await readParts(
    rows,
    found.map((row) => row.id),
  );
  return found.map((row) => messageRecord(row, parts.get(row.id) ?? noParts, viewerId));
}

/** What hangs on messages, by their ids; those on which nothing hangs are missing. */
async function readParts(rows: Rows, ids: string[]): Promise<Map<string, MessageParts>> {
  const [attachments, reactions, threads] = await Promise.all([
    rows<AttachmentRow & { message_id: string }>(ofMessages, [ids]),
    readReactions(rows, ids),
    readThreads(rows, ids),
  ]);
  const parts = new Map<string, MessageParts>();
  const of = (id: string): MessageParts => {
    const known = parts.get(id) ?? { attachments: [], reactions: [], thread: null };
    parts.set(id, known);
    return known;
  };
  for (const row of attachments) of(row.message_id).attachments.push(attachmentRecord(row));
  for (const [id, summaries] of reactions) of(id).reactions = summaries;
  for (const [id, thread] of threads) of(id).thread = thread;
  return parts;
}

async function readThreads(rows: Rows, parentIds: string[]): Promise<Map<string, MessageParts['thread']>> {
  const found = await rows<{
    parent_message_id: string;
    id: string;
    name: string;
    message_count: number;
    last_message_at: Date | string | null;
  }>(
    `SELECT parent_message_id, id, name, message_count, last_message_at FROM threads
     WHERE parent_message_id = ANY($1::uuid[])`,
    [parentIds],
  );
  return new Map(
    found.map((row) => [
      row.parent_message_id,
      {
        id: row.id,
        name: row.name,
        messageCount: row.message_count,
        lastMessageAt: isoTimeOrNull(row.last_message_at),
      },
    ]),
  );
}
