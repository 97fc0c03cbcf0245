import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { removedAtOnce, type removedSchema, type removeRaidSchema } from '../../contract/raid.ts';
import { requirePermission } from '../../contract/roles.ts';
import type { Context } from '../context.ts';
import { readLetIn } from '../members/member.table.ts';
import type { InviteCodes } from './invite-code.ts';
import type { MemberService } from './member.service.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  members: MemberService;
  inviteCodes: InviteCodes;
}

/** Removing those who got in before raid mode was on (contract §5, Raid mode). */
export class RaidRemoval {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Kicks some members, each in a change of its own, so that nobody waits for all of them. Then there is one new invite
   * code, if the operator enabled that.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED
   */
  async remove(
    actor: Actor,
    idOrSlug: string,
    { userIds }: z.output<typeof removeRaidSchema>,
  ): Promise<z.output<typeof removedSchema>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'member:kick');
    const letIn = userIds ?? (await this.letIn(id));
    const removed: string[] = [];
    const failed: z.output<typeof removedSchema>['failed'] = [];
    for (const userId of letIn.slice(0, removedAtOnce)) {
      try {
        await this.deps.members.removeOther(actor, id, userId);
        removed.push(userId);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        failed.push({ userId, code: error.code, error: error.message });
      }
    }
    if (removed.length > 0) {
      await this.deps.changes.run((change) => this.deps.inviteCodes.renewAfterRemoval(change, id, { isBot: false }));
    }
    return { removed, failed, hasMore: letIn.length > removedAtOnce };
  }

  private async letIn(serverId: string): Promise<string[]> {
    const rows = await readLetIn(this.deps.database.rows, serverId, removedAtOnce + 1);
    return rows.map(({ user_id }) => user_id);
  }
}
