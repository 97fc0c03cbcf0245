import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ChannelEventMap, ChannelRecord, RestAnswer, RestInput, ServerRecord } from '../../../client/index.ts';
import type { Message } from '../../../languages/catalogue.ts';
import type { Categories } from './categories.ts';
import { LatestAnswer } from './latest-answer.ts';
import { allMembers, type MemberListener, type MemberNews } from './members.ts';
import type { Restraints } from './restraints.ts';
import type { Roles } from './roles.ts';
import type { Core } from './session.ts';
import type { Timelines } from './timelines.ts';
import type { Unread } from './unread.ts';

export type Member = RestAnswer<'GET /api/servers/:id/members'>[number];
type Joined = RestAnswer<'POST /api/servers/:id/join'>;
type NewChannel = RestInput<'POST /api/servers/:serverId/channels'>['body'];
type ServerChange = RestInput<'PATCH /api/servers/:id'>['body'];

/** How many channels are followed at most without having been visited. */
const maxFollowed = 300;
/** Within this time what the user may do in a channel is read again after it changed. */
const spreadMs = 1500;

interface Parts {
  categories: Categories;
  timelines: Timelines;
  unread: Unread;
  restraints: Restraints;
  roles: Roles;
}

/** The servers that the user is in, with the channels of those that were visited. */
export class Servers {
  readonly list = signal<readonly ServerRecord[]>([]);
  readonly loaded = signal(false);
  /** By server. */
  readonly channels = signal<ReadonlyMap<string, ChannelRecord[]>>(new Map());
  /** The server at the address. */
  readonly current: ReadonlySignal<ServerRecord | null>;
  private readonly core: Core;
  private readonly categories: Categories;
  private readonly timelines: Timelines;
  private readonly unread: Unread;
  private readonly restraints: Restraints;
  private readonly roles: Roles;
  private readonly latest = new LatestAnswer();
  /** Of the channels of each server. */
  private readonly latestChannels = new Map<string, LatestAnswer>();
  private readonly watched = new Set<string>();
  private readonly memberListeners = new Set<MemberListener>();
  /** The last event about users who joined or left since the servers were read: each of their channels reports it. */
  private readonly moved = new Map<string, 1 | -1>();

  constructor(core: Core, { categories, timelines, unread, restraints, roles }: Parts) {
    this.core = core;
    this.categories = categories;
    this.timelines = timelines;
    this.unread = unread;
    this.restraints = restraints;
    this.roles = roles;
    this.current = computed(() => {
      const name = 'serverId' in core.route.value ? core.route.value.serverId : null;
      // By the short name, too: what is shown stays while the id takes its place in the address.
      return this.list.value.find(({ id, slug }) => name !== null && (id === name || slug === name)) ?? null;
    });
    const { client } = core;
    client.on('server:joined', ({ server }) => this.entered(server));
    client.on('server:updated', ({ server }) => this.replace(server));
    client.on('server:deleted', ({ serverId }) => this.remove(serverId));
    client.on('server:left', ({ serverId }) => this.remove(serverId));
    client.on('channel:created', ({ channel }) => this.refresh(channel.serverId));
    client.on('channel:member-added', ({ serverId }) => this.refresh(serverId));
    client.on('channel:member-removed', ({ channelId, serverId }) => {
      timelines.lose(channelId);
      this.refresh(serverId);
    });
  }

  async load(): Promise<void> {
    await this.latest.read(
      () => this.core.client.rest('GET /api/servers'),
      (own) => {
        this.list.value = own.map(({ server }) => server);
        this.restraints.report(own);
        this.roles.report(own);
        this.moved.clear();
        this.loaded.value = true;
      },
    );
  }

  async loadChannels(serverId: string): Promise<void> {
    const latest = this.latestChannels.get(serverId) ?? new LatestAnswer();
    this.latestChannels.set(serverId, latest);
    await latest.read(
      () => Promise.all([this.readChannels(serverId), this.categories.read(serverId, this.list.peek())]),
      ([list, categories]) => {
        this.categories.show(serverId, categories);
        this.showChannels(serverId, list);
      },
    );
  }

  /** The channels of a server, without following them. */
  readChannels(serverId: string): Promise<ChannelRecord[]> {
    return this.core.client.rest('GET /api/servers/:serverId/channels', { serverId });
  }

  /** Loads unread counts of servers that were not visited yet. What fails now is loaded on the visit. */
  async loadOtherChannels(): Promise<void> {
    for (const { id } of this.list.peek()) {
      const count = [...this.channels.peek().values()].flat().length;
      const isVisited = this.channels.peek().has(id) || this.latestChannels.get(id)?.isReading;
      if (!isVisited && count < maxFollowed) await this.loadChannels(id).catch(() => {});
    }
  }

  async create(input: { name: string; isPublic: boolean }): Promise<ServerRecord> {
    const server = await this.core.client.rest('POST /api/servers', { body: input });
    this.add(server);
    return server;
  }

  async createChannel(serverId: string, body: NewChannel): Promise<ChannelRecord> {
    const channel = await this.core.client.rest('POST /api/servers/:serverId/channels', { serverId, body });
    await this.loadChannels(serverId);
    return channel;
  }

  async update(id: string, body: ServerChange): Promise<void> {
    this.replace(await this.core.client.rest('PATCH /api/servers/:id', { id, body }));
  }

  /** Creates a new invite link; the old one stops working. */
  async renewInvite(server: ServerRecord): Promise<void> {
    const { inviteCode } = await this.core.client.rest('POST /api/servers/:id/invite/regenerate', { id: server.id });
    this.replace({ ...server, inviteCode });
  }

  async delete(id: string): Promise<void> {
    await this.core.client.rest('DELETE /api/servers/:id', { id });
    this.remove(id);
  }

  joinPublic(id: string): Promise<Joined> {
    return this.join(id, {});
  }

  /** Joins by an invite code. */
  joinByCode(code: string): Promise<Joined> {
    return this.join('_', { inviteCode: code });
  }

  /** In raid mode it waits for approval, and `server:joined` follows. */
  private async join(id: string, body: { inviteCode?: string }): Promise<Joined> {
    const server = await this.core.client.rest('POST /api/servers/:id/join', { id, body });
    if (server.status === 'joined') this.entered(server);
    else
      this.core.toasts.show(
        this.core.texts
          .peek()
          .t('{name} approves new members right now. A moderator will decide about you.', { name: server.name }),
      );
    return server;
  }

  async leave(id: string): Promise<void> {
    await this.core.client.rest('POST /api/servers/:id/leave', { id });
    this.remove(id);
  }

  /** All members of a server, however many. */
  membersOf(id: string): Promise<Member[]> {
    return allMembers((query) => this.core.client.rest('GET /api/servers/:id/members', { id, query }));
  }

  /** All members of a channel. */
  channelMembersOf(id: string): Promise<Member[]> {
    return allMembers((query) => this.core.client.rest('GET /api/channels/:id/members', { id, query }));
  }

  /** Shows channels in another order, until they are read again. */
  showOrder(serverId: string, list: ChannelRecord[]): void {
    this.latestChannels.get(serverId)?.changed();
    this.channels.value = new Map(this.channels.peek()).set(serverId, list);
  }

  private showChannels(serverId: string, list: ChannelRecord[]): void {
    this.channels.value = new Map(this.channels.peek()).set(serverId, list);
    for (const channel of list.filter(({ isMember }) => isMember)) {
      this.unread.follow(channel);
      this.watch(serverId, channel.id);
      this.timelines.regain(channel.id);
    }
  }

  /** What was not visited yet, or fails now, is loaded with the next change, or on the visit. */
  private refresh(serverId: string | null): void {
    const isShown = serverId === this.current.peek()?.id || (serverId && this.channels.peek().has(serverId));
    if (serverId && isShown) void this.loadChannels(serverId).catch(() => {});
  }

  /** Keeps the list in step with the server: names, order, and deletions. */
  private watch(serverId: string, channelId: string): void {
    if (this.watched.has(channelId)) return;
    this.watched.add(channelId);
    const live = this.core.client.channel(channelId);
    const again = () => this.refresh(serverId);
    // The last: it was deleted while there was no connection.
    for (const event of ['channel:updated', 'channel:deleted', 'closed'] as const) live.listen(event, again);
    // Everyone in it hears of it at once: they do not all ask at once.
    live.listen('channel:overridden', () => void this.core.scope.after(Math.random() * spreadMs, again));
    const tell = (news: MemberNews) => {
      for (const listener of this.memberListeners) listener(news);
    };
    live.listen('member:joined', (member) => {
      this.countMember(member, 1);
      tell({ event: 'member:joined', ...member });
    });
    live.listen('member:left', (member) => {
      this.countMember(member, -1);
      tell({ event: 'member:left', ...member });
    });
    live.listen('member:updated', (member) => {
      // Channels may decide otherwise about the roles that they have now.
      if (this.roles.note(member)) again();
      tell({ event: 'member:updated', ...member });
    });
  }

  private countMember({ scope, serverId, userId }: ChannelEventMap['member:left'], step: 1 | -1): void {
    const key = `${serverId} ${userId}`;
    if (scope !== 'server' || userId === this.core.me.peek()?.id || this.moved.get(key) === step) return;
    this.moved.set(key, step);
    this.list.value = this.list
      .peek()
      .map((server) => (server.id === serverId ? { ...server, memberCount: server.memberCount + step } : server));
  }

  /** The user is in a server from now on: its page, which may be shown, gets what a new one would. */
  private entered(server: ServerRecord): void {
    this.add(server);
    void this.loadChannels(server.id).catch(() => {});
  }

  private add(server: ServerRecord): void {
    this.latest.changed();
    if (!this.list.peek().some(({ id }) => id === server.id)) this.list.value = [...this.list.peek(), server];
  }

  private replace(server: ServerRecord): void {
    this.latest.changed();
    const before = this.list.peek().find(({ id }) => id === server.id);
    // A node of an older version does not say what the user may do.
    const { permissions = before?.permissions } = server;
    const now = { ...server, permissions };
    this.list.value = this.list.peek().map((known) => (known.id === server.id ? now : known));
    if (!before) return;
    const isOther =
      before.role !== now.role ||
      before.permissions?.join() !== permissions?.join() ||
      before.categoriesVersion !== now.categoriesVersion;
    // Which channels the user sees, and what they may do there, follows. Where the roles have changed everyone is told.
    const wait = before.rolesVersion === now.rolesVersion ? 0 : Math.random() * spreadMs;
    if (isOther) this.core.scope.after(wait, () => this.refresh(server.id));
    if (server.permissions === undefined) void this.load().catch(() => {});
  }

  /** Tells of members that join, leave or change, as the channels report it that the user is in. @returns stops it */
  onMember(listener: MemberListener): () => void {
    this.memberListeners.add(listener);
    return () => this.memberListeners.delete(listener);
  }

  /** What the user has lost access to must not stay on the screen. */
  private remove(serverId: string): void {
    this.latest.changed();
    this.list.value = this.list.peek().filter(({ id }) => id !== serverId);
    const others = new Map(this.channels.peek());
    for (const { id } of others.get(serverId) ?? []) this.timelines.lose(id);
    for (const visited of this.timelines.visited.peek().values()) {
      if (visited.serverId === serverId) this.timelines.lose(visited.id);
    }
    // Users who join again get what exists by then.
    others.delete(serverId);
    this.channels.value = others;
  }
}

/** Whether it has messages to read: voice channels have none, and admins see private ones that they are not in. */
export const isReadable = ({ isMember, type }: ChannelRecord): boolean => isMember && type !== 'voice';

export type Role = NonNullable<ServerRecord['role']>;

export const roleNames: Record<Role, Message> = {
  owner: 'Owner',
  admin: 'Admin',
  moderator: 'Moderator',
  member: 'Member',
};
