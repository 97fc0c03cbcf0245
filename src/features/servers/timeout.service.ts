import type { z } from 'zod';
import { userById } from '../../access/user.table.ts';
import type { Chore } from '../../cluster/chores.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { memberTimeout, memberTimeoutEnd } from '../../contract/moderation-actions.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { requirePermission, requireToOutrank } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import { maxTimeoutSeconds, memberTimedOut, type timeOutSchema } from '../../contract/timeout.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock } from '../../infrastructure/clock.ts';
import { smallUser } from '../accounts/account.view.ts';
import { requireStranger } from '../accounts/responsible.table.ts';
import type { Context } from '../context.ts';
import { holdersOf } from '../members/audience.table.ts';
import { readMember } from '../members/member.table.ts';
import { lockMembers } from '../members/roster.ts';
import { type MemberRecord, memberRecord } from '../members/server.view.ts';
import { deleteEnded, putTimeout } from '../members/timeout.table.ts';
import { forgetTimeout, liftTimeout } from '../members/timeouts.ts';
import { lockBoth } from './member.service.ts';

type Input = z.output<typeof timeOutSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications'> {
  statuses: StatusReader;
}

/** Members who may express nothing for a while (contract §5). */
export class TimeoutService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Times a member out: once this returns, no node lets them or their bots express anything in the server until then. A
   * second timeout replaces the first.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, MEMBER_NOT_FOUND, ROLE_REQUIRED, VALIDATION_FAILED for an end that is
   *   past or too far away, FORBIDDEN for a bot of theirs
   */
  async timeOut(actor: Actor, idOrSlug: string, userId: string, input: Input): Promise<MemberRecord> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:timeout');
    return this.deps.changes.run((change) => this.timeOutIn(change, actor, serverId, userId, input));
  }

  /** The same as a part of a change. @throws AppError like `timeOut` */
  async timeOutIn(change: Change, actor: Actor, serverId: string, userId: string, input: Input): Promise<MemberRecord> {
    const until = endOf(input);
    const reason = input.reason || null;
    const { mine, theirs } = await lockBoth(change, serverId, actor.userId, userId);
    requirePermission(mine.rights, 'member:timeout');
    requireToOutrank(mine.rights, theirs.rights);
    // It would replace a timeout that others gave.
    await requireStranger(change.rows, actor, userId);
    await putTimeout(change.rows, { serverId, userId, by: actor.userId }, { until, reason });
    await forgetTimeout(change, this.deps.serverAccess, serverId, userId);
    await this.tell(change, actor, { serverId, userId, until, reason });
    const target = { kind: 'user', id: userId } as const;
    change.audit(memberTimeout, { actor, serverId, target, after: { until }, reason });
    const user = await userById(change.rows, userId);
    if (!user.isBot) {
      const reference = { type: 'server', id: serverId };
      const notice = { to: [userId], senderId: actor.userId, serverId, reference };
      await this.deps.notifications.add(change, { kind: 'server.timed_out', ...notice });
    }
    const row = await readMember(change.rows, serverId, userId);
    if (!row) throw new AppError('MEMBER_NOT_FOUND');
    return memberRecord(row, this.deps.statuses, { userId: actor.userId, rights: mine.rights });
  }

  /**
   * Ends a timeout, also of someone who has left. Without one nothing changes.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, MEMBER_NOT_FOUND for who is neither here nor timed out, ROLE_REQUIRED,
   *   FORBIDDEN for a bot of theirs
   */
  async end(actor: Actor, idOrSlug: string, userId: string): Promise<void> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:timeout');
    await requireStranger(this.deps.database.rows, actor, userId);
    await this.deps.changes.run(async (change) => {
      const locked = await lockMembers(change, serverId, [actor.userId, userId]);
      const mine = locked.get(actor.userId);
      const theirs = locked.get(userId);
      if (!mine) throw new AppError('NOT_A_MEMBER');
      requirePermission(mine.rights, 'member:timeout');
      if (theirs) requireToOutrank(mine.rights, theirs.rights);
      const wasHeld = await liftTimeout(change, this.deps.serverAccess, serverId, userId);
      if (!wasHeld && !theirs) throw new AppError('MEMBER_NOT_FOUND');
      if (!wasHeld) return;
      await this.tell(change, actor, { serverId, userId, until: null, reason: null });
      change.audit(memberTimeoutEnd, { actor, serverId, target: { kind: 'user', id: userId } });
    });
  }

  private async tell(
    change: Change,
    actor: Actor,
    timeout: { serverId: string; userId: string; until: Date | null; reason: string | null },
  ): Promise<void> {
    const told = { ...timeout, until: isoTimeOrNull(timeout.until), by: smallUser(actor.user) };
    const moderators = await holdersOf(change.rows, timeout.serverId, 'member:timeout');
    for (const userId of new Set([timeout.userId, ...moderators])) {
      change.publish(memberTimedOut.in(userRoom(userId), told));
    }
  }
}

/** Timeouts that have ended hold nobody any more; their rows go in the background. */
export const forgetTimeouts: Chore = { name: 'forget timeouts that have ended', step: deleteEnded };

/** @throws AppError VALIDATION_FAILED */
function endOf({ until, seconds = 0 }: Input): Date {
  const now = clock.now();
  const at = until === undefined ? now + seconds * 1000 : Date.parse(until);
  if (at <= now) throw invalid([{ path: 'until', message: 'must be in the future', code: 'too_small' }]);
  // What is asked for in whole seconds may have been counted by a clock that is a little ahead.
  if (at > now + (maxTimeoutSeconds + 60) * 1000) {
    throw invalid([{ path: 'until', message: 'must be at most 28 days away', code: 'too_big' }]);
  }
  return new Date(at);
}
