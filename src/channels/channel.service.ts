import { v7 as uuid } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { Database, Rows } from '../database/database.ts';
import type { Change, Changes } from '../delivery/changes.ts';
import { channelRoom, userRoom } from '../delivery/entry.ts';
import { createStream } from '../delivery/log.ts';
import { AppError } from '../errors.ts';
import type { ServerAccess } from '../servers/server.access.ts';
import type { ChannelAccess } from './channel.access.ts';
import { channelCreated, type createChannelSchema } from './channel.contract.ts';
import { Channel } from './channel.entity.ts';
import { type ChannelRecord, type ChannelRow, channelRecord } from './channel.view.ts';

const selectChannels = `SELECT c.id, c.server_id, c.kind, c.name, c.type, c.description, c.position, c.is_private,
  c.is_archived, c.created_at, c.updated_at, s.last_seq,
  (SELECT m.created_at FROM messages m WHERE m.channel_id = c.id AND m.deleted_at IS NULL AND m.thread_id IS NULL
   ORDER BY m.seq DESC LIMIT 1) AS last_message_at
  FROM channels c JOIN streams s ON s.id = c.id`;
const oneChannel = `${selectChannels} WHERE c.id = $1`;
const ofServer = `${selectChannels} LEFT JOIN channel_members own ON own.channel_id = c.id AND own.user_id = $2
  WHERE c.server_id = $1 AND NOT c.is_archived AND (NOT (c.is_private OR $3) OR own.user_id IS NOT NULL)
  ORDER BY c.position, c.created_at LIMIT 1000`;

/** A join or a leave of a server is told in so many of its channels at most. */
const announcedChannels = 200;
/** A new channel is told to so many members at most; the others see it when they list the channels. */
const toldMembers = 1000;

/** Places for messages (contract §5). */
export class ChannelService {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly access: ChannelAccess;
  private readonly servers: ServerAccess;

  constructor(parts: {
    database: Database;
    changes: Changes;
    channelAccess: ChannelAccess;
    serverAccess: ServerAccess;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.access = parts.channelAccess;
    this.servers = parts.serverAccess;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED for all below admin */
  async create(actor: Actor, server: string, input: z.output<typeof createChannelSchema>): Promise<ChannelRecord> {
    const { id: serverId, seat } = await this.servers.joined(actor, server);
    if (seat.role !== 'owner' && seat.role !== 'admin') throw new AppError('ROLE_REQUIRED');
    return this.changes.run((change) => this.insert(change, actor, serverId, input));
  }

  /** The channel that every new server has. */
  createGeneral(change: Change, actor: Actor, serverId: string): Promise<ChannelRecord> {
    return this.insert(change, actor, serverId, { name: 'general', type: 'text', isPrivate: false });
  }

  /** The channels of a server that the actor may read, in their order. */
  async list(actor: Actor, server: string): Promise<ChannelRecord[]> {
    const { id, seat, isPublic } = await this.servers.visible(actor, server);
    if (!seat && !isPublic) throw new AppError('SERVER_NOT_FOUND');
    const rows = await this.database.rows<ChannelRow>(ofServer, [id, actor.userId, actor.user.isBot]);
    return rows.map(channelRecord);
  }

  async get(actor: Actor, channelId: string): Promise<ChannelRecord> {
    await this.access.visible(actor, channelId);
    return this.record(this.database.rows, channelId);
  }

  /** The channels of a server in which its comings and goings are told. */
  async announcedIn(rows: Rows, serverId: string): Promise<string[]> {
    const channels = await rows<{ id: string }>(
      `SELECT id FROM channels WHERE server_id = $1 AND NOT is_private AND NOT is_archived
       ORDER BY position, created_at LIMIT $2`,
      [serverId, announcedChannels],
    );
    return channels.map((channel) => channel.id);
  }

  /** Takes a user out of all private channels of a server. @returns those channels */
  async dropMemberships(change: Change, serverId: string, userId: string): Promise<string[]> {
    const lost = await change.rows<{ channel_id: string }>(
      `DELETE FROM channel_members USING channels
       WHERE channels.id = channel_members.channel_id AND channels.server_id = $1 AND channel_members.user_id = $2
       RETURNING channel_members.channel_id`,
      [serverId, userId],
    );
    return lost.map((row) => row.channel_id);
  }

  forgetMemberships(channelIds: string[], userId: string): Promise<void> {
    return this.access.forgetMembers(channelIds, userId);
  }

  private async insert(
    change: Change,
    actor: Actor,
    serverId: string,
    input: z.output<typeof createChannelSchema>,
  ): Promise<ChannelRecord> {
    const id = uuid();
    const [last] = await change.rows<{ position: number }>(
      'SELECT coalesce(max(position) + 1, 0) AS position FROM channels WHERE server_id = $1',
      [serverId],
    );
    change.em.create(Channel, {
      id,
      serverId,
      kind: 'server',
      name: input.name,
      type: input.type,
      description: input.description ?? input.topic ?? null,
      isPrivate: input.isPrivate,
      position: last?.position ?? 0,
      createdBy: actor.userId,
    });
    await change.em.flush();
    await createStream(change.rows, channelRoom(id));
    if (input.isPrivate) {
      const add = 'INSERT INTO channel_members (channel_id, user_id, joined_at) VALUES ($1, $2, now())';
      await change.rows(add, [id, actor.userId]);
    }
    const channel = await this.record(change.rows, id);
    for (const userId of await this.whoSees(change.rows, channel, actor.userId)) {
      change.publish(channelCreated.in(userRoom(userId), { channel }));
    }
    return channel;
  }

  /** Who is told of a new channel: its members where it is private, else the people of the server. */
  private async whoSees(rows: Rows, channel: ChannelRecord, creatorId: string): Promise<string[]> {
    if (channel.isPrivate) return [creatorId];
    const members = await rows<{ user_id: string }>(
      `SELECT m.user_id FROM server_members m JOIN users u ON u.id = m.user_id
       WHERE m.server_id = $1 AND NOT u.is_bot ORDER BY m.joined_at LIMIT $2`,
      [channel.serverId, toldMembers],
    );
    return members.map((member) => member.user_id);
  }

  private async record(rows: Rows, channelId: string): Promise<ChannelRecord> {
    const [row] = await rows<ChannelRow>(oneChannel, [channelId]);
    if (!row) throw new AppError('CHANNEL_NOT_FOUND');
    return channelRecord(row);
  }
}
