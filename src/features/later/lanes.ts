import { z } from 'zod';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type Lane, scheduledTable } from './scheduled.table.ts';

/** Sends what is due of one author in one channel; its key is both, so that one job does it. */
export const laneKind: JobKind<Lane> = {
  name: 'scheduled-messages',
  schema: z.object({ userId: idSchema, channelId: idSchema }),
};

const keyOf = ({ userId, channelId }: Lane) => `${userId} ${channelId}`;

/**
 * The job of a lane runs when its next message is due, and not before `earliest`. Call it after each change to the lane;
 * the author must be locked.
 */
export async function planLane(change: Change, jobs: Jobs, lane: Lane, earliest: Date | null = null): Promise<void> {
  const next = await scheduledTable.nextTime(change.rows, lane);
  if (!next) return jobs.cancel(change, laneKind, keyOf(lane));
  const runAt = earliest && earliest > next ? earliest : next;
  await jobs.add(change, laneKind, lane, { key: keyOf(lane), runAt });
  if (runAt <= dateNow()) change.afterCommit(() => jobs.wake(laneKind.name));
}

/** Gives lanes a job that have none: restored ones, and those whose job is dead. */
export async function planUnattended(change: Change, jobs: Jobs): Promise<void> {
  const lanes = await scheduledTable.unattended(change.rows, laneKind.name);
  await jobs.addAll(
    change,
    laneKind,
    lanes.map((lane) => ({ data: lane, key: keyOf(lane) })),
  );
}
