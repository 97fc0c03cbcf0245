import type { ScheduledStatus } from '../../contract/scheduled.ts';
import type { Rows } from '../../database/database.ts';
import type { AttachmentRow } from '../messages/attachment.table.ts';

/** A row of `scheduled_messages` with its files. */
export interface ScheduledRow {
  id: string;
  user_id: string;
  channel_id: string;
  /** Of its channel, as of now. */
  server_id: string | null;
  thread_id: string | null;
  reply_to_id: string | null;
  content: string;
  metadata: Record<string, unknown> | null;
  send_at: Date | string;
  place: number;
  /** How often it was taken up to be sent. */
  marks: number;
  status: ScheduledStatus;
  failure: string | null;
  created_at: Date | string;
  updated_at: Date | string;
  attachments: AttachmentRow[] | null;
}

/** Those of one author in one channel, which go out one after the other. */
export interface Lane {
  userId: string;
  channelId: string;
}

const select = `SELECT s.*, c.server_id,
    (SELECT json_agg(a ORDER BY a.place, a.id) FROM attachments a WHERE a.scheduled_id = s.id) AS attachments
  FROM scheduled_messages s LEFT JOIN channels c ON c.id = s.channel_id`;
const page = `${select} WHERE s.user_id = $1 AND s.channel_id = coalesce($2::uuid, s.channel_id)
  ORDER BY s.send_at, s.place LIMIT $3 OFFSET $4`;
const own = `${select} WHERE s.id = $1 AND s.user_id = $2`;
const counts = `SELECT count(*)::int AS count, coalesce(max(place), 0)::int AS last FROM scheduled_messages WHERE user_id = $1`;
const insert = `INSERT INTO scheduled_messages (id, user_id, channel_id, thread_id, reply_to_id, content, metadata, send_at, place,
    created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`;
const update = `UPDATE scheduled_messages SET content = $2, send_at = $3, place = $4, status = $5, failure = $6, updated_at = $7
  WHERE id = $1`;
const mark = `UPDATE scheduled_messages SET status = 'sending', marks = marks + 1 WHERE id = $1`;
const isMarked = `SELECT id FROM scheduled_messages WHERE id = $1 AND marks = $2 AND status = 'sending'`;
/** Only by whoever took it up last. */
const giveBack = `UPDATE scheduled_messages SET status = $3, failure = $4, updated_at = now()
  WHERE id = $1 AND marks = $2 AND status = 'sending' RETURNING id`;
const remove = 'DELETE FROM scheduled_messages WHERE id = $1 RETURNING id';
const releaseFiles = 'UPDATE attachments SET scheduled_id = NULL WHERE scheduled_id = $1 AND NOT id = ANY($2::uuid[])';
const keepFiles = `UPDATE attachments SET scheduled_id = $1, place = f.place
  FROM unnest($2::uuid[], $4::int[]) AS f (id, place)
  WHERE attachments.id = f.id AND uploader_id = $3 AND message_id IS NULL AND held_id IS NULL
    AND (scheduled_id IS NULL OR scheduled_id = $1) RETURNING attachments.id`;
const inLane = `user_id = $1 AND channel_id = $2 AND status IN ('waiting', 'sending')`;
/** One that is being sent is first: its node may have died, or has not said yet that it is sent. */
const nextDue = `SELECT id, status FROM scheduled_messages WHERE ${inLane} AND (status = 'sending' OR send_at <= now())
  ORDER BY (status = 'sending') DESC, send_at, place LIMIT 1`;
const nextTime = `SELECT min(CASE WHEN status = 'sending' THEN now() ELSE send_at END) AS at FROM scheduled_messages
  WHERE ${inLane}`;
const wasSent = 'SELECT id FROM messages WHERE channel_id = $1 AND author_id = $2 AND sent_key = $3';
const unattended = `SELECT DISTINCT s.user_id AS "userId", s.channel_id AS "channelId" FROM scheduled_messages s
  WHERE s.status IN ('waiting', 'sending') AND NOT EXISTS (SELECT FROM jobs j
    WHERE j.kind = $1 AND j.key = s.user_id || ' ' || s.channel_id AND j.died_at IS NULL)`;

const first = async <R extends object>(found: Promise<R[]>): Promise<R | undefined> => (await found)[0];

/** The statements on scheduled messages. Those that change one need the lock on its author. */
export const scheduledTable = {
  /** In the order in which they are due. */
  page: (rows: Rows, userId: string, of: { channelId: string | null; limit: number; offset: number }) =>
    rows<ScheduledRow>(page, [userId, of.channelId, of.limit, of.offset]),

  find: (rows: Rows, id: string, userId: string) => first(rows<ScheduledRow>(own, [id, userId])),

  /** How many someone has, and the last place among them. */
  async counts(rows: Rows, userId: string): Promise<{ count: number; last: number }> {
    return (await first(rows<{ count: number; last: number }>(counts, [userId]))) ?? { count: 0, last: 0 };
  },

  async insert(
    rows: Rows,
    one: Lane & {
      id: string;
      threadId: string | null;
      replyToId: string | null;
      content: string;
      metadata: Record<string, unknown> | null;
      sendAt: string;
      place: number;
      at: Date;
    },
  ): Promise<void> {
    const { id, userId, channelId, threadId, replyToId, content, metadata, sendAt, place, at } = one;
    const json = metadata && JSON.stringify(metadata);
    await rows(insert, [id, userId, channelId, threadId, replyToId, content, json, sendAt, place, at]);
  },

  async update(
    rows: Rows,
    id: string,
    next: {
      content: string;
      sendAt: string;
      place: number;
      status: ScheduledStatus;
      failure: string | null;
      at: Date;
    },
  ): Promise<void> {
    await rows(update, [id, next.content, next.sendAt, next.place, next.status, next.failure, next.at]);
  },

  /** Takes it up to be sent: from here on nobody changes or cancels it. */
  mark: (rows: Rows, id: string) => rows(mark, [id]),

  /** Whether nobody else has taken it up since, or said what became of it. */
  isMarked: async (rows: Rows, { id, marks }: Pick<ScheduledRow, 'id' | 'marks'>): Promise<boolean> =>
    (await rows(isMarked, [id, marks])).length > 0,

  /** It was not sent. @returns false if somebody else has taken it up since, and decides */
  async giveBack(
    rows: Rows,
    { id, marks }: Pick<ScheduledRow, 'id' | 'marks'>,
    status: 'waiting' | 'failed',
    failure: string | null = null,
  ): Promise<boolean> {
    return (await rows(giveBack, [id, marks, status, failure])).length > 0;
  },

  /** @returns whether it was there */
  async remove(rows: Rows, id: string): Promise<boolean> {
    return (await rows(remove, [id])).length > 0;
  },

  /** Keeps these uploads of its author for it, and no others. @returns how many there were */
  async keepFiles(rows: Rows, id: string, userId: string, files: string[]): Promise<number> {
    await rows(releaseFiles, [id, files]);
    if (files.length === 0) return 0;
    return (await rows(keepFiles, [id, files, userId, files.map((_, place) => place)])).length;
  },

  nextDue: (rows: Rows, { userId, channelId }: Lane) =>
    first(rows<{ id: string; status: ScheduledStatus }>(nextDue, [userId, channelId])),

  /** When the next one of a lane is due; null: there is none. */
  async nextTime(rows: Rows, { userId, channelId }: Lane): Promise<Date | null> {
    const found = await first(rows<{ at: Date | string | null }>(nextTime, [userId, channelId]));
    return found?.at == null ? null : new Date(found.at);
  },

  /** Whether a message was sent with a key, however long ago. */
  wasSent: async (rows: Rows, { userId, channelId }: Lane, key: string) =>
    (await first(rows<{ id: string }>(wasSent, [channelId, userId, key])))?.id,

  /** Lanes without a job of a kind. */
  unattended: (rows: Rows, kind: string) => rows<Lane>(unattended, [kind]),
};
