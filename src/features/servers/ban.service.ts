import { MAX } from 'uuid';
import type { z } from 'zod';
import { lockUser, userById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { type banMemberSchema, type listBansSchema, memberBanned, memberUnbanned } from '../../contract/ban.ts';
import { AppError } from '../../contract/errors.ts';
import { requireRole, requireToOutrank } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor, invalid } from '../../contract/schema/validation.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import { type BanRecord, banRecord, moderators, readBan, readBans } from '../members/ban.table.ts';
import { forgetRequests } from '../members/join-request.table.ts';
import { lockMembers, type Roster } from '../members/roster.ts';
import type { InviteCodes } from './invite-code.ts';

const withdraw = 'DELETE FROM server_bans WHERE server_id = $1 AND user_id = $2 RETURNING id';
/** An end that has passed on PostgreSQL's clock bans nobody. */
const insert = `INSERT INTO server_bans (id, server_id, user_id, banned_by, reason, until, created_at)
  SELECT $1, $2, $3, $4, $5, $6::timestamptz, now() WHERE coalesce($6::timestamptz > clock_timestamp(), true) RETURNING id`;

/** Bot $1 is of user $2, or of the same owner. */
const isTheirs = `SELECT FROM agents a WHERE a.user_id = $1
  AND (a.owner_id = $2 OR a.owner_id = (SELECT owner_id FROM agents WHERE user_id = $2))`;

type BanInput = z.output<typeof banMemberSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications'> {
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
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, USER_NOT_FOUND, VALIDATION_FAILED for a past end
   */
  async ban(actor: Actor, idOrSlug: string, input: BanInput): Promise<BanRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireRole(membership.role, 'member:ban');
    const { userId } = input;
    return this.deps.changes.run(async (change) => {
      const user = await userById(change.rows, userId);
      // Join requests and admissions lock in this order too.
      await lockUser(change.rows, userId);
      const locked = await lockMembers(change.rows, id, [actor.userId, userId]);
      const mine = locked.get(actor.userId);
      const theirs = locked.get(userId);
      if (!mine) throw new AppError('NOT_A_MEMBER');
      requireRole(mine, 'member:ban');
      if (theirs) requireToOutrank(mine, theirs);
      await this.write(change, id, actor, input);
      if (theirs) await this.deps.roster.remove(change, id, userId);
      else await this.keepOut(change, id, userId);
      if (theirs) await this.deps.inviteCodes.renewAfterRemoval(change, id, user);
      if (theirs && !user.isBot) {
        const reference = { type: 'server', id };
        const notice = { to: [userId], senderId: actor.userId, serverId: id, reference };
        await this.deps.notifications.add(change, { kind: 'server.banned', ...notice });
      }
      const ban = await readBan(change.rows, id, userId);
      for (const moderator of await moderators(change.rows, id)) {
        change.publish(memberBanned.in(userRoom(moderator), { serverId: id, ban }));
      }
      return ban;
    });
  }

  /** The bans that count, newest first. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, INVALID_CURSOR */
  async list(actor: Actor, idOrSlug: string, query: z.output<typeof listBansSchema>): Promise<ListPage<BanRecord>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireRole(membership.role, 'member:ban');
    const rows = await readBans(this.deps.database.rows, id, idCursor(query.cursor) ?? MAX, query.limit + 1);
    return listPage(rows, query.limit, banRecord);
  }

  /** Lifts a ban. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, BAN_NOT_FOUND, FORBIDDEN for their bots */
  async lift(actor: Actor, idOrSlug: string, userId: string): Promise<void> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireRole(membership.role, 'member:ban');
    if (actor.user.isBot) await requireStranger(this.deps.database.rows, actor, userId);
    await this.deps.changes.run(async (change) => {
      const withdrawn = await change.rows(withdraw, [id, userId]);
      if (withdrawn.length === 0) throw new AppError('BAN_NOT_FOUND');
      for (const moderator of await moderators(change.rows, id)) {
        change.publish(memberUnbanned.in(userRoom(moderator), { serverId: id, userId }));
      }
    });
  }

  private async write(change: Change, serverId: string, actor: Actor, input: BanInput): Promise<void> {
    const { userId, reason, until } = input;
    await change.rows(withdraw, [serverId, userId]);
    const values = [newId(), serverId, userId, actor.userId, reason || null, until ?? null];
    const added = await change.rows(insert, values);
    if (added.length === 0) throw invalid([{ path: 'until', message: 'must be in the future', code: 'too_small' }]);
  }

  /** A non-member may have a pending join request, or a bot here that an older version has left. */
  private async keepOut(change: Change, serverId: string, userId: string): Promise<void> {
    await forgetRequests(change, { serverId, channelId: null }, userId);
    await this.deps.notifications.settle(change, serverId);
    await this.deps.roster.removeBotsOf(change, serverId, userId);
  }
}

/** A bot that the server keeps may not lift the ban of its owner or of their other bots. @throws AppError FORBIDDEN */
async function requireStranger(rows: Rows, actor: Actor, userId: string): Promise<void> {
  if ((await rows(isTheirs, [actor.userId, userId])).length === 0) return;
  throw new AppError('FORBIDDEN', { message: 'A bot does not lift the ban of its owner.' });
}
