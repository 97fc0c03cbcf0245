import type { z } from 'zod';
import { type NotificationKind, notificationDeleted, notificationRead } from '../contract/notification.ts';
import { userRoom } from '../contract/rooms.ts';
import type { Change } from '../delivery/changes.ts';
import {
  hasUnreadIn,
  readInScope,
  readInThreads,
  readOfReference,
  readUpTo,
  type Scope,
  unreadCounts,
} from './notification.table.ts';
import { closePushes } from './push.jobs.ts';

/** Marks unread notifications in a scope as read; the users' logs must be locked. @returns how many there were */
export async function markScopeRead(change: Change, { serverId, channelId }: Scope, people: string[]): Promise<number> {
  const read = await readInScope(change.rows, { serverId, channelId }, people);
  await publish(change, [...new Set(read)], () => ({ scope: { serverId, channelId } }));
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
  await publishRead(change, await readOfReference(change.rows, userId, reference));
}

/**
 * Someone has read a channel up to there: its notifications count as read, apart from those of later messages and what awaits
 * an answer (contract §7). Call it after the pointer was moved: what notifies them takes the same lock, and then finds it.
 */
export async function markChannelNoticesRead(
  change: Change,
  userId: string,
  { channelId, seq }: { channelId: string; seq: number },
): Promise<void> {
  if (!(await hasUnreadIn(change.rows, userId, channelId))) return;
  await publishRead(change, await readUpTo(change.rows, userId, { channelId, seq }));
}

/** The same for what was said in a thread. The user's log must be locked. */
export async function markThreadNoticesRead(
  change: Change,
  userId: string,
  read: { channelId: string; threadId: string; seq: number },
): Promise<void> {
  if (!(await hasUnreadIn(change.rows, userId, read.channelId))) return;
  await publishRead(change, await readUpTo(change.rows, userId, read));
}

/** The same for several threads, each up to a number of its channel's log. */
export async function markThreadsNoticesRead(
  change: Change,
  userId: string,
  read: { threadId: string; seq: number }[],
): Promise<void> {
  await publishRead(change, await readInThreads(change.rows, userId, read));
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
  await closePushes(change.rows, [...ofUser.keys()]);
}

type WhatWasRead = Omit<z.input<typeof notificationRead.payload>, 'unreadCount'>;

async function publish(change: Change, users: string[], whatOf: (userId: string) => WhatWasRead): Promise<void> {
  for (const [userId, unreadCount] of await unreadCounts(change.rows, users)) {
    change.publish(notificationRead.in(userRoom(userId), { ...whatOf(userId), unreadCount }));
  }
  await closePushes(change.rows, users);
}
