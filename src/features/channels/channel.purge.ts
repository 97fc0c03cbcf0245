import { z } from 'zod';
import { channelRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { insertJobs, type NotificationQueue } from '../../jobs/notification.jobs.ts';

const batch = 1000;
/** The pause between two batches, so that they take only a little of the database's time. */
const pauseMs = 20;
/** How long the log of a deleted channel stays, so that every node gets its deletion. */
const logStays = "interval '10 minutes'";
const selectDeleted = `SELECT deleted_at + ${logStays} AS "endsAt", deleted_at + ${logStays} <= now() AS "isOver"
  FROM channels WHERE id = $1 AND deleted_at IS NOT NULL`;

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
  const left = await change.rows<{ id: string }>('SELECT id FROM channels WHERE deleted_at IS NOT NULL ORDER BY id');
  const ids = left.map(({ id }) => id);
  await purgeAfter(change, jobs, ids);
}

/** Removes a deleted channel in small steps: messages at once, the rest when everyone has the event. */
export function channelPurge({ jobs, notifications }: Parts): InsideWork {
  const purge = async (change: Change, channelId: string) => {
    const { rows } = change;
    const [channel] = await rows<{ endsAt: string; isOver: boolean }>(selectDeleted, [channelId]);
    if (!channel) return;
    const again = (runAt?: Date) => jobs.add(change, purgeKind, { channelId }, { key: channelId, runAt });
    if ((await removeMessages(change, channelId)) > 0) {
      change.afterCommit(() => notifications.wake());
      await again();
      return;
    }
    if (!channel.isOver) {
      await again(new Date(channel.endsAt));
      return;
    }
    // From here on no one can write into the channel; messages in flight until now would stay behind.
    await change.lock(channelRoom(channelId));
    await rows('DELETE FROM messages WHERE channel_id = $1', [channelId]);
    await rows('DELETE FROM channels WHERE id = $1', [channelId]);
    await rows('DELETE FROM log_entries WHERE stream_id = $1', [channelId]);
    await rows('DELETE FROM streams WHERE id = $1', [channelId]);
  };
  const run: Parameters<typeof insideWork<{ channelId: string }>>[1] = async (change, [job]) => {
    if (job) await purge(change, job.data.channelId);
  };
  return insideWork(purgeKind, run, { pauseMs });
}

async function removeMessages({ rows }: Change, channelId: string): Promise<number> {
  const some = await rows<{ id: string }>('SELECT id FROM messages WHERE channel_id = $1 ORDER BY seq DESC LIMIT $2', [
    channelId,
    batch,
  ]);
  const ids = some.map((message) => message.id);
  if (ids.length === 0) return 0;
  await rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [ids]);
  await rows('DELETE FROM messages WHERE id = ANY($1::uuid[])', [ids]);
  // Notifications that quote them follow in the background, as with a message that is deleted by itself.
  await insertJobs(rows, [{ job: 'erasure', messageIds: ids }]);
  return ids.length;
}
