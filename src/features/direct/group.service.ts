import type { z } from 'zod';
import { livingUsers, requireAllStaying } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { channelMemberAdded, channelUpdated } from '../../contract/channel.ts';
import { type addToDmSchema, mostInGroup, type turnGroupSchema } from '../../contract/direct.ts';
import { AppError } from '../../contract/errors.ts';
import { requirePermission } from '../../contract/roles.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import { AgentPolicy } from '../../database/entities/agent.entity.ts';
import { Channel, ChannelMember, GroupChannel, GroupMember } from '../../database/entities/channel.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { createStream } from '../../delivery/log.ts';
import { newId } from '../../infrastructure/ids.ts';
import { markScopeRead } from '../../jobs/reading.ts';
import { adopt } from '../channels/channel-adoption.ts';
import { groupOfSet, holdGroup } from '../channels/group.table.ts';
import { type GroupMembers, setOf } from '../channels/group-members.ts';
import type { Context } from '../context.ts';
import { requireNoBlock } from '../friends/friend.access.ts';
import type { Audience } from '../members/audience.ts';
import { channelItemOf, channelRecordOf } from '../members/channel.table.ts';
import { type ChannelItem, channelChange } from '../members/channel.view.ts';
import { lockServer } from '../members/roster.ts';
import { renewAfter } from '../search/renewal.ts';
import type { DirectService } from './direct.service.ts';
import { holdOwners, membersAmong, peopleInDirect } from './direct.table.ts';
import type { DmRecord } from './direct.view.ts';

type Opened = { dm: DmRecord; created: boolean };

interface Deps
  extends Pick<
    Context,
    'database' | 'changes' | 'channelAccess' | 'policyAccess' | 'serverAccess' | 'jobs' | 'settings'
  > {
  audience: Audience;
  direct: DirectService;
  groupMembers: GroupMembers;
}

/** Groups of 3 to 11 people (contract §7, Groups): one for each set of them. */
export class GroupService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * The group of the actor and these others, opened if there is none. Opening one locks the logs of all, so concurrent calls
   * on two nodes get the same.
   *
   * @throws AppError OWN_USER, USER_NOT_FOUND also when one of them blocked the actor, USER_BLOCKED, FORBIDDEN for bots, for
   *   a bot without its owner, and when an account is being deleted
   */
  async open(actor: Actor, others: string[], name: string | null): Promise<Opened> {
    requirePerson(actor);
    if (others.includes(actor.userId)) throw new AppError('OWN_USER');
    const { rows } = this.deps.database;
    await livingUsers(rows, others);
    await this.deps.database.read((em) => requireNoBlock(em, actor, ...others));
    const people = [actor.userId, ...others];
    const known = await groupOfSet(rows, setOf(people));
    if (known) return { dm: await this.deps.direct.record(rows, actor.userId, known), created: false };
    return this.deps.changes.run((change) => this.openIn(change, actor, people, name));
  }

  /**
   * The group of everyone in a DM or group with these others: another one, since nobody gets to read what was written before.
   * @throws AppError as `open`, CHANNEL_NOT_FOUND, GROUP_LIMIT
   */
  async add(actor: Actor, channelId: string, { userIds, name }: z.output<typeof addToDmSchema>): Promise<Opened> {
    await this.requireDirect(actor, channelId);
    requirePerson(actor);
    if (userIds.includes(actor.userId)) throw new AppError('OWN_USER');
    const there = await peopleInDirect(this.deps.database.rows, channelId);
    const people = new Set([...there, ...userIds]);
    if (people.size > mostInGroup) throw new AppError('GROUP_LIMIT');
    if (people.size === there.length) {
      return { dm: await this.deps.direct.record(this.deps.database.rows, actor.userId, channelId), created: false };
    }
    people.delete(actor.userId);
    const others = [...people];
    return others.length === 1 && others[0]
      ? this.deps.direct.open(actor, others[0])
      : this.open(actor, others, name ?? null);
  }

  /** @param name null: none. @throws AppError CHANNEL_NOT_FOUND, FORBIDDEN for bots and in a DM */
  async rename(actor: Actor, channelId: string, name: string | null): Promise<DmRecord> {
    await this.requireGroup(actor, channelId);
    return this.deps.changes.run(async (change) => {
      await this.holdOwn(change, actor, channelId);
      const channel = await change.em.findOneOrFail(Channel, channelId, forUpdate);
      if (channel.name !== (name ?? '')) {
        channel.name = name ?? '';
        await change.em.flush();
        const record = await channelRecordOf(change.rows, channelId);
        change.publish(channelUpdated.in(channelRoom(channelId), channelChange(record)));
        change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
      }
      return this.deps.direct.record(change.rows, actor.userId, channelId);
    });
  }

  /** Leaves a group with one's bots. @throws AppError CHANNEL_NOT_FOUND, FORBIDDEN in a DM */
  async leave(actor: Actor, channelId: string): Promise<void> {
    const kind = await this.requireDirect(actor, channelId);
    if (kind === 'dm') throw new AppError('FORBIDDEN', { message: 'Direct messages of two cannot be left.' });
    await this.deps.changes.run((change) => this.deps.groupMembers.leave(change, channelId, actor.userId));
  }

  /**
   * Makes a group a private channel of a server, with all that was written: for those who may create channels there, if
   * everyone in it is a member. Its bots leave.
   * @throws AppError CHANNEL_NOT_FOUND, SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, NOT_IN_SERVER, CHANNEL_LIMIT,
   *   FORBIDDEN for bots and in a DM
   */
  async turn(
    actor: Actor,
    channelId: string,
    { serverId, name }: z.output<typeof turnGroupSchema>,
  ): Promise<ChannelItem> {
    await this.requireGroup(actor, channelId);
    const { membership } = await this.deps.serverAccess.joined(actor, serverId);
    requirePermission(membership.rights, 'channel:create');
    const { audience, changes, groupMembers, jobs, policyAccess } = this.deps;
    return changes.run(async (change) => {
      await lockServer(change.rows, serverId);
      await this.holdOwn(change, actor, channelId);
      const ended = await groupMembers.disband(change, channelId);
      const people = ended.staying.map(({ id }) => id);
      await requireMembers(change.rows, serverId, ended.staying);
      await change.em.nativeDelete(AgentPolicy, { channelId });
      const channel = await adopt(change, this.deps, actor, { id: channelId, serverId, name });
      await renewAfter(change, jobs, channelId);
      groupMembers.publishLeft(change, ended);
      // They may be let in again, and then have no policy.
      for (const { id } of ended.leaving) change.afterCommit(() => policyAccess.forget(id, [channelId]));
      // Their sockets are in the room as in that of a group; they join it again as members of the server.
      for (const userId of people) {
        groupMembers.publishRemoved(change, channelId, userId);
        change.publish(channelMemberAdded.in(userRoom(userId), { channelId, serverId, channel }));
      }
      const told = await audience.publish(change, { serverId, channelId });
      await change.lock(channelRoom(channelId), ...[...people, ...told].map(userRoom));
      await markScopeRead(change, { serverId: null, channelId }, people);
      return channelItemOf(change.rows, actor, channelId, membership.rights);
    });
  }

  private async openIn(change: Change, actor: Actor, people: string[], name: string | null): Promise<Opened> {
    const { direct } = this.deps;
    const set = setOf(people);
    // Rows are locked before logs.
    await requireAllStaying(change.rows, people);
    await requireOwners(change.rows, people);
    await change.lock(...people.map(userRoom));
    await requireNoBlock(change.em, actor, ...people.filter((id) => id !== actor.userId));
    const meanwhile = await groupOfSet(change.rows, set);
    if (meanwhile) return { dm: await direct.record(change.rows, actor.userId, meanwhile), created: false };
    const channelId = newId();
    const kept = { kind: 'group', name: name ?? '', type: 'text', isPrivate: true } as const;
    change.em.create(Channel, { id: channelId, ...kept, createdBy: actor.userId });
    change.em.create(GroupChannel, { channelId, people: set });
    for (const userId of people) {
      change.em.create(ChannelMember, { channelId, userId });
      change.em.create(GroupMember, { channelId, userId });
    }
    await change.em.flush();
    await createStream(change.rows, channelRoom(channelId));
    for (const id of people) await direct.announce(change, id, channelId, 0);
    return { dm: await direct.record(change.rows, actor.userId, channelId), created: true };
  }

  private async requireGroup(actor: Actor, channelId: string): Promise<void> {
    const kind = await this.requireDirect(actor, channelId);
    requirePerson(actor);
    if (kind === 'dm') throw new AppError('FORBIDDEN', { message: 'Direct messages of two are no group.' });
  }

  /** Locks a group that the actor is in: they, or someone else, may have ended that meanwhile. @throws AppError CHANNEL_NOT_FOUND */
  private async holdOwn({ rows }: Change, { userId }: Actor, channelId: string): Promise<void> {
    const isThere = (await holdGroup(rows, channelId)) && (await peopleInDirect(rows, channelId)).includes(userId);
    if (!isThere) throw new AppError('CHANNEL_NOT_FOUND');
  }

  private async requireDirect(actor: Actor, channelId: string): Promise<'dm' | 'group'> {
    const { kind } = await this.deps.channelAccess.visible(actor, channelId);
    if (kind === 'server') throw new AppError('CHANNEL_NOT_FOUND');
    return kind;
  }
}

/** @throws AppError FORBIDDEN for bots: people decide who is together */
function requirePerson({ user }: Actor): void {
  if (user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots open and change no groups.' });
}

/** A bot is in a group only with its owner, also where it is handed over meanwhile. @throws AppError FORBIDDEN */
async function requireOwners(rows: Rows, people: string[]): Promise<void> {
  const bots = await holdOwners(rows, people);
  if (bots.every(({ ownerId }) => people.includes(ownerId))) return;
  throw new AppError('FORBIDDEN', { message: 'A bot is in a group only with its owner; add the owner too.' });
}

/** @throws AppError NOT_IN_SERVER, which names those who are no members */
async function requireMembers(
  rows: Rows,
  serverId: string,
  people: { id: string; displayName: string }[],
): Promise<void> {
  const members = new Set(
    await membersAmong(
      rows,
      serverId,
      people.map(({ id }) => id),
    ),
  );
  const others = people.filter(({ id }) => !members.has(id)).map(({ displayName }) => displayName);
  if (others.length === 0) return;
  throw new AppError('NOT_IN_SERVER', {
    message: `Everyone in the group has to be a member of the server first; these are not: ${others.join(', ')}.`,
  });
}
