import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';
import { type AttachmentRow, isUnsent } from '../messages/attachment.table.ts';

/** A row of `drafts`. */
export interface DraftRow {
  channel_id: string;
  thread_id: string | null;
  reply_to_id: string | null;
  content: string;
  revision: number;
  updated_at: Date | string;
  attachments: AttachmentRow[] | null;
}

/** With the files that are still to be sent. */
const columns = `d.channel_id, d.thread_id, d.reply_to_id, d.content, d.revision, d.updated_at,
    CASE WHEN d.file_ids <> '{}' THEN (SELECT json_agg(a ORDER BY array_position(d.file_ids, a.id)) FROM attachments a
      WHERE a.id = ANY(d.file_ids) AND a.uploader_id = d.user_id AND ${isUnsent}) END AS attachments`;
const select = `SELECT ${columns} FROM drafts d`;
/** Where their user may still read. */
const shown = `JOIN channels c ON c.id = d.channel_id LEFT JOIN threads t ON t.id = d.thread_id
  WHERE d.user_id = $1 AND t.deleted_at IS NULL AND ${selectMayRead('d.user_id')}`;
const all = `${select} ${shown} ORDER BY d.updated_at DESC, d.place_id`;
const removeHidden = `DELETE FROM drafts WHERE user_id = $1
  AND place_id NOT IN (SELECT d.place_id FROM drafts d ${shown})`;
const one = `${select} WHERE d.user_id = $1 AND d.place_id = $2`;
const count = 'SELECT count(*)::int AS count FROM drafts WHERE user_id = $1';
/** The time alone would repeat if the clock were set back; the last revision alone would end with its draft. */
const put = `INSERT INTO drafts AS d (user_id, place_id, channel_id, thread_id, reply_to_id, content, file_ids, revision, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, now())
  ON CONFLICT (user_id, place_id) DO UPDATE SET content = excluded.content, reply_to_id = excluded.reply_to_id,
    file_ids = excluded.file_ids, revision = greatest(excluded.revision, d.revision + 1), updated_at = excluded.updated_at
  RETURNING ${columns}`;
const unsentOf = `SELECT id FROM attachments WHERE id = ANY($2::uuid[]) AND uploader_id = $1 AND ${isUnsent}`;
const remove = 'DELETE FROM drafts WHERE user_id = $1 AND place_id = $2';

const first = async <R extends object>(found: Promise<R[]>): Promise<R | undefined> => (await found)[0];

/** The statements on drafts. Those that change one need the lock on its user. */
export const draftTable = {
  /** Those changed last first. */
  all: (rows: Rows, userId: string) => rows<DraftRow>(all, [userId]),

  find: (rows: Rows, userId: string, placeId: string) => first(rows<DraftRow>(one, [userId, placeId])),

  async count(rows: Rows, userId: string): Promise<number> {
    return (await first(rows<{ count: number }>(count, [userId])))?.count ?? 0;
  },

  put: (
    rows: Rows,
    userId: string,
    draft: {
      channelId: string;
      threadId: string | null;
      replyToId: string | null;
      content: string;
      fileIds: string[];
    },
  ) => {
    const { channelId, threadId, replyToId, content, fileIds } = draft;
    const values = [userId, threadId ?? channelId, channelId, threadId, replyToId, content, fileIds];
    return first(rows<DraftRow>(put, values));
  },

  /** Those of these uploads that their user has not sent. */
  async unsentOf(rows: Rows, userId: string, fileIds: string[]): Promise<string[]> {
    const found = await rows<{ id: string }>(unsentOf, [userId, fileIds]);
    return fileIds.filter((id) => found.some((file) => file.id === id));
  },

  /** Forgets those in places that their user can no longer enter. */
  removeHidden: (rows: Rows, userId: string) => rows(removeHidden, [userId]),

  remove: (rows: Rows, userId: string, placeId: string) => rows(remove, [userId, placeId]),
};
