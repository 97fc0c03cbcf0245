import { NIL } from 'uuid';
import type { z } from 'zod';
import { requireUnbarred } from '../../access/barred.ts';
import { anyUserById, lockUser, requireStaying } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMembersSchema } from '../../contract/member.ts';
import type { memberCountSchema, StatusReader } from '../../contract/presence.ts';
import {
  may,
  outranks,
  type Rights,
  type Role,
  requirePermission,
  requireToOutrank,
  roles,
  rolesWith,
} from '../../contract/roles.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { memberKick, memberRole, serverHandOver } from '../../contract/server-member.ts';
import type { Rows } from '../../database/database.ts';
import { Server, ServerMember } from '../../database/entities/server.entity.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { ChannelVisibility } from '../channels/channel-visibility.ts';
import { requireToHaveThere } from '../channels/given-rights.ts';
import { overridesOf } from '../channels/role-overrides.table.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import { readMember, readMembers } from '../members/member.table.ts';
import { type LockedMember, lockMembers, type Roster } from '../members/roster.ts';
import { broughtRecord, type MemberRecord, memberRecord } from '../members/server.view.ts';
import { liftTimeout } from '../members/timeouts.ts';
import { endLinksOf } from '../server-invites/server-invite.service.ts';
import type { InviteCodes } from './invite-code.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications' | 'settings'> {
  audience: Audience;
  roster: Roster;
  inviteCodes: InviteCodes;
  visibility: ChannelVisibility;
  statuses: StatusReader;
  onlineCounts: { of(serverId: string): Promise<number> };
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
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    await requireUnbarred(this.deps.database.rows, actor, id);
    const viewOf = may(membership.rights, 'invite:manage') ? broughtRecord : memberRecord;
    const after = idCursor(query.cursor) ?? NIL;
    const rows = await this.deps.database.readCurrent((reader) => readMembers(reader.rows, id, after, query.limit + 1));
    const reader = { userId: actor.userId, rights: membership.rights };
    return listPage(rows, query.limit, (row) => viewOf(row, this.deps.statuses, reader));
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, MEMBER_NOT_FOUND, FORBIDDEN like `list` */
  async get(actor: Actor, server: string, userId: string): Promise<MemberRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    await requireUnbarred(this.deps.database.rows, actor, id);
    const row = await readMember(this.deps.database.rows, id, userId);
    if (!row) throw new AppError('MEMBER_NOT_FOUND');
    const viewOf = may(membership.rights, 'invite:manage') ? broughtRecord : memberRecord;
    return viewOf(row, this.deps.statuses, { userId: actor.userId, rights: membership.rights });
  }

  /** How many members there are, and how many of them are online. @throws AppError like `list` */
  async count(actor: Actor, server: string): Promise<z.input<typeof memberCountSchema>> {
    const { id } = await this.deps.serverAccess.joined(actor, server);
    await requireUnbarred(this.deps.database.rows, actor, id);
    const size = this.deps.database.db.selectFrom('Server').where('id', '=', id).select('memberCount');
    const [found, online] = await Promise.all([size.executeTakeFirst(), this.deps.onlineCounts.of(id)]);
    if (!found) throw new AppError('SERVER_NOT_FOUND');
    return { total: found.memberCount, online };
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, OWNER_CANNOT_LEAVE */
  async leave(actor: Actor, idOrSlug: string): Promise<void> {
    const { id } = await this.deps.serverAccess.joined(actor, idOrSlug);
    await this.deps.changes.run(async (change) => {
      change.takeTurn(id);
      const mine = (await lockMembers(change, id, [actor.userId])).get(actor.userId);
      if (!mine) throw new AppError('NOT_A_MEMBER');
      if (mine.rights.role === 'owner') throw new AppError('OWNER_CANNOT_LEAVE');
      await this.deps.roster.remove(change, id, actor.userId);
    });
  }

  /** Removes a member; removing oneself is leaving. @throws AppError MEMBER_NOT_FOUND, ROLE_REQUIRED */
  async kick(actor: Actor, idOrSlug: string, userId: string): Promise<void> {
    if (userId === actor.userId) return this.leave(actor, idOrSlug);
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:kick');
    await this.deps.changes.run((change) => this.kickIn(change, actor, id, userId));
  }

  /** The same as a part of a change. @throws AppError NOT_A_MEMBER, MEMBER_NOT_FOUND, ROLE_REQUIRED */
  async kickIn(change: Change, actor: Actor, id: string, userId: string): Promise<void> {
    await this.removeIn(change, actor, id, userId);
    await this.deps.inviteCodes.renewAfterRemoval(change, id, await anyUserById(change.rows, userId));
  }

  /** The same without a new invite code. @throws AppError NOT_A_MEMBER, MEMBER_NOT_FOUND, ROLE_REQUIRED */
  async removeOther(actor: Actor, serverId: string, userId: string): Promise<void> {
    await this.deps.changes.run((change) => this.removeIn(change, actor, serverId, userId));
  }

  private async removeIn(change: Change, actor: Actor, serverId: string, userId: string): Promise<void> {
    change.takeTurn(serverId);
    const { mine, theirs } = await lockBoth(change, serverId, actor.userId, userId);
    requirePermission(mine.rights, 'member:kick');
    requireToOutrank(mine.rights, theirs.rights);
    await this.deps.roster.remove(change, serverId, userId);
    await endLinksOf(change, serverId, userId, actor.userId);
    const reference = { type: 'server', id: serverId };
    const notice = { to: [userId], senderId: actor.userId, serverId, reference };
    await this.deps.notifications.add(change, { kind: 'server.kicked', ...notice });
    change.audit(memberKick, { actor, serverId, target: { kind: 'user', id: userId } });
  }

  /**
   * Changes a member's role; `owner` transfers the server, and makes the previous owner an admin. Everyone but the owner may
   * lower their own, unless that ends what channels deny moderators and leave to members.
   * @throws AppError MEMBER_NOT_FOUND, ROLE_REQUIRED, SERVER_LIMIT for a new owner who owns too many, FORBIDDEN for their bot
   */
  async setRole(actor: Actor, idOrSlug: string, userId: string, role: Role): Promise<MemberRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    if (role === 'owner') requirePermission(membership.rights, 'server:hand-over');
    else if (userId !== actor.userId) requirePermission(membership.rights, 'member:set-role');
    return this.deps.changes.run(async (change) => {
      const { mine, theirs } = await lockBoth(change, id, actor.userId, userId);
      if (role === 'owner') return this.handOver(change, actor, mine, theirs);
      if (userId === actor.userId) requireToStepDown(mine.rights, role);
      else {
        requireToSet(mine.rights, theirs.rights, role);
        await requireStranger(change.rows, actor, userId);
      }
      const before = { role: theirs.member.role };
      if (before.role !== role) await requireInChannels(change, actor, mine, before.role, role);
      const write = () => this.write(change, theirs.member, role);
      if (before.role !== role) await this.deps.visibility.settle(change, id, { userIds: [userId] }, write);
      const target = { kind: 'user', id: userId } as const;
      change.audit(memberRole, { actor, serverId: id, target, before, after: { role } });
      return this.record(change.rows, theirs.member);
    });
  }

  /**
   * Makes another member the owner, and the previous one an admin. @param by who does it
   * @throws AppError NOT_A_MEMBER, MEMBER_NOT_FOUND, ROLE_REQUIRED if someone else owns it by now, SERVER_LIMIT
   */
  async transfer(change: Change, by: Auditor, serverId: string, fromId: string, toId: string): Promise<void> {
    const { mine, theirs } = await lockBoth(change, serverId, fromId, toId);
    await this.handOver(change, by, mine, theirs);
  }

  private async handOver(
    change: Change,
    actor: Auditor,
    mine: LockedMember,
    theirs: LockedMember,
  ): Promise<MemberRecord> {
    requirePermission(mine.rights, 'server:hand-over');
    const { serverId, userId } = theirs.member;
    const record = await this.record(change.rows, theirs.member);
    if (record.user.isBot) throw new AppError('FORBIDDEN', { message: 'A bot cannot own a server.' });
    if (mine === theirs) return record;
    // This locks the user: whether they stay must not change any more.
    await requireRoomToOwn(change, userId, this.settings.maxPerOwner);
    await requireStaying(change.rows, userId);
    await liftTimeout(change, this.deps.serverAccess, serverId, userId);
    await change.em.nativeUpdate(Server, serverId, { ownerId: userId, updatedAt: dateNow() });
    await this.deps.visibility.settle(change, serverId, { userIds: [mine.member.userId, userId] }, async () => {
      await this.write(change, mine.member, 'admin');
      await this.write(change, theirs.member, 'owner');
    });
    await this.deps.audience.publish(change, { serverId, channelId: null });
    const owners = { before: { ownerId: mine.member.userId }, after: { ownerId: userId } };
    change.audit(serverHandOver, { actor, serverId, target: { kind: 'user', id: userId }, ...owners });
    return this.record(change.rows, theirs.member);
  }

  private async write(change: Change, member: ServerMember, role: Role): Promise<void> {
    const { serverId, userId } = member;
    member.role = role;
    await change.em.flush();
    if (!rolesWith('join-request:decide').includes(role)) await this.deps.notifications.settle(change, serverId);
    await this.deps.audience.publishMember(change, serverId, await this.record(change.rows, member));
    await this.deps.audience.publishTo(change, serverId, userId);
    change.afterCommit(() => this.deps.serverAccess.forget(serverId, userId));
  }

  private async record(rows: Rows, { serverId, userId }: ServerMember): Promise<MemberRecord> {
    const row = await readMember(rows, serverId, userId);
    if (!row) throw new AppError('MEMBER_NOT_FOUND');
    return memberRecord(row, this.deps.statuses);
  }
}

/** @throws AppError ROLE_REQUIRED, SECOND_FACTOR_SETUP_REQUIRED */
function requireToSet(mine: Rights, theirs: Rights, role: Role): void {
  requirePermission(mine, 'member:set-role');
  requireToOutrank(mine, theirs);
  // With the own roles that they keep.
  if (!outranks(mine, { role, place: theirs.place })) {
    throw new AppError('ROLE_REQUIRED', { message: 'You can give only roles below yours.' });
  }
}

/** What channels allow moderators, or what they deny them and may leave to members, is given by those who have it there. */
async function requireInChannels(
  { rows }: Change,
  actor: Actor,
  { member: { serverId }, rights }: LockedMember,
  before: Role,
  role: Role,
): Promise<void> {
  if (before !== 'moderator' && role !== 'moderator') return;
  const overrides = await overridesOf(rows, serverId, { builtIn: 'moderator' });
  if (role === 'moderator') return requireToHaveThere(rows, actor, rights, overrides, 'allow');
  const ofMembers = overrides.map((one) => ({
    ...one,
    deny: one.deny.filter((right) => right !== 'manage' && right !== 'mentionAll'),
  }));
  await requireToHaveThere(rows, actor, rights, ofMembers, 'deny');
}

/** Anyone may lower their own role; the owner hands the server over first. @throws AppError ROLE_REQUIRED */
function requireToStepDown({ role: own }: Rights, role: Role): void {
  if (own === 'owner') {
    throw new AppError('ROLE_REQUIRED', { message: 'Hand the server over first; then you can lower your role.' });
  }
  if (roles.indexOf(role) < roles.indexOf(own)) {
    throw new AppError('ROLE_REQUIRED', { message: 'You can lower your own role, not raise it.' });
  }
}

/** Two members of a server, the caller and another, locked until the commit. @throws AppError NOT_A_MEMBER, MEMBER_NOT_FOUND */
export async function lockBoth(
  change: Change,
  serverId: string,
  userId: string,
  otherId: string,
): Promise<{ mine: LockedMember; theirs: LockedMember }> {
  const locked = await lockMembers(change, serverId, [userId, otherId]);
  const mine = locked.get(userId);
  const theirs = locked.get(otherId);
  if (!mine) throw new AppError('NOT_A_MEMBER');
  if (!theirs) throw new AppError('MEMBER_NOT_FOUND');
  return { mine, theirs };
}

/** Makes sure, until the commit, that someone may own one more server. @throws AppError SERVER_LIMIT */
export async function requireRoomToOwn(change: Change, userId: string, most: number): Promise<void> {
  await lockUser(change.rows, userId);
  if ((await change.em.count(ServerMember, { userId, role: 'owner' })) >= most) throw new AppError('SERVER_LIMIT');
}
