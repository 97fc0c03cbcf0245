import { computed, signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Presence } from './presence.ts';
import { pathTo } from './router.ts';
import type { Core } from './session.ts';
import type { Unread } from './unread.ts';

export type DmChannel = RestAnswer<'GET /api/dm/channels'>[number];
export type Friendship = RestAnswer<'GET /api/friends'>[number];
export type Block = RestAnswer<'GET /api/friends/blocks'>[number];

/** Friends, friend requests, blocked users, and direct messages. */
export class People {
  readonly dms = signal<readonly DmChannel[]>([]);
  readonly friends = signal<readonly Friendship[]>([]);
  readonly requests = signal<readonly Friendship[]>([]);
  readonly sentRequests = signal<readonly Friendship[]>([]);
  readonly blocks = signal<readonly Block[]>([]);
  readonly requestCount = computed(() => this.requests.value.length);
  private readonly core: Core;
  private readonly presence: Presence;
  private readonly unread: Unread;
  private readonly latest = new LatestAnswer();

  constructor(core: Core, presence: Presence, unread: Unread) {
    this.core = core;
    this.presence = presence;
    this.unread = unread;
    const { client } = core;
    client.on('dm:created', (channel) => this.addDm(channel));
    client.on('friend:request', (entry) => {
      if (entry.requesterId === core.me.peek()?.id) this.put(this.sentRequests, entry);
      else this.put(this.requests, entry);
    });
    client.on('friend:accepted', (entry) => {
      this.put(this.friends, entry);
      presence.watch([entry.friendId]);
      for (const list of [this.requests, this.sentRequests]) this.drop(list, entry.id);
    });
    client.on('friend:removed', ({ friendshipId }) => {
      for (const list of this.friendships) this.drop(list, friendshipId);
    });
    client.on('user:updated', ({ user }) => {
      this.latest.changed();
      this.dms.value = this.dms.peek().map((dm) => (dm.otherUser.id === user.id ? { ...dm, otherUser: user } : dm));
      for (const list of this.friendships) {
        list.value = list.peek().map((entry) => (entry.user.id === user.id ? { ...entry, user } : entry));
      }
    });
  }

  async load(): Promise<void> {
    await this.latest.read(
      () => this.request(),
      ([dms, friends, requests, sentRequests, blocks]) => {
        this.dms.value = dms;
        this.friends.value = friends;
        this.requests.value = requests;
        this.sentRequests.value = sentRequests;
        this.blocks.value = blocks;
        const own = this.core.me.peek()?.id;
        const others = [...dms.map(({ otherUser }) => otherUser.id), ...friends.map(({ friendId }) => friendId)];
        this.presence.watch(own ? [own, ...others] : others);
        for (const channel of dms) this.unread.follow(channel);
      },
    );
  }

  /** Opens the conversation with someone, and navigates there. */
  async talkTo(userId: string): Promise<void> {
    const channel = await this.core.client.rest('POST /api/dm/channels', { body: { userId } });
    this.addDm(channel);
    this.core.navigate(pathTo.channel(null, channel.id));
  }

  async requestFriend(username: string): Promise<void> {
    await this.core.client.rest('POST /api/friends/request', { body: { username } });
    await this.load();
  }

  async answerRequest(id: string, accept: boolean): Promise<void> {
    if (accept) await this.core.client.rest('POST /api/friends/:id/accept', { id });
    else await this.core.client.rest('POST /api/friends/:id/reject', { id });
    await this.load();
  }

  async endFriendship(id: string): Promise<void> {
    await this.core.client.rest('DELETE /api/friends/:id', { id });
    await this.load();
  }

  async block(userId: string): Promise<void> {
    await this.core.client.rest('PUT /api/friends/blocks/:userId', { userId });
    await this.load();
  }

  /** Blocks someone, and confirms it where nothing else shows it. */
  blockWithToast({ id, displayName }: { id: string; displayName: string }): Promise<boolean> {
    return this.core.toasts.attempt(async () => {
      await this.block(id);
      this.core.toasts.show(`${displayName} can no longer write to you.`);
    });
  }

  async unblock(userId: string): Promise<void> {
    await this.core.client.rest('DELETE /api/friends/blocks/:userId', { userId });
    await this.load();
  }

  private get friendships() {
    return [this.friends, this.requests, this.sentRequests];
  }

  private request() {
    const { client } = this.core;
    return Promise.all([
      client.rest('GET /api/dm/channels'),
      client.rest('GET /api/friends'),
      client.rest('GET /api/friends/pending'),
      client.rest('GET /api/friends/sent'),
      client.rest('GET /api/friends/blocks'),
    ]);
  }

  private addDm(channel: DmChannel): void {
    this.latest.changed();
    if (!this.dms.peek().some(({ id }) => id === channel.id)) this.dms.value = [channel, ...this.dms.peek()];
    this.presence.watch([channel.otherUser.id]);
    this.unread.follow(channel);
  }

  private put(list: People['friends'], entry: Friendship): void {
    this.drop(list, entry.id);
    list.value = [entry, ...list.peek()];
  }

  private drop(list: People['friends'], friendshipId: string): void {
    this.latest.changed();
    list.value = list.peek().filter(({ id }) => id !== friendshipId);
  }
}
