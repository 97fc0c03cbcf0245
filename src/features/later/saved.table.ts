import { selectMayRead } from '../../access/channel.table.ts';
import type { LaterStatus } from '../../contract/later.ts';
import type { Rows } from '../../database/database.ts';

/** A row of `saved_items`. */
export interface SavedRow {
  id: string;
  user_id: string;
  message_id: string | null;
  channel_id: string | null;
  /** Of its channel, as of now. */
  server_id: string | null;
  note: string | null;
  remind_at: Date | string | null;
  reminded_at: Date | string | null;
  done_at: Date | string | null;
  created_at: Date | string;
  updated_at: Date | string;
  /** Whether its user may read its channel. */
  may_read: boolean;
}

const select = `SELECT i.*, c.server_id, i.channel_id IS NOT NULL AND ${selectMayRead('i.user_id')} AS may_read
  FROM saved_items i LEFT JOIN channels c ON c.id = i.channel_id`;
const page = `${select} WHERE i.user_id = $1 AND (i.done_at IS NOT NULL) = ($2 = 'done')
    AND ($2 <> 'due' OR i.remind_at IS NULL AND i.reminded_at IS NOT NULL) AND i.id < $3
  ORDER BY i.id DESC LIMIT $4`;
const inChannel = `${select} WHERE i.user_id = $1 AND i.channel_id = $2 AND i.done_at IS NULL ORDER BY i.id DESC`;
const own = `${select} WHERE i.id = $1 AND i.user_id = $2`;
const ofMessage = `${select} WHERE i.user_id = $1 AND i.message_id = $2`;
const count = 'SELECT count(*)::int AS count FROM saved_items WHERE user_id = $1';
const insert = `INSERT INTO saved_items (id, user_id, message_id, channel_id, note, remind_at, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`;
const update = `UPDATE saved_items SET note = $2, remind_at = $3, done_at = $4, updated_at = $5 WHERE id = $1`;
const remove = 'DELETE FROM saved_items WHERE id = $1';
/** One that was changed, removed or done since is not due. */
const markReminded = `UPDATE saved_items SET reminded_at = now(), remind_at = NULL
  WHERE id = $1 AND remind_at = $2 AND done_at IS NULL RETURNING user_id`;

const first = async <R extends object>(found: Promise<R[]>): Promise<R | undefined> => (await found)[0];

/** The statements on what people saved for later. */
export const savedTable = {
  /** Newest first. */
  page: (
    rows: Rows,
    userId: string,
    { status, before, limit }: { status: LaterStatus; before: string; limit: number },
  ) => rows<SavedRow>(page, [userId, status, before, limit]),

  /** Those of a channel that are not done, newest first: no more than one person may save. */
  inChannel: (rows: Rows, userId: string, channelId: string) => rows<SavedRow>(inChannel, [userId, channelId]),

  find: (rows: Rows, id: string, userId: string) => first(rows<SavedRow>(own, [id, userId])),

  ofMessage: (rows: Rows, userId: string, messageId: string) => first(rows<SavedRow>(ofMessage, [userId, messageId])),

  async count(rows: Rows, userId: string): Promise<number> {
    return (await first(rows<{ count: number }>(count, [userId])))?.count ?? 0;
  },

  async insert(
    rows: Rows,
    item: {
      id: string;
      userId: string;
      messageId: string | null;
      channelId: string | null;
      note: string | null;
      remindAt: string | null;
      at: Date;
    },
  ): Promise<void> {
    const { id, userId, messageId, channelId, note, remindAt, at } = item;
    await rows(insert, [id, userId, messageId, channelId, note, remindAt, at]);
  },

  async update(
    rows: Rows,
    id: string,
    next: { note: string | null; remindAt: string | null; doneAt: string | null; at: Date },
  ): Promise<void> {
    await rows(update, [id, next.note, next.remindAt, next.doneAt, next.at]);
  },

  remove: (rows: Rows, id: string) => rows(remove, [id]),

  /** @returns whose reminder is due now; undefined: nobody's any more */
  async markReminded(rows: Rows, id: string, at: string): Promise<string | undefined> {
    return (await first(rows<{ user_id: string }>(markReminded, [id, at])))?.user_id;
  },
};
