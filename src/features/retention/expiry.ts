import { messagesExpired } from '../../contract/retention.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import { expiryKind } from '../../jobs/retention.jobs.ts';
import type { Context } from '../context.ts';
import { type Aged, holdExpiring, oldestMessages, removeExpired, stepSize } from './expiry.table.ts';

/** The pause between two steps, so that they take only a little of the database's time. */
const pauseMs = 20;
/** So long at least a channel has rest after its last step: what expires meanwhile goes together, with one event. */
const restMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** Longer than any outage should be: a dead job would let messages stay. */
const retries = { attempts: 100, firstMs: 1000, longestMs: restMs };

type Deps = Pick<Context, 'jobs' | 'notifications' | 'threadAccess'>;

/**
 * Removes messages that are older than their channel keeps them, some a job, oldest first (contract §6). The job that has
 * done a step adds the next one in the same change, for the moment when the oldest message that is left expires.
 */
export function messageExpiry(deps: Deps): InsideWork {
  return insideWork(
    expiryKind,
    async (change, jobs) => {
      for (const { data } of jobs) await takeStep(change, deps, data.channelId);
    },
    { pauseMs, retries },
  );
}

async function takeStep(change: Change, deps: Deps, channelId: string): Promise<void> {
  const channel = await holdExpiring(change.rows, channelId);
  if (!channel || channel.days === null) return;
  const oldest = await oldestMessages(change.rows, channelId, channel.afterSeq, channel.days);
  // Times may differ from the order of the log by what clocks did: nothing goes before what is in front of it.
  const next = oldest.find(({ isOver }) => !isOver);
  const over = next ? oldest.slice(0, oldest.indexOf(next)) : oldest;
  if (over.length > 0) await expire(change, deps, channelId, over);
  const runAt = over.length === stepSize ? undefined : whenNext(next, channel.days);
  await deps.jobs.add(change, expiryKind, { channelId }, { key: channelId, runAt });
}

/** What is sent from now on expires in so many days. */
function whenNext(next: Aged | undefined, days: number): Date {
  const now = dateNow().getTime();
  const endsAt = next ? new Date(next.endsAt).getTime() : now + days * dayMs;
  return new Date(Math.max(endsAt, now + restMs));
}

async function expire(change: Change, deps: Deps, channelId: string, over: Aged[]): Promise<void> {
  const room = channelRoom(channelId);
  await change.lock(room);
  const { count, threadIds } = await removeExpired(change.rows, channelId, over);
  if (count > 0 || threadIds.length > 0) {
    const beforeSeq = (over.at(-1)?.seq ?? 0) + 1;
    change.publish(messagesExpired.in(room, { channelId, beforeSeq, threadIds }));
  }
  // Notifications that quote them go at once instead of at the next poll for jobs.
  change.afterCommit(() => deps.notifications.wake());
  for (const id of threadIds) change.afterCommit(() => deps.threadAccess.forget(id));
}
