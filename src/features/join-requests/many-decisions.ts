import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { decidedAtOnce, type decidedSchema, type decideManySchema } from '../../contract/join-request.ts';
import { may } from '../../contract/roles.ts';
import type { Context } from '../context.ts';
import { type JoinRequestService, requireDecider } from './join-request.service.ts';

type Many = z.output<typeof decideManySchema>;

interface Deps extends Pick<Context, 'database' | 'serverAccess'> {
  joinRequests: JoinRequestService;
}

/** Deciding about many join requests, such as those that raid mode has held (contract §5, Raid mode). */
export class ManyDecisions {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Approves or rejects some requests to join a server, each in a change of its own, so that nobody waits for all of them.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED
   */
  async decide(actor: Actor, idOrSlug: string, input: Many): Promise<z.output<typeof decidedSchema>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireDecider(membership.rights);
    const onlyHeld = input.held === true || !may(membership.rights, 'join-request:decide');
    const found = await this.pending(id, input.requestIds ?? null, onlyHeld);
    const decided: string[] = [];
    const failed: z.output<typeof decidedSchema>['failed'] = [];
    const missing = new AppError('JOIN_REQUEST_NOT_FOUND');
    for (const requestId of input.requestIds ?? []) {
      if (!found.includes(requestId)) failed.push({ requestId, code: missing.code, error: missing.message });
    }
    for (const requestId of found.slice(0, decidedAtOnce)) {
      try {
        await this.deps.joinRequests.decide(actor, requestId, input.status, 'server');
        decided.push(requestId);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        failed.push({ requestId, code: error.code, error: error.message });
      }
    }
    return { decided, failed, hasMore: found.length > decidedAtOnce };
  }

  /** The oldest first, one more than is decided at once. */
  private async pending(serverId: string, ids: string[] | null, onlyHeld: boolean): Promise<string[]> {
    let query = this.deps.database.db
      .selectFrom('JoinRequest')
      .where('serverId', '=', serverId)
      .where('channelId', 'is', null)
      .where('status', '=', 'pending');
    if (ids) query = query.where('id', 'in', ids);
    if (onlyHeld) query = query.where('held', '=', true);
    const found = await query
      .orderBy('id')
      .limit(decidedAtOnce + 1)
      .select('id')
      .execute();
    return found.map(({ id }) => id);
  }
}
