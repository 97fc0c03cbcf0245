import { z } from 'zod';
import { channelRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { NotificationQueue } from '../../jobs/notification.jobs.ts';
import { eraseMessages } from '../messages/outdated.ts';
import { countErased, findUnerased, someMessagesOf } from '../messages/thread.table.ts';

/** Messages of a deleted thread are erased in batches of this size; threads of ordinary length at once. */
const batch = 500;
/** The pause between two batches, so that they take only a little of the database's time. */
const pauseMs = 20;

interface DeletedThread {
  threadId: string;
  channelId: string;
}

const erasureKind: JobKind<DeletedThread> = {
  name: 'thread-erasure',
  schema: z.object({ threadId: idSchema, channelId: idSchema }),
};

interface Parts {
  jobs: Jobs;
  notifications: NotificationQueue;
}

/** Erases the messages of a thread that this change deletes: a first batch in it, the others after it. */
export async function eraseThread(change: Change, parts: Parts, thread: DeletedThread): Promise<void> {
  const count = await eraseSome(change.rows, thread);
  // Removes notifications of its messages at once instead of at the next poll for jobs.
  change.afterCommit(() => parts.notifications.wake());
  if (count === batch) await parts.jobs.add(change, erasureKind, thread, { key: thread.threadId });
}

/** The same for threads that a node of an earlier version deleted, and could not erase before it stopped. */
export async function eraseLeftBehind(change: Change, jobs: Jobs): Promise<void> {
  const left = await findUnerased(change.rows);
  await jobs.addAll(
    change,
    erasureKind,
    left.map((data) => ({ data, key: data.threadId })),
  );
}

/** Erases the rest of deleted threads, a batch a change. */
export function threadErasure(parts: Parts): InsideWork {
  return insideWork(
    erasureKind,
    async (change, jobs) => {
      for (const { data: thread } of jobs) {
        await change.lock(channelRoom(thread.channelId));
        await eraseThread(change, parts, thread);
      }
    },
    { pauseMs },
  );
}

/** `message_count` says how many are left. @returns how many it erased */
async function eraseSome(rows: Rows, { channelId, threadId }: DeletedThread): Promise<number> {
  const some = await someMessagesOf(rows, threadId, batch);
  await eraseMessages(rows, channelId, some);
  await countErased(rows, threadId, some.length, batch);
  return some.length;
}
