import type { z } from 'zod';
import { type NotificationKind, notificationDeleted, notificationRead } from '../contract/notification.ts';
import { userRoom } from '../contract/rooms.ts';
import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';

/** A server, a channel, or a channel in a server; both null: everything. */
export interface Scope {
  serverId: string | null;
  channelId: string | null;
}

/** Marks unread notifications in a scope as read; the users' logs must be locked. @returns how many there were */
export async function markScopeRead(change: Change, { serverId, channelId }: Scope, people: string[]): Promise<number> {
  const read = await change.rows<{ userId: string }>(
    `UPDATE notifications SET read_at = now() WHERE user_id = ANY($1::uuid[]) AND read_at IS NULL
     AND ($2::uuid IS NULL OR server_id = $2) AND ($3::uuid IS NULL OR channel_id = $3) RETURNING user_id AS "userId"`,
    [people, serverId, channelId],
  );
  const users = new Set(read.map(({ userId }) => userId));
  await publish(change, [...users], () => ({ scope: { serverId, channelId } }));
  return read.length;
}

/**
 * Marks as read a user's notifications of something settled or gone. Call it after that happened in this change, which must
 * have locked the user's log.
 * @param reference with a kind: only those of that kind
 */
export async function markSettledRead(
  change: Change,
  userId: string,
  reference: { type: string; id: string; kind?: NotificationKind },
): Promise<void> {
  const read = await change.rows<{ id: string; userId: string }>(
    `UPDATE notifications SET read_at = now() WHERE user_id = $1 AND read_at IS NULL
     AND reference_type = $2 AND reference_id = $3 AND kind = coalesce($4, kind) RETURNING id, user_id AS "userId"`,
    [userId, reference.type, reference.id, reference.kind ?? null],
  );
  await publishRead(change, read);
}

/** Publishes to people that these notifications count as read from now on; their logs must be locked. */
export async function publishRead(change: Change, read: { id: string; userId: string }[]): Promise<void> {
  const ofUser = Map.groupBy(read, ({ userId }) => userId);
  await publish(change, [...ofUser.keys()], (userId) => ({ ids: ofUser.get(userId)?.map(({ id }) => id) }));
}

/** Publishes to people that these notifications are gone; their logs must be locked. */
export async function publishDeleted(change: Change, gone: { id: string; userId: string }[]): Promise<void> {
  const ofUser = Map.groupBy(gone, ({ userId }) => userId);
  for (const [userId, unreadCount] of await unreadCounts(change.rows, [...ofUser.keys()])) {
    const ids = ofUser.get(userId)?.map(({ id }) => id);
    change.publish(notificationDeleted.in(userRoom(userId), { ids, unreadCount }));
  }
}

/** The unread count of each user. */
export async function unreadCounts(rows: Rows, users: string[]): Promise<Map<string, number>> {
  if (users.length === 0) return new Map();
  const found = await rows<{ userId: string; count: number }>(
    `SELECT u.id AS "userId", (SELECT count(*)::int FROM notifications n WHERE n.user_id = u.id AND n.read_at IS NULL)
     AS count FROM unnest($1::uuid[]) AS u (id)`,
    [users],
  );
  return new Map(found.map(({ userId, count }) => [userId, count]));
}

type WhatWasRead = Omit<z.input<typeof notificationRead.payload>, 'unreadCount'>;

async function publish(change: Change, users: string[], whatOf: (userId: string) => WhatWasRead): Promise<void> {
  for (const [userId, unreadCount] of await unreadCounts(change.rows, users)) {
    change.publish(notificationRead.in(userRoom(userId), { ...whatOf(userId), unreadCount }));
  }
}
