import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ChannelInfo, SeenChannel } from '../../access/channel.access.ts';
import { anyUserById, lockUser } from '../../access/user.table.ts';
import { viewByOverrides } from '../../access/view.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import {
  type channelAccessSchema,
  joinRequestApprove,
  joinRequestCreated,
  joinRequestReject,
  type serverAccessSchema,
} from '../../contract/join-request.ts';
import { may, type Rights, requireNoTimeout, requirePermission } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { JoinRequest } from '../../database/entities/channel.entity.ts';
import { ServerMember } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { smallUser } from '../accounts/account.view.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import { findMember, isInPlace } from '../channels/channel-member.table.ts';
import type { Context } from '../context.ts';
import { askedChannels } from '../members/audience.table.ts';
import { requireUnbanned } from '../members/ban.access.ts';
import { channelRecordOf } from '../members/channel.table.ts';
import { linkAndMaker } from '../members/invite-link.table.ts';
import { type JoinRequestRecord, requestRecord } from '../members/join-request.view.ts';
import { decidersOf, pendingRecord, pendingRequests, publishDecided } from '../members/join-requests.ts';
import type { Roster } from '../members/roster.ts';
import { findServer } from '../members/server.table.ts';
import { serverRecord } from '../members/server.view.ts';
import type { LinkUses } from '../server-invites/link-uses.ts';

type Status = JoinRequestRecord['status'];

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'channelAccess' | 'notifications'> {
  roster: Roster;
  channelMembers: ChannelMemberService;
  linkUses: LinkUses;
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
      canManage: may((await this.deps.serverAccess.membership(id, actor.userId))?.rights, 'server:update'),
      requiresApproval: !isMember && !isPublic,
      ...(await this.ownRequest(actor, id, null)),
    };
  }

  /**
   * The actor's relation to a channel; its server's members may ask for a private one. @throws AppError CHANNEL_NOT_FOUND
   */
  async channelAccess(actor: Actor, channelId: string): Promise<z.output<typeof channelAccessSchema>> {
    const seen = await this.seen(actor, channelId);
    const channel = seen ?? (await this.askable(actor, channelId));
    const { id, serverId, kind, type, isPrivate } = channel;
    return {
      channel: seen ? await channelRecordOf(this.deps.database.rows, id) : { id, serverId, kind, type, isPrivate },
      isMember: seen?.isMember ?? false,
      canAccess: seen?.isMember ?? false,
      canManage: may(seen?.rights, 'channel:update'),
      requiresApproval: !seen?.isMember && !seen?.isOpen && !may(seen?.rights, 'channel:add-member'),
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
      if (await isIn(change.em, id, actor.userId)) throw new AppError('ALREADY_MEMBER');
      await requireUnbanned(change.rows, id, actor.userId, true);
      return this.ask(change, actor, id, null);
    });
  }

  /** @throws AppError CHANNEL_NOT_FOUND, ALREADY_MEMBER, TIMED_OUT */
  async askChannel(actor: Actor, channelId: string): Promise<{ status: Status; requestId: string }> {
    const { id, serverId, isPrivate } = await this.askable(actor, channelId);
    requireNoTimeout((await this.deps.serverAccess.membership(serverId, actor.userId))?.rights);
    return this.deps.changes.run(async (change) => {
      // The same for a channel: there the membership is locked.
      const member = await findMember(change.rows, id, serverId, actor.userId);
      if (!member) throw new AppError('CHANNEL_NOT_FOUND');
      if (isInPlace({ isPrivate }, member)) throw new AppError('ALREADY_MEMBER');
      return this.ask(change, actor, serverId, id);
    });
  }

  /**
   * Holds a join for approval, as part of it: whoever joins and the server are locked. The use of a link is taken until the
   * request is rejected or gone, so that no more wait than may come.
   * @throws AppError ALREADY_MEMBER, SERVER_NOT_FOUND for a link that is over
   */
  async hold(
    change: Change,
    actor: Actor,
    serverId: string,
    linkId: string | null,
  ): Promise<{ status: Status; requestId: string }> {
    if (await isIn(change.em, serverId, actor.userId)) throw new AppError('ALREADY_MEMBER');
    const own = { userId: actor.userId, serverId, channelId: null, status: 'pending' } as const;
    const waiting = await change.em.findOne(JoinRequest, own, forUpdate);
    if (waiting) return { status: 'pending', requestId: waiting.id };
    if (linkId !== null) await this.deps.linkUses.take(change, serverId, linkId);
    return this.ask(change, actor, serverId, null, { held: true, inviteId: linkId });
  }

  /**
   * The pending requests of a server, and of those of its channels that the actor may know of; for those who only may switch
   * raid mode, those that it holds.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED
   */
  async pending(actor: Actor, idOrSlug: string): Promise<JoinRequestRecord[]> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireDecider(membership.rights);
    const channelIds = await askedChannels(this.deps.database.rows, id, actor.userId);
    let pending = pendingRequests(this.deps.database.db, id).where((row) => {
      const known = channelIds.length > 0 ? [row('j.channelId', 'in', channelIds)] : [];
      return row.or([row('j.channelId', 'is', null), ...known]);
    });
    if (!may(membership.rights, 'join-request:decide')) pending = pending.where('j.held', '=', true);
    const found = await pending.limit(listed).execute();
    return found.map(pendingRecord);
  }

  /**
   * Approves or rejects a request; an approved user is a member before this returns. Of a channel those decide who also may
   * know of it, and let others into it; nobody decides about themselves.
   * @throws AppError JOIN_REQUEST_NOT_FOUND, JOIN_REQUEST_DECIDED, ROLE_REQUIRED, TIMED_OUT, FORBIDDEN for one's own
   */
  async decide(
    actor: Actor,
    requestId: string,
    status: 'approved' | 'rejected',
    of: 'server' | 'channel',
  ): Promise<JoinRequestRecord> {
    return this.deps.changes.run(async (change) => {
      const request = await held(change, requestId);
      const membership = request && (await this.deps.serverAccess.membership(request.serverId, actor.userId));
      requireNoTimeout(membership?.rights);
      // Only those who decide learn who asks.
      const channel = request?.channelId ? await this.seen(actor, request.channelId) : null;
      const decides = request && channel !== undefined && decidesAbout(membership?.rights, request);
      const isOwn = request?.userId === actor.userId;
      if (!request || !(decides || isOwn) || !request.channelId !== (of === 'server')) {
        throw new AppError('JOIN_REQUEST_NOT_FOUND');
      }
      if (!decides) requirePermission(membership?.rights, 'join-request:decide');
      if (isOwn) throw new AppError('FORBIDDEN', { message: 'Nobody decides about their own request.' });
      if (channel) requirePermission(channel.rights, 'channel:add-member');
      await requireStranger(change.rows, actor, request.userId);
      if (request.status !== 'pending') throw new AppError('JOIN_REQUEST_DECIDED');
      // Precedes the admission, which would settle open requests and announce that too.
      change.em.assign(request, { status, decidedBy: actor.userId, updatedAt: dateNow() });
      await change.em.flush();
      if (status === 'approved') await this.letIn(change, request, actor);
      await this.deps.notifications.settle(change, request.serverId);
      const { serverId, channelId, userId } = request;
      const action = status === 'approved' ? joinRequestApprove : joinRequestReject;
      change.audit(action, { actor, serverId, channelId, target: { kind: 'user', id: userId } });
      return publishDecided(change, request);
    });
  }

  private async letIn(change: Change, request: JoinRequest, actor: Actor): Promise<void> {
    const { serverId, channelId, userId } = request;
    if (channelId) {
      await this.deps.channelMembers.admit(
        change,
        await this.deps.channelAccess.find(channelId),
        serverId,
        userId,
        actor,
      );
      return;
    }
    if (await isIn(change.em, serverId, userId)) return;
    const user = await anyUserById(change.rows, userId);
    const brought = request.inviteId ? await linkAndMaker(change.rows, request.inviteId) : undefined;
    await this.deps.roster.add(change, user, serverId, 'member', actor.userId, brought);
  }

  /** A channel that the actor may know of. */
  private seen(actor: Actor, channelId: string): Promise<SeenChannel | undefined> {
    return this.deps.channelAccess.visible(actor, channelId).catch(ifMissing);
  }

  /**
   * A channel that someone may ask to join: they must be a person in its server, and not be kept from knowing of it.
   * @throws AppError CHANNEL_NOT_FOUND
   */
  private async askable(actor: Actor, channelId: string): Promise<ChannelInfo & { serverId: string }> {
    const channel = await this.deps.channelAccess.find(channelId);
    const { serverId } = channel;
    const membership = serverId === null ? undefined : await this.deps.serverAccess.membership(serverId, actor.userId);
    if (serverId === null || !membership || actor.user.isBot) throw new AppError('CHANNEL_NOT_FOUND');
    const isKeptOut = viewByOverrides(membership.rights, channel, actor.userId) === false;
    if (isKeptOut && !(await this.seen(actor, channelId))) throw new AppError('CHANNEL_NOT_FOUND');
    return { ...channel, serverId };
  }

  private async ask(
    change: Change,
    actor: Actor,
    serverId: string,
    channelId: string | null,
    entry: Entry = asked,
  ): Promise<{ status: Status; requestId: string }> {
    const { em } = change;
    const own = { userId: actor.userId, serverId, channelId };
    const earlier = await em.findOne(JoinRequest, own, forUpdate);
    if (earlier?.status === 'pending') return { status: 'pending', requestId: earlier.id };
    if (earlier) em.assign(earlier, { status: 'pending', updatedAt: dateNow(), decidedBy: null, ...entry });
    const request = earlier ?? em.create(JoinRequest, { id: newId(), ...own, status: 'pending', ...entry });
    await em.flush();
    const record = requestRecord(request, smallUser(actor.user));
    for (const userId of (await decidersOf(change.rows, serverId, [request]))(request)) {
      change.publish(joinRequestCreated.in(userRoom(userId), { request: record }));
    }
    // Of held joins the beginning of the raid is notified once.
    if (entry.held) return { status: 'pending', requestId: request.id };
    const kind = channelId === null ? ('server.join_request' as const) : ('channel.join_request' as const);
    const reference = { type: 'join_request', id: request.id };
    const place = { serverId, ...(channelId === null ? {} : { channelId }) };
    await this.deps.notifications.add(change, { kind, to: 'admins', senderId: actor.userId, ...place, reference });
    return { status: 'pending', requestId: request.id };
  }

  private async ownRequest(actor: Actor, serverId: string, channelId: string | null) {
    const own = { userId: actor.userId, serverId, channelId };
    const request = await this.deps.database.read((em) => em.findOne(JoinRequest, own));
    return request ? { joinRequestStatus: request.status, joinRequestId: request.id } : noRequest;
  }
}

/** How a request came about. */
interface Entry {
  /** Raid mode holds a join. */
  held: boolean;
  inviteId: string | null;
}

const asked: Entry = { held: false, inviteId: null };

const decidesAbout = (rights: Rights | undefined, { held }: JoinRequest): boolean =>
  may(rights, 'join-request:decide') || (held && may(rights, 'server:raid'));

/** Admins decide about all requests, moderators about those that raid mode holds. @throws AppError ROLE_REQUIRED */
export function requireDecider(rights: Rights): void {
  if (!may(rights, 'server:raid')) requirePermission(rights, 'join-request:decide');
}

/** A request, locked after the one who asks: asking, joining and leaving lock in this order too. */
async function held(change: Change, requestId: string): Promise<JoinRequest | null> {
  const seen = await change.em.findOne(JoinRequest, requestId);
  if (!seen) return null;
  if (seen.channelId) await findMember(change.rows, seen.channelId, seen.serverId, seen.userId);
  else await lockUser(change.rows, seen.userId);
  return change.em.findOne(JoinRequest, requestId, forUpdate);
}

async function isIn(em: EntityManager, serverId: string, userId: string): Promise<boolean> {
  return (await em.count(ServerMember, { serverId, userId })) > 0;
}

/** How many pending requests are listed. */
const listed = 200;
const noRequest = { joinRequestStatus: null, joinRequestId: null };
