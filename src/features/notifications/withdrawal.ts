import { notificationUpdated } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import { withoutDirections } from '../../contract/unicode/visible.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce } from '../../jobs/notification.jobs.ts';
import { publishDeleted } from '../../jobs/reading.ts';
import { titleOf } from './message-notices.ts';
import { readMessages } from './noted-message.table.ts';
import { notificationTable } from './notification.table.ts';
import { notificationRecord } from './notification.view.ts';
import { type Left, quoteTable, type Shown, type Withdrawn } from './quote.table.ts';

/** The messages to take out of notifications after these were edited or deleted, as many as one change handles. */
export async function readWithdrawn(rows: Rows, messageIds: string[]): Promise<Withdrawn[]> {
  if (messageIds.length === 0) return [];
  return quoteTable.withdrawn(rows, messageIds, atOnce);
}

/**
 * Takes messages out of notifications: those that count nothing else are deleted, others show the newest message that is
 * left (contract §7). The logs of the users must be locked.
 * @returns ids of the notifications that it published
 */
export async function withdraw(change: Change, withdrawn: Withdrawn[]): Promise<Set<string>> {
  if (withdrawn.length === 0) return new Set();
  const { rows } = change;
  const taken = Map.groupBy(withdrawn, ({ notificationId }) => notificationId);
  await quoteTable.detach(rows, withdrawn);
  const left = (await quoteTable.left(rows, [...taken.keys()])).map((row) => {
    const gone = taken.get(row.id) ?? [];
    return { ...row, count: row.count - gone.length, gone: gone.map(({ messageId }) => messageId) };
  });
  const over = left.filter(({ count }) => count <= 0);
  const lessened = left.filter(({ count }) => count > 0);
  const overIds = over.map(({ id }) => id);
  await quoteTable.remove(rows, overIds);
  await quoteTable.lessen(rows, lessened);
  await showNewest(
    rows,
    lessened.filter(({ gone, referenceId }) => gone.includes(referenceId ?? '')),
  );
  await publishDeleted(change, over);
  await publishUpdated(
    change,
    lessened.map(({ id }) => id),
  );
  return new Set(left.map(({ id }) => id));
}

/** Notifications whose message is gone show the newest of the others; if those are unknown, their channel. */
async function showNewest(rows: Rows, shown: Left[]): Promise<void> {
  if (shown.length === 0) return;
  const messages = await readMessages(
    rows,
    shown.flatMap(({ newestId }) => newestId ?? []),
  );
  const next = shown.map(({ id, kind, channelId, newestId, newestAt }): Shown => {
    const message = messages.get(newestId ?? '');
    if (!message) return { id, title: unknown, type: channelId && 'channel', to: channelId, by: null, at: null };
    const title = withoutDirections(titleOf(message, kind));
    return { id, title, type: 'message', to: message.id, by: message.author_id, at: newestAt };
  });
  await quoteTable.show(rows, next);
  const ofMessages = next.filter(({ type }) => type === 'message').map(({ id }) => id);
  await quoteTable.renew(rows, ofMessages);
}

/** The title where the messages that a notification still counts are not known. */
const unknown = 'There are messages for you';

async function publishUpdated(change: Change, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await notificationTable.byIds(change.rows, ids);
  for (const row of rows) change.publish(notificationUpdated.in(userRoom(row.user_id), notificationRecord(row)));
}
