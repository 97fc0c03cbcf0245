import type { z } from 'zod';
import { anyUserById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { memberErasureSchema } from '../../contract/member-erasure.ts';
import { memberDeleteMessages } from '../../contract/moderation-actions.ts';
import { requirePermission, requireToOutrank } from '../../contract/roles.ts';
import { eraseLastHours, hoursAgo } from '../../jobs/member-erasure.ts';
import type { Context } from '../context.ts';
import { lockMembers } from '../members/roster.ts';
import { estimateOf } from './member-erasure.table.ts';

type Deps = Pick<Context, 'changes' | 'jobs' | 'serverAccess'>;

/** The deletion of what someone wrote in the last hours (contract §5). */
export class MemberErasureService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Deletes somebody's messages of the last hours in a server in the background. What they write from now on stays.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, USER_NOT_FOUND
   */
  async erase(
    actor: Actor,
    idOrSlug: string,
    userId: string,
    hours: number,
  ): Promise<z.input<typeof memberErasureSchema>> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:delete-messages');
    return this.deps.changes.run(async (change) => {
      // What someone wrote may be left of an account that is gone.
      await anyUserById(change.rows, userId);
      const locked = await lockMembers(change, serverId, [actor.userId, userId]);
      const mine = locked.get(actor.userId);
      const theirs = locked.get(userId);
      if (!mine) throw new AppError('NOT_A_MEMBER');
      requirePermission(mine.rights, 'member:delete-messages');
      if (theirs && theirs !== mine) requireToOutrank(mine.rights, theirs.rights);
      await eraseLastHours(change, this.deps.jobs, { serverId, userId, hours });
      const target = { kind: 'user', id: userId } as const;
      change.audit(memberDeleteMessages, { actor, serverId, target, after: { hours } });
      return { estimate: await estimateOf(change.rows, serverId, userId, hoursAgo(hours)) };
    });
  }
}
