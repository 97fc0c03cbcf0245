import { NIL } from 'uuid';
import type { z } from 'zod';
import { requireUnbarred } from '../../access/barred.ts';
import type { ChannelInfo, SeenChannel } from '../../access/channel.access.ts';
import { userById } from '../../access/user.table.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import { channelMemberAdded, channelMemberRemoved } from '../../contract/channel.ts';
import { channelMemberAdd, channelMemberRemove } from '../../contract/channel-member.ts';
import { AppError } from '../../contract/errors.ts';
import { type listMembersSchema, memberJoined, memberLeft } from '../../contract/member.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { may, requireNoTimeout, requirePermission, requireToOutrank } from '../../contract/roles.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import type { Queries, Rows } from '../../database/database.ts';
import { ChannelMember } from '../../database/entities/channel.entity.ts';
import { ChannelOverride } from '../../database/entities/role.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { closePlace } from '../../jobs/closed-places.ts';
import { smallUser } from '../accounts/account.view.ts';
import { ownsBot } from '../accounts/agent.access.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { Context } from '../context.ts';
import { channelRecordOf, moveReadPointer } from '../members/channel.table.ts';
import { forgetRequests, settleRequest } from '../members/join-requests.ts';
import { ownerIn, shown } from '../members/roster.ts';
import { type MemberRecord, memberRecord } from '../members/server.view.ts';
import { lockBotsOf, mayHaveBots, requireOwnerThere } from './channel.bots.ts';
import { findMember, isInPlace, isOpenTo, type LockedMember, readMembersIn, strayIn } from './channel-member.table.ts';

const addElsewhere = 'Nobody is added to direct messages; open a group with more people.';
const leaveElsewhere = 'Direct messages of two cannot be left; a group is left by its own call.';

interface Deps
  extends Pick<Context, 'database' | 'changes' | 'control' | 'serverAccess' | 'channelAccess' | 'notifications'> {
  statuses: StatusReader;
}

/** Who is in a channel (contract §5). */
export class ChannelMemberService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The members by id; everyone in a DM or group. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN */
  async list(
    actor: Actor,
    channelId: string,
    query: z.output<typeof listMembersSchema>,
  ): Promise<ListPage<MemberRecord>> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    if (channel.role === null && channel.serverId !== null) throw new AppError('NOT_A_MEMBER');
    if (channel.serverId !== null) await requireUnbarred(this.deps.database.rows, actor, channel.serverId);
    const after = idCursor(query.cursor) ?? NIL;
    const rows = await this.deps.database.readCurrent((reader) =>
      readMembersIn(reader.rows, channel, after, query.limit + 1),
    );
    const reader = { userId: actor.userId, rights: channel.rights };
    return listPage(rows, query.limit, (row) => memberRecord(row, this.deps.statuses, reader));
  }

  /**
   * Lets someone into a channel: admins anyone of the server, others their bots, and themselves where it is open.
   * @returns the record, and whether it was there before
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, TIMED_OUT, USER_NOT_FOUND, NOT_IN_SERVER, FORBIDDEN for a DM
   */
  async add(actor: Actor, channelId: string, userId: string): Promise<{ member: MemberRecord; repeated: boolean }> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    const { serverId } = channel;
    if (serverId === null) throw new AppError('FORBIDDEN', { message: addElsewhere });
    if (channel.role === null) throw new AppError('NOT_A_MEMBER');
    const entersItself = userId === actor.userId && !actor.user.isBot;
    if (!entersItself) requireNoTimeout(channel.rights);
    const mayEnter = (entersItself && channel.isOpen) || (await ownsBot(this.deps.database.db, actor, userId));
    if (!mayEnter) requirePermission(channel.rights, 'channel:add-member');
    if (userId !== actor.userId) await requireStranger(this.deps.database.rows, actor, userId);
    return this.deps.changes.run(async (change) => {
      const admitted = await this.admit(change, channel, serverId, userId, actor);
      const target = { kind: 'user', id: userId } as const;
      if (!mayEnter && !admitted.repeated) change.audit(channelMemberAdd, { actor, serverId, channelId, target });
      return admitted;
    });
  }

  /** Lets a bot into the first channel of a server that it has just become a member of, unless its owner is kept out there. */
  async admitBot(change: Change, serverId: string, userId: string, actor: Actor): Promise<void> {
    const entrance = await entranceOf(change.db, serverId);
    if (!entrance) return;
    const channel = await this.deps.channelAccess.find(entrance.id);
    const owner = await ownerIn(change.db, serverId, userId).forShare('m').executeTakeFirst();
    const row = await memberOf(change.rows, channel.id, serverId, userId);
    if (!row.kept && !(await mayHaveBots(change.rows, channel, serverId, owner?.userId))) return;
    await this.admit(change, channel, serverId, userId, actor);
  }

  /**
   * Adds a member of the server to a channel, whoever decided that. Who enters by themselves what is open to them gets no
   * row: they are in it for as long as it is.
   * @throws AppError USER_NOT_FOUND, NOT_IN_SERVER, FORBIDDEN for a bot whose owner may not be there
   */
  async admit(
    change: Change,
    channel: ChannelInfo,
    serverId: string,
    userId: string,
    actor: Actor,
  ): Promise<{ member: MemberRecord; repeated: boolean }> {
    // Locks the owner before the bot, as removals of both do: nobody takes them out of a channel before the commit.
    const owned = ownerIn(change.db, serverId, userId).forShare('m');
    const owner = await owned.executeTakeFirst();
    const row = await memberOf(change.rows, channel.id, serverId, userId);
    if (row.is_bot && !row.kept) await requireOwnerThere(change.rows, channel, serverId, owner?.userId);
    const member = memberRecord(row, this.deps.statuses);
    const isOpen = userId === actor.userId && isOpenTo(channel, row);
    if (row.excluded === false || (isOpen && row.excluded === null)) return { member, repeated: true };
    const asked = await settleRequest(change, { serverId, channelId: channel.id }, userId);
    if (asked) await this.deps.notifications.settle(change, serverId);
    if (row.by_overrides === false) await this.dropDenial(change, channel.id, userId);
    if (isOpen) await change.em.nativeDelete(ChannelMember, { channelId: channel.id, userId });
    else await setEntry(change.db, channel.id, userId, false);
    const wasIn = isInPlace(channel, row);
    if (!wasIn) {
      // Earlier messages count as read.
      await moveReadPointer(change.rows, channel.id, userId, null);
      const scope = 'channel' as const;
      const joined = { serverId, channelId: channel.id, scope, userId, ...shown(member.user), role: member.role };
      change.publish(memberJoined.in(channelRoom(channel.id), joined));
    }
    const record = await channelRecordOf(change.rows, channel.id);
    change.publish(channelMemberAdded.in(userRoom(userId), { channelId: channel.id, serverId, channel: record }));
    change.afterCommit(() => this.deps.channelAccess.forgetMembers([channel.id], userId));
    if (userId !== actor.userId) await this.notify(change, channel.id, serverId, userId, actor);
    return { member, repeated: false };
  }

  private async requireToRemove(
    actor: Actor,
    channel: SeenChannel,
    serverId: string,
    row: LockedMember,
  ): Promise<void> {
    if (row.user_id === actor.userId || row.agent?.owner === actor.userId) return;
    requirePermission(channel.rights, 'channel:remove-member');
    // A bot is a member like others, but admins decide about bots whatever their role (contract §5).
    if (row.is_bot && may(channel.rights, 'channel:add-member')) return;
    const theirs = await this.deps.serverAccess.membership(serverId, row.user_id);
    if (theirs) requireToOutrank(channel.rights, theirs.rights);
  }

  /** Whoever is let in is no longer kept out by an override of their own. */
  private async dropDenial(change: Change, channelId: string, userId: string): Promise<void> {
    const own = await change.em.findOne(ChannelOverride, { channelId, userId }, forUpdate);
    if (!own?.deny.includes('view')) return;
    own.deny = own.deny.filter((right) => right !== 'view');
    await change.em.flush();
    change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
  }

  private notify(change: Change, channelId: string, serverId: string, userId: string, actor: Actor): Promise<void> {
    const reference = { type: 'channel', id: channelId };
    const senderId = actor.userId;
    const notice = { kind: 'channel.member_added' as const, to: [userId], senderId, serverId, channelId, reference };
    return this.deps.notifications.add(change, notice);
  }

  /**
   * Removes someone from a channel, from one that is not open to them with their bots, and evicts their sockets from its room on all
   * nodes before the response: oneself, one's own bot, or as a moderator members of lower roles. Someone removed from
   * an open channel can enter it again.
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, MEMBER_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN for a DM
   */
  async remove(actor: Actor, channelId: string, userId: string): Promise<void> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    const { serverId } = channel;
    if (serverId === null) throw new AppError('FORBIDDEN', { message: leaveElsewhere });
    if (channel.role === null) throw new AppError('NOT_A_MEMBER');
    await this.deps.changes.run(async (change) => {
      const row = await findMember(change.rows, channelId, serverId, userId);
      if (!row || !isInPlace(channel, row)) throw new AppError('MEMBER_NOT_FOUND');
      await this.requireToRemove(actor, channel, serverId, row);
      const { user } = memberRecord(row, this.deps.statuses);
      // A channel that is open to them is so to their bots, too.
      const isOpen = !channel.isPrivate && isOpenTo(channel, row);
      const rooms = isOpen ? [] : await this.takeOutBots(change, channel, serverId, userId);
      rooms.push(...(await this.takeOut(change, channel, serverId, user, row.by_overrides)));
      await closePlace(change, { serverId: null, channelId }, [userId], rooms);
      const isOwn = userId === actor.userId || row.agent?.owner === actor.userId;
      const target = { kind: 'user', id: userId } as const;
      if (!isOwn) change.audit(channelMemberRemove, { actor, serverId, channelId, target });
    });
  }

  /** Takes someone's bots out of a channel that they may no longer be in. @returns the rooms in which it announces that */
  async takeOutBots(change: Change, channel: Pick<ChannelInfo, 'id' | 'isPrivate'>, serverId: string, userId: string) {
    const rooms: Room[] = [];
    for (const bot of (await lockBotsOf(change.db, channel.id, serverId, userId)).map(smallUser))
      rooms.push(...(await this.takeOut(change, channel, serverId, bot, null)), userRoom(bot.id));
    return rooms;
  }

  /** Takes a bot out of the channels of a server in which it is only with its owner, and the owner is not. */
  async removeStrays(change: Change, serverId: string, botUserId: string): Promise<void> {
    for (const id of await strayIn(change.rows, serverId, botUserId)) {
      const row = await findMember(change.rows, id, serverId, botUserId);
      if (!row) continue;
      const channel = await this.deps.channelAccess.find(id);
      await this.takeOut(change, channel, serverId, memberRecord(row, this.deps.statuses).user, null);
    }
  }

  /**
   * @param byOverrides what overrides say about whether they may view it: where it is open to them, the row says that they left
   * @returns the rooms in which it announces that
   */
  private async takeOut(
    change: Change,
    channel: Pick<ChannelInfo, 'id' | 'isPrivate'>,
    serverId: string,
    user: SmallUser,
    byOverrides: boolean | null,
  ): Promise<Room[]> {
    const { id: channelId } = channel;
    const told = await forgetRequests(change, { serverId, channelId }, user.id);
    const isOpen = !user.isBot && (byOverrides ?? !channel.isPrivate);
    if (!isOpen) await change.em.nativeDelete(ChannelMember, { channelId, userId: user.id });
    else await setEntry(change.db, channelId, user.id, true);
    const left = { serverId, channelId, scope: 'channel', userId: user.id, ...shown(user) } as const;
    change.publish(memberLeft.in(channelRoom(channelId), left));
    const removed = channelMemberRemoved.in(userRoom(user.id), { channelId, serverId });
    change.publish(removed);
    change.afterCommit(() => this.deps.channelAccess.forgetMembers([channelId], user.id));
    const rooms = [channelRoom(channelId)];
    change.afterCommit((numberOf) =>
      this.deps.control.send({ kind: 'evict', userId: user.id, serverId, rooms, seq: numberOf(removed) }),
    );
    return [channelRoom(channelId), ...told];
  }
}

/** The first channel of a bot: `general`; if that was renamed or deleted, the one where people start. */
function entranceOf(db: Queries, serverId: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('Channel')
    .where('serverId', '=', serverId)
    .where('isPrivate', '=', false)
    .where('isArchived', '=', false)
    .where('deletedAt', 'is', null)
    .orderBy((channel) => channel('name', '<>', 'general'))
    .orderBy((channel) => channel('type', '<>', 'text'))
    .orderBy('position')
    .orderBy('createdAt')
    .select('id')
    .limit(1)
    .executeTakeFirst();
}

/** Lets someone into a channel, or keeps them out of one that is open to the whole server. */
export async function setEntry(db: Queries, channelId: string, userId: string, excluded: boolean): Promise<void> {
  await db
    .insertInto('ChannelMember')
    .values((of) => ({ channelId, userId, excluded, joinedAt: of.fn<Date>('now') }))
    .onConflict((known) => known.columns(['channelId', 'userId']).doUpdateSet({ excluded }))
    .execute();
}

async function memberOf(rows: Rows, channelId: string, serverId: string, userId: string): Promise<LockedMember> {
  const row = await findMember(rows, channelId, serverId, userId);
  if (row) return row;
  await userById(rows, userId);
  throw new AppError('NOT_IN_SERVER');
}
