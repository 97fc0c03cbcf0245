import type { NotificationKind } from '../contract/notification.ts';
import type { Rows } from '../database/database.ts';

/** A server, a channel, or a channel in a server; both null: everything. */
export interface Scope {
  serverId: string | null;
  channelId: string | null;
}

const inScope = '($2::uuid IS NULL OR server_id = $2) AND ($3::uuid IS NULL OR channel_id = $3)';
const deleteScope = `DELETE FROM notifications WHERE user_id = ANY($1::uuid[])
     AND ${inScope} RETURNING user_id AS "userId"`;
const readScope = `UPDATE notifications SET read_at = now() WHERE user_id = ANY($1::uuid[]) AND read_at IS NULL
     AND ${inScope} RETURNING user_id AS "userId"`;
const readSettled = `UPDATE notifications SET read_at = now() WHERE user_id = $1 AND read_at IS NULL
     AND reference_type = $2 AND reference_id = $3 AND kind = coalesce($4, kind) RETURNING id, user_id AS "userId"`;
/** What was asked stays open until it is answered. */
const settled = `user_id = $1 AND channel_id = $2 AND read_at IS NULL AND kind <> 'channel.join_request'`;
const hasUnread = `SELECT FROM notifications WHERE ${settled} LIMIT 1`;
const readInChannel = `UPDATE notifications n SET read_at = now() WHERE ${settled}
     AND NOT EXISTS (SELECT FROM messages m WHERE n.reference_type = 'message' AND m.channel_id = $2 AND m.id = n.reference_id
       AND m.seq > $3) RETURNING id, user_id AS "userId"`;
const readInThread = `UPDATE notifications n SET read_at = now() WHERE ${settled} AND n.reference_type = 'message'
     AND EXISTS (SELECT FROM messages m WHERE m.channel_id = $2 AND m.id = n.reference_id AND m.thread_id = $4 AND m.seq <= $3)
     RETURNING id, user_id AS "userId"`;
const readThreads = `UPDATE notifications n SET read_at = now() WHERE user_id = $1 AND read_at IS NULL
     AND reference_type = 'message' AND EXISTS (SELECT FROM messages m
       JOIN unnest($2::uuid[], $3::bigint[]) AS seen (thread_id, seq) ON seen.thread_id = m.thread_id
       WHERE m.channel_id = n.channel_id AND m.id = n.reference_id AND m.seq <= seen.seq)
     RETURNING id, user_id AS "userId"`;
const leaveThreads = `DELETE FROM thread_follows f USING threads t JOIN channels c ON c.id = t.channel_id
     WHERE f.user_id = ANY($1::uuid[]) AND t.id = f.thread_id
       AND ($2::uuid IS NULL OR c.server_id = $2) AND ($3::uuid IS NULL OR c.id = $3)`;
const countUnread = `SELECT u.id AS "userId", (SELECT count(*)::int FROM notifications n WHERE n.user_id = u.id AND n.read_at IS NULL)
     AS count FROM unnest($1::uuid[]) AS u (id)`;

/** Deletes the notifications of people in a scope. @returns the users of those deleted, once for each */
export async function deleteInScope(rows: Rows, { serverId, channelId }: Scope, people: string[]): Promise<string[]> {
  return (await rows<{ userId: string }>(deleteScope, [people, serverId, channelId])).map(({ userId }) => userId);
}

/** Unread notifications of people in a scope count as read. @returns the users of those, once for each */
export async function readInScope(rows: Rows, { serverId, channelId }: Scope, people: string[]): Promise<string[]> {
  return (await rows<{ userId: string }>(readScope, [people, serverId, channelId])).map(({ userId }) => userId);
}

/** A user's unread notifications of something count as read; with a kind only those of that kind. */
export function readOfReference(
  rows: Rows,
  userId: string,
  reference: { type: string; id: string; kind?: NotificationKind },
): Promise<{ id: string; userId: string }[]> {
  return rows(readSettled, [userId, reference.type, reference.id, reference.kind ?? null]);
}

/** Whether a user has unread notifications of a channel that reading settles. */
export async function hasUnreadIn(rows: Rows, userId: string, channelId: string): Promise<boolean> {
  return (await rows(hasUnread, [userId, channelId])).length > 0;
}

/**
 * A user's unread notifications of a channel count as read, but those of messages after `seq`; of a thread only those of
 * its messages up to there.
 */
export function readUpTo(
  rows: Rows,
  userId: string,
  { channelId, threadId, seq }: { channelId: string; threadId?: string; seq: number },
): Promise<{ id: string; userId: string }[]> {
  return threadId === undefined
    ? rows(readInChannel, [userId, channelId, seq])
    : rows(readInThread, [userId, channelId, seq, threadId]);
}

/** A user's unread notifications of replies in threads count as read, in each up to a number. */
export function readInThreads(
  rows: Rows,
  userId: string,
  read: { threadId: string; seq: number }[],
): Promise<{ id: string; userId: string }[]> {
  const [threadIds, seqs] = [read.map(({ threadId }) => threadId), read.map(({ seq }) => seq)];
  return rows(readThreads, [userId, threadIds, seqs]);
}

/** People follow no thread in a scope any more. */
export async function leaveThreadsIn(rows: Rows, { serverId, channelId }: Scope, people: string[]): Promise<void> {
  await rows(leaveThreads, [people, serverId, channelId]);
}

/** The unread count of each user. */
export async function unreadCounts(rows: Rows, users: string[]): Promise<Map<string, number>> {
  if (users.length === 0) return new Map();
  const found = await rows<{ userId: string; count: number }>(countUnread, [users]);
  return new Map(found.map(({ userId, count }) => [userId, count]));
}
