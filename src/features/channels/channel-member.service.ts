import { NIL } from 'uuid';
import type { z } from 'zod';
import { requireUnbarred } from '../../access/barred.ts';
import { type ChannelInfo, isInChannel, type SeenChannel } from '../../access/channel.access.ts';
import { selectIsInChannel } from '../../access/channel.table.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import { channelMemberAdded, channelMemberRemoved } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { may, requireRole, requireToOutrank } from '../../contract/roles.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { type listMembersSchema, memberJoined, memberLeft } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { closePlace } from '../../jobs/closed-places.ts';
import { ownsBot } from '../accounts/agent.access.ts';
import type { Context } from '../context.ts';
import { channelRecordOf, moveReadPointer } from '../members/channel.reader.ts';
import { forgetRequests, settleRequest } from '../members/join-request.table.ts';
import { shown } from '../members/roster.ts';
import { type MemberRecord, type MemberRow, memberColumns, memberRecord, userColumns } from '../members/server.view.ts';

/** Everyone in the server except the excluded, and the added bots. $1 channel, $2 server, $3 after, $4 limit */
const ofOpen = `SELECT ${memberColumns} FROM server_members m JOIN users u ON u.id = m.user_id
  LEFT JOIN channel_members cm ON cm.channel_id = $1 AND cm.user_id = m.user_id
  WHERE m.server_id = $2 AND m.user_id > $3
    AND ${selectIsInChannel('u.is_bot', 'cm.excluded')}
  ORDER BY m.user_id LIMIT $4`;
const ofPrivate = `SELECT ${memberColumns} FROM channel_members cm
  JOIN server_members m ON m.server_id = $2 AND m.user_id = cm.user_id JOIN users u ON u.id = cm.user_id
  WHERE cm.channel_id = $1 AND NOT cm.excluded AND cm.user_id > $3 ORDER BY cm.user_id LIMIT $4`;
/** Both people of a direct message. $1 channel, $2 after, $3 limit */
const ofDirect = `SELECT NULL AS server_id, u.id AS user_id, 'member' AS role, NULL AS nickname,
    c.created_at AS joined_at, false AS kept, false AS workspace_write, ${userColumns}
  FROM dm_channels d JOIN channels c ON c.id = d.channel_id JOIN users u ON u.id IN (d.low_id, d.high_id)
  WHERE d.channel_id = $1 AND u.id > $2 ORDER BY u.id LIMIT $3`;
/** The first channel of a bot: `general`; if that was renamed or deleted, the one where people start. */
const findEntrance = `SELECT id FROM channels WHERE server_id = $1 AND NOT is_private AND NOT is_archived
  AND deleted_at IS NULL ORDER BY name <> 'general', type <> 'text', position, created_at LIMIT 1`;
const lockMember = 'SELECT user_id FROM server_members WHERE server_id = $1 AND user_id = $2 FOR NO KEY UPDATE';
const selectMember = `SELECT ${memberColumns}, cm.excluded FROM server_members m JOIN users u ON u.id = m.user_id
  LEFT JOIN channel_members cm ON cm.channel_id = $1 AND cm.user_id = m.user_id
  WHERE m.server_id = $2 AND m.user_id = $3`;

/** The bots of $3 in a channel that the server does not keep, locked. $1 channel, $2 server */
const lockBotsOf = `SELECT u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot"
  FROM channel_members cm JOIN agents a ON a.user_id = cm.user_id JOIN users u ON u.id = cm.user_id
  JOIN server_members m ON m.server_id = $2 AND m.user_id = cm.user_id
  WHERE cm.channel_id = $1 AND NOT cm.excluded AND a.owner_id = $3 AND NOT m.kept ORDER BY u.id FOR NO KEY UPDATE OF m`;
/** The owner of bot $2 in the server, locked: nobody takes them out of a channel before the commit. */
const holdOwner = `SELECT m.user_id AS id FROM agents a JOIN server_members m ON m.server_id = $1 AND m.user_id = a.owner_id
  WHERE a.user_id = $2 FOR SHARE OF m`;
const letIn = 'SELECT FROM channel_members WHERE channel_id = $1 AND user_id = $2 AND NOT excluded';
/** The private channels of server $1 that bot $2 is in without its owner. */
const strayIn = `SELECT c.id FROM agents a JOIN channel_members e ON e.user_id = a.user_id AND NOT e.excluded
  JOIN channels c ON c.id = e.channel_id AND c.server_id = $1 AND c.is_private
  WHERE a.user_id = $2 AND NOT EXISTS (SELECT FROM channel_members o
    WHERE o.channel_id = c.id AND o.user_id = a.owner_id AND NOT o.excluded) ORDER BY c.id`;

interface LockedMember extends MemberRow {
  /** Null: no entry in the channel. */
  excluded: boolean | null;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'control' | 'channelAccess' | 'notifications'> {
  statuses: StatusReader;
}

/** Who is in a channel (contract §5). */
export class ChannelMemberService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The members by id; both people of a direct message. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN */
  async list(
    actor: Actor,
    channelId: string,
    query: z.output<typeof listMembersSchema>,
  ): Promise<ListPage<MemberRecord>> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    if (channel.role === null && channel.kind === 'server') throw new AppError('NOT_A_MEMBER');
    if (channel.serverId !== null) await requireUnbarred(this.deps.database.rows, actor, channel.serverId);
    const rows = await this.rowsOf(channel, idCursor(query.cursor) ?? NIL, query.limit + 1);
    return listPage(rows, query.limit, (row) => memberRecord(row, this.deps.statuses));
  }

  private rowsOf({ id, serverId, isPrivate }: ChannelInfo, after: string, limit: number): Promise<MemberRow[]> {
    if (serverId === null) return this.deps.database.rows<MemberRow>(ofDirect, [id, after, limit]);
    return this.deps.database.rows<MemberRow>(isPrivate ? ofPrivate : ofOpen, [id, serverId, after, limit]);
  }

  /**
   * Lets someone into a channel: admins anyone of the server, others their bots, and themselves where it is open.
   * @returns the record, and whether it was there before
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, USER_NOT_FOUND, NOT_IN_SERVER, FORBIDDEN for a DM
   */
  async add(actor: Actor, channelId: string, userId: string): Promise<{ member: MemberRecord; repeated: boolean }> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    const { serverId } = channel;
    if (serverId === null) throw new AppError('FORBIDDEN', { message: 'Direct messages are between two.' });
    if (channel.role === null) throw new AppError('NOT_A_MEMBER');
    const entersItself = userId === actor.userId && !actor.user.isBot;
    const mayEnter = (entersItself && !channel.isPrivate) || (await ownsBot(this.deps.database.rows, actor, userId));
    if (!mayEnter) requireRole(channel.role, 'channel:add-member');
    return this.deps.changes.run((change) => this.admit(change, channel, serverId, userId, actor));
  }

  /** Lets a bot into the first channel of a server that it has just become a member of. */
  async admitBot(change: Change, serverId: string, userId: string, actor: Actor): Promise<void> {
    const [entrance] = await change.rows<{ id: string }>(findEntrance, [serverId]);
    if (entrance) await this.admit(change, await this.deps.channelAccess.find(entrance.id), serverId, userId, actor);
  }

  /**
   * Adds a member of the server to a channel, whoever decided that.
   * @throws AppError USER_NOT_FOUND, NOT_IN_SERVER, FORBIDDEN for a bot whose owner is not in the private channel
   */
  async admit(
    change: Change,
    channel: ChannelInfo,
    serverId: string,
    userId: string,
    actor: Actor,
  ): Promise<{ member: MemberRecord; repeated: boolean }> {
    // Locks the owner before the bot, as removals of both do.
    const [owner] = channel.isPrivate ? await change.rows<{ id: string }>(holdOwner, [serverId, userId]) : [];
    const row = await memberOf(change.rows, channel.id, serverId, userId);
    if (channel.isPrivate && row.is_bot && !row.kept) await requireOwnerIn(change.rows, channel.id, owner?.id);
    const member = memberRecord(row, this.deps.statuses);
    if (row.excluded === false) return { member, repeated: true };
    const asked = await settleRequest(change, { serverId, channelId: channel.id }, userId);
    if (asked) await this.deps.notifications.settle(change, serverId);
    await change.rows(
      `INSERT INTO channel_members (channel_id, user_id, joined_at) VALUES ($1, $2, now())
       ON CONFLICT (channel_id, user_id) DO UPDATE SET excluded = false`,
      [channel.id, userId],
    );
    const wasIn = !channel.isPrivate && !row.is_bot && row.excluded === null;
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

  private notify(change: Change, channelId: string, serverId: string, userId: string, actor: Actor): Promise<void> {
    const reference = { type: 'channel', id: channelId };
    const senderId = actor.userId;
    const notice = { kind: 'channel.member_added' as const, to: [userId], senderId, serverId, channelId, reference };
    return this.deps.notifications.add(change, notice);
  }

  /**
   * Removes someone from a channel, from a private one with their bots, and evicts their sockets from its room on all
   * nodes before the response: oneself, one's own bot, or as a moderator members of lower roles. Someone removed from
   * an open channel can enter it again.
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, MEMBER_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN for a DM
   */
  async remove(actor: Actor, channelId: string, userId: string): Promise<void> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    const { serverId } = channel;
    if (serverId === null) throw new AppError('FORBIDDEN', { message: 'Direct messages cannot be left.' });
    if (channel.role === null) throw new AppError('NOT_A_MEMBER');
    await this.deps.changes.run(async (change) => {
      const row = await findMember(change.rows, channelId, serverId, userId);
      const isIn = row && isInChannel(channel.isPrivate || row.is_bot, row.excluded);
      if (!isIn) throw new AppError('MEMBER_NOT_FOUND');
      requireToRemove(actor, channel, row);
      const { user } = memberRecord(row, this.deps.statuses);
      const rooms: Room[] = [];
      // An open channel is open to their bots, too.
      const bots = channel.isPrivate ? await change.rows<SmallUser>(lockBotsOf, [channelId, serverId, userId]) : [];
      for (const bot of bots) rooms.push(...(await this.takeOut(change, channel, serverId, bot)), userRoom(bot.id));
      rooms.push(...(await this.takeOut(change, channel, serverId, user)));
      await closePlace(change, { serverId: null, channelId }, [userId], rooms);
    });
  }

  /** Takes a bot out of the private channels of a server that its owner is not in. */
  async removeStrays(change: Change, serverId: string, botUserId: string): Promise<void> {
    for (const { id } of await change.rows<{ id: string }>(strayIn, [serverId, botUserId])) {
      const row = await findMember(change.rows, id, serverId, botUserId);
      if (!row) continue;
      await this.takeOut(
        change,
        await this.deps.channelAccess.find(id),
        serverId,
        memberRecord(row, this.deps.statuses).user,
      );
    }
  }

  /** @returns the rooms in which it announces that */
  private async takeOut(change: Change, channel: ChannelInfo, serverId: string, user: SmallUser): Promise<Room[]> {
    const { id: channelId } = channel;
    const told = await forgetRequests(change, { serverId, channelId }, user.id);
    if (channel.isPrivate || user.isBot) {
      const out = 'DELETE FROM channel_members WHERE channel_id = $1 AND user_id = $2';
      await change.rows(out, [channelId, user.id]);
    } else {
      await change.rows(
        `INSERT INTO channel_members (channel_id, user_id, excluded, joined_at) VALUES ($1, $2, true, now())
         ON CONFLICT (channel_id, user_id) DO UPDATE SET excluded = true`,
        [channelId, user.id],
      );
    }
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

/** A bot is in a private channel only with its owner (contract §5). @throws AppError FORBIDDEN */
async function requireOwnerIn(rows: Rows, channelId: string, ownerId: string | undefined): Promise<void> {
  if (ownerId !== undefined && (await rows(letIn, [channelId, ownerId])).length > 0) return;
  throw new AppError('FORBIDDEN', {
    message: "This bot's owner is not in the private channel; let the owner in first, or keep the bot for the server.",
  });
}

function requireToRemove(actor: Actor, channel: SeenChannel, row: LockedMember): void {
  if (row.user_id === actor.userId || row.agent?.owner === actor.userId) return;
  requireRole(channel.role, 'channel:remove-member');
  // A bot is a member like others, but admins decide about bots whatever their role (contract §5).
  if (row.is_bot && may(channel.role, 'channel:add-member')) return;
  requireToOutrank(channel.role, row.role);
}

/**
 * A server member's row with its state in a channel, locked until the transaction ends: of several requests for the same
 * change only one makes it. @returns undefined for non-members of the server
 */
export async function findMember(
  rows: Rows,
  channelId: string,
  serverId: string,
  userId: string,
): Promise<LockedMember | undefined> {
  await rows(lockMember, [serverId, userId]);
  const [row] = await rows<LockedMember>(selectMember, [channelId, serverId, userId]);
  return row;
}

async function memberOf(rows: Rows, channelId: string, serverId: string, userId: string): Promise<LockedMember> {
  const row = await findMember(rows, channelId, serverId, userId);
  if (row) return row;
  const [user] = await rows<{ id: string }>('SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL', [userId]);
  throw new AppError(user ? 'NOT_IN_SERVER' : 'USER_NOT_FOUND');
}
