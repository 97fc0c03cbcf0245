import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { idSchema, timeSchema } from '../schema.ts';
import type { NotificationKind } from './notification.kinds.ts';

/** So many people at most are told of something in one transaction, so that nobody waits for a lock on all of many. */
export const atOnce = 1000;
/** So many of them by one job, where those of a whole place are told. */
export const portion = 200;

/** A message that someone should hear of: a DM, a reply, one in a thread, or one that mentions. */
const messageJobSchema = z.object({
  job: z.literal('message'),
  messageId: idSchema,
  /** Users who are mentioned by name. */
  users: z.array(idSchema),
  broadcast: z.enum(['here', 'everyone']).nullable(),
});

/**
 * A message that was edited: what quotes it follows, and those hear of it whom it names since. Those who are called all
 * together are called by new messages only.
 */
const editJobSchema = z.object({
  job: z.literal('edit'),
  messageId: idSchema,
  users: z.array(idSchema),
  at: timeSchema,
});

/** The rest of a message that mentions all: its channel's people are told in pieces, so that no one waits for it. */
const broadcastJobSchema = z.object({
  job: z.literal('broadcast'),
  messageId: idSchema,
  here: z.boolean(),
  /** People up to this id have been told. */
  after: idSchema.nullable(),
  told: z.number().int(),
  /** People who hear of this message otherwise. */
  except: z.array(idSchema),
});

const systemJobSchema = z.object({
  job: z.literal('system'),
  kind: z.string(),
  /** `admins`: the owner and admins of the server. */
  to: z.union([z.array(idSchema), z.literal('admins')]),
  /** Whose act it was, where that is not the sender: nobody is told of what they did themselves. */
  by: idSchema.optional(),
  senderId: idSchema.nullable(),
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable(),
  referenceType: z.string().nullable(),
  referenceId: idSchema.nullable(),
  at: timeSchema,
});

/** Messages that are gone, or say something else by now, and must not live on where they were quoted. */
const erasureJobSchema = z.object({ job: z.literal('erasure'), messageIds: z.array(idSchema) });

/** People of a place that is closed to them, as far as they were too many to be told at once. */
const closedPlaceJobSchema = z.object({
  // What nodes of earlier versions call it, which may be there beside this one.
  job: z.literal('farewell'),
  users: z.array(idSchema),
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable(),
  isGone: z.boolean().optional(),
});

/** What happened to a large server, for those of its people who were not told of it in the change itself. */
const newsJobSchema = z.object({
  job: z.literal('news'),
  serverId: idSchema,
  /** A channel that is new there; null: the server itself was changed. */
  channelId: idSchema.nullable(),
  /** People up to this id have been told. */
  after: idSchema,
});

/** Something in a server does not wait for an answer any more, of which there may be unread notifications. */
const settledJobSchema = z.object({ job: z.literal('settled'), serverId: idSchema });

export const jobSchema = z.discriminatedUnion('job', [
  messageJobSchema,
  editJobSchema,
  broadcastJobSchema,
  systemJobSchema,
  erasureJobSchema,
  closedPlaceJobSchema,
  newsJobSchema,
  settledJobSchema,
]);

export type MessageJob = z.infer<typeof messageJobSchema>;
export type EditJob = z.infer<typeof editJobSchema>;
export type BroadcastJob = z.infer<typeof broadcastJobSchema>;
export type ClosedPlaceJob = z.infer<typeof closedPlaceJobSchema>;
export type NewsJob = z.infer<typeof newsJobSchema>;
export type SettledJob = z.infer<typeof settledJobSchema>;
export type SystemJob = z.infer<typeof systemJobSchema>;
export type Job = z.infer<typeof jobSchema>;

/** How many people a job tells at most, or how many messages it looks after. */
export function reachOf(job: Job): number {
  if (job.job === 'erasure') return job.messageIds.length;
  if (job.job === 'broadcast' || job.job === 'news' || job.job === 'settled') return portion;
  return 'users' in job ? job.users.length : 0;
}

/** Writes jobs in the transaction of what they tell of. */
export async function insertJobs(rows: Rows, jobs: Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await rows('INSERT INTO notification_jobs (id, data) SELECT * FROM unnest($1::uuid[], $2::json[])', [
    jobs.map(() => uuid()),
    jobs.map((job) => JSON.stringify(job)),
  ]);
}

/** What services say when someone should be notified of something. */
export interface Notice {
  kind: NotificationKind;
  /** `admins`: the owner and admins of the server. */
  to: string[] | 'admins';
  /** Whose act it was, where that is not the sender. */
  by?: string;
  senderId: string;
  serverId?: string;
  channelId?: string;
  reference?: { type: string; id: string };
}

/** The way from services to the background work that makes notifications. */
export class NotificationQueue {
  private listener = () => {};

  /** Calls `listener` when there may be something to do. */
  onAdded(listener: () => void): void {
    this.listener = listener;
  }

  /** Something was added in a transaction that is committed now. */
  wake(): void {
    this.listener();
  }

  /** Takes away, after the change, what was notified of in a server and needs no answer any more. */
  async settle(change: Change, serverId: string): Promise<void> {
    await insertJobs(change.rows, [{ job: 'settled', serverId }]);
    change.afterCommit(() => this.wake());
  }

  /** Notifies of something as part of the change in which it happens: if that is undone, nobody hears of it. */
  async add(change: Change, notice: Notice): Promise<void> {
    const { kind, to, by, senderId, serverId = null, channelId = null, reference } = notice;
    const target = { referenceType: reference?.type ?? null, referenceId: reference?.id ?? null };
    const at = new Date().toISOString();
    await insertJobs(change.rows, [{ job: 'system', kind, to, by, senderId, serverId, channelId, ...target, at }]);
    change.afterCommit(() => this.wake());
  }
}
