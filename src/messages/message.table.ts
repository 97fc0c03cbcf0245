import type { Rows } from '../database/database.ts';
import type { WriterTable } from '../delivery/writer.ts';
import { insertJobs } from '../notifications/notification.jobs.ts';
import { noticesOf } from './message.notices.ts';
import { type MessageRecord, type MessageRow, messageRecord } from './message.view.ts';

/** What is written of a new message. */
export interface NewMessage {
  id: string;
  channelId: string;
  authorId: string;
  content: string;
  threadId: string | null;
  replyToId: string | null;
  metadata: Record<string, unknown> | null;
  nonce: string | null;
  createdAt: string;
  /** Whether it is sent in a DM. */
  isDirect: boolean;
}

export const selectMessages = `SELECT m.id, m.channel_id, c.kind AS channel_kind, m.seq, m.content, m.author_id, u.username, u.display_name,
  u.avatar_url, u.is_bot, m.thread_id, m.reply_to_id, r.author_id AS reply_author_id,
  left(r.content, 201) AS reply_content, r.deleted_at IS NOT NULL AS reply_deleted, m.metadata, m.nonce, m.is_edited,
  m.created_at, m.updated_at
  FROM messages m JOIN users u ON u.id = m.author_id JOIN channels c ON c.id = m.channel_id LEFT JOIN messages r ON r.id = m.reply_to_id`;

/** How long a nonce or an Idempotency-Key is remembered (contract §1). */
const rememberedFor = "interval '1 day'";

/** The writer's way into `messages`. */
export const messageTable: WriterTable<NewMessage, MessageRecord> = {
  async findRepeats(rows: Rows, items: NewMessage[]): Promise<Map<number, MessageRecord>> {
    const keys = [
      items.map((item) => item.channelId),
      items.map((item) => item.authorId),
      items.map((item) => item.nonce),
    ];
    // Old nonces make room, so that a client that counts from 1 each day is understood each day.
    const found = await rows<MessageRow & { place: number; expired: boolean }>(
      `SELECT item.place::int, m.created_at < now() - ${rememberedFor} AS expired, m.*
       FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS item (channel_id, author_id, nonce, place)
       JOIN (${selectMessages}) AS m
         ON m.channel_id = item.channel_id AND m.author_id = item.author_id AND m.nonce = item.nonce`,
      keys,
    );
    const expired = found.filter((row) => row.expired).map((row) => row.id);
    if (expired.length > 0) await rows('UPDATE messages SET nonce = NULL WHERE id = ANY($1::uuid[])', [expired]);
    const repeats = found.filter((row) => !row.expired);
    return new Map(repeats.map((row) => [row.place - 1, messageRecord(row, row.author_id)]));
  },

  async insert(rows: Rows, items: { row: NewMessage; seq: number }[]): Promise<void> {
    await rows(
      `INSERT INTO messages (id, channel_id, seq, author_id, content, thread_id, reply_to_id, metadata, nonce,
         created_at, updated_at)
       SELECT id, channel_id, seq, author_id, content, thread_id, reply_to_id, metadata, nonce, created_at, created_at
       FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::uuid[], $7::uuid[], $8::json[],
         $9::text[], $10::timestamptz[])
         AS new (id, channel_id, seq, author_id, content, thread_id, reply_to_id, metadata, nonce, created_at)`,
      [
        items.map(({ row }) => row.id),
        items.map(({ row }) => row.channelId),
        items.map(({ seq }) => seq),
        items.map(({ row }) => row.authorId),
        items.map(({ row }) => row.content),
        items.map(({ row }) => row.threadId),
        items.map(({ row }) => row.replyToId),
        items.map(({ row }) => row.metadata && JSON.stringify(row.metadata)),
        items.map(({ row }) => row.nonce),
        items.map(({ row }) => row.createdAt),
      ],
    );
    await insertJobs(rows, noticesOf(items.map(({ row }) => row)));
  },
};
