import { z } from 'zod';
import type { NotificationKind } from '../contract/notification.ts';
import { idSchema, timeSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { dateNow } from '../infrastructure/clock.ts';
import { newId } from '../infrastructure/ids.ts';
import { threadStateKind } from './audience.jobs.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import type { Jobs } from './jobs.ts';

/** How many people get events in one transaction, so that nobody waits for many locks at once. */
export const atOnce = 1000;
/** How many of them one job publishes to, for the members of a server or channel. */
export const portion = 200;

/** A message to notify of: a DM, a reply, one in a thread, in a watched channel, or one with mentions. */
const messageJobSchema = z.object({
  job: z.literal('message'),
  messageId: idSchema,
  /** Users who are mentioned by name. */
  users: z.array(idSchema),
  broadcast: z.enum(['here', 'everyone']).nullable(),
  /** Whether some are notified of all messages beside it; earlier versions do not say. */
  isWatched: z.boolean().optional(),
});

/**
 * An edited message: its quotes are updated, and users that it mentions since are notified. Mentions of everyone count in
 * new messages only.
 */
const editJobSchema = z.object({
  job: z.literal('edit'),
  messageId: idSchema,
  users: z.array(idSchema),
  at: timeSchema,
});

/** The rest of a message that mentions everyone: members are notified in portions, so that no one waits for it. */
const broadcastJobSchema = z.object({
  job: z.literal('broadcast'),
  messageId: idSchema,
  here: z.boolean(),
  /** People up to this id have been notified. */
  after: idSchema.nullable(),
  told: z.number().int(),
  /** People notified of this message otherwise. */
  except: z.array(idSchema),
});

const systemJobSchema = z.object({
  job: z.literal('system'),
  kind: z.string(),
  /** `admins`: the owner and admins of the server. */
  to: z.union([z.array(idSchema), z.literal('admins')]),
  /** Who did it, if not the sender: nobody is notified of their own actions. */
  by: idSchema.optional(),
  senderId: idSchema.nullable(),
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable(),
  referenceType: z.string().nullable(),
  referenceId: idSchema.nullable(),
  at: timeSchema,
});

/** Messages that were deleted or edited, and must not stay in quotes. */
const erasureJobSchema = z.object({ job: z.literal('erasure'), messageIds: z.array(idSchema) });

/** The people of a place they can no longer enter, beyond those handled at once. */
const closedPlaceJobSchema = z.object({
  // The name in earlier versions, whose nodes may run beside this one.
  job: z.literal('farewell'),
  users: z.array(idSchema),
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable(),
  isGone: z.boolean().optional(),
});

/** A change in a large server, for members who did not get its event in the change itself. */
const newsJobSchema = z.object({
  job: z.literal('news'),
  serverId: idSchema,
  /** A new channel; null: the server itself was changed. */
  channelId: idSchema.nullable(),
  /** People up to this id have got it. */
  after: idSchema,
});

/** Something in a server no longer needs an answer, and may have unread notifications. */
const settledJobSchema = z.object({ job: z.literal('settled'), serverId: idSchema });

/** Something other than a message was written in a DM whose sockets may not follow it. */
const directJobSchema = z.object({
  job: z.literal('dm'),
  channelId: idSchema,
  /** The position in its log before that. */
  since: z.number().int(),
});

const jobSchema = z.discriminatedUnion('job', [
  messageJobSchema,
  editJobSchema,
  broadcastJobSchema,
  systemJobSchema,
  erasureJobSchema,
  closedPlaceJobSchema,
  newsJobSchema,
  settledJobSchema,
  directJobSchema,
]);

export type MessageJob = z.infer<typeof messageJobSchema>;
export type EditJob = z.infer<typeof editJobSchema>;
export type BroadcastJob = z.infer<typeof broadcastJobSchema>;
export type ClosedPlaceJob = z.infer<typeof closedPlaceJobSchema>;
export type DirectJob = z.infer<typeof directJobSchema>;
export type NewsJob = z.infer<typeof newsJobSchema>;
export type SettledJob = z.infer<typeof settledJobSchema>;
export type SystemJob = z.infer<typeof systemJobSchema>;
export type NotificationJob = z.infer<typeof jobSchema>;

/** Jobs of one kind, so that those of a batch are planned together. Nodes of earlier versions run them too. */
export const notificationKind: JobKind<NotificationJob> = { name: 'notification', schema: jobSchema };

/** How many people a job publishes to at most, or how many messages it processes. */
export function reachOf(job: NotificationJob): number {
  if (job.job === 'erasure') return job.messageIds.length;
  if (job.job === 'broadcast' || job.job === 'news' || job.job === 'settled') return portion;
  return 'users' in job ? job.users.length : 0;
}

/** Adds jobs in the transaction of the change that they announce. The caller wakes the queue after the commit. */
export async function insertJobs(rows: Rows, jobs: NotificationJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await jobTable.insertNotifications(
    rows,
    jobs.map(() => newId()),
    jobs,
  );
}

/** What services pass when someone should be notified. */
export interface Notice {
  kind: NotificationKind;
  /** `admins`: the owner and admins of the server. */
  to: string[] | 'admins';
  /** Who did it, if not the sender. */
  by?: string;
  /** Null: nobody, the server itself. */
  senderId: string | null;
  serverId?: string;
  channelId?: string;
  reference?: { type: string; id: string };
}

/** What services notify people through. */
export class NotificationQueue {
  private readonly jobs: Jobs;

  constructor(jobs: Jobs) {
    this.jobs = jobs;
  }

  /** A job was added in a transaction that is committed now. */
  wake(): void {
    this.jobs.wake(notificationKind.name);
    this.jobs.wake(threadStateKind.name);
  }

  /** Marks as read, after the change, notifications in a server that need no answer any more. */
  async settle(change: Change, serverId: string): Promise<void> {
    await this.jobs.add(change, notificationKind, { job: 'settled', serverId });
  }

  /** Notifies as part of the change in which something happens: if that is rolled back, nobody is notified. */
  async add(change: Change, notice: Notice): Promise<void> {
    const { kind, to, by, senderId, serverId = null, channelId = null, reference } = notice;
    const target = { referenceType: reference?.type ?? null, referenceId: reference?.id ?? null };
    const at = dateNow().toISOString();
    const job = { job: 'system' as const, kind, to, by, senderId, serverId, channelId, ...target, at };
    await this.jobs.add(change, notificationKind, job);
  }
}
