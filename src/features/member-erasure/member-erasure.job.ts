import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type MemberErasure, memberErasure } from '../../jobs/member-erasure.ts';
import type { NotificationQueue } from '../../jobs/notification.jobs.ts';
import { eraseWritten } from '../messages/message.erasure.ts';
import { channelAfter, lookThrough } from './member-erasure.table.ts';

/** The pause between two changes, so that they take only a little of the database's time. */
const pauseMs = 20;
const retries = { attempts: 20, firstMs: 1000, longestMs: 600_000 };
/** How many messages one change erases: those who write in their channels wait for it. */
const erasedAtOnce = 20;
/** How many messages of a channel one change looks through. */
const seenAtOnce = 1000;

interface Parts {
  jobs: Jobs;
  notifications: NotificationQueue;
}

/** Erases somebody's last messages step by step: a node that dies leaves the next step to the others. */
export function memberErasureWork(parts: Parts): InsideWork {
  return insideWork(
    memberErasure,
    async (change, [job]) => {
      const next = job && (await advance(change, parts, job.data));
      if (next) await parts.jobs.add(change, memberErasure, next);
    },
    { pauseMs, retries },
  );
}

/** Does a step. @returns what is left to do */
async function advance(
  change: Change,
  { notifications }: Parts,
  erasure: MemberErasure,
): Promise<MemberErasure | undefined> {
  const { messages } = erasure;
  if (messages.length === 0) return search(change, erasure);
  await eraseWritten(change, notifications, messages.slice(0, erasedAtOnce));
  return { ...erasure, messages: messages.slice(erasedAtOnce) };
}

/** Looks through the next piece of a channel, from its end to the beginning of the period, and then the next channel. */
async function search({ rows }: Change, erasure: MemberErasure): Promise<MemberErasure | undefined> {
  const { serverId, since, before } = erasure;
  const isOpen = before !== null && erasure.channelId !== null;
  const channelId = isOpen ? erasure.channelId : await channelAfter(rows, serverId, erasure.channelId, since);
  if (!channelId) return undefined;
  const at = { channelId, before: isOpen ? before : Number.MAX_SAFE_INTEGER };
  const { lowest, isLast, ids } = await lookThrough(rows, at, erasure, seenAtOnce);
  return { ...erasure, channelId, before: isLast ? null : lowest, messages: ids };
}
