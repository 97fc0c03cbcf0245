import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { newId } from '../infrastructure/ids.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import { unclosedPolls } from './poll.table.ts';

/** The poll of a message. */
export interface PollPlace {
  messageId: string;
  channelId: string;
}

const schema = z.object({ messageId: idSchema, channelId: idSchema });

/** Closes a poll at its time. Its key is the message. */
export const pollClosingKind: JobKind<PollPlace> = { name: 'poll-closing', schema };

/**
 * Tells a channel what the votes of a poll come to. It has no key: whoever adds one holds the poll, which a job with the
 * same key that runs would wait for.
 */
export const pollCountKind: JobKind<PollPlace> = { name: 'poll-counts', schema };

/** Plans the closing of polls in a transaction that is no change. */
export async function insertPollClosings(rows: Rows, closing: (PollPlace & { at: Date })[]): Promise<void> {
  if (closing.length === 0) return;
  const jobs = closing.map(({ at, ...data }) => ({ id: newId(), data, key: data.messageId, runAt: at }));
  await jobTable.insert(rows, pollClosingKind.name, jobs);
}

/** Plans the closing of open polls that have no job: imported ones, and those whose job is dead. */
export async function closeUnattended(rows: Rows): Promise<void> {
  await insertPollClosings(rows, await unclosedPolls(rows, pollClosingKind.name));
}
