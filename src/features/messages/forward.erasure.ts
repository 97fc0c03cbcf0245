import { channelRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { insertJobs, type NotificationQueue } from '../../jobs/notification.jobs.ts';
import { copiesOf, removeHeldCopies, withdrawCopies } from './forward.table.ts';
import { publishUpdated } from './message.edit.ts';
import { outdate } from './outdated.ts';

/**
 * Takes what others forwarded of an author out of some of their messages, wherever it is repeated, and drops what waits for
 * moderators: the author had all of their own erased. It locks the logs of their channels. @returns how many there were
 */
export async function withdrawForwarded(
  change: Change,
  notifications: NotificationQueue,
  authorId: string,
  most: number,
): Promise<number> {
  const copies = await copiesOf(change.rows, authorId, most);
  const channels = Map.groupBy(copies, ({ channelId }) => channelId);
  await change.lock(...[...channels.keys()].map(channelRoom));
  await removeHeldCopies(change.rows, authorId);
  if (copies.length === 0) return 0;
  await withdrawCopies(change.rows, copies);
  for (const [channelId, some] of channels) {
    await outdate(change.rows, channelId, some);
    for (const { id } of some) await publishUpdated(change, channelId, id);
  }
  const at = dateNow().toISOString();
  await insertJobs(
    change.rows,
    copies.map(({ id }) => ({ job: 'edit', messageId: id, users: [], at })),
  );
  change.afterCommit(() => notifications.wake());
  return copies.length;
}
