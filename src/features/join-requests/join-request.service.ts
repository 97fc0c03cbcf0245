import type { z } from 'zod';
import { type ChannelInfo, isInChannel } from '../../access/channel.access.ts';
import { anyUserById, lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import { type channelAccessSchema, joinRequestCreated, type serverAccessSchema } from '../../contract/join-request.ts';
import { may, requireRole } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type ChannelMemberService, findMember } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import { deciders } from '../members/audience.ts';
import { requireUnbanned } from '../members/ban.table.ts';
import { channelRecordOf } from '../members/channel.reader.ts';
import { publishDecided } from '../members/join-request.table.ts';
import type { Roster } from '../members/roster.ts';
import {
  findServer,
  type JoinRequestRecord,
  type RequestRow,
  requestRecord,
  selectRequest,
  serverRecord,
} from '../members/server.view.ts';

type Status = JoinRequestRecord['status'];

const pendingOfServer = `${selectRequest} WHERE j.server_id = $1 AND j.status = 'pending' ORDER BY j.id DESC LIMIT 200`;
const own = `${selectRequest} WHERE j.user_id = $3 AND j.server_id = $1 AND j.channel_id IS NOT DISTINCT FROM $2::uuid`;
const byId = `${selectRequest} WHERE j.id = $1`;
const lockById = `${byId} FOR UPDATE OF j`;
const renew = "DO UPDATE SET status = 'pending', updated_at = now(), decided_by = NULL";
const askServer = `INSERT INTO join_requests (id, server_id, channel_id, user_id, status, created_at, updated_at)
  VALUES ($1, $2, $3, $4, 'pending', now(), now())
  ON CONFLICT (server_id, user_id) WHERE channel_id IS NULL ${renew} WHERE join_requests.status <> 'pending' RETURNING id`;
const askChannel = `INSERT INTO join_requests (id, server_id, channel_id, user_id, status, created_at, updated_at)
  VALUES ($1, $2, $3, $4, 'pending', now(), now())
  ON CONFLICT (channel_id, user_id) WHERE channel_id IS NOT NULL ${renew}
  WHERE join_requests.status <> 'pending' RETURNING id`;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'channelAccess' | 'notifications'> {
  roster: Roster;
  channelMembers: ChannelMemberService;
}

/** Join requests and decisions on them (contract §12). */
export class JoinRequestService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The actor's relation to a server; who asks by its id learns that it exists. @throws AppError SERVER_NOT_FOUND */
  async serverAccess(actor: Actor, idOrSlug: string): Promise<z.output<typeof serverAccessSchema>> {
    const { id, isPublic } = await this.deps.serverAccess.find(idOrSlug);
    const row = await findServer(this.deps.database.rows, id, actor.userId);
    if (!row) throw new AppError('SERVER_NOT_FOUND');
    const isMember = row.role !== null;
    return {
      server: isMember || isPublic ? serverRecord(row) : { id, isPublic },
      isMember,
      canAccess: isMember || isPublic,
      canManage: may(row.role, 'server:update'),
      requiresApproval: !isMember && !isPublic,
      ...(await this.ownRequest(actor, id, null)),
    };
  }

  /**
   * The actor's relation to a channel; its server's members may ask for a private one. @throws AppError CHANNEL_NOT_FOUND
   */
  async channelAccess(actor: Actor, channelId: string): Promise<z.output<typeof channelAccessSchema>> {
    const seen = await this.deps.channelAccess.visible(actor, channelId).catch(ifMissing);
    const channel = seen ?? (await this.askable(actor, channelId));
    const { id, serverId, kind, type, isPrivate } = channel;
    return {
      channel: seen ? await channelRecordOf(this.deps.database.rows, id) : { id, serverId, kind, type, isPrivate },
      isMember: seen?.isMember ?? false,
      canAccess: seen?.isMember ?? false,
      canManage: may(seen?.role, 'channel:update'),
      requiresApproval: !seen?.isMember && isPrivate && !may(seen?.role, 'channel:add-member'),
      ...(serverId === null ? noRequest : await this.ownRequest(actor, serverId, id)),
    };
  }

  /** @throws AppError SERVER_NOT_FOUND, ALREADY_MEMBER, BANNED */
  async askServer(actor: Actor, idOrSlug: string): Promise<{ status: Status; requestId: string }> {
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots are added by those who own them.' });
    const { id } = await this.deps.serverAccess.find(idOrSlug);
    return this.deps.changes.run(async (change) => {
      // A user admitted concurrently is a member by now, or the admission waits for this and settles the request.
      await lockUser(change.rows, actor.userId);
      if (await isIn(change.rows, id, actor.userId)) throw new AppError('ALREADY_MEMBER');
      await requireUnbanned(change.rows, id, actor.userId, true);
      return this.ask(change, actor, id, null);
    });
  }

  /** @throws AppError CHANNEL_NOT_FOUND, ALREADY_MEMBER */
  async askChannel(actor: Actor, channelId: string): Promise<{ status: Status; requestId: string }> {
    const { id, serverId, isPrivate } = await this.askable(actor, channelId);
    return this.deps.changes.run(async (change) => {
      // The same for a channel: there the membership is locked.
      const member = await findMember(change.rows, id, serverId, actor.userId);
      if (!member) throw new AppError('CHANNEL_NOT_FOUND');
      if (isInChannel(isPrivate, member.excluded)) throw new AppError('ALREADY_MEMBER');
      return this.ask(change, actor, serverId, id);
    });
  }

  /** The pending requests of a server. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async pending(actor: Actor, idOrSlug: string): Promise<JoinRequestRecord[]> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireRole(membership.role, 'join-request:decide');
    const found = await this.deps.database.rows<RequestRow>(pendingOfServer, [id]);
    return found.map(requestRecord);
  }

  /**
   * Approves or rejects a request; an approved user is a member before this returns.
   * @throws AppError JOIN_REQUEST_NOT_FOUND, JOIN_REQUEST_DECIDED, ROLE_REQUIRED
   */
  async decide(
    actor: Actor,
    requestId: string,
    status: 'approved' | 'rejected',
    of: 'server' | 'channel',
  ): Promise<JoinRequestRecord> {
    return this.deps.changes.run(async (change) => {
      await this.holdAsker(change.rows, requestId);
      const [row] = await change.rows<RequestRow>(lockById, [requestId]);
      const membership = row && (await this.deps.serverAccess.membership(row.server_id, actor.userId));
      // Only those who decide learn who asks.
      const known = row && (may(membership?.role, 'join-request:decide') || row.user_id === actor.userId);
      if (!known || (row.channel_id === null) !== (of === 'server')) throw new AppError('JOIN_REQUEST_NOT_FOUND');
      requireRole(membership?.role, 'join-request:decide');
      if (row.status !== 'pending') throw new AppError('JOIN_REQUEST_DECIDED');
      // Precedes the admission, which would settle open requests and announce that too.
      const decide = 'UPDATE join_requests SET status = $2, decided_by = $3, updated_at = now() WHERE id = $1';
      await change.rows(decide, [requestId, status, actor.userId]);
      if (status === 'approved') await this.letIn(change, row, actor);
      await this.deps.notifications.settle(change, row.server_id);
      return publishDecided(change, requestId);
    });
  }

  /** The user before the request: asking, joining and leaving lock in this order too. */
  private async holdAsker(rows: Rows, requestId: string): Promise<void> {
    const [row] = await rows<RequestRow>(byId, [requestId]);
    if (!row) return;
    if (row.channel_id === null) await lockUser(rows, row.user_id);
    else await findMember(rows, row.channel_id, row.server_id, row.user_id);
  }

  private async letIn(change: Change, row: RequestRow, actor: Actor): Promise<void> {
    if (row.channel_id === null) {
      if (await isIn(change.rows, row.server_id, row.user_id)) return;
      const user = await anyUserById(change.rows, row.user_id);
      await this.deps.roster.add(change, user, row.server_id, 'member', actor.userId);
      return;
    }
    const channel = await this.deps.channelAccess.find(row.channel_id);
    await this.deps.channelMembers.admit(change, channel, row.server_id, row.user_id, actor);
  }

  /** A channel that someone may ask to join: they must be a person in its server. @throws AppError CHANNEL_NOT_FOUND */
  private async askable(actor: Actor, channelId: string): Promise<ChannelInfo & { serverId: string }> {
    const channel = await this.deps.channelAccess.find(channelId);
    const { serverId } = channel;
    const membership = serverId === null ? undefined : await this.deps.serverAccess.membership(serverId, actor.userId);
    if (serverId === null || !membership || actor.user.isBot) throw new AppError('CHANNEL_NOT_FOUND');
    return { ...channel, serverId };
  }

  private async ask(
    change: Change,
    actor: Actor,
    serverId: string,
    channelId: string | null,
  ): Promise<{ status: Status; requestId: string }> {
    const text = channelId === null ? askServer : askChannel;
    const asked = await change.rows(text, [newId(), serverId, channelId, actor.userId]);
    const [row] = await change.rows<RequestRow>(own, [serverId, channelId, actor.userId]);
    if (!row) throw new AppError('JOIN_REQUEST_NOT_FOUND');
    if (asked.length > 0) {
      const request = requestRecord(row);
      for (const userId of await deciders(change.rows, serverId)) {
        change.publish(joinRequestCreated.in(userRoom(userId), { request }));
      }
      const kind = channelId === null ? ('server.join_request' as const) : ('channel.join_request' as const);
      const reference = { type: 'join_request', id: row.id };
      const place = { serverId, ...(channelId === null ? {} : { channelId }) };
      await this.deps.notifications.add(change, { kind, to: 'admins', senderId: actor.userId, ...place, reference });
    }
    return { status: row.status, requestId: row.id };
  }

  private async ownRequest(actor: Actor, serverId: string, channelId: string | null) {
    const [row] = await this.deps.database.rows<RequestRow>(own, [serverId, channelId, actor.userId]);
    return row ? { joinRequestStatus: row.status, joinRequestId: row.id } : noRequest;
  }
}

async function isIn(rows: Rows, serverId: string, userId: string): Promise<boolean> {
  const membership = 'SELECT role FROM server_members WHERE server_id = $1 AND user_id = $2';
  return (await rows(membership, [serverId, userId])).length > 0;
}

const noRequest = { joinRequestStatus: null, joinRequestId: null };
