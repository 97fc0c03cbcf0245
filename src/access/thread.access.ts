import type { Caches } from '../cluster/caches.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError, missingAs } from '../contract/errors.ts';
import { may, requireNoTimeout } from '../contract/roles.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { type ChannelAccess, type ChannelWithRights, requireInChannel } from './channel.access.ts';
import { readThread } from './thread.table.ts';

/** What access to a thread depends on. */
export interface ThreadInfo {
  id: string;
  channelId: string;
  creatorId: string;
  isArchived: boolean;
}

/** A thread with its channel, as someone may see it. */
export interface FoundThread {
  thread: ThreadInfo;
  channel: ChannelWithRights;
}

const threadCache = 'threads';

/** The only way to access a thread on behalf of someone. */
export class ThreadAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly channels: ChannelAccess;
  private readonly threads: Cache<ThreadInfo>;

  constructor(database: Database, caches: Caches, channels: ChannelAccess) {
    this.database = database;
    this.caches = caches;
    this.channels = channels;
    this.threads = caches.create(threadCache, 50_000);
  }

  /** A thread of a channel that the actor may read. @throws AppError THREAD_NOT_FOUND, NOT_A_MEMBER */
  async readable(actor: Actor, threadId: string): Promise<FoundThread> {
    const thread = await this.find(threadId);
    const channel = await this.channels.readable(actor, thread.channelId).catch(asMissing);
    return { thread, channel };
  }

  /** The location of a thread, if the actor may be in its room. @throws AppError like `readable` */
  async place(actor: Actor, threadId: string): Promise<{ channelId: string; serverId: string | null }> {
    const { channel } = await this.readable(actor, threadId);
    return { channelId: channel.id, serverId: channel.serverId };
  }

  /** A thread of a channel that the actor is in. @throws AppError THREAD_NOT_FOUND, NOT_A_MEMBER */
  async entered(actor: Actor, threadId: string): Promise<FoundThread> {
    const thread = await this.find(threadId);
    return { thread, channel: await this.channels.entered(actor, thread.channelId).catch(asMissing) };
  }

  /** A thread that the actor may send to. @throws AppError like `readable`, CHANNEL_ARCHIVED, THREAD_ARCHIVED, ROLE_REQUIRED */
  async postable(actor: Actor, threadId: string): Promise<FoundThread> {
    const thread = await this.find(threadId);
    const channel = await this.channels.postable(actor, thread.channelId).catch(asMissing);
    if (thread.isArchived) throw new AppError('THREAD_ARCHIVED');
    return { thread, channel };
  }

  /** Makes sure that the actor may send to a thread of this channel. @throws AppError like `postable` */
  async requirePostable(actor: Actor, channelId: string, threadId: string): Promise<void> {
    const { thread } = await this.postable(actor, threadId);
    if (thread.channelId !== channelId) throw new AppError('THREAD_NOT_FOUND');
  }

  /** A thread that the actor may rename or delete: its creator and moderators (contract §6). @throws AppError */
  async managed(actor: Actor, threadId: string): Promise<FoundThread> {
    const found = await this.readable(actor, threadId);
    if (found.thread.creatorId === actor.userId || may(found.channel.rights, 'thread:manage')) return found;
    requireNoTimeout(found.channel.rights);
    throw new AppError('FORBIDDEN', { message: 'Only the one who started a thread and moderators may do this.' });
  }

  /**
   * A thread whose name, visible to all, the actor may change. @throws AppError like `managed`, BLOCKED, USER_BLOCKED, ROLE_REQUIRED
   */
  async editable(actor: Actor, threadId: string): Promise<FoundThread> {
    const found = await this.managed(actor, threadId);
    if (!may(found.channel.rights, 'thread:manage')) requireInChannel(found.channel, 'message:post');
    await this.channels.requireUnblocked(actor, found.channel);
    await this.channels.requireVoice(actor, found.channel);
    return found;
  }

  /** Makes all nodes reread this thread. */
  forget(threadId: string): Promise<void> {
    return this.caches.forget(threadCache, [threadId]);
  }

  forgetHere(threadId: string): void {
    this.caches.dropHere(threadCache, [threadId]);
  }

  private async find(threadId: string): Promise<ThreadInfo> {
    const thread = await this.threads.get(threadId, () => readThread(this.database.committedRows, threadId));
    if (!thread) throw new AppError('THREAD_NOT_FOUND');
    return thread;
  }
}

/** Threads of a channel are hidden from those who may not know of the channel. */
const asMissing = missingAs('THREAD_NOT_FOUND');
