import { randomBytes } from 'node:crypto';
import { MAX, NIL } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { inviteCreate, inviteDelete } from '../../contract/invite-actions.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { may, requireNoTimeout, requirePermission } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor, invalid } from '../../contract/schema/validation.ts';
import {
  type createServerInviteSchema,
  inviteCreated,
  inviteDeleted,
  type listServerInvitesSchema,
} from '../../contract/server-invite.ts';
import { ServerInvite } from '../../database/entities/server-invite.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { readBrought } from '../members/member.table.ts';
import { type LockedMember, lockMembers } from '../members/roster.ts';
import { broughtRecord, type MemberRecord } from '../members/server.view.ts';
import {
  countLinks,
  dropOldestLinks,
  endLink,
  endLinksBy,
  managersOf,
  readLink,
  readLinks,
} from './server-invite.table.ts';
import { type ServerInviteRecord, type ServerInviteRow, serverInviteRecord } from './server-invite.view.ts';

type NewInvite = z.output<typeof createServerInviteSchema>;
type ListQuery = z.output<typeof listServerInvitesSchema>;
type PageQuery = Pick<ListQuery, 'limit' | 'cursor'>;

/** How many open links a server has, and how many someone who does not manage them. */
const maxOpen = 100;
const maxOwn = 10;
/** Ten years, as of `expiresIn`. */
const longestMs = 10 * 366 * 24 * 60 * 60 * 1000;
/** At most this many links are announced that end at once; later lists show all as ended. */
const toldAtOnce = 20;

/** Longer than the one code of a server, so that no link has one of those. */
const newLinkCode = (): string => randomBytes(12).toString('base64url');

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'channelAccess'> {
  statuses: StatusReader;
}

/** The invite links of servers (contract §5, Invite links). */
export class ServerInviteService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, CHANNEL_NOT_FOUND, SERVER_INVITE_LIMIT,
   * VALIDATION_FAILED for a past end, FORBIDDEN for bots, INSUFFICIENT_PAT_SCOPE
   */
  async create(actor: Actor, idOrSlug: string, input: NewInvite): Promise<ServerInviteRecord> {
    requireNoBot(actor);
    ownSession(actor);
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'invite:create');
    const { maxUses = null, channelId = null } = input;
    if (channelId) await this.requireSeen(actor, serverId, channelId);
    const expiresAt = endOf(input);
    return this.deps.changes.run(async (change) => {
      const mine = (await lockMembers(change, serverId, [actor.userId])).get(actor.userId);
      if (!mine) throw new AppError('NOT_A_MEMBER');
      requirePermission(mine.rights, 'invite:create');
      await requireRoom(change, mine);
      const id = newId();
      const limits = { maxUses, channelId, expiresAt, overAt: expiresAt };
      change.em.create(ServerInvite, { id, serverId, code: newLinkCode(), createdBy: actor.userId, ...limits });
      await change.em.flush();
      change.audit(inviteCreate, { actor, serverId, target: { kind: 'invite', id }, after: limits });
      await dropOldestLinks(change.rows, serverId);
      const row = await readLink(change.rows, serverId, id);
      if (!row) throw new AppError('SERVER_INVITE_NOT_FOUND');
      for (const userId of await audienceOf(change, serverId, actor.userId)) {
        const invite = serverInviteRecord(row, userId);
        change.publish(inviteCreated.in(userRoom(userId), { serverId, invite }));
      }
      return serverInviteRecord(row, actor.userId);
    });
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, INVALID_CURSOR, FORBIDDEN for bots */
  async list(actor: Actor, idOrSlug: string, query: ListQuery): Promise<ListPage<ServerInviteRecord>> {
    requireNoBot(actor);
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    const maker = may(membership.rights, 'invite:manage') ? null : actor.userId;
    const before = idCursor(query.cursor) ?? MAX;
    const some = { maker, onlyOpen: query.open === 'true', before, limit: query.limit + 1 };
    const rows = await readLinks(this.deps.database.rows, id, some);
    return listPage(rows, query.limit, (row) => serverInviteRecord(row, actor.userId));
  }

  /**
   * The members who joined with a link, by id.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, SERVER_INVITE_NOT_FOUND, INVALID_CURSOR, FORBIDDEN for bots
   */
  async members(actor: Actor, idOrSlug: string, inviteId: string, query: PageQuery): Promise<ListPage<MemberRecord>> {
    const link = await this.known(actor, idOrSlug, inviteId);
    const after = idCursor(query.cursor) ?? NIL;
    const rows = await readBrought(this.deps.database.rows, link.id, after, query.limit + 1);
    return listPage(rows, query.limit, (row) => broughtRecord(row, this.deps.statuses));
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, SERVER_INVITE_NOT_FOUND also if it was revoked before, FORBIDDEN for bots */
  async revoke(actor: Actor, idOrSlug: string, inviteId: string): Promise<void> {
    const { server_id: serverId, created_by: maker } = await this.known(actor, idOrSlug, inviteId);
    await this.deps.changes.run(async (change) => {
      const isEnded = await endLink(change.rows, serverId, inviteId, actor.userId);
      if (!isEnded) throw new AppError('SERVER_INVITE_NOT_FOUND');
      const target = { kind: 'invite', id: inviteId } as const;
      change.audit(inviteDelete, { actor, serverId, target, before: { createdBy: maker } });
      await publishDeleted(change, serverId, maker, [inviteId]);
    });
  }

  /** A link of the actor's, or any for those who manage them. @throws AppError SERVER_INVITE_NOT_FOUND, TIMED_OUT */
  private async known(actor: Actor, idOrSlug: string, inviteId: string): Promise<ServerInviteRow> {
    requireNoBot(actor);
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    const link = await readLink(this.deps.database.rows, id, inviteId);
    const isTheirs = link?.created_by === actor.userId || may(membership.rights, 'invite:manage');
    if (link && isTheirs) return link;
    // Of someone who is timed out this would tell another reason.
    requireNoTimeout(membership.rights);
    throw new AppError('SERVER_INVITE_NOT_FOUND');
  }

  private async requireSeen(actor: Actor, serverId: string, channelId: string): Promise<void> {
    const channel = await this.deps.channelAccess.visible(actor, channelId);
    if (channel.serverId !== serverId) throw new AppError('CHANNEL_NOT_FOUND');
  }
}

/**
 * Ends what someone made who is removed from a server: whoever got such a link from them does not come in any more. Call it
 * with the server locked. @param by who removes them
 */
export async function endLinksOf(change: Change, serverId: string, userId: string, by: string): Promise<void> {
  const ended = await endLinksBy(change.rows, serverId, userId, by);
  await publishDeleted(change, serverId, null, ended.slice(0, toldAtOnce));
}

/** Those who are told of a link. */
export async function audienceOf(change: Change, serverId: string, maker: string | null): Promise<string[]> {
  const managers = await managersOf(change.rows, serverId);
  return maker === null || managers.includes(maker) ? managers : [...managers, maker];
}

async function publishDeleted(change: Change, serverId: string, maker: string | null, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const userId of await audienceOf(change, serverId, maker)) {
    for (const inviteId of ids) change.publish(inviteDeleted.in(userRoom(userId), { serverId, inviteId }));
  }
}

/** With the server locked, so that two at once cannot both be the last. @throws AppError SERVER_INVITE_LIMIT */
async function requireRoom(change: Change, { member, rights }: LockedMember): Promise<void> {
  const open = await countLinks(change.rows, member.serverId, member.userId);
  const isOverOwn = open.own >= maxOwn && !may(rights, 'invite:manage');
  if (isOverOwn)
    throw new AppError('SERVER_INVITE_LIMIT', { message: 'You have too many open links here; delete some.' });
  if (open.all >= maxOpen) throw new AppError('SERVER_INVITE_LIMIT');
}

/** When a new link ends; null: never. @throws AppError VALIDATION_FAILED */
function endOf({ expiresIn, expiresAt }: NewInvite): Date | null {
  if (expiresIn !== undefined) return new Date(clock.now() + expiresIn * 1000);
  if (expiresAt === undefined) return null;
  const end = new Date(expiresAt);
  if (end.getTime() > clock.now() && end.getTime() <= clock.now() + longestMs) return end;
  throw invalid([{ path: 'expiresAt', message: 'must be in the future, within ten years', code: 'custom' }]);
}

/** Bots see no invite codes, and make none. @throws AppError FORBIDDEN */
function requireNoBot(actor: Actor): void {
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have nothing to do with invite links.' });
}
