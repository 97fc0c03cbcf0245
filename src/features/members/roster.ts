import { rightsNow } from '../../access/server.access.ts';
import { anyUserById, lockUser } from '../../access/user.table.ts';
import type { SmallUser } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import { memberJoined, memberLeft } from '../../contract/member.ts';
import type { Rights, Role } from '../../contract/roles.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { serverJoined, serverLeft } from '../../contract/server.ts';
import type { Queries, Rows } from '../../database/database.ts';
import { ServerMember } from '../../database/entities/server.entity.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { closePlace } from '../../jobs/closed-places.ts';
import type { Context } from '../context.ts';
import type { Audience } from './audience.ts';
import { requireUnbanned } from './ban.access.ts';
import { readAllInServer } from './channel.table.ts';
import { forgetRequests, settleRequest } from './join-requests.ts';
import { dropEntries, readBotsOf } from './member.table.ts';
import { countMembers, findServer, holdServer } from './server.table.ts';
import { type ServerRecord, serverChange, serverRecord } from './server.view.ts';

interface Deps extends Pick<Context, 'serverAccess' | 'channelAccess' | 'control' | 'notifications'> {
  audience: Audience;
}

/** The invite link with which someone joined, and its maker. */
export interface Brought {
  inviteId: string | null;
  invitedBy: string | null;
}

const byNobody: Brought = { inviteId: null, invitedBy: null };

/** Adds users to servers and removes them, with all consequences. */
export class Roster {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Makes a user a member. Earlier messages count as read; bots are in no channel yet.
   * @param by who let the user in
   * @throws AppError ALREADY_MEMBER, BANNED, FORBIDDEN for a bot whose owner is not a member, USER_NOT_FOUND for one that was
   *   deleted by now
   */
  async add(
    change: Change,
    user: SmallUser,
    serverId: string,
    role: Role,
    by = user.id,
    brought: Brought = byNobody,
  ): Promise<ServerRecord> {
    await this.admit(change, user, serverId, by);
    await settleRequest(change, { serverId, channelId: null }, user.id);
    return this.enter(change, user, serverId, role, by, brought);
  }

  /**
   * Locks whoever is about to join, and the server, until the commit, and makes sure that they may.
   * @throws AppError like `add`, but for ALREADY_MEMBER
   */
  async admit(change: Change, user: SmallUser, serverId: string, by = user.id): Promise<void> {
    change.takeTurn(serverId);
    // A concurrent join request finds the membership, or is found here.
    await (user.isBot ? hold(change.db, user.id) : lockUser(change.rows, user.id));
    // Bans and removals commit before and keep the user out, or after and find the membership.
    await lockServer(change.rows, serverId);
    await requireUnbanned(change.rows, serverId, user.id, by === user.id);
    // A bot enters only where its owner is (contract §5).
    if (user.isBot && !(await ownerIn(change.db, serverId, user.id).executeTakeFirst())) {
      throw new AppError('FORBIDDEN', { message: 'A bot enters only where its owner is; the owner joins first.' });
    }
  }

  /** The rest of `add`, once their request is settled. @throws AppError ALREADY_MEMBER */
  async enter(
    change: Change,
    user: SmallUser,
    serverId: string,
    role: Role,
    by = user.id,
    brought: Brought = byNobody,
  ): Promise<ServerRecord> {
    await this.insert(change, user, serverId, role, brought);
    const row = await findServer(change.rows, serverId, user.id);
    if (!row) throw new AppError('SERVER_NOT_FOUND');
    const server = serverRecord(row);
    if (!user.isBot) {
      await readAllInServer(change.rows, serverId, user.id);
      for (const channelId of await this.deps.audience.announcedIn(change.rows, serverId)) {
        const member = { serverId, channelId, scope: 'server', userId: user.id, ...shown(user), role } as const;
        change.publish(memberJoined.in(channelRoom(channelId), member));
      }
    }
    change.publish(serverJoined.in(userRoom(user.id), serverChange(server)));
    if (role !== 'owner') {
      await this.deps.notifications.settle(change, serverId);
      const reference = { type: 'server', id: serverId };
      const notice = {
        kind: 'server.member_joined',
        to: 'admins',
        by,
        senderId: user.id,
        serverId,
        reference,
      } as const;
      await this.deps.notifications.add(change, notice);
    }
    change.afterCommit(() => this.deps.serverAccess.forget(serverId, user.id));
    return server;
  }

  /**
   * Removes a user from a server with their bots, except those that the server keeps, and evicts the sockets of all of
   * them from the server's rooms on all nodes before the response.
   * @throws AppError MEMBER_NOT_FOUND, SERVER_NOT_FOUND
   */
  async remove(change: Change, serverId: string, userId: string): Promise<void> {
    change.takeTurn(serverId);
    await lockServer(change.rows, serverId);
    const rooms = await this.removeBotsOf(change, serverId, userId);
    const user = await anyUserById(change.rows, userId);
    rooms.push(...(await this.takeOut(change, serverId, user)));
    // Bots get no notifications.
    if (!user.isBot) await closePlace(change, { serverId, channelId: null }, [userId], rooms);
  }

  /** Removes the bots of someone who is no longer in the server. @returns the rooms in which it announces that */
  async removeBotsOf(change: Change, serverId: string, ownerId: string): Promise<Room[]> {
    const rooms: Room[] = [];
    for (const bot of await readBotsOf(change.rows, serverId, ownerId)) {
      rooms.push(...(await this.takeOut(change, serverId, bot)), userRoom(bot.id));
    }
    return rooms;
  }

  private async takeOut(change: Change, serverId: string, user: SmallUser): Promise<Room[]> {
    const { id: userId } = user;
    const told = await forgetRequests(change, { serverId, channelId: null }, userId);
    if (told.length > 0) await this.deps.notifications.settle(change, serverId);
    const announced = await this.deps.audience.announcedOf(change.rows, serverId, userId);
    const removed = await change.em.nativeDelete(ServerMember, { serverId, userId });
    if (removed === 0) throw new AppError('MEMBER_NOT_FOUND');
    await countMembers(change.rows, serverId, -1);
    const entered = await dropEntries(change.rows, serverId, userId);
    const channels = [...new Set([...announced, ...entered])];
    for (const channelId of channels) {
      const member = { serverId, channelId, scope: 'server', userId, ...shown(user) } as const;
      change.publish(memberLeft.in(channelRoom(channelId), member));
    }
    const left = serverLeft.in(userRoom(userId), { serverId });
    change.publish(left);
    change.afterCommit(() => this.deps.serverAccess.forget(serverId, userId));
    change.afterCommit(() => this.deps.channelAccess.forgetMembers(entered, userId));
    change.afterCommit((numberOf) =>
      this.deps.control.send({ kind: 'evict', userId, serverId, rooms: null, seq: numberOf(left) }),
    );
    return [...channels.map(channelRoom), ...told];
  }

  /** Removes a user from all its servers, as part of its deletion. */
  async removeFromAll(change: Change, userId: string): Promise<void> {
    const joined = await change.em.find(ServerMember, { userId }, { orderBy: { serverId: 'asc' } });
    // The server may be deleted at the same moment.
    for (const { serverId } of joined) await this.remove(change, serverId, userId).catch(ifMissing);
  }

  private async insert(change: Change, user: SmallUser, serverId: string, role: Role, brought: Brought): Promise<void> {
    change.em.create(ServerMember, { serverId, userId: user.id, role, ...brought });
    try {
      await change.em.flush();
    } catch (error) {
      if (isUniqueViolation(error, 'server_members_pkey')) {
        throw new AppError('ALREADY_MEMBER', user.isBot ? { message: 'This bot is a member already.' } : {});
      }
      throw error;
    }
    await countMembers(change.rows, serverId, 1);
  }
}

/** Keeps a bot from being deleted before the commit: deleting it removes it from the servers it is in by then. */
async function hold(db: Queries, userId: string): Promise<void> {
  const living = db.selectFrom('User').where('id', '=', userId).where('deletedAt', 'is', null);
  const held = await living.select('id').forKeyShare().execute();
  if (held.length === 0) throw new AppError('USER_NOT_FOUND');
}

/** The owner of a bot as a member `m` of a server. */
export function ownerIn(db: Queries, serverId: string, botUserId: string) {
  return db
    .selectFrom('Agent as a')
    .innerJoin('ServerMember as m', 'm.userId', 'a.ownerId')
    .where('m.serverId', '=', serverId)
    .where('a.userId', '=', botUserId)
    .select('m.userId');
}

/** The user fields in member events. */
export function shown({ username, displayName, avatarUrl, isBot }: SmallUser) {
  return { username, displayName, avatarUrl, isBot };
}

/**
 * Serializes joins, leaves, bans and transfers of one server until the commit. Whoever is let in is locked before.
 * @throws AppError SERVER_NOT_FOUND
 */
export async function lockServer(rows: Rows, serverId: string): Promise<void> {
  if (!(await holdServer(rows, serverId))) throw new AppError('SERVER_NOT_FOUND');
}

/** A member of a server, locked until the commit, and what they may do there. */
export interface LockedMember {
  member: ServerMember;
  rights: Rights;
}

/** The same, with these members of it, by user. Ordered by id, so that concurrent changes do not deadlock. */
export async function lockMembers(
  change: Change,
  serverId: string,
  userIds: string[],
): Promise<Map<string, LockedMember>> {
  await holdServer(change.rows, serverId);
  const locked = { ...forUpdate, orderBy: { userId: 'asc' } } as const;
  const members = await change.em.find(ServerMember, { serverId, userId: userIds }, locked);
  const rights = await rightsNow(change.rows, serverId, userIds);
  return new Map(
    members.flatMap((member) => {
      const known = rights.get(member.userId);
      return known ? [[member.userId, { member, rights: known }] as const] : [];
    }),
  );
}
