import { MAX } from 'uuid';
import type { z } from 'zod';
import { lockUser, userById } from '../../access/user.table.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import {
  type banMemberSchema,
  type listBansSchema,
  memberBan,
  memberBanned,
  memberUnban,
  memberUnbanned,
} from '../../contract/ban.ts';
import { AppError } from '../../contract/errors.ts';
import { requirePermission, requireToOutrank } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor, invalid } from '../../contract/schema/validation.ts';
import { ServerBan } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { eraseLastHours } from '../../jobs/member-erasure.ts';
import { smallUser, smallUserColumns } from '../accounts/account.view.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { Context } from '../context.ts';
import { holdersOf } from '../members/audience.table.ts';
import { currentBans } from '../members/ban.table.ts';
import { type BanRecord, banRecord } from '../members/ban.view.ts';
import { forgetRequests } from '../members/join-requests.ts';
import { lockMembers, type Roster } from '../members/roster.ts';
import { liftTimeout } from '../members/timeouts.ts';
import { endLinksOf } from '../server-invites/server-invite.service.ts';
import type { InviteCodes } from './invite-code.ts';

type BanInput = z.output<typeof banMemberSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'jobs' | 'serverAccess' | 'notifications'> {
  roster: Roster;
  inviteCodes: InviteCodes;
}

/** Who may not enter a server (contract §5). */
export class BanService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Bans someone, member or not: they and their bots are out on all nodes before the response, and cannot get in again
   * in any way. A second ban replaces the first.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, USER_NOT_FOUND, VALIDATION_FAILED for a past end,
   *   FORBIDDEN for their bots
   */
  async ban(actor: Actor, idOrSlug: string, input: BanInput): Promise<BanRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:ban');
    return this.deps.changes.run((change) => this.banIn(change, actor, id, input));
  }

  /** The same as a part of a change. @throws AppError NOT_A_MEMBER, ROLE_REQUIRED, USER_NOT_FOUND, VALIDATION_FAILED, FORBIDDEN */
  async banIn(change: Change, actor: Actor, id: string, input: BanInput): Promise<BanRecord> {
    const { userId, deleteMessageHours: hours } = input;
    const user = await userById(change.rows, userId);
    // Join requests and admissions lock in this order too.
    await lockUser(change.rows, userId);
    const locked = await lockMembers(change, id, [actor.userId, userId]);
    const mine = locked.get(actor.userId)?.rights;
    const theirs = locked.get(userId)?.rights;
    if (!mine) throw new AppError('NOT_A_MEMBER');
    requirePermission(mine, 'member:ban');
    // It would replace a ban that others made.
    await requireStranger(change.rows, actor, userId);
    if (hours !== undefined) requirePermission(mine, 'member:delete-messages');
    if (theirs) requireToOutrank(mine, theirs);
    const ban = await write(change, id, actor, input);
    // It holds more than a timeout, and none is left when it ends.
    await liftTimeout(change, this.deps.serverAccess, id, userId);
    if (hours !== undefined) await eraseLastHours(change, this.deps.jobs, { serverId: id, userId, hours });
    if (theirs) await this.deps.roster.remove(change, id, userId);
    else await this.keepOut(change, id, userId);
    await endLinksOf(change, id, userId, actor.userId);
    if (theirs) await this.deps.inviteCodes.renewAfterRemoval(change, id, user);
    if (theirs && !user.isBot) {
      const reference = { type: 'server', id };
      const notice = { to: [userId], senderId: actor.userId, serverId: id, reference };
      await this.deps.notifications.add(change, { kind: 'server.banned', ...notice });
    }
    const target = { kind: 'user', id: userId } as const;
    const after = { ...ban, deleteMessageHours: hours };
    change.audit(memberBan, { actor, serverId: id, target, after, reason: ban.reason });
    const record = banRecord(ban, user, smallUser(actor.user));
    for (const moderator of await holdersOf(change.rows, id, 'member:ban')) {
      change.publish(memberBanned.in(userRoom(moderator), { serverId: id, ban: record }));
    }
    return record;
  }

  /** The bans that count, newest first. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, INVALID_CURSOR */
  async list(actor: Actor, idOrSlug: string, query: z.output<typeof listBansSchema>): Promise<ListPage<BanRecord>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:ban');
    const bans = await currentBans(this.deps.database.db, id)
      .innerJoin('User as u', 'u.id', 'b.userId')
      .leftJoin('User as by', 'by.id', 'b.bannedBy')
      .where('b.id', '<', idCursor(query.cursor) ?? MAX)
      .orderBy('b.id', 'desc')
      .limit(query.limit + 1)
      .select([...smallUserColumns, 'b.id as banId', 'b.serverId', 'b.userId', 'b.bannedBy', 'b.reason', 'b.until'])
      .select(['b.createdAt', 'by.username as byUsername', 'by.displayName as byDisplayName'])
      .select(['by.avatarUrl as byAvatarUrl', 'by.isBot as byIsBot'])
      .execute();
    return listPage(bans, query.limit, (ban) => banRecord({ ...ban, id: ban.banId }, smallUser(ban), bannerOf(ban)));
  }

  /** Lifts a ban. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, BAN_NOT_FOUND, FORBIDDEN for their bots */
  async lift(actor: Actor, idOrSlug: string, userId: string): Promise<void> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:ban');
    await requireStranger(this.deps.database.rows, actor, userId);
    await this.deps.changes.run(async (change) => {
      const lifted = await change.em.nativeDelete(ServerBan, { serverId: id, userId });
      if (lifted === 0) throw new AppError('BAN_NOT_FOUND');
      change.audit(memberUnban, { actor, serverId: id, target: { kind: 'user', id: userId } });
      for (const moderator of await holdersOf(change.rows, id, 'member:ban')) {
        change.publish(memberUnbanned.in(userRoom(moderator), { serverId: id, userId }));
      }
    });
  }

  /** A non-member may have a pending join request, or a bot here that an older version has left. */
  private async keepOut(change: Change, serverId: string, userId: string): Promise<void> {
    await forgetRequests(change, { serverId, channelId: null }, userId);
    await this.deps.notifications.settle(change, serverId);
    await this.deps.roster.removeBotsOf(change, serverId, userId);
  }
}

/** Replaces the ban of someone. @throws AppError VALIDATION_FAILED for a past end */
async function write(change: Change, serverId: string, actor: Actor, input: BanInput): Promise<ServerBan> {
  const { userId, reason } = input;
  const until = input.until ? new Date(input.until) : null;
  if (until && until <= dateNow()) {
    throw invalid([{ path: 'until', message: 'must be in the future', code: 'too_small' }]);
  }
  await change.em.nativeDelete(ServerBan, { serverId, userId });
  const ids = { id: newId(), serverId, userId, bannedBy: actor.userId };
  const ban = change.em.create(ServerBan, { ...ids, reason: reason || null, until });
  await change.em.flush();
  return ban;
}

interface Banner {
  bannedBy?: string | null;
  byUsername: string | null;
  byDisplayName: string | null;
  byAvatarUrl?: string | null;
  byIsBot: boolean | null;
}

/** Who banned someone, if their account is still known. */
function bannerOf({ bannedBy, byUsername, byDisplayName, byAvatarUrl, byIsBot }: Banner): SmallUser | null {
  if (!bannedBy || byUsername === null || byDisplayName === null) return null;
  const names = { username: byUsername, displayName: byDisplayName };
  return { id: bannedBy, ...names, avatarUrl: byAvatarUrl ?? null, isBot: byIsBot ?? false };
}
