import type { z } from 'zod';
import type { SeenChannel } from '../../access/channel.access.ts';
import { isAbove, rightsInChannel } from '../../access/rights.ts';
import { userById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { channelUpdated } from '../../contract/channel.ts';
import { channelOverride } from '../../contract/channel-actions.ts';
import {
  channelOverridden,
  type channelOverrideSchema,
  maxOverrides,
  type setOverrideSchema,
} from '../../contract/channel-override.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type ChannelRight,
  overridableRoles,
  type Rights,
  requirePermission,
  requireToOutrank,
  rightNames,
} from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { isUuid } from '../../contract/schema.ts';
import { Channel, ChannelMember } from '../../database/entities/channel.entity.ts';
import { ChannelOverride, ServerRole } from '../../database/entities/role.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { Context } from '../context.ts';
import { channelRecordOf } from '../members/channel.table.ts';
import { channelChange } from '../members/channel.view.ts';
import { lockMembers } from '../members/roster.ts';
import { publishToOutsiders } from './channel.outsiders.ts';
import { type ChannelMemberService, setEntry } from './channel-member.service.ts';
import type { Concerned } from './channel-visibility.table.ts';
import type { ChannelVisibility } from './channel-visibility.ts';
import { requireRightsThere } from './given-rights.ts';

type OverrideRecord = z.output<typeof channelOverrideSchema>;
type Subject = Pick<OverrideRecord, 'builtIn' | 'roleId' | 'userId'>;
type Lists = z.output<typeof setOverrideSchema>;

/** For whom an override is asked for: a role by its id or fixed name, or a person. */
export type Asked = { role: string } | { userId: string };

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess'> {
  channelMembers: ChannelMemberService;
  visibility: ChannelVisibility;
}

type Managed = SeenChannel & { serverId: string };

/** What channels allow or deny roles and people apart from the server (contract §5). */
export class ChannelOverrideService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Those of fixed roles first, then those of own roles and people. @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN for a DM */
  async list(actor: Actor, channelId: string): Promise<OverrideRecord[]> {
    const channel = await this.deps.channelAccess.managed(actor, channelId, 'channel:override');
    return this.deps.database.read(async (em) => {
      const found = await em.find(ChannelOverride, { channelId }, { orderBy: { id: 'asc' } });
      const userIds = found.flatMap(({ userId }) => userId ?? []);
      const entered = await em.find(ChannelMember, { channelId, userId: userIds, excluded: false });
      const letIn = new Set(entered.map(({ userId }) => userId));
      const fixed = overridableRoles.flatMap((builtIn) => {
        const own = found.find((one) => one.builtIn === builtIn);
        const isClosed = builtIn === 'member' && channel.isPrivate;
        return own || isClosed ? [recordOf(subjectOf({ builtIn }), own, isClosed ? { deny: ['view'] } : {})] : [];
      });
      const others = found.filter(({ builtIn }) => builtIn === null);
      return [
        ...fixed,
        ...others.map((one) => {
          const { roleId = null, userId = null } = one;
          const isLetIn = userId !== null && letIn.has(userId) && !one.deny.includes('view');
          return recordOf(subjectOf({ roleId, userId }), one, isLetIn ? { allow: ['view'] } : {});
        }),
      ];
    });
  }

  /**
   * Sets what the channel allows or denies a role or a person. Of everyone, `view` says whether the channel is private; of a
   * person, allowing it lets them in. Who gains or loses access has it, or has lost it on all nodes, before this returns.
   * @throws AppError like `list`, ROLE_NOT_FOUND, USER_NOT_FOUND, NOT_IN_SERVER, OVERRIDE_LIMIT, ROLE_REQUIRED for what the
   *   actor does not have, and for those whom they do not outrank
   */
  async set(actor: Actor, channelId: string, asked: Asked, input: Lists): Promise<OverrideRecord> {
    const channel = await this.deps.channelAccess.managed(actor, channelId, 'channel:override');
    return this.deps.changes.run(async (change) => {
      const { subject, rights, isBot } = await this.lock(change, actor, channel, asked);
      const known = await findOverride(change, channelId, subject);
      requireToHave(rightsInChannel(rights, channel, actor.userId), channel, known, input);
      if (isBot && [...input.allow, ...input.deny].includes('view')) {
        throw new AppError('FORBIDDEN', {
          message: 'A bot views a channel while it is a member of it; add or remove it.',
        });
      }
      await this.apply(change, actor, { channel, subject, known }, input);
      return recordOf(subject, input);
    });
  }

  /** Whether the channel is private stays as it is. @throws AppError like `set`, OVERRIDE_NOT_FOUND */
  async remove(actor: Actor, channelId: string, asked: Asked): Promise<void> {
    const channel = await this.deps.channelAccess.managed(actor, channelId, 'channel:override');
    await this.deps.changes.run(async (change) => {
      const { subject, rights } = await this.lock(change, actor, channel, asked);
      const known = await findOverride(change, channelId, subject);
      if (!known) throw new AppError('OVERRIDE_NOT_FOUND');
      const none = { allow: [], deny: [] };
      requireToHave(rightsInChannel(rights, channel, actor.userId), channel, known, none);
      await this.apply(change, actor, { channel, subject, known }, none);
    });
  }

  /** Locks the server with those concerned, and the channel, and makes sure that the actor outranks whoever it is for. */
  private async lock(change: Change, actor: Actor, { id, serverId }: Managed, asked: Asked) {
    const userIds = 'userId' in asked ? [asked.userId] : [];
    const locked = await lockMembers(change, serverId, [actor.userId, ...userIds]);
    const rights = locked.get(actor.userId)?.rights ?? null;
    requirePermission(rights, 'channel:override');
    if (!rights) throw new AppError('NOT_A_MEMBER');
    const there = await change.em.findOne(Channel, { id, deletedAt: null }, forUpdate);
    if (!there) throw new AppError('CHANNEL_NOT_FOUND');
    if ('role' in asked) return { subject: await roleOf(change, rights, serverId, asked.role), rights, isBot: false };
    const { isBot } = await userById(change.rows, asked.userId);
    const theirs = locked.get(asked.userId);
    if (!theirs) throw new AppError('NOT_IN_SERVER');
    requireToOutrank(rights, theirs.rights);
    await requireStranger(change.rows, actor, asked.userId);
    return { subject: subjectOf({ userId: asked.userId }), rights, isBot };
  }

  private async apply(
    change: Change,
    actor: Actor,
    { channel, subject, known }: { channel: Managed; subject: Subject; known: ChannelOverride | null },
    input: Lists,
  ): Promise<void> {
    const { id: channelId, serverId } = channel;
    const isClosing = subject.builtIn === 'member' && input.deny.includes('view') && !channel.isPrivate;
    const isOpening = subject.builtIn === 'member' && input.allow.includes('view') && channel.isPrivate;
    const next = {
      allow: input.allow.filter(isStored('allow', subject)),
      deny: input.deny.filter(isStored('deny', subject)),
    };
    const before = recordOf(subject, known ?? undefined, await viewBefore(change, channel, subject));
    const step = async () => {
      await write(change, channelId, subject, known, next);
      if (isClosing || isOpening) await this.setPrivate(change, actor, channelId, isClosing);
    };
    if (subject.userId && input.allow.includes('view')) {
      await this.deps.channelMembers.admit(change, channel, serverId, subject.userId, actor);
      await step();
    } else if (isClosing || isOpening || isOtherView(known, next)) {
      const who = concerned(subject);
      await this.deps.visibility.settle(change, serverId, who, step, [channelId]);
    } else await step();
    if (isClosing || isOpening) {
      const record = await channelRecordOf(change.rows, channelId);
      change.publish(channelUpdated.in(channelRoom(channelId), channelChange(record)));
      await publishToOutsiders(change, [record]);
    }
    const after = recordOf(subject, next, viewIn(input));
    await auditOverride(change, actor, channel, subject, { before, after });
    change.publish(channelOverridden.in(channelRoom(channelId), { channelId, serverId }));
    change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
  }

  /** Whoever closes a channel stays in it. */
  private async setPrivate(change: Change, actor: Actor, channelId: string, isPrivate: boolean): Promise<void> {
    await change.em.nativeUpdate(Channel, { id: channelId }, { isPrivate, updatedAt: dateNow() });
    if (!isPrivate) return;
    await setEntry(change.db, channelId, actor.userId, false);
    change.afterCommit(() => this.deps.channelAccess.forgetMembers([channelId], actor.userId));
  }
}

const viewIn = (input: Lists): Partial<Lists> => ({
  allow: input.allow.filter((right) => right === 'view'),
  deny: input.deny.filter((right) => right === 'view'),
});

/** What `view` was, where it is kept apart: whether the channel is private, and whom it has let in. */
async function viewBefore(change: Change, channel: Managed, { builtIn, userId }: Subject): Promise<Partial<Lists>> {
  if (builtIn === 'member') return channel.isPrivate ? { deny: ['view'] } : {};
  if (userId === null) return {};
  const isIn = await change.em.count(ChannelMember, { channelId: channel.id, userId, excluded: false });
  return isIn > 0 ? { allow: ['view'] } : {};
}

async function auditOverride(
  change: Change,
  actor: Actor,
  { id: channelId, serverId }: Managed,
  { builtIn, roleId, userId }: Subject,
  lists: { before: Lists; after: Lists },
): Promise<void> {
  const label = roleId ? (await change.em.findOne(ServerRole, { id: roleId }))?.name : builtIn;
  const target = userId ? ({ kind: 'user', id: userId } as const) : ({ kind: 'role', id: roleId, label } as const);
  change.audit(channelOverride, { actor, serverId, channelId, target, ...lists });
}

const subjectOf = (given: Partial<Subject>): Subject => ({ builtIn: null, roleId: null, userId: null, ...given });

function recordOf(subject: Subject, lists: { allow: string[]; deny: string[] } | undefined, more: Partial<Lists> = {}) {
  const { builtIn, roleId, userId } = subject;
  const named = (list: 'allow' | 'deny') =>
    rightNames.filter((name) => lists?.[list].includes(name) || more[list]?.includes(name));
  return { builtIn, roleId, userId, allow: named('allow'), deny: named('deny') };
}

/** What is kept elsewhere: whether a channel is private, and whom it has let in. */
const isStored =
  (list: 'allow' | 'deny', { builtIn, userId }: Subject) =>
  (right: ChannelRight) =>
    right !== 'view' || (builtIn !== 'member' && !(list === 'allow' && userId !== null));

const isOtherView = (known: ChannelOverride | null, next: Lists) =>
  (['allow', 'deny'] as const).some(
    (list) => (known?.[list].includes('view') ?? false) !== next[list].includes('view'),
  );

function concerned({ builtIn, roleId, userId }: Subject): Concerned {
  if (userId) return { userIds: [userId] };
  return roleId ? { roleIds: [roleId] } : { fixedRole: builtIn ?? 'member' };
}

/**
 * A role that the actor outranks: everyone's, that of moderators, or an own one that is below theirs.
 * @throws AppError ROLE_NOT_FOUND, FORBIDDEN for that of admins, ROLE_REQUIRED
 */
async function roleOf({ em }: Change, rights: Rights, serverId: string, role: string): Promise<Subject> {
  const found = isUuid(role) ? await em.findOne(ServerRole, { id: role.toLowerCase(), serverId }) : null;
  const fixed = found?.builtIn ?? role;
  if (fixed === 'admin') throw new AppError('FORBIDDEN', { message: 'No override binds the owner and admins.' });
  const builtIn = overridableRoles.find((name) => name === fixed);
  if (builtIn) {
    requireToOutrank(rights, { role: builtIn, place: 0 });
    return subjectOf({ builtIn });
  }
  if (!found) throw new AppError('ROLE_NOT_FOUND');
  requireToOutrank(isAbove(rights) ? rights : { ...rights, role: 'member' }, { role: 'member', place: found.position });
  return subjectOf({ roleId: found.id });
}

function findOverride({ em }: Change, channelId: string, subject: Subject): Promise<ChannelOverride | null> {
  const { builtIn, roleId, userId } = subject;
  return em.findOne(ChannelOverride, { channelId, builtIn, roleId, userId }, forUpdate);
}

async function write({ em }: Change, channelId: string, subject: Subject, known: ChannelOverride | null, next: Lists) {
  if (next.allow.length + next.deny.length === 0) {
    if (known) em.remove(known);
  } else if (known) em.assign(known, next);
  else {
    if ((await em.count(ChannelOverride, { channelId })) >= maxOverrides) throw new AppError('OVERRIDE_LIMIT');
    em.create(ChannelOverride, { id: newId(), channelId, ...subject, ...next });
  }
  await em.flush();
}

/** Nobody gives what they do not have, be it by allowing it or by no longer denying it. @throws AppError ROLE_REQUIRED */
function requireToHave(rights: Rights, { type }: Managed, known: ChannelOverride | null, next: Lists): void {
  const given = rightNames.filter(
    (right) =>
      (next.allow.includes(right) && !known?.allow.includes(right)) ||
      (known?.deny.includes(right) && !next.deny.includes(right)),
  );
  requireRightsThere(rights, type, given);
}
