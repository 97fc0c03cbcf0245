import { z } from 'zod';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { NotificationQueue } from '../../jobs/notification.jobs.ts';
import { withdrawForwarded } from '../messages/forward.erasure.ts';
import { eraseWritten, someWritten } from '../messages/message.erasure.ts';
import { forgetReported } from '../reports/snapshot.table.ts';
import type { DeletionSteps } from './deletion.steps.ts';

/** The steps after the first, in order. Those before `log` publish to the user too. */
const steps = z.enum([
  'agents',
  'servers',
  'requests',
  'memberships',
  'friendships',
  'offers',
  'notices',
  'rows',
  'log',
  'messages',
]);
/** The pause between two changes, so that they take only a little of the database's time. */
const pauseMs = 20;
const retries = { attempts: 20, firstMs: 1000, longestMs: 600_000 };
/** How many messages one change erases: those who write in their channels wait for it. */
const erasedAtOnce = 20;
/** How many are looked up at once: that reads all that their author wrote. */
const foundAtOnce = 1000;

const deletionSchema = z.object({
  userId: idSchema,
  /** Null: it has not begun. */
  step: steps.nullable(),
  erases: z.boolean(),
  /** Messages to erase next. */
  messages: z.array(idSchema),
});

type Deletion = z.output<typeof deletionSchema>;

const deletionKind: JobKind<Deletion> = { name: 'account-deletion', schema: deletionSchema };

interface Parts {
  jobs: Jobs;
  notifications: NotificationQueue;
  steps: DeletionSteps;
}

/** Deletes an account at a time, unless its person signs in before. */
export async function deleteAt(change: Change, jobs: Jobs, userId: string, runAt: Date): Promise<void> {
  await jobs.add(change, deletionKind, { userId, step: null, erases: false, messages: [] }, { key: userId, runAt });
}

/** Deletes accounts for good, step by step: a node that dies leaves the next step to the others. */
export function accountDeletion(parts: Parts): InsideWork {
  return insideWork(
    deletionKind,
    async (change, [job]) => {
      const next = job && (await advance(change, parts, job.data));
      if (next) await parts.jobs.add(change, deletionKind, next, { key: next.userId });
    },
    { pauseMs, retries },
  );
}

/** Does a step. @returns what is left to do */
async function advance(change: Change, parts: Parts, deletion: Deletion): Promise<Deletion | undefined> {
  const { userId, step } = deletion;
  if (step === null) {
    const begun = await parts.steps.begin(change, userId);
    return begun && { ...deletion, ...begun, step: 'agents' };
  }
  if (step === 'messages') return erase(change, parts, deletion);
  const isMore = await parts.steps[step](change, userId);
  return isMore ? deletion : after(deletion, step);
}

function after(deletion: Deletion, step: z.output<typeof steps>): Deletion | undefined {
  const next = steps.options[steps.options.indexOf(step) + 1];
  return next && (next !== 'messages' || deletion.erases) ? { ...deletion, step: next } : undefined;
}

async function erase(change: Change, { notifications }: Parts, deletion: Deletion): Promise<Deletion | undefined> {
  const { userId, messages } = deletion;
  if (messages.length === 0) {
    const found = await someWritten(change, userId, foundAtOnce);
    if (found.length > 0) return { ...deletion, messages: found };
    if ((await withdrawForwarded(change, notifications, userId, erasedAtOnce)) > 0) return deletion;
    return (await forgetReported(change.rows, userId, erasedAtOnce)) > 0 ? deletion : undefined;
  }
  await eraseWritten(change, notifications, messages.slice(0, erasedAtOnce));
  return { ...deletion, messages: messages.slice(erasedAtOnce) };
}
