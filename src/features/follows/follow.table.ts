import { selectMayRead } from '../../access/channel.table.ts';
import { type FollowState, mostUnreadReplies, mostUnreadThreads } from '../../contract/follow.ts';
import type { Rows } from '../../database/database.ts';
import { selectQuoted } from '../../database/quoted.ts';
import { countOf } from '../../database/statements.ts';
import { repliedSince } from '../members/unread.table.ts';
import type { FollowedRow, StateRow } from './follow.view.ts';

/** How many messages to look at for that: most of them may be the reader's own. */
const mostLooked = 1000;

/** SQL that counts the unread replies of thread `t`: those of others after a position. */
const unreadAfter = (seq: string, user: string) => `SELECT count(*)::int AS count FROM (
    SELECT FROM (
      SELECT author_id FROM messages WHERE thread_id = t.id AND deleted_at IS NULL AND seq > ${seq}
      ORDER BY seq DESC LIMIT ${mostLooked}
    ) AS last WHERE author_id <> ${user} LIMIT ${mostUnreadReplies}
  ) AS counted`;
/** Whoever does not follow a thread has also seen that there are replies by reading its channel (contract §6). */
const pointer = `CASE WHEN f.state <> 'none' OR f.is_unread THEN f.last_read_seq
  ELSE greatest(coalesce(f.last_read_seq, 0), coalesce(r.last_read_seq, 0)) END`;
/** Of threads of earlier versions the number of the last reply is not noted. */
const lastSeq = `CASE WHEN t.last_seq > 0 THEN t.last_seq ELSE coalesce((SELECT seq FROM messages
  WHERE thread_id = t.id AND deleted_at IS NULL ORDER BY seq DESC LIMIT 1), 0) END`;
const states = `SELECT d.user_id AS "userId", t.id AS "threadId", t.channel_id AS "channelId", c.server_id AS "serverId",
    t.parent_message_id AS "parentMessageId", coalesce(f.state, 'none') AS state, seen.seq AS "lastReadSeq",
    ${lastSeq} AS "lastSeq", unread.count AS "unreadCount", t.last_message_at AS "lastMessageAt"
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS d (thread_id, user_id, place)
  JOIN threads t ON t.id = d.thread_id AND t.deleted_at IS NULL JOIN channels c ON c.id = t.channel_id
  LEFT JOIN thread_follows f ON f.thread_id = t.id AND f.user_id = d.user_id
  LEFT JOIN channel_reads r ON r.channel_id = t.channel_id AND r.user_id = d.user_id
  CROSS JOIN LATERAL (SELECT ${pointer} AS seq) AS seen
  CROSS JOIN LATERAL (${unreadAfter('seen.seq', 'd.user_id')}) AS unread ORDER BY d.place`;

const ofThread = 'FROM threads t WHERE t.id = $1 AND t.deleted_at IS NULL';
const activeAt = 'coalesce(t.last_message_at, t.created_at)';
/** What was said before counts as read by whoever did not follow it. */
const follow = `INSERT INTO thread_follows AS f (thread_id, user_id, state, by_choice, last_read_seq, active_at)
  SELECT t.id, $2, $3, $3 = 'following', ${lastSeq}, ${activeAt} ${ofThread}
  ON CONFLICT (thread_id, user_id) DO UPDATE SET state = excluded.state, by_choice = f.by_choice OR excluded.by_choice,
    last_read_seq = CASE WHEN f.state = 'none' AND NOT f.is_unread
      THEN greatest(f.last_read_seq, excluded.last_read_seq) ELSE f.last_read_seq END`;
const unfollow = `UPDATE thread_follows SET state = 'none', by_choice = false, is_unread = false
  WHERE thread_id = $1 AND user_id = $2`;
/** Of a thread that they do not follow, a device may know the pointer of the channel. */
const read = `INSERT INTO thread_follows AS f (thread_id, user_id, state, last_read_seq, active_at)
  SELECT t.id, $2, 'none', least($3, s.last_seq), ${activeAt} FROM threads t JOIN streams s ON s.id = t.channel_id
  WHERE t.id = $1 AND t.deleted_at IS NULL
  ON CONFLICT (thread_id, user_id) DO UPDATE SET last_read_seq = greatest(f.last_read_seq, excluded.last_read_seq)
    WHERE f.last_read_seq >= coalesce($4::bigint, 0) OR (f.state = 'none' AND NOT f.is_unread)
  RETURNING last_read_seq AS seq`;
const unread = `INSERT INTO thread_follows AS f (thread_id, user_id, state, last_read_seq, is_unread, active_at)
  SELECT t.id, $2, 'none', $3::bigint - 1, true, ${activeAt} ${ofThread}
  ON CONFLICT (thread_id, user_id) DO UPDATE SET last_read_seq = excluded.last_read_seq, is_unread = f.state <> 'muted'`;
/** Read up to the last reply. */
const readAll = `UPDATE thread_follows f SET last_read_seq = greatest(f.last_read_seq, ${lastSeq}), is_unread = false
  FROM threads t WHERE t.id = f.thread_id AND f.user_id = $1 AND f.thread_id = ANY($2::uuid[])
  RETURNING f.thread_id AS "threadId", f.last_read_seq AS seq`;
const seqInThread = 'SELECT seq FROM messages WHERE id = $1 AND thread_id = $2';

const hold = `SELECT FROM thread_follows WHERE thread_id = $1 AND user_id = ANY($2::uuid[]) ORDER BY user_id FOR UPDATE`;
const recount = `UPDATE thread_follows f SET active_at = ${activeAt},
    is_unread = (f.state = 'following' OR f.state = 'none' AND f.is_unread) AND unread.count > 0
  FROM threads t CROSS JOIN unnest($2::uuid[]) AS someone (id)
  CROSS JOIN LATERAL (SELECT last_read_seq AS seq FROM thread_follows WHERE thread_id = $1 AND user_id = someone.id) AS seen
  CROSS JOIN LATERAL (${unreadAfter('seen.seq', 'someone.id')}) AS unread
  WHERE t.id = $1 AND f.thread_id = $1 AND f.user_id = someone.id`;
const followers = `SELECT f.user_id AS "userId", ${selectMayRead('f.user_id')} AS "mayRead", t.deleted_at IS NOT NULL AS "isGone",
    f.state, t.channel_id AS "channelId", c.server_id AS "serverId"
  FROM (
    SELECT thread_id, user_id, state FROM thread_follows WHERE thread_id = $1 AND user_id > $2
      AND (state = 'following' OR (SELECT deleted_at FROM threads WHERE id = $1) IS NOT NULL)
    ORDER BY user_id LIMIT $3
  ) AS f JOIN threads t ON t.id = f.thread_id JOIN channels c ON c.id = t.channel_id ORDER BY f.user_id`;
const leave = 'DELETE FROM thread_follows WHERE thread_id = $1 AND user_id = ANY($2::uuid[])';

const place = `thread_follows f JOIN threads t ON t.id = f.thread_id AND t.deleted_at IS NULL
  JOIN channels c ON c.id = t.channel_id`;
const ownPage = `SELECT f.thread_id AS "threadId", f.is_unread AS "isUnread", f.active_at AS "activeAt" FROM ${place}
  WHERE f.user_id = $1 AND f.state = $2 AND (f.is_unread, f.active_at, f.thread_id) < ($3::bool, $4::timestamptz, $5::uuid)
    AND ${selectMayRead('$1')}
  ORDER BY f.is_unread DESC, f.active_at DESC, f.thread_id DESC LIMIT $6`;
const countOwn = `SELECT count(*)::int AS count FROM (
    SELECT FROM ${place} WHERE f.user_id = $1 AND f.state = 'following' AND f.is_unread AND ${selectMayRead('$1')}
    LIMIT ${mostUnreadThreads}
  ) AS counted`;
/** Followers are marked soon after a reply, so the newest ones are told by their numbers. */
const unreadOwn = `SELECT f.thread_id AS "threadId" FROM ${place}
  WHERE f.user_id = $1 AND f.state = 'following' AND (f.is_unread OR t.last_seq > f.last_read_seq)
    AND f.thread_id > $2 AND ${selectMayRead('$1')}
  ORDER BY f.thread_id LIMIT $3`;
/** SQL of the others in a group \`c\` that nobody has named. $2 who reads it */
const namesIn = `(SELECT string_agg(p.display_name, ', ' ORDER BY p.id) FROM group_members g JOIN users p ON p.id = g.user_id
    WHERE g.channel_id = c.id AND g.user_id <> $2)`;
const details = `SELECT t.id, t.channel_id, t.name, t.parent_message_id, t.creator_id, t.is_archived, t.message_count,
    t.last_message_at, t.created_at, t.updated_at, coalesce(other.display_name, nullif(c.name, ''), ${namesIn}) AS channel_name,
    last.id AS reply_id, last.seq AS reply_seq, last.content AS reply_content, last.created_at AS reply_at,
    last.author_id, u.username, u.display_name, u.avatar_url, u.is_bot
  FROM threads t JOIN channels c ON c.id = t.channel_id LEFT JOIN dm_channels d ON d.channel_id = c.id
  LEFT JOIN users other ON other.id = CASE WHEN d.low_id = $2 THEN d.high_id ELSE d.low_id END
  LEFT JOIN LATERAL (SELECT id, seq, author_id, ${selectQuoted('messages')} AS content, created_at FROM messages
    WHERE thread_id = t.id AND deleted_at IS NULL ORDER BY seq DESC LIMIT 1) AS last ON true
  LEFT JOIN users u ON u.id = last.author_id WHERE t.id = ANY($1::uuid[]) AND t.deleted_at IS NULL`;
/** Those with replies since the channel and they were read, and those marked by themselves. $1 user, $2 channel */
const unreadIn = `SELECT "threadId" FROM (
    (SELECT t.id AS "threadId", t.last_seq FROM ${repliedSince(
      '$2',
      'coalesce((SELECT last_read_seq FROM channel_reads WHERE channel_id = $2 AND user_id = $1), 0)',
      '$1',
    )} ORDER BY t.last_seq DESC LIMIT ${mostUnreadThreads})
    UNION SELECT t.id, t.last_seq FROM ${place}
      WHERE f.user_id = $1 AND f.state IN ('following', 'none') AND f.is_unread AND t.channel_id = $2
  ) AS found ORDER BY last_seq DESC LIMIT ${mostUnreadThreads}`;

/** Where an entry stands in the list of threads that someone follows. */
export interface Entry {
  threadId: string;
  isUnread: boolean;
  activeAt: Date | string;
}

/** Someone who follows a thread. */
export interface Follower {
  userId: string;
  mayRead: boolean;
  /** The thread was deleted. */
  isGone: boolean;
  state: FollowState;
  channelId: string;
  serverId: string | null;
}

/** Statements about who follows threads. Those that change rows need the logs of their users locked. */
export const followTable = {
  /** The states of a user in threads; deleted ones are missing. */
  ofUser: (rows: Rows, userId: string, threadIds: string[]) =>
    rows<StateRow>(states, [threadIds, threadIds.map(() => userId)]),

  /** The states of users in a thread. */
  inThread: (rows: Rows, threadId: string, userIds: string[]) =>
    rows<StateRow>(states, [userIds.map(() => threadId), userIds]),

  async follow(rows: Rows, threadId: string, userId: string, state: FollowState): Promise<void> {
    await rows(follow, [threadId, userId, state]);
  },

  async unfollow(rows: Rows, threadId: string, userId: string): Promise<void> {
    await rows(unfollow, [threadId, userId]);
  },

  /**
   * Moves the pointer on; never back, nor past the end of the log.
   * @param knownSeq where it was, as a device knows it: if it has gone back since, it stays
   * @returns where it is then; undefined: it stayed for that reason
   */
  async read(rows: Rows, threadId: string, userId: string, to: { seq: number; knownSeq: number | null }) {
    return (await rows<{ seq: number }>(read, [threadId, userId, to.seq, to.knownSeq]))[0]?.seq;
  },

  /** Moves the pointer to before a reply. */
  async unread(rows: Rows, threadId: string, userId: string, seq: number): Promise<void> {
    await rows(unread, [threadId, userId, seq]);
  },

  /** Threads with unread replies that someone follows, by id. */
  async unreadOf(rows: Rows, userId: string, after: string, most: number): Promise<string[]> {
    return (await rows<{ threadId: string }>(unreadOwn, [userId, after, most])).map(({ threadId }) => threadId);
  },

  /** Moves the pointers to the last replies. @returns where they are then */
  readAll: (rows: Rows, userId: string, threadIds: string[]) =>
    rows<{ threadId: string; seq: number }>(readAll, [userId, threadIds]),

  async seqOf(rows: Rows, threadId: string, messageId: string): Promise<number | undefined> {
    return (await rows<{ seq: number }>(seqInThread, [messageId, threadId]))[0]?.seq;
  },

  /** Notes anew whether there are unread replies for these users. */
  async recount(rows: Rows, threadId: string, userIds: string[]): Promise<void> {
    await rows(hold, [threadId, userIds]);
    await rows(recount, [threadId, userIds]);
  },

  /** Those who follow a thread, by id; of a deleted one all who have a row. */
  followers: (rows: Rows, threadId: string, after: string, most: number) =>
    rows<Follower>(followers, [threadId, after, most]),

  async leave(rows: Rows, threadId: string, userIds: string[]): Promise<void> {
    await rows(leave, [threadId, userIds]);
  },

  /** A page of what someone follows or has muted, in order; only what they may read. */
  page: (rows: Rows, userId: string, state: FollowState, after: Entry, most: number) =>
    rows<Entry>(ownPage, [userId, state, after.isUnread, after.activeAt, after.threadId, most]),

  countUnread: (rows: Rows, userId: string) => countOf(rows, countOwn, [userId]),

  details: (rows: Rows, userId: string, threadIds: string[]) => rows<FollowedRow>(details, [threadIds, userId]),

  async unreadIn(rows: Rows, userId: string, channelId: string): Promise<string[]> {
    return (await rows<{ threadId: string }>(unreadIn, [userId, channelId])).map(({ threadId }) => threadId);
  },
};
