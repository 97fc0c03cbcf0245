import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { type Room, userRoom } from '../delivery/entry.ts';
import { serverDeleted } from '../servers/server.contract.ts';
import { notificationRead } from './notification.contract.ts';
import { atOnce, type ClosedPlaceJob, insertJobs, portion } from './notification.jobs.ts';

/** A server or a channel that people cannot enter any more. */
export interface ClosedPlace {
  serverId: string | null;
  channelId: string | null;
  /** Nobody can enter the server any more: it is deleted. */
  isGone?: boolean;
}

/**
 * What people have not read in a place that is closed to them counts as read: nobody could open it. Of the end of a server
 * they are told as well. Call it when their access has ended in this change; `rooms` are those that the change tells of it,
 * for all locks are taken at once. Those beyond the first thousand are left to jobs, and are in no list but theirs any more.
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

/** The logs of `people` must be locked: whoever makes notifications for them holds them, and looks who may see what. */
export async function closePlaceNow(change: Change, place: ClosedPlace, people: string[]): Promise<void> {
  const { serverId, channelId, isGone } = place;
  if (serverId && isGone) {
    for (const userId of people) change.publish(serverDeleted.in(userRoom(userId), { id: serverId, serverId }));
  }
  const read = await change.rows<{ userId: string }>(
    `UPDATE notifications SET read_at = now() WHERE user_id = ANY($1::uuid[]) AND read_at IS NULL
     AND ($2::uuid IS NULL OR server_id = $2) AND ($3::uuid IS NULL OR channel_id = $3) RETURNING user_id AS "userId"`,
    [people, serverId, channelId],
  );
  const scope = { serverId, channelId };
  for (const [userId, unreadCount] of await countsOf(change.rows, [...new Set(read.map((row) => row.userId))])) {
    change.publish(notificationRead.in(userRoom(userId), { scope, unreadCount }));
  }
}

/**
 * What someone has not read of a thing that is settled or gone counts as read. Call it when that has happened in this
 * change, which has locked the person's log.
 */
export async function markSettledRead(
  change: Change,
  userId: string,
  reference: { type: string; id: string },
): Promise<void> {
  const read = await change.rows<{ id: string }>(
    `UPDATE notifications SET read_at = now() WHERE user_id = $1 AND read_at IS NULL
     AND reference_type = $2 AND reference_id = $3 RETURNING id`,
    [userId, reference.type, reference.id],
  );
  if (read.length === 0) return;
  const unreadCount = (await countsOf(change.rows, [userId])).get(userId) ?? 0;
  change.publish(notificationRead.in(userRoom(userId), { ids: read.map(({ id }) => id), unreadCount }));
}

/** How much each of them has not read. */
export async function countsOf(rows: Rows, users: string[]): Promise<Map<string, number>> {
  if (users.length === 0) return new Map();
  const found = await rows<{ userId: string; count: number }>(
    `SELECT u.id AS "userId", (SELECT count(*)::int FROM notifications n WHERE n.user_id = u.id AND n.read_at IS NULL)
     AS count FROM unnest($1::uuid[]) AS u (id)`,
    [users],
  );
  return new Map(found.map(({ userId, count }) => [userId, count]));
}
