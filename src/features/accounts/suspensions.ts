import type { Context } from '../context.ts';
import type { AgentIdentity } from './agent.identity.ts';
import type { Goodbyes } from './disconnect.service.ts';
import { userCache } from './identity.ts';

/** The name under which nodes without Redis learn whose sockets to close (see the migration 0071-account-standing). */
export const suspensionSignal = 'suspensions';

const suspend = `UPDATE users SET suspended_at = coalesce(suspended_at, now()), suspension_reason = $2, updated_at = now()
  WHERE id = $1 RETURNING id`;
const unsuspend = `UPDATE users SET suspended_at = NULL, suspension_reason = NULL, updated_at = now()
  WHERE id = $1 AND suspended_at IS NOT NULL RETURNING id`;
const botsOf = 'SELECT user_id AS id FROM agents WHERE owner_id = $1 ORDER BY id';

interface Deps extends Pick<Context, 'changes' | 'caches' | 'control'> {
  agentIdentity: Pick<AgentIdentity, 'forget'>;
  presence: Goodbyes;
}

/**
 * Suspends accounts (contract §3): a suspension ends no credentials, but while it lasts all of them are refused, those
 * of the account's bots too.
 */
export class Suspensions {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Repeated, it replaces the reason. */
  async suspend(userId: string, reason: string | null): Promise<void> {
    await this.deps.changes.run(async (change) => {
      await change.rows(suspend, [userId, reason]);
      const bots = await change.rows<{ id: string }>(botsOf, [userId]);
      const everyone = [userId, ...bots.map(({ id }) => id)];
      change.afterCommit(async () => {
        // In this order on each node: first they are refused, then their sockets are closed.
        const forgotten = this.forget(userId, bots);
        const cut = everyone.map((id) => this.deps.control.send({ kind: 'disconnect', userId: id, event: null }));
        await Promise.all([forgotten, ...cut]);
        await Promise.all(everyone.map((id) => this.deps.presence.goodbye(id)));
      });
    });
  }

  /** @returns whether the account was suspended */
  async end(userId: string): Promise<boolean> {
    return this.deps.changes.run(async (change) => {
      const ended = await change.rows(unsuspend, [userId]);
      const bots = await change.rows<{ id: string }>(botsOf, [userId]);
      change.afterCommit(() => this.forget(userId, bots));
      return ended.length > 0;
    });
  }

  private async forget(userId: string, bots: { id: string }[]): Promise<void> {
    await Promise.all([
      this.deps.caches.forget(userCache, [userId]),
      ...bots.map(({ id }) => this.deps.agentIdentity.forget(id)),
    ]);
  }
}
