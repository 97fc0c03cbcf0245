import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { newId } from '../infrastructure/ids.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';

/** What is to be read in a thread has changed for those who follow it; or it was deleted, and they follow it no more. */
interface ChangedThread {
  threadId: string;
  /** People up to this id have been told. */
  after: string | null;
}

export const threadStateKind: JobKind<ChangedThread> = {
  name: 'thread-state',
  schema: z.object({ threadId: idSchema, after: idSchema.nullable() }),
};

/** A message for those who chose to be notified of it: followers of its thread, or watchers of its channel. */
export interface AudienceJob {
  messageId: string;
  of: 'followers' | 'watchers';
  after: string | null;
  /** How many have been notified. */
  told: number;
}

export const audienceKind: JobKind<AudienceJob> = {
  name: 'message-audience',
  schema: z.object({
    messageId: idSchema,
    of: z.enum(['followers', 'watchers']),
    after: idSchema.nullable(),
    told: z.number().int(),
  }),
};

/**
 * Adds jobs that tell the followers of threads, in the transaction of the change; the caller wakes the kind after the commit.
 * They have no key: a job that is waited for could wait for a log that the change has locked.
 */
export async function tellFollowers(rows: Rows, threadIds: string[]): Promise<void> {
  const jobs = [...new Set(threadIds)].map((threadId) => ({
    id: newId(),
    data: { threadId, after: null },
    runAt: null,
    key: null,
  }));
  if (jobs.length > 0) await jobTable.insert(rows, threadStateKind.name, jobs);
}
