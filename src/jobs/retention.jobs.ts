import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { newId } from '../infrastructure/ids.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import type { Jobs } from './jobs.ts';
import { unattendedChannels } from './retention.table.ts';

/** Removes the expired messages of a channel, a step a job. A channel that keeps messages for a time always has one. */
export const expiryKind: JobKind<{ channelId: string }> = {
  name: 'message-expiry',
  schema: z.object({ channelId: idSchema }),
};

/** Removes what edited messages of a server said before, a step a job, once that is not kept any more. */
export const historyKind: JobKind<{ serverId: string; isLast: boolean }> = {
  name: 'edit-history-removal',
  schema: z.object({ serverId: idSchema, isLast: z.boolean() }),
};

/**
 * Looks for expired messages of channels soon after this change. Call it before the change locks the channels: a step has its
 * job before it locks its channel.
 */
export async function expireIn(change: Change, jobs: Jobs, channelIds: string[]): Promise<void> {
  const items = channelIds.map((channelId) => ({ data: { channelId }, key: channelId }));
  await jobs.addAll(change, expiryKind, items);
}

/** The same for channels that have no job: of nodes of an earlier version, imported, or whose job is dead. */
export async function expireUnattended(rows: Rows): Promise<void> {
  const ids = await unattendedChannels(rows, expiryKind.name);
  const jobs = ids.map((channelId) => ({ id: newId(), data: { channelId }, key: channelId, runAt: null }));
  await jobTable.insert(rows, expiryKind.name, jobs);
}
