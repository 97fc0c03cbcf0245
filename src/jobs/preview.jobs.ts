import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { newId } from '../infrastructure/ids.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';

/** A message whose links are to be previewed, as its text is by then. */
export interface Linking {
  messageId: string;
  channelId: string;
}

/**
 * Gives a message the previews of what it links to. It is added in the transaction that writes the message. It has no key: who
 * holds a channel's log would wait for a running one, which asks for that log.
 */
export const linksKind: JobKind<Linking> = {
  name: 'message-links',
  schema: z.object({ messageId: idSchema, channelId: idSchema }),
};

/** Adds jobs in a transaction that is no change. The caller wakes the queue after the commit. */
export async function insertLinkJobs(rows: Rows, linking: Linking[]): Promise<void> {
  if (linking.length === 0) return;
  const jobs = linking.map((data) => ({ id: newId(), data, key: null, runAt: null }));
  await jobTable.insert(rows, linksKind.name, jobs);
}
