import { z } from 'zod';
import { channelRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { insertJobs, type NotificationQueue } from '../../jobs/notification.jobs.ts';
import { deletedChannels, findDeletedChannel, removeChannel, removeSomeMessages } from './channel.purge.table.ts';
import { eraseInteractions } from './interaction.erasure.table.ts';

const batch = 1000;
/** The pause between two batches, so that they take only a little of the database's time. */
const pauseMs = 20;

const purgeKind: JobKind<{ channelId: string }> = {
  name: 'channel-purge',
  schema: z.object({ channelId: idSchema }),
};

interface Parts {
  jobs: Jobs;
  notifications: NotificationQueue;
}

/** Removes deleted channels after this change. */
export async function purgeAfter(change: Change, jobs: Jobs, channelIds: string[]): Promise<void> {
  const items = channelIds.map((channelId) => ({ data: { channelId }, key: channelId }));
  await jobs.addAll(change, purgeKind, items);
}

/** The same for channels that a node of an earlier version deleted, and could not remove before it stopped. */
export async function purgeLeftBehind(change: Change, jobs: Jobs): Promise<void> {
  await purgeAfter(change, jobs, await deletedChannels(change.rows));
}

/** Removes a deleted channel in small steps: messages at once, the rest when everyone has the event. */
export function channelPurge({ jobs, notifications }: Parts): InsideWork {
  const purge = async (change: Change, channelId: string) => {
    const channel = await findDeletedChannel(change.rows, channelId);
    if (!channel) return;
    const again = (runAt?: Date) => jobs.add(change, purgeKind, { channelId }, { key: channelId, runAt });
    if ((await removeMessages(change, channelId)) > 0) {
      change.afterCommit(() => notifications.wake());
      await again();
      return;
    }
    if ((await eraseInteractions(change, { channelId }, batch)) > 0) {
      await again();
      return;
    }
    if (!channel.isOver) {
      await again(new Date(channel.endsAt));
      return;
    }
    // From here on no one can write into the channel; messages in flight until now would stay behind.
    await change.lock(channelRoom(channelId));
    await removeChannel(change.rows, channelId);
  };
  const run: Parameters<typeof insideWork<{ channelId: string }>>[1] = async (change, [job]) => {
    if (job) await purge(change, job.data.channelId);
  };
  return insideWork(purgeKind, run, { pauseMs });
}

async function removeMessages({ rows }: Change, channelId: string): Promise<number> {
  const ids = await removeSomeMessages(rows, channelId, batch);
  // Notifications that quote them follow in the background, as with a message that is deleted by itself.
  if (ids.length > 0) await insertJobs(rows, [{ job: 'erasure', messageIds: ids }]);
  return ids.length;
}
