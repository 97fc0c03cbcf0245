import { anyUserById, lockUser } from '../../access/user.table.ts';
import type { SmallUser } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import type { Role } from '../../contract/roles.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { memberJoined, memberLeft, serverJoined, serverLeft } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import type { Change } from '../../delivery/changes.ts';
import { closePlace } from '../../jobs/closed-places.ts';
import type { Context } from '../context.ts';
import type { Audience } from './audience.ts';
import { requireUnbanned } from './ban.table.ts';
import { readAllInServer } from './channel.reader.ts';
import { forgetRequests, settleRequest } from './join-request.table.ts';
import { findServer, type ServerRecord, serverChange, serverRecord } from './server.view.ts';

const botsOf = `SELECT u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot"
  FROM server_members m JOIN agents a ON a.user_id = m.user_id JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND a.owner_id = $2 AND NOT m.kept ORDER BY u.id`;
const ownerOf = `SELECT m.user_id FROM agents a JOIN server_members m ON m.server_id = $1 AND m.user_id = a.owner_id
  WHERE a.user_id = $2`;

interface Deps extends Pick<Context, 'serverAccess' | 'channelAccess' | 'control' | 'notifications'> {
  audience: Audience;
}

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
  async add(change: Change, user: SmallUser, serverId: string, role: Role, by = user.id): Promise<ServerRecord> {
    // A concurrent join request finds the membership, or is found here.
    await (user.isBot ? hold(change.rows, user.id) : lockUser(change.rows, user.id));
    // Bans and removals commit before and keep the user out, or after and find the membership.
    await lockServer(change.rows, serverId);
    await requireUnbanned(change.rows, serverId, user.id, by === user.id);
    if (user.isBot) await requireOwner(change.rows, serverId, user.id);
    await settleRequest(change, { serverId, channelId: null }, user.id);
    await this.insert(change, user, serverId, role);
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
    for (const bot of await change.rows<SmallUser>(botsOf, [serverId, ownerId])) {
      rooms.push(...(await this.takeOut(change, serverId, bot)), userRoom(bot.id));
    }
    return rooms;
  }

  private async takeOut(change: Change, serverId: string, user: SmallUser): Promise<Room[]> {
    const { id: userId } = user;
    const told = await forgetRequests(change, { serverId, channelId: null }, userId);
    if (told.length > 0) await this.deps.notifications.settle(change, serverId);
    const removed = await change.rows<{ user_id: string }>(
      'DELETE FROM server_members WHERE server_id = $1 AND user_id = $2 RETURNING user_id',
      [serverId, userId],
    );
    if (removed.length === 0) throw new AppError('MEMBER_NOT_FOUND');
    await change.rows('UPDATE servers SET member_count = member_count - 1 WHERE id = $1', [serverId]);
    const entered = await this.dropEntries(change.rows, serverId, userId);
    const open = await this.deps.audience.announcedIn(change.rows, serverId);
    const channels = [...new Set([...open, ...entered])];
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
    const joined = await change.rows<{ id: string }>(
      'SELECT server_id AS id FROM server_members WHERE user_id = $1 ORDER BY server_id',
      [userId],
    );
    // The server may be deleted at the same moment.
    for (const server of joined) await this.remove(change, server.id, userId).catch(ifMissing);
  }

  private async insert(change: Change, user: SmallUser, serverId: string, role: Role): Promise<void> {
    try {
      await change.rows('INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES ($1, $2, $3, now())', [
        serverId,
        user.id,
        role,
      ]);
    } catch (error) {
      if (isUniqueViolation(error, 'server_members_pkey')) {
        throw new AppError('ALREADY_MEMBER', user.isBot ? { message: 'This bot is a member already.' } : {});
      }
      throw error;
    }
    await change.rows('UPDATE servers SET member_count = member_count + 1 WHERE id = $1', [serverId]);
  }

  /** @returns the channels that the user had an entry in */
  private async dropEntries(rows: Rows, serverId: string, userId: string): Promise<string[]> {
    const lost = await rows<{ channel_id: string }>(
      `DELETE FROM channel_members USING channels
       WHERE channels.id = channel_members.channel_id AND channels.server_id = $1 AND channel_members.user_id = $2
       RETURNING channel_members.channel_id`,
      [serverId, userId],
    );
    return lost.map((row) => row.channel_id);
  }
}

/** Keeps a bot from being deleted before the commit: deleting it removes it from the servers it is in by then. */
async function hold(rows: Rows, userId: string): Promise<void> {
  const held = await rows('SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE', [userId]);
  if (held.length === 0) throw new AppError('USER_NOT_FOUND');
}

/** A bot enters only where its owner is (contract §5). @throws AppError FORBIDDEN */
async function requireOwner(rows: Rows, serverId: string, botUserId: string): Promise<void> {
  if ((await rows(ownerOf, [serverId, botUserId])).length > 0) return;
  throw new AppError('FORBIDDEN', { message: 'A bot enters only where its owner is; the owner joins first.' });
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
  const held = await rows('SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE', [serverId]);
  if (held.length === 0) throw new AppError('SERVER_NOT_FOUND');
}

/** The same, with the current roles of these members. Ordered by id, so that concurrent changes do not deadlock. */
export async function lockMembers(rows: Rows, serverId: string, userIds: string[]): Promise<Map<string, Role>> {
  await rows('SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE', [serverId]);
  const locked = await rows<{ user_id: string; role: Role }>(
    'SELECT user_id, role FROM server_members WHERE server_id = $1 AND user_id = ANY($2::uuid[]) ORDER BY user_id FOR UPDATE',
    [serverId, userIds],
  );
  return new Map(locked.map(({ user_id, role }) => [user_id, role]));
}
