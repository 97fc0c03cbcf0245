import { NIL } from 'uuid';
import type { z } from 'zod';
import { requireUnbarred } from '../../access/barred.ts';
import { anyUserById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { may, outranks, type Role, requireRole, requireToOutrank } from '../../contract/roles.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { type listMembersSchema, memberUpdated, serverUpdated } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import { lockMembers, type Roster, shown } from '../members/roster.ts';
import {
  findServer,
  type MemberRecord,
  type MemberRow,
  memberColumns,
  memberRecord,
  type ServerRecord,
  serverChange,
  serverRecord,
} from '../members/server.view.ts';
import type { InviteCodes } from './invite-code.ts';
import { requireRoomToOwn } from './ownership.ts';

const page = `SELECT ${memberColumns} FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`;
const one = `SELECT ${memberColumns} FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND m.user_id = $2`;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications' | 'settings'> {
  audience: Audience;
  roster: Roster;
  inviteCodes: InviteCodes;
  channelMembers: ChannelMemberService;
  statuses: StatusReader;
}

/** The members of servers and their roles (contract §5). */
export class MemberService {
  private readonly deps: Deps;
  private readonly settings: Settings['servers'];

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.servers;
  }

  /**
   * The members, ordered by id.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, INVALID_CURSOR, FORBIDDEN for a bot that is barred from all channels
   */
  async list(actor: Actor, server: string, query: z.output<typeof listMembersSchema>): Promise<ListPage<MemberRecord>> {
    const { id } = await this.deps.serverAccess.joined(actor, server);
    await requireUnbarred(this.deps.database.rows, actor, id);
    const rows = await this.deps.database.rows<MemberRow>(page, [id, idCursor(query.cursor) ?? NIL, query.limit + 1]);
    return listPage(rows, query.limit, (row) => memberRecord(row, this.deps.statuses));
  }

  /**
   * Joins a server: a public one freely, a private one with its invite code. With `_` as the id the code alone decides
   * which. A bot that joins is in the first channel, as one that its owner adds, and enters only where its owner is.
   * @throws AppError SERVER_NOT_FOUND, INVITE_CODE_REQUIRED, ALREADY_MEMBER with the record, BANNED, USER_NOT_FOUND, FORBIDDEN
   */
  async join(actor: Actor, idOrSlug: string, code: string | null): Promise<ServerRecord> {
    const serverId = await this.joinable(actor, idOrSlug, code);
    try {
      return await this.deps.changes.run(async (change) => {
        const server = await this.deps.roster.add(change, actor.user, serverId, 'member');
        if (actor.user.isBot) await this.deps.channelMembers.admitBot(change, serverId, actor.userId, actor);
        return server;
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'ALREADY_MEMBER') throw await this.alreadyMember(actor, serverId);
      throw error;
    }
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, OWNER_CANNOT_LEAVE */
  async leave(actor: Actor, idOrSlug: string): Promise<void> {
    const { id } = await this.deps.serverAccess.joined(actor, idOrSlug);
    await this.deps.changes.run(async (change) => {
      const mine = (await lockMembers(change.rows, id, [actor.userId])).get(actor.userId);
      if (!mine) throw new AppError('NOT_A_MEMBER');
      if (mine === 'owner') throw new AppError('OWNER_CANNOT_LEAVE');
      await this.deps.roster.remove(change, id, actor.userId);
    });
  }

  /** Removes a member; removing oneself is leaving. @throws AppError MEMBER_NOT_FOUND, ROLE_REQUIRED */
  async kick(actor: Actor, idOrSlug: string, userId: string): Promise<void> {
    if (userId === actor.userId) return this.leave(actor, idOrSlug);
    const { id } = await this.deps.serverAccess.joined(actor, idOrSlug);
    await this.deps.changes.run(async (change) => {
      const { mine, theirs } = await this.rolesOf(change, id, actor.userId, userId);
      requireRole(mine, 'member:kick');
      requireToOutrank(mine, theirs);
      await this.deps.roster.remove(change, id, userId);
      await this.deps.inviteCodes.renewAfterRemoval(change, id, await anyUserById(change.rows, userId));
      const reference = { type: 'server', id };
      const notice = { to: [userId], senderId: actor.userId, serverId: id, reference };
      await this.deps.notifications.add(change, { kind: 'server.kicked', ...notice });
    });
  }

  /**
   * Changes a member's role; `owner` transfers the server, and makes the previous owner an admin.
   * @throws AppError MEMBER_NOT_FOUND, ROLE_REQUIRED, SERVER_LIMIT for a new owner who owns too many
   */
  async setRole(actor: Actor, idOrSlug: string, userId: string, role: Role): Promise<MemberRecord> {
    const { id } = await this.deps.serverAccess.joined(actor, idOrSlug);
    return this.deps.changes.run(async (change) => {
      const { mine, theirs } = await this.rolesOf(change, id, actor.userId, userId);
      if (role === 'owner') return this.handOver(change, actor, id, userId, mine);
      requireRole(mine, 'member:set-role');
      requireToOutrank(mine, theirs);
      if (!outranks(mine, role))
        throw new AppError('ROLE_REQUIRED', { message: 'You can give only roles below yours.' });
      if (theirs !== role) await this.write(change, id, userId, role);
      return this.record(change.rows, id, userId);
    });
  }

  private async handOver(
    change: Change,
    actor: Actor,
    serverId: string,
    userId: string,
    mine: Role,
  ): Promise<MemberRecord> {
    requireRole(mine, 'server:hand-over');
    const record = await this.record(change.rows, serverId, userId);
    if (record.user.isBot) throw new AppError('FORBIDDEN', { message: 'A bot cannot own a server.' });
    if (userId === actor.userId) return record;
    await requireRoomToOwn(change.rows, userId, this.settings.maxPerOwner);
    await change.rows('UPDATE servers SET owner_id = $2, updated_at = now() WHERE id = $1', [serverId, userId]);
    await this.write(change, serverId, actor.userId, 'admin');
    await this.write(change, serverId, userId, 'owner');
    await this.deps.audience.publish(change, { serverId, channelId: null });
    return this.record(change.rows, serverId, userId);
  }

  private async write(change: Change, serverId: string, userId: string, role: Role): Promise<void> {
    const update = 'UPDATE server_members SET role = $3 WHERE server_id = $1 AND user_id = $2';
    await change.rows(update, [serverId, userId, role]);
    if (!may(role, 'join-request:decide')) await this.deps.notifications.settle(change, serverId);
    const user = await anyUserById(change.rows, userId);
    for (const channelId of await this.deps.audience.announcedOf(change.rows, serverId, userId)) {
      const member = { serverId, channelId, scope: 'server', userId, role, ...shown(user) } as const;
      change.publish(memberUpdated.in(channelRoom(channelId), member));
    }
    const row = await findServer(change.rows, serverId, userId);
    if (row) change.publish(serverUpdated.in(userRoom(userId), serverChange(serverRecord(row))));
    change.afterCommit(() => this.deps.serverAccess.forget(serverId, userId));
  }

  /** The current roles of two members, locked until the commit. */
  private async rolesOf(
    change: Change,
    serverId: string,
    userId: string,
    otherId: string,
  ): Promise<{ mine: Role; theirs: Role }> {
    const locked = await lockMembers(change.rows, serverId, [userId, otherId]);
    const mine = locked.get(userId);
    const theirs = locked.get(otherId);
    if (!mine) throw new AppError('NOT_A_MEMBER');
    if (!theirs) throw new AppError('MEMBER_NOT_FOUND');
    return { mine, theirs };
  }

  private async joinable(actor: Actor, idOrSlug: string, code: string | null): Promise<string> {
    if (idOrSlug === '_') {
      if (!code) throw new AppError('INVITE_CODE_REQUIRED');
      const [found] = await this.deps.database.rows<{ id: string }>('SELECT id FROM servers WHERE invite_code = $1', [
        code,
      ]);
      if (!found) throw new AppError('SERVER_NOT_FOUND', { message: 'No server has this invite code.' });
      return found.id;
    }
    const server = await this.deps.serverAccess.find(idOrSlug);
    if (!code && server.isPublic) return server.id;
    if (code && (await this.opens(server.id, code))) return server.id;
    // A member needs no code to learn that they are one.
    const own = await this.deps.database.rows(one, [server.id, actor.userId]);
    if (own.length > 0) throw await this.alreadyMember(actor, server.id);
    if (!code) throw new AppError('INVITE_CODE_REQUIRED');
    throw new AppError('SERVER_NOT_FOUND', { message: 'This invite code does not fit.' });
  }

  private async opens(serverId: string, code: string): Promise<boolean> {
    const matching = 'SELECT id FROM servers WHERE id = $1 AND invite_code = $2';
    return (await this.deps.database.rows(matching, [serverId, code])).length > 0;
  }

  private async alreadyMember(actor: Actor, serverId: string): Promise<AppError> {
    const row = await findServer(this.deps.database.rows, serverId, actor.userId);
    if (!row) return new AppError('ALREADY_MEMBER');
    // Personal access tokens read no invite codes.
    const shown = actor.personalTokenId ? { ...row, invite_code: null } : row;
    return new AppError('ALREADY_MEMBER', { extra: { server: serverRecord(shown) } });
  }

  private async record(rows: Rows, serverId: string, userId: string): Promise<MemberRecord> {
    const [row] = await rows<MemberRow>(one, [serverId, userId]);
    if (!row) throw new AppError('MEMBER_NOT_FOUND');
    return memberRecord(row, this.deps.statuses);
  }
}
