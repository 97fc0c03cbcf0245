import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { Capabilities } from '../access/capabilities.ts';
import type { Role } from '../access/roles.ts';
import { smallUser } from '../accounts/account.view.ts';
import type { ChannelService } from '../channels/channel.service.ts';
import type { Database, Rows } from '../database/database.ts';
import { isUniqueViolation } from '../database/failures.ts';
import type { Change, Changes } from '../delivery/changes.ts';
import type { Control } from '../delivery/control.ts';
import { channelRoom, userRoom } from '../delivery/entry.ts';
import { AppError } from '../errors.ts';
import type { ServerAccess } from './server.access.ts';
import {
  type createServerSchema,
  memberJoined,
  memberLeft,
  type ownServerSchema,
  serverJoined,
  serverLeft,
} from './server.contract.ts';
import { Server } from './server.entity.ts';
import { memberRecord, type ServerRecord, type ServerRow, serverRecord } from './server.view.ts';

const selectServers = `SELECT s.id, s.name, s.slug, s.description, s.icon_url, s.banner_url, s.homepage_html,
  s.is_public, s.owner_id, s.invite_code, s.created_at, s.updated_at, s.member_count, m.role, m.nickname, m.joined_at
  FROM servers s`;
const byId = `${selectServers} LEFT JOIN server_members m ON m.server_id = s.id AND m.user_id = $2 WHERE s.id = $1`;
const ofUser = `${selectServers} JOIN server_members m ON m.server_id = s.id WHERE m.user_id = $1
  ORDER BY m.joined_at, s.id LIMIT 1000`;

/** Communities and who belongs to them (contract §5). */
export class ServerService {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly control: Control;
  private readonly access: ServerAccess;
  private readonly capabilities: Capabilities;
  private readonly channels: ChannelService;

  constructor(parts: {
    database: Database;
    changes: Changes;
    control: Control;
    serverAccess: ServerAccess;
    capabilities: Capabilities;
    channels: ChannelService;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.control = parts.control;
    this.access = parts.serverAccess;
    this.capabilities = parts.capabilities;
    this.channels = parts.channels;
  }

  /** Makes a server with a channel `general`; the actor owns it. @throws AppError INVITE_REQUIRED, SLUG_TAKEN */
  async create(actor: Actor, input: z.output<typeof createServerSchema>): Promise<ServerRecord> {
    this.capabilities.require(actor, 'server:create');
    try {
      return await this.changes.run(async (change) => {
        const server = change.em.create(Server, {
          id: uuid(),
          name: input.name,
          slug: input.slug ?? null,
          description: input.description ?? null,
          iconUrl: input.iconUrl ?? null,
          bannerUrl: input.bannerUrl ?? null,
          isPublic: input.isPublic,
          ownerId: actor.userId,
          inviteCode: randomBytes(9).toString('base64url'),
        });
        await change.em.flush();
        await this.addMember(change, actor, server.id, 'owner');
        await this.channels.createGeneral(change, actor, server.id);
        return this.announceJoined(change, actor, server.id);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'servers_slug_unique')) throw new AppError('SLUG_TAKEN');
      throw error;
    }
  }

  /** The actor's servers, in the order in which it joined them. */
  async own(actor: Actor): Promise<z.input<typeof ownServerSchema>[]> {
    const rows = await this.database.rows<MemberServerRow>(ofUser, [actor.userId]);
    return rows.map((row) => {
      const server = serverRecord(row);
      const membership = { serverId: row.id, role: row.role, nickname: row.nickname, joinedAt: row.joined_at };
      return { ...server, server, member: memberRecord(membership, smallUser(actor.user)) };
    });
  }

  async get(actor: Actor, idOrSlug: string): Promise<ServerRecord> {
    const { id } = await this.access.visible(actor, idOrSlug);
    return this.record(this.database.rows, id, actor.userId);
  }

  /**
   * Joins a server: a public one freely, a private one with its invite code. With `_` in place of the id the code
   * alone says which.
   * @throws AppError SERVER_NOT_FOUND, INVITE_CODE_REQUIRED, ALREADY_MEMBER with the record
   */
  async join(actor: Actor, idOrSlug: string, code: string | null): Promise<ServerRecord> {
    const serverId = await this.joinable(idOrSlug, code);
    if (await this.access.seat(serverId, actor.userId)) throw await this.alreadyMember(actor, serverId);
    try {
      return await this.changes.run(async (change) => {
        await this.addMember(change, actor, serverId, 'member');
        return this.announceJoined(change, actor, serverId);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'server_members_pkey')) throw await this.alreadyMember(actor, serverId);
      throw error;
    }
  }

  /** @throws AppError OWNER_CANNOT_LEAVE */
  async leave(actor: Actor, idOrSlug: string): Promise<void> {
    const { id, seat } = await this.access.joined(actor, idOrSlug);
    if (seat.role === 'owner') throw new AppError('OWNER_CANNOT_LEAVE');
    await this.changes.run((change) => this.removeMember(change, id, actor.userId));
  }

  /** Takes a user out of all its servers, as part of its end. */
  async leaveAll(change: Change, userId: string): Promise<void> {
    const joined = await change.rows<{ id: string }>(
      'SELECT server_id AS id FROM server_members WHERE user_id = $1 ORDER BY server_id',
      [userId],
    );
    for (const server of joined) await this.removeMember(change, server.id, userId);
  }

  /**
   * Takes a user out of a server and, before the answer, its sockets on all nodes out of the server's rooms.
   */
  private async removeMember(change: Change, serverId: string, userId: string): Promise<void> {
    const removed = await change.rows<{ user_id: string }>(
      'DELETE FROM server_members WHERE server_id = $1 AND user_id = $2 RETURNING user_id',
      [serverId, userId],
    );
    if (removed.length === 0) throw new AppError('NOT_A_MEMBER');
    await change.rows('UPDATE servers SET member_count = member_count - 1 WHERE id = $1', [serverId]);
    const lost = await this.channels.dropMemberships(change, serverId, userId);
    const user = await this.smallUser(change.rows, userId);
    for (const channelId of await this.channels.announcedIn(change.rows, serverId)) {
      change.publish(memberLeft.in(channelRoom(channelId), { serverId, channelId, userId, ...userPart(user) }));
    }
    change.publish(serverLeft.in(userRoom(userId), { serverId }));
    change.afterCommit(async () => {
      await this.access.forget(serverId, userId);
      await this.channels.forgetMemberships(lost, userId);
      await this.control.send({ kind: 'evict', userId, serverId, rooms: null });
    });
  }

  private async joinable(idOrSlug: string, code: string | null): Promise<string> {
    if (idOrSlug === '_') {
      if (!code) throw new AppError('INVITE_CODE_REQUIRED');
      const [found] = await this.database.rows<{ id: string }>('SELECT id FROM servers WHERE invite_code = $1', [code]);
      if (!found) throw new AppError('SERVER_NOT_FOUND', { message: 'No server has this invite code.' });
      return found.id;
    }
    const server = await this.access.find(idOrSlug);
    if (server.isPublic && !code) return server.id;
    if (!code) throw new AppError('INVITE_CODE_REQUIRED');
    const [matching] = await this.database.rows<{ id: string }>(
      'SELECT id FROM servers WHERE id = $1 AND invite_code = $2',
      [server.id, code],
    );
    if (!matching) throw new AppError('SERVER_NOT_FOUND', { message: 'This invite code does not fit.' });
    return server.id;
  }

  private async alreadyMember(actor: Actor, serverId: string): Promise<AppError> {
    const server = await this.record(this.database.rows, serverId, actor.userId);
    return new AppError('ALREADY_MEMBER', { extra: { server } });
  }

  private async addMember(change: Change, actor: Actor, serverId: string, role: Role): Promise<void> {
    await change.rows('INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES ($1, $2, $3, now())', [
      serverId,
      actor.userId,
      role,
    ]);
    await change.rows('UPDATE servers SET member_count = member_count + 1 WHERE id = $1', [serverId]);
    change.afterCommit(() => this.access.forget(serverId, actor.userId));
  }

  private async announceJoined(change: Change, actor: Actor, serverId: string): Promise<ServerRecord> {
    const server = await this.record(change.rows, serverId, actor.userId);
    const member = { serverId, userId: actor.userId, ...userPart(actor.user) };
    for (const channelId of await this.channels.announcedIn(change.rows, serverId)) {
      change.publish(memberJoined.in(channelRoom(channelId), { ...member, channelId }));
    }
    change.publish(serverJoined.in(userRoom(actor.userId), { server }));
    return server;
  }

  private async record(rows: Rows, serverId: string, userId: string): Promise<ServerRecord> {
    const [row] = await rows<ServerRow>(byId, [serverId, userId]);
    if (!row) throw new AppError('SERVER_NOT_FOUND');
    return serverRecord(row);
  }

  private async smallUser(rows: Rows, userId: string): Promise<Actor['user']> {
    const [user] = await rows<Actor['user']>(
      `SELECT id, username, display_name AS "displayName", avatar_url AS "avatarUrl", is_bot AS "isBot"
       FROM users WHERE id = $1`,
      [userId],
    );
    if (!user) throw new AppError('USER_NOT_FOUND');
    return user;
  }
}

interface MemberServerRow extends ServerRow {
  role: Role;
  nickname: string | null;
  joined_at: Date | string;
}

function userPart({ username, displayName, avatarUrl, isBot }: Actor['user']) {
  return { username, displayName, avatarUrl, isBot };
}
