import { signal } from '@preact/signals';
import type { Core } from './session.ts';

interface Activity {
  userId: string;
  name: string;
  activity: string;
}

/** What others are doing, such as "recording". */
export class Activities {
  readonly byChannel = signal<ReadonlyMap<string, readonly Activity[]>>(new Map());
  private readonly core: Core;
  private readonly followed = new Set<string>();
  /** User → name; undefined where it is not known yet. */
  private readonly names = new Map<string, string | undefined>();

  constructor(core: Core) {
    this.core = core;
    core.client.on('user:updated', ({ user }) => {
      if (this.names.has(user.id)) this.names.set(user.id, user.displayName);
    });
  }

  /** Listens in a channel, once. */
  follow(channelId: string): void {
    if (this.followed.has(channelId)) return;
    this.followed.add(channelId);
    const channel = this.core.client.channel(channelId);
    channel.listen('presence:activity', () => this.show(channelId));
    channel.listen('presence:snapshot', () => this.show(channelId));
    this.show(channelId);
  }

  private show(channelId: string): void {
    const list: Activity[] = [];
    for (const [userId, activity] of this.core.client.channel(channelId).activities) {
      if (userId === this.core.me.peek()?.id) continue;
      const name = this.names.get(userId);
      if (name !== undefined) list.push({ userId, name, activity });
      else if (!this.names.has(userId)) void this.fetchName(userId, channelId);
    }
    if (list.length === 0 && !this.byChannel.peek().get(channelId)?.length) return;
    this.byChannel.value = new Map(this.byChannel.peek()).set(channelId, list);
  }

  private async fetchName(userId: string, channelId: string): Promise<void> {
    this.names.set(userId, undefined);
    try {
      this.names.set(userId, (await this.core.client.rest('GET /api/auth/users/:id', { id: userId })).displayName);
      this.show(channelId);
    } catch {
      // The next event asks again.
      this.names.delete(userId);
    }
  }
}

interface Typist {
  userId: string;
  name: string;
  threadId: string | null;
}

/** Without an event for this long, someone has stopped typing. */
const silenceMs = 6000;
/** How often others are told that the user goes on typing. */
const publishEachMs = 3000;

/** Who is typing. */
export class Typists {
  readonly byChannel = signal<ReadonlyMap<string, readonly Typist[]>>(new Map());
  private readonly core: Core;
  private readonly followed = new Set<string>();
  /** By channel and user. */
  private readonly timers = new Map<string, () => void>();
  private publishedAt = 0;

  constructor(core: Core) {
    this.core = core;
  }

  /** Listens in a channel, once. */
  follow(channelId: string): void {
    if (this.followed.has(channelId)) return;
    this.followed.add(channelId);
    const channel = this.core.client.channel(channelId);
    channel.listen('message:typing', ({ userId, displayName, threadId, typing }) => {
      if (userId === this.core.me.peek()?.id) return;
      this.remove(channelId, userId);
      if (!typing) return;
      this.set(channelId, [...this.in(channelId), { userId, name: displayName, threadId }]);
      this.timers.set(
        channelId + userId,
        this.core.scope.after(silenceMs, () => this.remove(channelId, userId)),
      );
    });
    channel.listen('message:new', ({ authorId }) => this.remove(channelId, authorId));
    // A bot's reply is shown from its first piece on.
    channel.listen('message:stream', ({ userId }) => this.remove(channelId, userId));
  }

  /** Tells the others that the user is typing, not too often. */
  publish(channelId: string, threadId: string | null): void {
    const now = Date.now();
    if (now - this.publishedAt < publishEachMs) return;
    this.publishedAt = now;
    this.core.client.channel(channelId).typing({ threadId });
  }

  /** After a message was sent the next key is published at once. */
  sent(): void {
    this.publishedAt = 0;
  }

  private in(channelId: string): readonly Typist[] {
    return this.byChannel.peek().get(channelId) ?? [];
  }

  private remove(channelId: string, userId: string): void {
    this.timers.get(channelId + userId)?.();
    const now = this.in(channelId);
    if (!now.some((typist) => typist.userId === userId)) return;
    this.set(
      channelId,
      now.filter((typist) => typist.userId !== userId),
    );
  }

  private set(channelId: string, list: readonly Typist[]): void {
    this.byChannel.value = new Map(this.byChannel.peek()).set(channelId, list);
  }
}
