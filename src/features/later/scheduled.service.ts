import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import {
  type editScheduledSchema,
  type ScheduledRecord,
  type scheduledCalls,
  scheduledRemoved,
  scheduledUpdated,
  type scheduleMessageSchema,
} from '../../contract/scheduled.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { requireAhead } from '../../infrastructure/ahead.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import { Withheld } from '../messages/holding.ts';
import type { MessageComposer, SendInput, SendOptions } from '../messages/message.composer.ts';
import { planLane } from './lanes.ts';
import { type ScheduledRow, scheduledTable } from './scheduled.table.ts';
import { scheduledRecord } from './scheduled.view.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess' | 'jobs' | 'settings'> {
  composer: MessageComposer;
}

/**
 * Messages to be sent later (contract §7, Later). What would be refused now is refused at once. Changes of one author run
 * one at a time, those of the sender included; locks are taken in the order user, scheduled message, job.
 */
export class ScheduledService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The actor's, in the order in which they are due. */
  async list(
    actor: Actor,
    { channelId, limit, offset }: z.output<typeof scheduledCalls.listScheduled.query>,
  ): Promise<ListPage<ScheduledRecord>> {
    const of = { channelId: channelId ?? null, limit: limit + 1, offset };
    return listPage(await scheduledTable.page(this.deps.database.rows, actor.userId, of), limit, scheduledRecord);
  }

  /** @throws AppError SCHEDULED_NOT_FOUND */
  async get(actor: Actor, id: string): Promise<ScheduledRecord> {
    return scheduledRecord(await found(this.deps.database.rows, actor, id));
  }

  /** @throws AppError SCHEDULED_LIMIT, VALIDATION_FAILED, and like `MessageService.send` */
  async schedule(
    actor: Actor,
    channelId: string,
    { sendAt, ...input }: z.output<typeof scheduleMessageSchema>,
  ): Promise<ScheduledRecord> {
    requireAhead('sendAt', sendAt);
    await this.requireSendable(actor, channelId, input, { idempotencyKey: null });
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      await lockUser(rows, actor.userId);
      const { count, last } = await scheduledTable.counts(rows, actor.userId);
      if (count >= this.deps.settings.limits.scheduledMessages) throw new AppError('SCHEDULED_LIMIT');
      const { content, threadId = null, replyToId = null, metadata = null, attachments } = input;
      const lane = { userId: actor.userId, channelId };
      const said = { threadId, replyToId, content, metadata, sendAt };
      const id = newId();
      await scheduledTable.insert(rows, { id, ...lane, ...said, place: last + 1, at: dateNow() });
      await keepFiles(rows, actor, id, attachments ?? []);
      await planLane(change, this.deps.jobs, lane);
      return publish(change, await found(rows, actor, id));
    });
  }

  /**
   * Changes the text, the files or the time of one that is not being sent; a new time has a refused one wait again.
   * @throws AppError SCHEDULED_NOT_FOUND, SCHEDULED_SENDING, VALIDATION_FAILED, and like `MessageService.send`
   */
  async edit(actor: Actor, id: string, input: z.output<typeof editScheduledSchema>): Promise<ScheduledRecord> {
    if (input.sendAt !== undefined) requireAhead('sendAt', input.sendAt);
    const before = await found(this.deps.database.rows, actor, id);
    const said = saidBy(before, input);
    if (said.content === '' && said.attachments.length === 0) {
      throw invalid([{ path: 'content', message: 'must not be empty', code: 'too_small' }]);
    }
    const { thread_id: threadId, reply_to_id: replyToId, metadata } = before;
    const whole = { ...said, threadId, replyToId, metadata };
    await this.requireSendable(actor, before.channel_id, whole, { idempotencyKey: null, scheduledId: id });
    return this.changeTo(actor, id, input);
  }

  /** @throws AppError SCHEDULED_NOT_FOUND, SCHEDULED_SENDING */
  sendNow(actor: Actor, id: string): Promise<ScheduledRecord> {
    return this.changeTo(actor, id, { sendAt: dateNow().toISOString() });
  }

  /** @throws AppError SCHEDULED_NOT_FOUND, SCHEDULED_SENDING */
  async cancel(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const row = await this.held(change, actor, id);
      const channelId = row.channel_id;
      await scheduledTable.remove(change.rows, id);
      await planLane(change, this.deps.jobs, { userId: actor.userId, channelId });
      const data = { id, channelId, reason: 'cancelled', messageId: null } as const;
      change.publish(scheduledRemoved.in(userRoom(actor.userId), data));
    });
  }

  private changeTo(actor: Actor, id: string, input: z.output<typeof editScheduledSchema>): Promise<ScheduledRecord> {
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const row = await this.held(change, actor, id);
      const { content, attachments } = saidBy(row, input);
      const isTimed = input.sendAt !== undefined;
      const sendAt = input.sendAt ?? isoTime(row.send_at);
      // At a new time it is behind those that were there before.
      const place = isTimed ? (await scheduledTable.counts(rows, actor.userId)).last + 1 : row.place;
      const state = isTimed
        ? ({ status: 'waiting', failure: null } as const)
        : { status: row.status, failure: row.failure };
      await scheduledTable.update(rows, id, { content, sendAt, place, ...state, at: dateNow() });
      if (input.attachments) await keepFiles(rows, actor, id, attachments);
      await planLane(change, this.deps.jobs, { userId: actor.userId, channelId: row.channel_id });
      return publish(change, await found(rows, actor, id));
    });
  }

  /** One that may still be changed; its author is locked until the commit, and so it stays that. */
  private async held(change: Change, actor: Actor, id: string): Promise<ScheduledRow> {
    await lockUser(change.rows, actor.userId);
    const row = await found(change.rows, actor, id);
    if (row.status === 'sending') throw new AppError('SCHEDULED_SENDING');
    return row;
  }

  /** What only a moderator could let through may be scheduled: they decide when it is due. */
  private async requireSendable(
    actor: Actor,
    channelId: string,
    input: SendInput,
    options: SendOptions,
  ): Promise<void> {
    const channel = await this.deps.channelAccess.postable(actor, channelId);
    try {
      await this.deps.composer.compose(actor, channel, input, options);
    } catch (error) {
      if (!(error instanceof Withheld)) throw error;
    }
  }
}

function saidBy(row: ScheduledRow, { content = row.content, attachments }: z.output<typeof editScheduledSchema>) {
  return { content, attachments: attachments ?? row.attachments?.map(({ id }) => id) ?? [] };
}

async function found(rows: Rows, actor: Actor, id: string): Promise<ScheduledRow> {
  const row = await scheduledTable.find(rows, id, actor.userId);
  if (!row) throw new AppError('SCHEDULED_NOT_FOUND');
  return row;
}

async function keepFiles(rows: Rows, actor: Actor, id: string, files: string[]): Promise<void> {
  const kept = await scheduledTable.keepFiles(rows, id, actor.userId, files);
  if (kept < files.length) throw new AppError('ATTACHMENT_INVALID');
}

function publish(change: Change, row: ScheduledRow): ScheduledRecord {
  const record = scheduledRecord(row);
  const { id, channelId, threadId, status, sendAt } = record;
  change.publish(scheduledUpdated.in(userRoom(row.user_id), { id, channelId, threadId, status, sendAt }));
  return record;
}
