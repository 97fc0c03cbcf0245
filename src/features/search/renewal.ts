import { z } from 'zod';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { indexTable } from './index.table.ts';

const batch = 1000;
/** The pause between two batches, so that they take only a little of the database's time. */
const pauseMs = 50;

const renewalKind: JobKind<{ channelId: string; after: number }> = {
  name: 'search-renewal',
  schema: z.object({ channelId: idSchema, after: z.number().int() }),
};

/** Has all messages of a channel indexed anew, since it is elsewhere than before. Until then they are found as before. */
export async function renewAfter(change: Change, jobs: Jobs, channelId: string): Promise<void> {
  await jobs.add(change, renewalKind, { channelId, after: 0 }, { key: channelId });
}

/** Notes the messages in small steps; the index takes them from there. */
export function searchRenewal(jobs: Jobs): InsideWork {
  return insideWork(
    renewalKind,
    async (change, [job]) => {
      if (!job) return;
      const { channelId, after } = job.data;
      const last = await indexTable.noteAfter(change.rows, channelId, after, batch);
      if (last !== null) await jobs.add(change, renewalKind, { channelId, after: last }, { key: channelId });
    },
    { pauseMs },
  );
}
