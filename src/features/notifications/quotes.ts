import { notificationUpdated } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce } from '../../jobs/notification.jobs.ts';
import { publishDeleted } from '../../jobs/reading.ts';
import { notificationTable } from './notification.table.ts';
import { notificationRecord } from './notification.view.ts';
import { quoteTable, type Stale } from './quote.table.ts';

/** Notifications that quote the messages, or whose events do, with outdated text: as many as are updated at once. */
export async function readStale(rows: Rows, messageIds: string[]): Promise<Stale[]> {
  if (messageIds.length === 0) return [];
  return quoteTable.stale(rows, messageIds, atOnce);
}

/**
 * Removes the former text of messages from notifications and from their events in the users' logs, which must be locked.
 * @param told ids of notifications that this change has published to their users
 * @returns whether there may be more of them: a message that mentioned everyone is quoted to thousands
 */
export async function renewQuotes(
  change: Change,
  messageIds: string[],
  stale: Stale[],
  told: Set<string>,
): Promise<boolean> {
  if (stale.length === 0) return false;
  const ids = stale.map(({ id }) => id);
  const users = stale.map(({ userId }) => userId);
  await quoteTable.renewLogs(change.rows, messageIds, users);
  await quoteTable.renew(change.rows, ids);
  const rows = await notificationTable.byIds(change.rows, ids);
  // Even if only the log had it: nodes still have it in memory, and drop it when they see this event.
  const untold = rows.filter(({ id }) => !told.has(id));
  for (const row of untold) change.publish(notificationUpdated.in(userRoom(row.user_id), notificationRecord(row)));
  // Of those that are gone, too.
  const known = new Set([...told, ...rows.map(({ id }) => id)]);
  const gone = new Map(stale.filter(({ id }) => !known.has(id)).map((one) => [one.id, one]));
  await publishDeleted(change, [...gone.values()]);
  return stale.length === atOnce;
}
