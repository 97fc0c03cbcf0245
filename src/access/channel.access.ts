import type { Caches } from '../cluster/caches.ts';
import type { Actor } from '../contract/actor.ts';
import { type ChannelKind, type ChannelType, isDirect } from '../contract/channel.ts';
import { AppError } from '../contract/errors.ts';
import { type Permission, type Rights, type Role, requireNoTimeout, requirePermission } from '../contract/roles.ts';
import { BatchedRead } from '../database/batched-read.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { readChannels, readEntries } from './channel.table.ts';
import type { DirectAccess } from './direct.access.ts';
import { seenByHook } from './hook.ts';
import type { PolicyAccess } from './policy.access.ts';
import { type Overridden, rightsInChannel } from './rights.ts';
import type { ServerAccess, ServerMembership } from './server.access.ts';
import { isInChannel, placeIn } from './view.ts';

/** The facts that access to a channel depends on. */
export interface ChannelInfo extends Overridden {
  id: string;
  serverId: string | null;
  kind: ChannelKind;
  name: string;
  type: ChannelType;
  isPrivate: boolean;
  isArchived: boolean;
  /** How long people wait between two messages; 0: not at all. */
  slowModeSeconds: number;
  /** Whether anyone is notified of all its messages, since they chose so there or in its server. */
  isWatched: boolean;
  /** Whether its server is public. */
  serverIsPublic: boolean;
}

/** A channel, with what the actor may do in it. */
export interface ChannelWithRights extends ChannelInfo {
  /** The role in its server; null in a DM, and for non-members of the server. */
  role: Role | null;
  /** Null where the role is. */
  rights: Rights | null;
}

/** A channel that an actor may know of, and whether the actor is in it. */
export interface SeenChannel extends ChannelWithRights {
  isMember: boolean;
  /** Whether it is open to the actor: those who were removed from it may enter it again. */
  isOpen: boolean;
}

/** A user's membership row in a channel, if there is one (see `isInChannel`). */
export interface MembershipRow {
  excluded: boolean | null;
}

const noRow: MembershipRow = { excluded: null };

/** The name of the cache of channels' facts: other caches depend on it. */
export const channelCache = 'channels';
const memberCache = 'channel-members';
const memberKey = (channelId: string, userId: string) => `${channelId}:${userId}`;

/** The only way to get a channel on behalf of an actor. On the hot path everything is read from caches. */
export class ChannelAccess {
  private readonly caches: Caches;
  private readonly servers: ServerAccess;
  private readonly direct: DirectAccess;
  private readonly policies: PolicyAccess;
  private readonly channels: Cache<ChannelInfo>;
  private readonly members: Cache<MembershipRow>;
  private readonly channelReads: BatchedRead<ChannelInfo>;
  private readonly memberReads: BatchedRead<MembershipRow>;

  constructor(database: Database, caches: Caches, servers: ServerAccess, direct: DirectAccess, policies: PolicyAccess) {
    this.caches = caches;
    this.servers = servers;
    this.direct = direct;
    this.policies = policies;
    this.channelReads = new BatchedRead((ids) => readChannels(database.committedRows, ids));
    this.memberReads = new BatchedRead((keys) => readEntries(database.committedRows, keys));
    this.channels = caches.create(channelCache, 50_000, {
      facts: { load: (id: string) => this.channelReads.read(id), lessened: isLessOpen },
    });
    this.members = caches.create(memberCache, 200_000, {
      facts: { load: (key: string) => this.memberReads.read(key), lessened: isLessIn },
    });
  }

  /**
   * A channel that the actor may know of: those it is in, those that admins may enter, and the open channels of public
   * servers (contract §5). For all others it does not exist.
   * @throws AppError CHANNEL_NOT_FOUND
   */
  visible(actor: Actor, channelId: string): Promise<SeenChannel> {
    const known = this.known(actor, channelId);
    return known ? Promise.resolve(known) : this.lookUp(actor, channelId);
  }

  /**
   * A channel that the actor is in; a bot may still be barred from listening there.
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER if it may know of the channel
   */
  entered(actor: Actor, channelId: string): Promise<ChannelWithRights> {
    const known = this.known(actor, channelId);
    return known?.isMember ? Promise.resolve(known) : this.lookUp(actor, channelId).then(requireEntered);
  }

  /**
   * A channel whose messages the actor may read.
   * @throws AppError like `entered`, FORBIDDEN for a bot that may not listen there (contract §13)
   */
  async readable(actor: Actor, channelId: string): Promise<ChannelWithRights> {
    const channel = await this.entered(actor, channelId);
    if (!(await this.mayListen(actor, channelId))) {
      throw new AppError('FORBIDDEN', { message: "This bot's policy does not let it listen in this channel." });
    }
    return channel;
  }

  /** Whether the actor may get the events of a channel that it is in: always, except for some bots. */
  async mayListen(actor: Actor, channelId: string): Promise<boolean> {
    return !actor.user.isBot || (await this.policies.effective(actor.userId, channelId)).listen;
  }

  /** The bot that reads only what concerns it in a channel that it may listen in; null: the actor reads everything. */
  async onlyFor(actor: Actor, channelId: string): Promise<string | null> {
    if (!actor.user.isBot) return null;
    return (await this.policies.effective(actor.userId, channelId)).mentionOnly ? actor.userId : null;
  }

  /** Whether commands that name a bot reach it even where it may not listen. */
  async mayBeCommanded(actor: Actor, channelId: string): Promise<boolean> {
    return (await this.policies.effective(actor.userId, channelId)).mode !== 'disabled';
  }

  /** Those of these channels in which the actor is a bot that reads only what concerns it. */
  async limitedAmong(actor: Actor, channelIds: string[]): Promise<string[]> {
    return actor.user.isBot ? this.policies.limited(actor.userId, channelIds) : [];
  }

  /** Those of the channels that the actor is in whose messages it may read: all of them, except for some bots. */
  async readableAmong(actor: Actor, channelIds: string[]): Promise<string[]> {
    return actor.user.isBot ? this.policies.listening(actor.userId, channelIds) : channelIds;
  }

  /**
   * A channel that the actor may send to.
   * @throws AppError like `entered`, TIMED_OUT, CHANNEL_ARCHIVED, ROLE_REQUIRED without the right to post, BLOCKED,
   *   USER_BLOCKED,
   *   FORBIDDEN for a bot that may not reply there
   */
  async postable(actor: Actor, channelId: string): Promise<ChannelWithRights> {
    const channel = await this.entered(actor, channelId);
    requireNoTimeout(channel.rights);
    if (channel.isArchived) throw new AppError('CHANNEL_ARCHIVED');
    if (channel.kind === 'dm') await this.requireUnblocked(actor, channel);
    requireInChannel(channel, 'message:post');
    if (channel.type === 'announcement') requirePermission(channel.rights, 'channel:announce');
    if (actor.user.isBot) await this.requireVoice(actor, channel);
    return channel;
  }

  /** For anything expressed in a channel, even a reaction. @throws AppError TIMED_OUT, FORBIDDEN for a bot that may not reply */
  async requireVoice(actor: Actor, { id, rights }: Pick<ChannelWithRights, 'id' | 'rights'>): Promise<void> {
    requireNoTimeout(rights);
    if (actor.user.isBot && !actor.hookChannelId && !(await this.policies.effective(actor.userId, id)).reply) {
      throw new AppError('FORBIDDEN', { message: "This bot's policy does not let it write in this channel." });
    }
  }

  /**
   * In a DM of two nothing may come from a blocked user, or go to a deleted one. A group is open to everyone in it
   * (contract §7, Groups).
   * @throws AppError BLOCKED, USER_BLOCKED, FORBIDDEN when the other's account was deleted
   */
  async requireUnblocked(actor: Actor, channel: { id: string; kind: ChannelKind }): Promise<void> {
    if (channel.kind === 'dm') await this.direct.requireOpen(actor, channel.id);
  }

  /**
   * A channel of a server that the actor's role lets it manage.
   * @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN for a DM, which nobody manages
   */
  async managed(actor: Actor, channelId: string, permission: Permission): Promise<SeenChannel & { serverId: string }> {
    const { serverId, ...channel } = await this.visible(actor, channelId);
    if (serverId === null) throw new AppError('FORBIDDEN', { message: 'Direct messages have no such settings.' });
    requirePermission(channel.rights, permission);
    return { ...channel, serverId };
  }

  /** A channel's facts, without an access check. @throws AppError CHANNEL_NOT_FOUND */
  async find(channelId: string): Promise<ChannelInfo> {
    const channel = await this.channels.get(channelId, () => this.channelReads.read(channelId));
    if (!channel) throw new AppError('CHANNEL_NOT_FOUND');
    return channel;
  }

  /** Drops the facts of these channels on all nodes. */
  forget(channelIds: string[]): Promise<void> {
    return this.caches.forget(channelCache, channelIds);
  }

  forgetHere(channelId: string): void {
    this.caches.dropHere(channelCache, [channelId]);
  }

  /** Drops on all nodes whether a user is in these channels. */
  forgetMembers(channelIds: string[], userId: string): Promise<void> {
    return this.caches.forget(
      memberCache,
      channelIds.map((channelId) => memberKey(channelId, userId)),
    );
  }

  forgetMemberHere(channelId: string, userId: string): void {
    this.caches.dropHere(memberCache, [memberKey(channelId, userId)]);
  }

  /** The channel if everything that access depends on is cached: the hot path then creates no promises. */
  private known(actor: Actor, channelId: string): SeenChannel | undefined {
    const channel = this.channels.peek(channelId);
    if (actor.hookChannelId) return seenByHook(actor, channel);
    const row = this.members.peek(memberKey(channelId, actor.userId));
    if (!channel || !row) return undefined;
    const membership =
      channel.serverId === null ? undefined : this.servers.knownMembership(channel.serverId, actor.userId);
    if (channel.serverId !== null && !membership) return undefined;
    return seen(actor, channel, membership, row);
  }

  private async lookUp(actor: Actor, channelId: string): Promise<SeenChannel> {
    // Concurrently: each fact that is not cached is a round trip to the database.
    const found = this.find(channelId);
    if (actor.hookChannelId) return requireVisible(seenByHook(actor, await found));
    const [channel, row, membership] = await Promise.all([
      found,
      this.membershipRow(channelId, actor.userId),
      found.then(({ serverId }) => (serverId === null ? undefined : this.servers.membership(serverId, actor.userId))),
    ]);
    return requireVisible(seen(actor, channel, membership, channel.serverId === null || membership ? row : noRow));
  }

  private async membershipRow(channelId: string, userId: string): Promise<MembershipRow> {
    const key = memberKey(channelId, userId);
    return (await this.members.get(key, () => this.memberReads.read(key))) ?? noRow;
  }
}

function requireVisible(channel: SeenChannel | undefined): SeenChannel {
  if (!channel) throw new AppError('CHANNEL_NOT_FOUND');
  return channel;
}

/** The rule of who may know of a channel; undefined: the actor may not. */
function seen(
  actor: Actor,
  channel: ChannelInfo,
  membership: ServerMembership | undefined,
  { excluded }: MembershipRow,
): SeenChannel | undefined {
  const { isBot } = actor.user;
  if (channel.serverId !== null && !membership) {
    const isOpenToAll = channel.serverIsPublic && !channel.isPrivate && !isBot;
    return isOpenToAll ? { ...channel, role: null, rights: null, isMember: false, isOpen: true } : undefined;
  }
  if (!membership) {
    const isMember = isInChannel({ isPrivate: true, isBot, excluded, isDenied: false }, null);
    return isMember ? { ...channel, role: null, rights: null, isMember, isOpen: false } : undefined;
  }
  const { isMember, isOpen, mayKnow } = placeIn(membership.rights, channel, { id: actor.userId, isBot, excluded });
  if (!mayKnow) return undefined;
  const rights = rightsInChannel(membership.rights, channel, actor.userId);
  return { ...channel, role: membership.role, rights, isMember, isOpen };
}

/**
 * What actors may do in a channel that they know of; in a DM everyone may do everything.
 * @throws AppError like `requirePermission`
 */
export function requireInChannel({ kind, rights }: ChannelWithRights, permission: Permission): void {
  if (!isDirect(kind)) requirePermission(rights, permission);
}

/** Whether a channel lets in fewer people than before, or lets fewer of them write. */
function isLessOpen(before: ChannelInfo, now: ChannelInfo): boolean {
  const isHidden = (now.isPrivate && !before.isPrivate) || (before.serverIsPublic && !now.serverIsPublic);
  const isOverridden = JSON.stringify(before.overrides) !== JSON.stringify(now.overrides);
  const isSlower = now.slowModeSeconds > before.slowModeSeconds;
  return isHidden || isOverridden || isSlower || (now.isArchived && !before.isArchived) || now.type !== before.type;
}

/** Whether someone who was in a channel, or would be without a row, was removed from it. */
function isLessIn(before: MembershipRow, now: MembershipRow): boolean {
  return before.excluded !== now.excluded && now.excluded !== false;
}

function requireEntered(channel: SeenChannel): ChannelWithRights {
  if (!channel.isMember) throw new AppError('NOT_A_MEMBER', { message: 'You are not in this channel; join it first.' });
  return channel;
}
