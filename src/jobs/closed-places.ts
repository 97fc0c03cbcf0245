import { notificationDeleted } from '../contract/notification.ts';
import { type Room, userRoom } from '../contract/rooms.ts';
import { serverDeleted } from '../contract/server.ts';
import type { Change } from '../delivery/changes.ts';
import { atOnce, type ClosedPlaceJob, insertJobs, portion } from './notification.jobs.ts';
import { deleteInScope, leaveThreadsIn, type Scope, unreadCounts } from './notification.table.ts';
import { closePushes } from './push.jobs.ts';
import { markScopeRead } from './reading.ts';

/** A server or a channel that people can no longer enter. */
export interface ClosedPlace extends Scope {
  /** It was deleted. */
  isGone?: boolean;
}

/**
 * Unread notifications of a place that people can no longer enter count as read, and they follow no thread in it; those of a
 * deleted one are deleted.
 * People also get an event for the end of a server. Call it when their access has ended in this change; `rooms` are
 * those that the change notifies, since all locks are taken at once. People beyond the first thousand are left to jobs,
 * which alone still list them.
 */
export async function closePlace(change: Change, place: ClosedPlace, people: string[], rooms: Room[]): Promise<void> {
  const others = people.slice(atOnce);
  const jobs: ClosedPlaceJob[] = [];
  for (let at = 0; at < others.length; at += portion) {
    jobs.push({ job: 'farewell', ...place, users: others.slice(at, at + portion) });
  }
  await insertJobs(change.rows, jobs);
  const now = people.slice(0, atOnce);
  await change.lock(...rooms, ...now.map(userRoom));
  await closePlaceNow(change, place, now);
}

/** The logs of `people` must be locked: making notifications takes the same locks, and then checks who may see what. */
export async function closePlaceNow(change: Change, place: ClosedPlace, people: string[]): Promise<void> {
  const { serverId, channelId, isGone } = place;
  if (serverId && isGone) {
    for (const userId of people) change.publish(serverDeleted.in(userRoom(userId), { id: serverId, serverId }));
  }
  if (isGone) await deleteScope(change, { serverId, channelId }, people);
  else {
    await markScopeRead(change, { serverId, channelId }, people);
    await leaveThreadsIn(change.rows, { serverId, channelId }, people);
  }
}

/** Deletes the notifications of a deleted server or channel; the users' logs must be locked. */
async function deleteScope(change: Change, { serverId, channelId }: Scope, people: string[]): Promise<void> {
  const users = new Set(await deleteInScope(change.rows, { serverId, channelId }, people));
  for (const [userId, unreadCount] of await unreadCounts(change.rows, [...users])) {
    change.publish(notificationDeleted.in(userRoom(userId), { scope: { serverId, channelId }, unreadCount }));
  }
  await closePushes(change.rows, [...users]);
}
