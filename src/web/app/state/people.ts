import { computed, signal } from '@preact/signals';
import type { RestAnswer, RestInput } from '../../../client/index.ts';
import { type DmChannel, othersIn, withUser } from './groups.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Presence } from './presence.ts';
import { pathTo } from './router.ts';
import type { Core } from './session.ts';
import type { Unread } from './unread.ts';

export type Friendship = RestAnswer<'GET /api/friends'>[number];
export type Block = RestAnswer<'GET /api/friends/blocks'>[number];
type Opening = RestInput<'POST /api/dm/channels'>['body'];
type Turning = RestInput<'POST /api/dm/channels/:id/channel'>['body'];

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
  /** Groups whose changes are followed. */
  private readonly watched = new Set<string>();

  constructor(core: Core, presence: Presence, unread: Unread) {
    this.core = core;
    this.presence = presence;
    this.unread = unread;
    const { client } = core;
    client.on('dm:created', (channel) => this.addDm(channel));
    client.on('channel:member-removed', ({ channelId, serverId }) => {
      if (serverId === null) this.dropDm(channelId);
    });
    client.on('channel:member-added', ({ channelId, serverId }) => {
      // A group has become a channel of a server.
      const here = core.route.peek();
      if (here.name === 'dm' && here.channelId === channelId) core.navigate(pathTo.channel(serverId, channelId));
    });
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
      this.dms.value = this.dms.peek().map((dm) => withUser(dm, user));
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
        const others = [
          ...dms.flatMap((dm) => othersIn(dm, own).map(({ id }) => id)),
          ...friends.map(({ friendId }) => friendId),
        ];
        this.presence.watch(own ? [own, ...others] : others);
        for (const channel of dms) this.follow(channel);
      },
    );
  }

  /** Opens the conversation with someone, and navigates there. */
  talkTo(userId: string): Promise<void> {
    return this.open({ userId });
  }

  /** Opens a conversation, and navigates there. */
  async open(body: Opening): Promise<void> {
    this.visit(await this.core.client.rest('POST /api/dm/channels', { body }));
  }

  /** Opens the group of everyone in a conversation and more people. */
  async openWith(id: string, userIds: string[]): Promise<void> {
    this.visit(await this.core.client.rest('POST /api/dm/channels/:id/members', { id, body: { userIds } }));
  }

  async renameGroup(id: string, name: string | null): Promise<void> {
    this.putDm(await this.core.client.rest('PATCH /api/dm/channels/:id', { id, body: { name } }));
  }

  async leaveGroup(id: string): Promise<void> {
    await this.core.client.rest('POST /api/dm/channels/:id/leave', { id });
    this.dropDm(id);
    this.core.navigate('/app/messages');
  }

  /** Makes a group a private channel of a server, and navigates there. */
  async turnGroup(id: string, body: Turning): Promise<void> {
    await this.core.client.rest('POST /api/dm/channels/:id/channel', { id, body });
    this.dropDm(id);
    this.core.navigate(pathTo.channel(body.serverId, id));
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
      this.core.toasts.show(this.core.texts.peek().t('{name} can no longer write to you.', { name: displayName }));
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
    this.presence.watch(othersIn(channel, this.core.me.peek()?.id).map(({ id }) => id));
    this.follow(channel);
  }

  private visit(channel: DmChannel): void {
    this.addDm(channel);
    this.core.navigate(pathTo.channel(null, channel.id));
  }

  private follow(channel: DmChannel): void {
    this.unread.follow(channel);
    if (channel.kind !== 'group' || this.watched.has(channel.id)) return;
    this.watched.add(channel.id);
    const live = this.core.client.channel(channel.id);
    const change = (to: (dm: DmChannel) => DmChannel) => {
      const known = this.dms.peek().find(({ id }) => id === channel.id);
      if (known) this.putDm(to(known));
    };
    live.listen('channel:updated', ({ channel: { name } }) => change((dm) => ({ ...dm, name })));
    live.listen('member:left', ({ userId }) =>
      change((dm) => (dm.kind === 'group' ? { ...dm, members: dm.members.filter(({ id }) => id !== userId) } : dm)),
    );
  }

  private putDm(channel: DmChannel): void {
    this.latest.changed();
    this.dms.value = this.dms.peek().map((dm) => (dm.id === channel.id ? channel : dm));
  }

  private dropDm(channelId: string): void {
    this.latest.changed();
    this.dms.value = this.dms.peek().filter(({ id }) => id !== channelId);
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
