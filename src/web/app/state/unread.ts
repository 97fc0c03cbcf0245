import { signal } from '@preact/signals';
import type { ChannelEventMap, Message } from '../../../client/index.ts';
import type { Follows } from './follows.ts';
import type { Presence } from './presence.ts';
import { ReadPositions } from './read-positions.ts';
import type { Replies } from './replies.ts';
import type { Core } from './session.ts';

/** After messages have expired, what is unread is counted anew within this time. */
const recountWithinMs = 5000;

/** What a channel's record says of what was read. */
interface ReadState {
  id: string;
  lastSeq: number;
  unreadCount: number;
  lastReadSeq?: number;
  unreadThreads?: number;
}

/** Counts what is unread, and keeps how far the user has read. */
export class Unread {
  /** How many messages of others came in a channel since the last visit. */
  readonly counts = signal<ReadonlyMap<string, number>>(new Map());
  private readonly core: Core;
  private readonly presence: Presence;
  private readonly replies: Replies;
  private readonly follows: Follows;
  /** Channels that the user marked as unread: looking at them does not read them, until the user leaves. */
  private readonly held = signal<ReadonlySet<string>>(new Set());
  /** The channel at the address, once its read position was sent: what was left there before is settled by that. */
  private settled: string | null = null;
  /** Channels that are listened to, once for all. */
  private readonly heard = new Set<string>();
  /** Those that are counted. */
  private readonly followed = new Set<string>();
  private readonly positions = new Map<string, number>();
  /** Those of the server. */
  private readonly published: ReadPositions;

  constructor(core: Core, presence: Presence, replies: Replies, follows: Follows) {
    this.core = core;
    this.presence = presence;
    this.replies = replies;
    this.follows = follows;
    this.published = new ReadPositions(core, async (id, body) => {
      const state = await core.client.rest('PUT /api/channels/:id/read', { id, body });
      if (state.lastReadSeq < body.seq) this.wentBack(id, state.lastReadSeq, state.unreadCount);
      return state;
    });
    // DMs arrive without being followed.
    core.client.on('message:new', (message) => this.count(message));
    core.client.on('message:deleted', (deleted) => this.discount(deleted));
    core.client.on('channel:read', ({ channelId, lastReadSeq, unreadCount, back }) => {
      if (back) return this.wentBack(channelId, lastReadSeq, unreadCount);
      this.published.report(channelId, lastReadSeq);
      if (lastReadSeq < this.position(channelId)) return;
      this.positions.set(channelId, lastReadSeq);
      this.set(channelId, unreadCount);
      follows.channelRead(channelId, lastReadSeq);
    });
    core.scope.add(
      core.route.subscribe((here) => {
        const channelId = 'channelId' in here ? here.channelId : null;
        if (this.settled !== channelId) this.settled = null;
        const held = [...this.held.peek()].filter((id) => id === channelId);
        if (held.length < this.held.peek().size) this.held.value = new Set(held);
      }),
    );
  }

  of(channelId: string): number {
    return this.counts.value.get(channelId) ?? 0;
  }

  /** Number of the last event of the channel that was seen; undefined: unknown. */
  lastRead(channelId: string): number | undefined {
    return this.positions.get(channelId);
  }

  /** Opens a channel, and counts what comes while nobody looks at it, starting from the server's count. */
  follow(channel: ReadState): void {
    const readHere = this.position(channel.id);
    const { lastReadSeq = readHere } = channel;
    if (channel.lastReadSeq !== undefined) this.published.report(channel.id, lastReadSeq);
    this.positions.set(channel.id, Math.max(lastReadSeq, readHere));
    const live = this.core.client.channel(channel.id);
    if (!this.followed.has(channel.id)) {
      this.followed.add(channel.id);
      // The server still counts what was read here meanwhile.
      if (lastReadSeq >= readHere) this.set(channel.id, channel.unreadCount);
      this.follows.setCounted(channel.id, (channel.unreadThreads ?? 0) > 0);
    }
    if (!this.heard.has(channel.id)) {
      this.heard.add(channel.id);
      live.listen('message:new', (message) => this.count(message));
      live.listen('message:deleted', (deleted) => this.discount(deleted));
      live.listen('messages:expired', (gone) => this.recount(gone));
      this.replies.follow(channel.id);
      this.follows.follow(channel.id);
      live.listen('presence:snapshot', (snapshot) => this.presence.reportChannel(snapshot));
    }
    live.open(channel.lastSeq);
  }

  /** A channel is no longer accessible. Where it is again, the server says what was read of it and what was not. */
  lose(channelId: string): void {
    this.published.cancel(channelId);
    this.followed.delete(channelId);
    this.positions.delete(channelId);
    if (this.counts.peek().has(channelId)) this.set(channelId, 0);
    this.follows.setCounted(channelId, false);
  }

  markRead(channelId: string, seq: number): void {
    if (this.held.peek().has(channelId)) return;
    if (this.counts.peek().get(channelId)) this.set(channelId, 0);
    this.follows.channelRead(channelId, seq);
    if (seq <= this.position(channelId) && this.settled === channelId) return;
    this.settled = channelId;
    this.positions.set(channelId, Math.max(seq, this.position(channelId)));
    this.published.put(channelId, this.position(channelId));
  }

  /** Whether a channel has messages, or replies in threads, that the user has not read. */
  isUnread(channelId: string): boolean {
    return this.of(channelId) > 0 || this.follows.isUnread(channelId);
  }

  /** Marks everything in channels as read, now. */
  async markAllRead(list: readonly { id: string; lastSeq: number }[]): Promise<void> {
    for (const { id, lastSeq } of list.filter((one) => this.isUnread(one.id))) {
      const seq = Math.max(lastSeq, this.core.client.channel(id).position ?? 0);
      await this.core.client.rest('PUT /api/channels/:id/read', { id, body: { seq } });
      this.set(id, 0);
      this.positions.set(id, Math.max(seq, this.position(id)));
      this.follows.channelRead(id, seq);
    }
  }

  /** Marks a message and all after it as unread, in its channel or its thread. */
  async markUnread(messageId: string): Promise<void> {
    const { channelId, threadId, lastReadSeq, unreadCount } = await this.follows.markUnread(messageId);
    if (threadId === null) this.wentBack(channelId, lastReadSeq, unreadCount);
  }

  /** Whether the user marked something as unread in a channel since they came to it. */
  isHeld(channelId: string): boolean {
    return this.held.value.has(channelId);
  }

  private wentBack(channelId: string, lastReadSeq: number, unreadCount: number): void {
    this.published.cancel(channelId);
    this.published.report(channelId, lastReadSeq);
    // A device that shows it later reads it then.
    if (this.isAt(channelId)) this.held.value = new Set(this.held.peek()).add(channelId);
    this.positions.set(channelId, lastReadSeq);
    this.set(channelId, unreadCount);
  }

  /** Whether the user looks at a channel. */
  isInView(channelId: string): boolean {
    return this.isAt(channelId) && this.core.surroundings.attention.isHere();
  }

  private isAt(channelId: string): boolean {
    const here = this.core.route.value;
    return 'channelId' in here && here.channelId === channelId;
  }

  private count({ authorId, threadId, channelId, seq }: Message): void {
    if (authorId === this.core.me.peek()?.id || threadId) return;
    const isSeen = this.isInView(channelId) && !this.held.peek().has(channelId);
    if (isSeen || seq <= this.position(channelId)) return;
    this.set(channelId, (this.counts.peek().get(channelId) ?? 0) + 1);
  }

  /** A deleted message that was counted is no longer unread. */
  private discount({ channelId, seq, threadId, authorId }: ChannelEventMap['message:deleted']): void {
    const counted = this.counts.peek().get(channelId) ?? 0;
    if (!authorId || authorId === this.core.me.peek()?.id || threadId) return;
    if (seq <= this.position(channelId) || counted === 0) return;
    this.set(channelId, counted - 1);
  }

  /** Expired messages come without their numbers. The others ask at the same time, so this waits for a moment. */
  private recount({ channelId, beforeSeq }: ChannelEventMap['messages:expired']): void {
    if (this.of(channelId) === 0 || beforeSeq <= this.position(channelId) + 1) return;
    this.core.scope.after(Math.random() * recountWithinMs, async () => {
      const before = this.position(channelId);
      const found = await this.core.client.rest('GET /api/channels/:id', { id: channelId }).catch(() => null);
      if (found && this.position(channelId) === before) this.set(channelId, found.unreadCount);
    });
  }

  private position(channelId: string): number {
    return this.positions.get(channelId) ?? 0;
  }

  private set(channelId: string, value: number): void {
    this.counts.value = new Map(this.counts.peek()).set(channelId, value);
  }
}
