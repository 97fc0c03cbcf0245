import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { newId } from '../infrastructure/ids.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';

/** A message that was published although a filter flags it (contract §6, Filters). */
export interface Flagged {
  messageId: string;
  channelId: string;
  serverId: string;
  /** What it said then: an edit or a deletion right after it hides nothing. */
  content: string;
  /** What it forwarded then. */
  forwarded?: { authorId: string; content: string } | null | undefined;
  /** The entry that flags it. */
  pattern: string;
}

/** Makes a flagged message a report. It is added in the transaction that writes the message. */
export const flagKind: JobKind<Flagged> = {
  name: 'message-flag',
  schema: z.object({
    messageId: idSchema,
    channelId: idSchema,
    serverId: idSchema,
    content: z.string(),
    forwarded: z.object({ authorId: idSchema, content: z.string() }).nullish(),
    pattern: z.string(),
  }),
};

/** Adds jobs in a transaction that is no change. The caller wakes the queue after the commit. */
export async function insertFlags(rows: Rows, flagged: Flagged[]): Promise<void> {
  if (flagged.length === 0) return;
  const jobs = flagged.map((data) => ({ id: newId(), data, key: null, runAt: null }));
  await jobTable.insert(rows, flagKind.name, jobs);
}
