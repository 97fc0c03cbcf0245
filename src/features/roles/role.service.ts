import type { z } from 'zod';
import { isAbove } from '../../access/rights.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { type createRoleSchema, maxRoles, type orderRolesSchema, type updateRoleSchema } from '../../contract/role.ts';
import {
  memberRoleAdd,
  memberRoleRemove,
  roleCreate,
  roleDelete,
  roleOrder,
  roleReset,
  roleUpdate,
} from '../../contract/role-actions.ts';
import {
  type BuiltInRole,
  builtInRoles,
  defaultPermissions,
  grantable,
  outranks,
  type Permission,
  type Rights,
  requirePermission,
  requireToOutrank,
} from '../../contract/roles.ts';
import { isUuid } from '../../contract/schema.ts';
import { MemberRole, ServerRole } from '../../database/entities/role.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { ChannelVisibility } from '../channels/channel-visibility.ts';
import { requireToHaveThere } from '../channels/given-rights.ts';
import { overridesOf } from '../channels/role-overrides.table.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import { readMember } from '../members/member.table.ts';
import { type LockedMember, lockMembers } from '../members/roster.ts';
import { type MemberRecord, memberRecord } from '../members/server.view.ts';
import { fixedRecord, ownRecord, type RoleRecord, roleRecords } from './role.view.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications'> {
  audience: Audience;
  statuses: StatusReader;
  visibility: ChannelVisibility;
}

/** The roles of a server: its own, what its fixed ones may do, and who has which (contract §5). */
export class RoleService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The roles, the highest first. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async list(actor: Actor, server: string): Promise<RoleRecord[]> {
    const { id } = await this.deps.serverAccess.joined(actor, server);
    return this.deps.database.read(async (em) => roleRecords(await em.find(ServerRole, { serverId: id })));
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_LIMIT, ROLE_REQUIRED also for a permission that the actor does not have */
  create(actor: Actor, server: string, input: z.output<typeof createRoleSchema>): Promise<RoleRecord> {
    return this.change(actor, server, async (change, serverId, rights) => {
      const permissions = input.permissions ?? [];
      requireToHave(rights, permissions);
      const own = await change.em.find(ServerRole, { serverId, builtIn: null });
      if (own.length >= maxRoles.server) throw new AppError('ROLE_LIMIT');
      for (const role of own) role.position++;
      const { name, color = null } = input;
      const made = { id: newId(), serverId, builtIn: null, name, color, position: 1, permissions: [...permissions] };
      const role = change.em.create(ServerRole, made);
      await change.em.flush();
      change.audit(roleCreate, { actor, serverId, target: targetOf(role), after: made });
      return ownRecord(role);
    });
  }

  /** @throws AppError like `create`, ROLE_NOT_FOUND, FORBIDDEN for what fixed roles do not have */
  update(actor: Actor, server: string, roleId: string, input: z.output<typeof updateRoleSchema>): Promise<RoleRecord> {
    return this.change(actor, server, async (change, serverId, rights) => {
      const role = await found(change, serverId, roleId);
      requireToManage(rights, role);
      if (role.builtIn) requireToFit(role.builtIn, input);
      const { name = role.name, color = role.color, permissions = role.permissions } = input;
      const hasChanged = (one: Permission) => permissions.includes(one) !== role.permissions.includes(one);
      requireToHave(rights, grantable.filter(hasChanged));
      const before = looksOf(role);
      change.em.assign(role, { name, color: color ?? null, permissions: [...permissions] });
      change.em.persist(role);
      await change.em.flush();
      change.audit(roleUpdate, { actor, serverId, target: targetOf(role), before, after: looksOf(role) });
      await this.deps.notifications.settle(change, serverId);
      return role.builtIn ? fixedRecord(role.builtIn, role) : ownRecord(role);
    });
  }

  /**
   * Deletes a role of the server's own; a fixed one has what it had at first.
   * @throws AppError like `update`, ROLE_REQUIRED for what channels deny the role and the actor does not have there
   */
  async remove(actor: Actor, server: string, roleId: string): Promise<void> {
    await this.change(actor, server, async (change, serverId, rights) => {
      const role = await found(change, serverId, roleId);
      requireToManage(rights, role);
      if (role.builtIn) {
        const regained = defaultPermissions(role.builtIn).filter((name) => !role.permissions.includes(name));
        requireToHave(rights, regained);
      } else {
        await requireToHaveThere(change.rows, actor, rights, await overridesOf(change.rows, serverId, role), 'deny');
      }
      const action = role.builtIn ? roleReset : roleDelete;
      change.audit(action, { actor, serverId, target: targetOf(role), before: looksOf(role) });
      const step = async () => void (await change.em.nativeDelete(ServerRole, { id: role.id }));
      if (role.builtIn) await step();
      else {
        await this.deps.visibility.settle(change, serverId, { roleIds: [role.id] }, step);
        await closeGap(change, role);
      }
      await this.deps.notifications.settle(change, serverId);
    });
  }

  /** @throws AppError like `create`, ROLE_NOT_FOUND for one that is not the server's, or that is left out */
  order(actor: Actor, server: string, { roleIds }: z.output<typeof orderRolesSchema>): Promise<RoleRecord[]> {
    return this.change(actor, server, async (change, serverId, rights) => {
      const all = await change.em.find(ServerRole, { serverId });
      const own = all.filter(({ builtIn }) => builtIn === null);
      const before = { order: namesOf(own) };
      const isWhole = new Set(roleIds).size === own.length && own.every(({ id }) => roleIds.includes(id));
      if (!isWhole || roleIds.length !== own.length) {
        throw new AppError('ROLE_NOT_FOUND', { message: 'Name each of the roles of this server once.' });
      }
      for (const role of own) {
        const position = own.length - roleIds.indexOf(role.id);
        if (position === role.position) continue;
        requireToStandAbove(rights, Math.max(position, role.position));
        role.position = position;
      }
      await change.em.flush();
      const target = { kind: 'server', id: serverId } as const;
      change.audit(roleOrder, { actor, serverId, target, before, after: { order: namesOf(own) } });
      return roleRecords(all);
    });
  }

  /**
   * Gives a member a role, or takes it. It counts on all nodes before this returns, as does which channels they view. Who does
   * so has in the channels what these allow the role, or deny it when it is taken; without having that, people give back roles
   * that no channel denies anything.
   * @throws AppError like `create`, MEMBER_NOT_FOUND, ROLE_NOT_FOUND, ROLE_REQUIRED for those whom the actor does not outrank
   */
  async assign(actor: Actor, server: string, userId: string, roleId: string, isGiven: boolean): Promise<MemberRecord> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, server);
    const isOwn = userId === actor.userId;
    if (!isOwn || isGiven) requirePermission(membership.rights, 'role:manage');
    return this.deps.changes.run(async (change) => {
      const locked = await lockMembers(change, serverId, [actor.userId, userId]);
      const [mine, theirs] = [locked.get(actor.userId), locked.get(userId)];
      if (!mine) throw new AppError('NOT_A_MEMBER');
      if (!theirs) throw new AppError('MEMBER_NOT_FOUND');
      const role = isUuid(roleId) ? await change.em.findOne(ServerRole, { id: roleId, serverId, builtIn: null }) : null;
      if (!role) throw new AppError('ROLE_NOT_FOUND');
      if (!isOwn) await requireStranger(change.rows, actor, userId);
      const overrides = await overridesOf(change.rows, serverId, role);
      const isFree = isOwn && !isGiven && overrides.every(({ deny }) => deny.length === 0);
      if (!isFree) requireToGive(mine, theirs, role, isOwn);
      await requireToHaveThere(change.rows, actor, mine.rights, overrides, isGiven ? 'allow' : 'deny');
      if (isGiven) await requireRoomFor(change, serverId, userId, role.id);
      const held = { serverId, userId, roleId: role.id };
      const isOther = (await change.em.count(MemberRole, held)) > 0 !== isGiven;
      const step = () => write(change, held, isGiven);
      await this.deps.visibility.settle(change, serverId, { userIds: [userId] }, step);
      change.afterCommit(() => this.deps.serverAccess.forget(serverId, userId));
      await this.deps.notifications.settle(change, serverId);
      const row = await readMember(change.rows, serverId, userId);
      if (!row) throw new AppError('MEMBER_NOT_FOUND');
      const record = memberRecord(row, this.deps.statuses);
      await this.deps.audience.publishMember(change, serverId, record);
      if (isOther) auditAssigned(change, actor, held, role, isGiven);
      await this.deps.audience.publishTo(change, serverId, userId);
      return record;
    });
  }

  /** A change of the roles themselves: everyone in the server is told that they are other ones. */
  private async change<T>(
    actor: Actor,
    server: string,
    work: (change: Change, serverId: string, rights: Rights) => Promise<T>,
  ): Promise<T> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'role:manage');
    return this.deps.changes.run(async (change) => {
      const rights = (await lockMembers(change, id, [actor.userId])).get(actor.userId)?.rights;
      if (!rights) throw new AppError('NOT_A_MEMBER');
      requirePermission(rights, 'role:manage');
      const result = await work(change, id, rights);
      const server = await change.em.findOneOrFail(Server, id);
      server.rolesVersion++;
      await change.em.flush();
      await this.deps.audience.publish(change, { serverId: id, channelId: null });
      change.afterCommit(() => this.deps.serverAccess.forgetRoles(id));
      return result;
    });
  }
}

/** A role by its id or the name of a fixed one, which has a row from its first change on. @throws AppError ROLE_NOT_FOUND */
async function found({ em }: Change, serverId: string, id: string): Promise<ServerRole> {
  const own = isUuid(id) ? await em.findOne(ServerRole, { id, serverId, builtIn: null }) : null;
  if (own) return own;
  const builtIn = builtInRoles.find((name) => name === id);
  if (!builtIn) throw new AppError('ROLE_NOT_FOUND');
  const known = await em.findOne(ServerRole, { serverId, builtIn });
  const permissions = defaultPermissions(builtIn).filter((name) => name !== 'channel:view');
  const fresh = { id: newId(), serverId, builtIn, name: builtIn, color: null, position: 0, permissions };
  return known ?? em.create(ServerRole, fresh, { persist: false });
}

/** A role as the target of what is audited; a fixed one has no id. */
const targetOf = ({ id, builtIn, name }: ServerRole) =>
  ({ kind: 'role', id: builtIn ? null : id, label: name }) as const;

const looksOf = ({ name, color, permissions }: ServerRole) => ({ name, color, permissions: [...permissions] });

/** From the highest to the lowest. */
const namesOf = (own: ServerRole[]) => [...own].sort((a, b) => b.position - a.position).map(({ name }) => name);

type Held = { serverId: string; userId: string; roleId: string };

function auditAssigned(change: Change, actor: Actor, held: Held, { name }: ServerRole, isGiven: boolean): void {
  const { serverId, userId, roleId } = held;
  const values = { role: name, roleId };
  const details = { actor, serverId, target: { kind: 'user', id: userId } } as const;
  if (isGiven) change.audit(memberRoleAdd, { ...details, after: values });
  else change.audit(memberRoleRemove, { ...details, before: values });
}

/** Positions stay without gaps: else ordering lower roles would move the higher ones. */
async function closeGap({ em }: Change, { serverId, position }: ServerRole): Promise<void> {
  const higher = await em.find(ServerRole, { serverId, builtIn: null, position: { $gt: position } });
  for (const role of higher) role.position--;
  await em.flush();
}

/** @throws AppError FORBIDDEN: fixed roles keep their names, and admins all that they can have */
function requireToFit(role: BuiltInRole, { name, permissions }: z.output<typeof updateRoleSchema>): void {
  if (name !== undefined) throw new AppError('FORBIDDEN', { message: 'Fixed roles keep their names.' });
  if (role === 'admin' && permissions !== undefined) {
    throw new AppError('FORBIDDEN', { message: 'Admins may do everything but what is the owner’s alone.' });
  }
}

/** Nobody gives what they do not have. @throws AppError ROLE_REQUIRED, SECOND_FACTOR_SETUP_REQUIRED */
function requireToHave(rights: Rights, names: readonly Permission[]): void {
  for (const name of names) requirePermission(rights, name);
}

/** @throws AppError ROLE_REQUIRED for a role that is not below the actor's */
function requireToManage(rights: Rights, { builtIn, position }: ServerRole): void {
  if (!builtIn) requireToStandAbove(rights, position);
  // Admins are changed by the owner; how they look, by them too.
  else if (builtIn !== 'admin' || !isAbove(rights)) requireToOutrank(rights, { role: builtIn, place: 0 });
}

/** The owner and admins are above all roles of the server's own; others by their highest one. */
function requireToStandAbove(rights: Rights, position: number): void {
  if (isAbove(rights) && !rights.isHeldBack) return;
  requireToOutrank({ ...rights, role: 'member' }, { role: 'member', place: position });
}

/** @throws AppError ROLE_REQUIRED for those whom the actor does not outrank, and for what the actor does not have */
function requireToGive(mine: LockedMember, theirs: LockedMember, role: ServerRole, isOwn: boolean): void {
  requirePermission(mine.rights, 'role:manage');
  requireToStandAbove(mine.rights, role.position);
  requireToHave(
    mine.rights,
    role.permissions.filter((name): name is Permission => name !== 'channel:view'),
  );
  if (!isOwn && !outranks(mine.rights, theirs.rights)) requireToOutrank(mine.rights, theirs.rights);
}

async function requireRoomFor({ em }: Change, serverId: string, userId: string, roleId: string): Promise<void> {
  const others = await em.count(MemberRole, { serverId, userId, roleId: { $ne: roleId } });
  if (others >= maxRoles.member)
    throw new AppError('ROLE_LIMIT', { message: 'This member has as many roles as one can have.' });
}

async function write({ em }: Change, held: Held, isGiven: boolean): Promise<void> {
  if (isGiven) await em.upsert(MemberRole, held);
  else await em.nativeDelete(MemberRole, held);
}
