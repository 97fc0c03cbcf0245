import { MAX } from 'uuid';
import type { z } from 'zod';
import { type ChannelInfo, requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { AuditAction } from '../../contract/audit-action.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMessagesSchema, threadMessageSchema } from '../../contract/message.ts';
import { may } from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import {
  type createThreadSchema,
  type listThreadsSchema,
  threadCreated,
  threadDelete,
  threadDeleted,
  threadUpdate,
  threadUpdated,
  type updateThreadSchema,
} from '../../contract/thread.ts';
import type { Rows } from '../../database/database.ts';
import type { Written } from '../../delivery/batch.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { tellFollowers } from '../../jobs/audience.jobs.ts';
import type { Context } from '../context.ts';
import type { Filters } from '../filters/filters.ts';
import { holdMessage } from '../messages/edit.table.ts';
import { gone, type MessageAccess } from '../messages/message.access.ts';
import type { SendInput } from '../messages/message.composer.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import { outdate } from '../messages/outdated.ts';
import {
  findThread,
  findThreadFrom,
  hasForeignMessages,
  insertThread,
  markThreadDeleted,
  parentsOf,
  takesPart,
  threadsOf,
  updateThread,
} from '../messages/thread.table.ts';
import { type ThreadRecord, type ThreadRow, threadRecord, titleOf } from '../messages/thread.view.ts';
import { followNewThread } from '../messages/thread-replies.table.ts';
import { eraseThread } from './thread.erasure.ts';

interface Deps
  extends Pick<Context, 'database' | 'changes' | 'jobs' | 'channelAccess' | 'threadAccess' | 'notifications'> {
  filters: Filters;
  messageAccess: MessageAccess;
  messages: MessageService;
}

/** Side conversations (contract §6). */
export class ThreadService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Starts a thread from a message of the channel, or returns the existing one.
   * @throws AppError MESSAGE_NOT_FOUND, WRONG_CHANNEL, THREAD_IN_THREAD, CHANNEL_ARCHIVED, ROLE_REQUIRED,
   *   MESSAGE_REFUSED for a name that filters refuse or would hold
   */
  async create(
    actor: Actor,
    channelId: string,
    input: z.output<typeof createThreadSchema>,
  ): Promise<Written<ThreadRecord>> {
    await this.deps.channelAccess.readable(actor, channelId);
    return this.start(actor, input.parentMessageId, input.name, channelId);
  }

  /** The same given only the message. Without a name the thread is named after the beginning of the message. */
  async start(
    actor: Actor,
    messageId: string,
    name: string | null,
    channelId: string | null = null,
  ): Promise<Written<ThreadRecord>> {
    const { row } = await this.deps.messageAccess.readable(actor, messageId);
    if (channelId !== null && row.channel_id !== channelId) throw new AppError('WRONG_CHANNEL');
    const known = await findThreadFrom(this.deps.database.rows, messageId);
    if (known) return { result: threadRecord(known), repeated: true };
    const channel = await this.deps.channelAccess.postable(actor, row.channel_id).catch(gone);
    requireInChannel(channel, 'thread:start');
    if (name !== null) await this.deps.filters.require(actor, channel, [name]);
    if (row.thread_id !== null) throw new AppError('THREAD_IN_THREAD');
    return this.deps.changes.run(async (change) => {
      const room = channelRoom(row.channel_id);
      await change.lockOpen(room);
      const { content, mentions } = await holdMessage(change.rows, row.channel_id, messageId);
      const title = name ?? titleOf(content, mentions);
      const place = { channelId: row.channel_id, parentMessageId: messageId, creatorId: actor.userId };
      const isAdded = await insertThread(change.rows, { id: newId(), ...place, name: title, isNamed: name !== null });
      const thread = existing(await findThreadFrom(change.rows, messageId));
      if (isAdded) {
        await followNewThread(change.rows, thread.id, [actor.userId, row.author_id]);
        await tellFollowers(change.rows, [thread.id]);
        change.publish(threadCreated.in(room, thread));
        change.afterCommit(() => this.deps.notifications.wake());
      }
      return { result: thread, repeated: !isAdded };
    });
  }

  /** The threads of a channel, newest first. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async list(
    actor: Actor,
    channelId: string,
    query: z.output<typeof listThreadsSchema>,
  ): Promise<ListPage<ThreadRecord>> {
    await this.deps.channelAccess.readable(actor, channelId);
    const bot = await this.deps.channelAccess.onlyFor(actor, channelId);
    const page = { before: query.cursor ?? MAX, limit: query.limit + 1, bot };
    const rows = await this.deps.database.readCurrent((reader) => threadsOf(reader.rows, channelId, page));
    return listPage(rows, query.limit, threadRecord);
  }

  /** @throws AppError THREAD_NOT_FOUND, NOT_A_MEMBER */
  async get(actor: Actor, threadId: string): Promise<ThreadRecord> {
    const { channel } = await this.deps.threadAccess.readable(actor, threadId);
    const bot = await this.deps.channelAccess.onlyFor(actor, channel.id);
    const { rows } = this.deps.database;
    if (bot !== null && !(await takesPart(rows, threadId, bot))) throw new AppError('THREAD_NOT_FOUND');
    return existing(await findThread(rows, threadId));
  }

  /** @throws AppError THREAD_NOT_FOUND, FORBIDDEN, CHANNEL_ARCHIVED, BLOCKED, USER_BLOCKED, MESSAGE_REFUSED as `create` */
  async update(actor: Actor, threadId: string, input: z.output<typeof updateThreadSchema>): Promise<ThreadRecord> {
    const { channel, thread: found } = await this.deps.threadAccess.editable(actor, threadId);
    if (input.name !== undefined) await this.deps.filters.require(actor, channel, [input.name]);
    return this.deps.changes.run(async (change) => {
      const room = channelRoom(channel.id);
      await change.lockOpen(room);
      const before = existing(await findThread(change.rows, threadId));
      const isOthers = found.creatorId !== actor.userId;
      const named = isOthers && (await wasNamed(change, threadId));
      const isChanged = await updateThread(change.rows, threadId, input);
      const thread = existing(await findThread(change.rows, threadId));
      if (isChanged) {
        if (input.name !== undefined) await outdateTitles(change.rows, channel.id, threadId);
        change.publish(threadUpdated.in(room, thread, threadId));
        // Of a thread without a name of its own it would be the text of a message.
        const audited = { before: named ? before : { ...before, name: null }, after: thread };
        if (isOthers) auditThread(change, threadUpdate, actor, channel, audited);
        change.afterCommit(() => this.deps.threadAccess.forget(threadId));
      }
      return thread;
    });
  }

  /**
   * Deletes a thread and its messages: moderators any, others what they started while nobody else's messages are in it
   * (contract §6). @throws AppError THREAD_NOT_FOUND, FORBIDDEN
   */
  async delete(actor: Actor, threadId: string): Promise<void> {
    const { channel } = await this.deps.threadAccess.managed(actor, threadId);
    await this.deps.changes.run(async (change) => {
      const room = channelRoom(channel.id);
      await change.lock(room);
      const before = existing(await findThread(change.rows, threadId));
      const { parentMessageId } = before;
      if (before.creatorId !== actor.userId) auditThread(change, threadDelete, actor, channel, { before });
      // From here on nobody else can write into it.
      if (!may(channel.rights, 'thread:manage')) await requireOwnMessages(change.rows, actor, threadId);
      await outdateTitles(change.rows, channel.id, threadId);
      await markThreadDeleted(change.rows, threadId);
      await eraseThread(change, this.deps, { threadId, channelId: channel.id });
      await tellFollowers(change.rows, [threadId]);
      change.publish(threadDeleted.in(room, { id: threadId, channelId: channel.id, parentMessageId }, threadId));
      change.afterCommit(() => this.deps.threadAccess.forget(threadId));
    });
  }

  /** The messages of a thread, newest first, or after a position oldest first. @throws AppError THREAD_NOT_FOUND */
  async listMessages(
    actor: Actor,
    threadId: string,
    query: Omit<z.output<typeof listMessagesSchema>, 'around' | 'include'>,
  ): Promise<ListPage<MessageRecord>> {
    const { channel } = await this.deps.threadAccess.readable(actor, threadId);
    return this.deps.messages.reader.ofThread(actor, channel, threadId, query);
  }

  /** @throws AppError THREAD_NOT_FOUND, and as MessageService.send */
  async send(
    actor: Actor,
    threadId: string,
    input: z.output<typeof threadMessageSchema>,
    idempotencyKey: string | null,
  ): Promise<Written<MessageRecord>> {
    const { channel } = await this.deps.threadAccess.entered(actor, threadId);
    const message: SendInput = { ...input, threadId };
    return this.deps.messages.send(actor, channel.id, message, { idempotencyKey });
  }

  /** As MessageService.sentWith. */
  async sentWith(actor: Actor, threadId: string, idempotencyKey: string): Promise<MessageRecord | undefined> {
    const { channel } = await this.deps.threadAccess.entered(actor, threadId);
    return this.deps.messages.sentWith(actor, channel.id, idempotencyKey);
  }
}

/** What is told of a thread as it was: a name that nobody gave is the text of a message, which no entry has. */
type Audited = Omit<ThreadRecord, 'name'> & { name: string | null };

/** What moderators do to the threads of others. */
function auditThread(
  change: Change,
  action: AuditAction,
  actor: Actor,
  { id: channelId, serverId }: ChannelInfo,
  values: { before: Audited; after?: ThreadRecord },
): void {
  const target = { kind: 'thread', id: values.before.id } as const;
  if (serverId) change.audit(action, { actor, serverId, channelId, target, ...values });
}

/** @throws AppError THREAD_NOT_FOUND for one that does not exist */
function existing(row: ThreadRow | undefined): ThreadRecord {
  if (!row) throw new AppError('THREAD_NOT_FOUND');
  return threadRecord(row);
}

/** Makes sure that all messages of a thread are the actor's or of its bots. @throws AppError FORBIDDEN */
async function requireOwnMessages(rows: Rows, actor: Actor, threadId: string): Promise<void> {
  if (!(await hasForeignMessages(rows, threadId, actor.userId))) return;
  throw new AppError('FORBIDDEN', {
    message: 'There are messages of others in this thread; only moderators may delete it.',
  });
}

/** Removes the former names of a thread from its channel's log, which must be locked. */
async function outdateTitles(rows: Rows, channelId: string, threadId: string): Promise<void> {
  await outdate(rows, channelId, await parentsOf(rows, threadId));
}

/** Whether someone gave a thread its name; else it has the beginning of its message. */
async function wasNamed({ db }: Change, threadId: string): Promise<boolean> {
  const found = await db.selectFrom('Thread').where('id', '=', threadId).select('isNamed').executeTakeFirst();
  return found?.isNamed ?? false;
}
