import type { Actor } from '../access/actor.ts';
import type { Role } from '../access/roles.ts';
import type { PolicyAccess } from '../agents/policies/policy.access.ts';
import type { Database } from '../database/database.ts';
import type { Caches } from '../delivery/caches.ts';
import type { DirectAccess } from '../direct/direct.access.ts';
import { AppError } from '../errors.ts';
import type { Cache } from '../infrastructure/cache.ts';
import type { ServerAccess } from '../servers/server.access.ts';

/** What access to a channel depends on. */
export interface ChannelInfo {
  id: string;
  serverId: string | null;
  kind: 'server' | 'dm';
  type: 'text' | 'announcement' | 'voice';
  isPrivate: boolean;
  isArchived: boolean;
}

/** A channel with the actor's place in it. */
export interface OpenChannel extends ChannelInfo {
  /** The role in the channel's server; null in a DM. */
  role: Role | null;
}

const channelCache = 'channels';
const memberCache = 'channel-members';
const memberKey = (channelId: string, userId: string) => `${channelId}:${userId}`;

/** The only way to get at a channel on behalf of someone. On the hot path all of it comes from caches. */
export class ChannelAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly servers: ServerAccess;
  private readonly direct: DirectAccess;
  private readonly policies: PolicyAccess;
  private readonly channels: Cache<ChannelInfo>;
  private readonly members: Cache<{ userId: string }>;

  constructor(database: Database, caches: Caches, servers: ServerAccess, direct: DirectAccess, policies: PolicyAccess) {
    this.database = database;
    this.caches = caches;
    this.servers = servers;
    this.direct = direct;
    this.policies = policies;
    this.channels = caches.create(channelCache, 50_000);
    this.members = caches.create(memberCache, 200_000);
  }

  /**
   * A channel that the actor may know of: members of its server, and where it is private (or a DM, or the actor a bot)
   * only those who were let in. To all others it does not exist.
   * @throws AppError CHANNEL_NOT_FOUND
   */
  async visible(actor: Actor, channelId: string): Promise<OpenChannel> {
    const channel = await this.find(channelId);
    const seat = channel.serverId === null ? undefined : await this.servers.seat(channel.serverId, actor.userId);
    if (channel.serverId !== null && !seat) throw new AppError('CHANNEL_NOT_FOUND');
    const needsRow = channel.kind === 'dm' || channel.isPrivate || actor.user.isBot;
    if (needsRow && !(await this.isMember(channelId, actor.userId))) throw new AppError('CHANNEL_NOT_FOUND');
    return { ...channel, role: seat?.role ?? null };
  }

  /**
   * A channel whose messages the actor may read.
   * @throws AppError CHANNEL_NOT_FOUND, FORBIDDEN for a bot that is not to listen there (contract §13)
   */
  async readable(actor: Actor, channelId: string): Promise<OpenChannel> {
    const channel = await this.visible(actor, channelId);
    if (actor.user.isBot && !(await this.policies.effective(actor.userId, channelId)).listen) {
      throw new AppError('FORBIDDEN', { message: "This bot's policy does not let it listen in this channel." });
    }
    return channel;
  }

  /**
   * A channel that the actor may write to.
   * @throws AppError CHANNEL_NOT_FOUND, CHANNEL_ARCHIVED, ROLE_REQUIRED where only admins post, BLOCKED, USER_BLOCKED,
   *   FORBIDDEN for a bot that is not to reply there
   */
  async postable(actor: Actor, channelId: string): Promise<OpenChannel> {
    const channel = await this.visible(actor, channelId);
    if (channel.isArchived) throw new AppError('CHANNEL_ARCHIVED');
    if (channel.kind === 'dm') await this.direct.requireOpen(actor, channelId);
    const announces = channel.type === 'announcement' && channel.role !== 'owner' && channel.role !== 'admin';
    if (announces) throw new AppError('ROLE_REQUIRED', { message: 'Only admins post in announcement channels.' });
    if (actor.user.isBot && !(await this.policies.effective(actor.userId, channelId)).reply) {
      throw new AppError('FORBIDDEN', { message: "This bot's policy does not let it write in this channel." });
    }
    return channel;
  }

  forget(channelId: string): Promise<void> {
    return this.caches.forget(channelCache, [channelId]);
  }

  forgetMembers(channelIds: string[], userId: string): Promise<void> {
    const keys = channelIds.map((channelId) => memberKey(channelId, userId));
    return this.caches.forget(memberCache, keys);
  }

  private async find(channelId: string): Promise<ChannelInfo> {
    const channel = await this.channels.get(channelId, async () => {
      const [row] = await this.database.committedRows<ChannelInfo>(
        `SELECT id, server_id AS "serverId", kind, type, is_private AS "isPrivate", is_archived AS "isArchived"
         FROM channels WHERE id = $1`,
        [channelId],
      );
      return row;
    });
    if (!channel) throw new AppError('CHANNEL_NOT_FOUND');
    return channel;
  }

  private async isMember(channelId: string, userId: string): Promise<boolean> {
    const member = await this.members.get(memberKey(channelId, userId), async () => {
      const [row] = await this.database.committedRows<{ userId: string }>(
        'SELECT user_id AS "userId" FROM channel_members WHERE channel_id = $1 AND user_id = $2',
        [channelId, userId],
      );
      return row;
    });
    return member !== undefined;
  }
}
