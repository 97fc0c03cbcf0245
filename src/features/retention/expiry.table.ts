import type { Rows } from '../../database/database.ts';
import { pipelined } from '../../database/transaction.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';
import { deleteAttachments, deleteReactions, emptyMessages, withVersions } from '../messages/edit.table.ts';
import { outdate } from '../messages/outdated.ts';
import { untitled } from '../messages/thread.view.ts';

/** Messages of one step, so that the log of their channel is locked for a few dozen milliseconds at most. */
export const stepSize = 200;

/** How far a channel is, and for how many days it keeps messages; null: for ever. */
interface Expiring {
  afterSeq: number;
  days: number | null;
}

/** A message that may have expired. */
export interface Aged {
  id: string;
  seq: number;
  threadId: string | null;
  /** What it refers to: the message that it replies to, and the one that its thread starts from. */
  replyToId: string | null;
  parentId: string | null;
  isOver: boolean;
  endsAt: Date | string;
}

const hold = `SELECT c.expired_seq AS "afterSeq",
    nullif(coalesce(c.keep_messages_days, (SELECT keep_messages_days FROM servers WHERE id = c.server_id)), 0) AS days
  FROM channels c WHERE c.id = $1 AND c.server_id IS NOT NULL AND c.deleted_at IS NULL FOR NO KEY UPDATE OF c`;
const keptFor = (days: string) => `make_interval(hours => 24 * ${days})`;
/** Only the numbers after those of the last step are looked at, however many messages there are. */
const selectOldest = `SELECT m.id, m.seq, m.thread_id AS "threadId", m.reply_to_id AS "replyToId", t.parent_message_id AS "parentId",
    m.created_at + ${keptFor('$3::int')} <= now() AS "isOver", m.created_at + ${keptFor('$3::int')} AS "endsAt"
  FROM (SELECT * FROM messages WHERE channel_id = $1 AND seq > $2 ORDER BY seq LIMIT ${stepSize}) AS m
  LEFT JOIN threads t ON t.id = m.thread_id ORDER BY m.seq`;
const selectLive = 'SELECT id, seq FROM messages WHERE channel_id = $1 AND id = ANY($2::uuid[]) AND deleted_at IS NULL';
/** Those of messages $2 to which messages after number $3 refer: replies, and threads that have some. */
const selectReferred = `SELECT reply_to_id AS id FROM messages
    WHERE channel_id = $1 AND reply_to_id = ANY($2::uuid[]) AND seq > $3
  UNION SELECT t.parent_message_id FROM threads t
    WHERE t.parent_message_id = ANY($2::uuid[]) AND EXISTS (SELECT FROM messages m
      WHERE m.channel_id = $1 AND m.thread_id = t.id AND m.seq > $3 AND m.deleted_at IS NULL)`;
const uncount = `UPDATE threads t SET message_count = greatest(0, t.message_count - gone.count),
    last_seq = CASE WHEN t.message_count > gone.count THEN t.last_seq ELSE 0 END FROM (
    SELECT thread_id, count(*)::int AS count FROM messages
    WHERE channel_id = $1 AND id = ANY($2::uuid[]) AND thread_id IS NOT NULL GROUP BY thread_id
  ) AS gone WHERE t.id = gone.thread_id`;
/** Whoever has only expired replies to read has none. */
const settleFollows = `UPDATE thread_follows f SET is_unread = false WHERE f.thread_id = ANY($1::uuid[]) AND f.is_unread
  AND NOT EXISTS (SELECT FROM messages m WHERE m.thread_id = f.thread_id AND m.deleted_at IS NULL
    AND m.seq > f.last_read_seq AND m.author_id <> f.user_id)`;
const untitle = `UPDATE threads SET name = '${untitled}', updated_at = now()
  WHERE parent_message_id = ANY($1::uuid[]) AND NOT is_named AND name <> '${untitled}'`;
/** Also earlier ones that something referred to until now: they are empty. Nothing up to number $3 is left but such rows. */
const removeMessages = `${withVersions} DELETE FROM messages WHERE channel_id = $2 AND id = ANY($1::uuid[]) AND seq <= $3`;
/** The threads that start from messages $2, or are $3, of which nothing is left. */
const endThreads = `DELETE FROM threads t USING (
    SELECT id FROM threads WHERE parent_message_id = ANY($2::uuid[]) UNION SELECT unnest($3::uuid[])
  ) AS known
  WHERE t.id = known.id AND t.channel_id = $1 AND t.deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM messages p
      WHERE p.channel_id = $1 AND p.id = t.parent_message_id AND p.deleted_at IS NULL)
    AND NOT EXISTS (SELECT FROM messages m WHERE m.channel_id = $1 AND m.thread_id = t.id AND m.deleted_at IS NULL)
  RETURNING t.id`;
const moveOn = 'UPDATE channels SET expired_seq = $2 WHERE id = $1';

/** Locks a channel against other steps until the commit; undefined: it is not there any more. */
export async function holdExpiring(rows: Rows, channelId: string): Promise<Expiring | undefined> {
  const [channel] = await rows<Expiring>(hold, [channelId]);
  return channel;
}

/** The oldest messages of a channel after a number, in order, and when each expires. By PostgreSQL's clock. */
export function oldestMessages(rows: Rows, channelId: string, afterSeq: number, days: number): Promise<Aged[]> {
  return rows<Aged>(selectOldest, [channelId, afterSeq, days]);
}

const distinct = (ids: (string | null)[]): string[] => [...new Set(ids.flatMap((id) => id ?? []))];

/** What one step has removed. */
interface Removed {
  /** How many of the messages were not deleted before. */
  count: number;
  /** The threads of which nothing is left. */
  threadIds: string[];
}

/**
 * Removes the oldest messages of a channel with everything that belongs to them, and their text in the log. Those that later
 * messages reply to, or are in the threads of, stay as empty rows until these go too. The channel's log must be locked.
 */
export async function removeExpired(rows: Rows, channelId: string, oldest: Aged[]): Promise<Removed> {
  const ids = oldest.map(({ id }) => id);
  const last = oldest.at(-1)?.seq ?? 0;
  const all = distinct(oldest.flatMap(({ id, replyToId, parentId }) => [id, replyToId, parentId]));
  const { live, referred } = await pipelined({
    live: rows<{ id: string; seq: number }>(selectLive, [channelId, ids]),
    referred: rows<{ id: string }>(selectReferred, [channelId, all, last]),
  });
  // While the replies are there, by which the log is searched.
  if (live.length > 0) await outdate(rows, channelId, live);
  const liveIds = live.map(({ id }) => id);
  const staying = new Set(referred.map(({ id }) => id));
  const threads = distinct(oldest.map(({ threadId }) => threadId));
  const { ended } = await pipelined({
    counted: rows(uncount, [channelId, liveIds]),
    reactions: rows(deleteReactions, [ids]),
    attachments: rows(deleteAttachments, [ids]),
    emptied: rows(emptyMessages, [ids.filter((id) => staying.has(id)), channelId]),
    removed: rows(removeMessages, [all.filter((id) => !staying.has(id)), channelId, last]),
    followed: rows(settleFollows, [threads]),
    untitled: rows(untitle, [ids]),
    ended: rows<{ id: string }>(endThreads, [channelId, ids, threads]),
    moved: rows(moveOn, [channelId, last]),
    jobs: insertJobs(rows, liveIds.length > 0 ? [{ job: 'erasure', messageIds: liveIds }] : []),
  });
  return { count: live.length, threadIds: ended.map(({ id }) => id) };
}
