import { MAX } from 'uuid';
import type { z } from 'zod';
import type { Chore } from '../../cluster/chores.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMessagesSchema, threadMessageSchema } from '../../contract/message.ts';
import { may } from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import {
  type createThreadSchema,
  type listThreadsSchema,
  threadCreated,
  threadDeleted,
  threadUpdated,
  type updateThreadSchema,
} from '../../contract/thread.ts';
import type { Rows } from '../../database/database.ts';
import type { Written } from '../../delivery/batch.ts';
import { lockStreams } from '../../delivery/log.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import { gone, holdMessage, type MessageAccess } from '../messages/message.access.ts';
import type { SendInput } from '../messages/message.composer.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import { eraseMessages, outdate } from '../messages/outdated.ts';
import { selectThreads, type ThreadRecord, type ThreadRow, threadRecord, titleOf } from '../messages/thread.view.ts';

const ofChannel = `${selectThreads} WHERE channel_id = $1 AND deleted_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3`;
/** The threads that bot $4 takes part in. */
const isPart = (bot: string) => `(creator_id = ${bot}
  OR EXISTS (SELECT FROM messages pm WHERE pm.id = threads.parent_message_id AND pm.author_id = ${bot})
  OR EXISTS (SELECT FROM messages om WHERE om.thread_id = threads.id AND om.author_id = ${bot}))`;
const ofBot = ofChannel.replace('ORDER BY', `AND ${isPart('$4::uuid')} ORDER BY`);
const partOf = `SELECT FROM threads WHERE id = $1 AND ${isPart('$2::uuid')}`;
const byId = `${selectThreads} WHERE id = $1 AND deleted_at IS NULL`;
const byParent = `${selectThreads} WHERE parent_message_id = $1`;
const foreignMessage = `SELECT FROM messages WHERE thread_id = $1 AND author_id <> $2 AND deleted_at IS NULL
  AND author_id NOT IN (SELECT user_id FROM agents WHERE owner_id = $2) LIMIT 1`;

/** Messages of a deleted thread are erased in batches of this size; threads of ordinary length at once. */
const eraseBatch = 500;

interface Deps
  extends Pick<Context, 'database' | 'changes' | 'chores' | 'channelAccess' | 'threadAccess' | 'notifications'> {
  messageAccess: MessageAccess;
  messages: MessageService;
}

/** Side conversations (contract §6). */
export class ThreadService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
    deps.chores.add(eraseDeletedThreads);
  }

  /**
   * Starts a thread from a message of the channel, or returns the existing one.
   * @throws AppError MESSAGE_NOT_FOUND, WRONG_CHANNEL, THREAD_IN_THREAD, CHANNEL_ARCHIVED, ROLE_REQUIRED
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
    const [known] = await this.deps.database.rows<ThreadRow>(byParent, [messageId]);
    if (known) return { result: threadRecord(known), repeated: true };
    await this.deps.channelAccess.postable(actor, row.channel_id).catch(gone);
    if (row.thread_id !== null) throw new AppError('THREAD_IN_THREAD');
    return this.deps.changes.run(async (change) => {
      const room = channelRoom(row.channel_id);
      await change.lockOpen(room);
      const title = name ?? titleOf(await holdMessage(change.rows, messageId));
      const added = await change.rows<{ id: string }>(
        `INSERT INTO threads (id, channel_id, parent_message_id, name, is_named, creator_id, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, now(), now()) ON CONFLICT (parent_message_id) DO NOTHING RETURNING id`,
        [newId(), row.channel_id, messageId, title, name !== null, actor.userId],
      );
      const thread = await first(change.rows, byParent, messageId);
      if (added.length > 0) change.publish(threadCreated.in(room, thread));
      return { result: thread, repeated: added.length === 0 };
    });
  }

  /** The threads of a channel, newest first. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async list(
    actor: Actor,
    channelId: string,
    query: z.output<typeof listThreadsSchema>,
  ): Promise<ListPage<ThreadRecord>> {
    await this.deps.channelAccess.readable(actor, channelId);
    const values = [channelId, query.cursor ?? MAX, query.limit + 1];
    const bot = await this.deps.channelAccess.onlyFor(actor, channelId);
    const rows = await (bot === null
      ? this.deps.database.rows<ThreadRow>(ofChannel, values)
      : this.deps.database.rows<ThreadRow>(ofBot, [...values, bot]));
    return listPage(rows, query.limit, threadRecord);
  }

  /** @throws AppError THREAD_NOT_FOUND, NOT_A_MEMBER */
  async get(actor: Actor, threadId: string): Promise<ThreadRecord> {
    const { channel } = await this.deps.threadAccess.readable(actor, threadId);
    const bot = await this.deps.channelAccess.onlyFor(actor, channel.id);
    const isHidden = bot !== null && (await this.deps.database.rows(partOf, [threadId, bot])).length === 0;
    if (isHidden) throw new AppError('THREAD_NOT_FOUND');
    return first(this.deps.database.rows, byId, threadId);
  }

  /** @throws AppError THREAD_NOT_FOUND, FORBIDDEN, CHANNEL_ARCHIVED, BLOCKED, USER_BLOCKED */
  async update(actor: Actor, threadId: string, input: z.output<typeof updateThreadSchema>): Promise<ThreadRecord> {
    const { channel } = await this.deps.threadAccess.editable(actor, threadId);
    return this.deps.changes.run(async (change) => {
      const room = channelRoom(channel.id);
      await change.lockOpen(room);
      const changed = await change.rows<{ id: string }>(
        `UPDATE threads SET name = coalesce($2, name), is_named = is_named OR $2::text IS NOT NULL,
           is_archived = coalesce($3, is_archived), updated_at = now()
         WHERE id = $1 AND deleted_at IS NULL
           AND (name <> coalesce($2, name) OR NOT is_named AND $2::text IS NOT NULL OR is_archived <> coalesce($3, is_archived))
         RETURNING id`,
        [threadId, input.name ?? null, input.isArchived ?? null],
      );
      const thread = await first(change.rows, byId, threadId);
      if (changed.length > 0) {
        if (input.name !== undefined) await outdateTitles(change.rows, channel.id, threadId);
        change.publish(threadUpdated.in(room, thread, threadId));
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
      const { parentMessageId } = await first(change.rows, byId, threadId);
      // From here on nobody else can write into it.
      if (!may(channel.role, 'thread:manage')) await requireOwnMessages(change.rows, actor, threadId);
      await outdateTitles(change.rows, channel.id, threadId);
      await change.rows('UPDATE threads SET parent_message_id = NULL, deleted_at = now() WHERE id = $1', [threadId]);
      await eraseSome(change.rows, channel.id, threadId);
      change.publish(threadDeleted.in(room, { id: threadId, channelId: channel.id, parentMessageId }, threadId));
      change.afterCommit(async () => {
        await this.deps.threadAccess.forget(threadId);
        this.deps.chores.soon();
        // Removes notifications of its messages at once instead of at the next poll for jobs.
        this.deps.notifications.wake();
      });
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

async function first(rows: Rows, text: string, id: string): Promise<ThreadRecord> {
  const [row] = await rows<ThreadRow>(text, [id]);
  if (!row) throw new AppError('THREAD_NOT_FOUND');
  return threadRecord(row);
}

/** Makes sure that all messages of a thread are the actor's or of its bots. @throws AppError FORBIDDEN */
async function requireOwnMessages(rows: Rows, actor: Actor, threadId: string): Promise<void> {
  const foreign = await rows(foreignMessage, [threadId, actor.userId]);
  if (foreign.length === 0) return;
  throw new AppError('FORBIDDEN', {
    message: 'There are messages of others in this thread; only moderators may delete it.',
  });
}

/** Removes the former names of a thread from its channel's log, which must be locked. */
async function outdateTitles(rows: Rows, channelId: string, threadId: string): Promise<void> {
  const parents = await rows<{ id: string; seq: number }>(
    'SELECT m.id, m.seq FROM messages m JOIN threads t ON t.parent_message_id = m.id WHERE t.id = $1',
    [threadId],
  );
  await outdate(rows, channelId, parents);
}

/** Erases a batch of messages of a deleted thread; `message_count` says how many are left. @returns how many it erased */
async function eraseSome(rows: Rows, channelId: string, threadId: string): Promise<number> {
  const some = await rows<{ id: string }>(
    'SELECT id FROM messages WHERE thread_id = $1 AND deleted_at IS NULL ORDER BY seq LIMIT $2',
    [threadId, eraseBatch],
  );
  await eraseMessages(
    rows,
    channelId,
    some.map((message) => message.id),
  );
  const left = 'UPDATE threads SET message_count = CASE WHEN $2 = 0 THEN 0 ELSE message_count - $2 END WHERE id = $1';
  await rows(left, [threadId, some.length]);
  return some.length;
}

const eraseDeletedThreads: Chore = {
  name: 'erase deleted threads',
  async step(rows) {
    const [thread] = await rows<{ id: string; channel_id: string }>(
      'SELECT id, channel_id FROM threads WHERE deleted_at IS NOT NULL AND message_count > 0 LIMIT 1',
    );
    if (!thread) return 0;
    await lockStreams(rows, [channelRoom(thread.channel_id)]);
    return (await eraseSome(rows, thread.channel_id, thread.id)) || 1;
  },
};
