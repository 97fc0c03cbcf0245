import { z } from 'zod';
import { idSchema, timeSchema } from '../contract/schema.ts';
import type { Change } from '../delivery/changes.ts';
import { clock, dateNow } from '../infrastructure/clock.ts';
import type { JobKind } from './job.kind.ts';
import type { Jobs } from './jobs.ts';

const schema = z.object({
  serverId: idSchema,
  userId: idSchema,
  /** Their messages from here on are erased, up to `until`: what they write later stays. */
  since: timeSchema,
  until: timeSchema,
  /** The channel that is looked through; null: none yet. */
  channelId: idSchema.nullable(),
  /** Messages below this number are still to be looked through; null: the channel is done. */
  before: z.number().int().nullable(),
  /** Messages to erase next. */
  messages: z.array(idSchema),
});

export type MemberErasure = z.output<typeof schema>;

/** The erasure of somebody's last messages in a server, channel by channel. */
export const memberErasure: JobKind<MemberErasure> = { name: 'member-erasure', schema };

const hourMs = 3_600_000;

/** The beginning of the last hours, by the shared clock. */
export const hoursAgo = (hours: number): Date => new Date(clock.now() - hours * hourMs);

/** Erases somebody's messages of the last hours in a server once this change is committed (contract §5). */
export async function eraseLastHours(
  change: Change,
  jobs: Jobs,
  { serverId, userId, hours }: { serverId: string; userId: string; hours: number },
): Promise<void> {
  const period = { since: hoursAgo(hours).toISOString(), until: dateNow().toISOString() };
  await jobs.add(change, memberErasure, { serverId, userId, ...period, channelId: null, before: null, messages: [] });
}
