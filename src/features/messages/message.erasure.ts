import type { z } from 'zod';
import { messageDeleted } from '../../contract/message.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { tellFollowers } from '../../jobs/audience.jobs.ts';
import type { NotificationQueue } from '../../jobs/notification.jobs.ts';
import { readWritten, unerasedOf } from './erasure.table.ts';
import { eraseMessages } from './outdated.ts';
import { retitle } from './thread.view.ts';
import { uncountInThread } from './thread-replies.table.ts';

/** What remains of a deleted message. */
type Gone = z.output<typeof messageDeleted.payload>;

/** Erases messages of one channel, whose log must be locked, and publishes that. @returns how many there were */
export async function eraseAndTell(change: Change, messages: Gone[]): Promise<number> {
  const channelId = messages[0]?.channelId;
  if (channelId === undefined) return 0;
  const erased = await eraseMessages(
    change.rows,
    channelId,
    messages.map(({ id }) => id),
  );
  const ids = new Set(erased.map(({ id }) => id));
  const told = messages.filter(({ id }) => ids.has(id));
  for (const gone of told) {
    if (gone.threadId) await uncountInThread(change.rows, gone.threadId);
    change.publish(messageDeleted.in(channelRoom(channelId), gone, gone.threadId));
  }
  await tellFollowers(
    change.rows,
    told.flatMap(({ threadId }) => threadId ?? []),
  );
  return ids.size;
}

/** Some messages of an author that are not deleted, ordered by their channels. */
export function someWritten(change: Change, authorId: string, most: number): Promise<string[]> {
  return unerasedOf(change.rows, authorId, most);
}

/** Erases messages as their author would, each with its event. It locks the logs of their channels. */
export async function eraseWritten(change: Change, notifications: NotificationQueue, ids: string[]): Promise<void> {
  const written = await readWritten(change.rows, ids);
  const channels = Map.groupBy(written, ({ channelId }) => channelId);
  await change.lock(...[...channels.keys()].map(channelRoom));
  for (const messages of channels.values()) {
    for (const { id, hasExtras } of messages) if (hasExtras) await retitle(change, id, '');
    await eraseAndTell(
      change,
      messages.map(({ hasExtras: _, ...gone }) => gone),
    );
  }
  // Quotes of them are updated at once instead of at the next poll for jobs.
  change.afterCommit(() => notifications.wake());
}
