import { lockUser } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import { accountSuspend, accountUnsuspend } from '../../contract/operating.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { InstanceBan } from '../../database/entities/instance-ban.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Context } from '../context.ts';
import type { AgentIdentity } from './agent.identity.ts';
import type { Goodbyes } from './disconnect.service.ts';
import { userCache } from './identity.ts';

/** The name under which nodes without Redis learn whose sockets to close (see the migration 0071-account-standing). */
export const suspensionSignal = 'suspensions';

/** Why, and until when; null: until it is lifted. */
export interface Suspension {
  reason: string | null;
  until: Date | null;
}

interface Deps extends Pick<Context, 'caches' | 'control'> {
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

  /** Repeated, it replaces the reason and the end. @throws AppError FORBIDDEN for an operator, who is revoked first */
  async suspend(change: Change, by: Auditor, userId: string, { reason, until }: Suspension): Promise<void> {
    await this.shutOut(change, userId, { reason, until: await this.endFor(change, userId, until) });
    change.audit(accountSuspend, { ...onAccount(by, userId), after: { until }, reason });
  }

  /** A suspension ends no ban from the installation that lasts longer. */
  private async endFor({ em }: Change, userId: string, until: Date | null): Promise<Date | null> {
    const ban = await em.findOne(InstanceBan, { userId });
    if (!ban || until === null) return until;
    return ban.until && ban.until < until ? until : (ban.until ?? null);
  }

  /** A suspension as a part of something else, which is audited by its own name. @throws AppError like `suspend` */
  async shutOut(change: Change, userId: string, { reason, until }: Suspension): Promise<void> {
    const user = await this.hold(change, userId);
    if (user.isOperator)
      throw new AppError('FORBIDDEN', { message: 'An operator cannot be suspended; revoke it first.' });
    user.suspendedAt ??= dateNow();
    Object.assign(user, { suspensionReason: reason, suspendedUntil: until });
    await change.em.flush();
    const bots = await this.botsOf(change, userId);
    const everyone = [userId, ...bots];
    change.afterCommit(async () => {
      // In this order on each node: first they are refused, then their sockets are closed.
      const forgotten = this.forget(userId, bots);
      const cut = everyone.map((id) => this.deps.control.send({ kind: 'disconnect', userId: id, event: null }));
      await Promise.all([forgotten, ...cut]);
      await Promise.all(everyone.map((id) => this.deps.presence.goodbye(id)));
    });
  }

  /** Ends a ban from the installation too. @returns whether the account was suspended */
  async end(change: Change, by: Auditor, userId: string): Promise<boolean> {
    const was = await this.letIn(change, userId);
    if (was) change.audit(accountUnsuspend, onAccount(by, userId));
    return was;
  }

  /** The same as a part of something else. @returns whether the account was suspended */
  async letIn(change: Change, userId: string): Promise<boolean> {
    const user = await this.hold(change, userId);
    const wasSuspended = user.suspendedAt != null;
    Object.assign(user, { suspendedAt: null, suspensionReason: null, suspendedUntil: null });
    await change.em.flush();
    await change.em.nativeDelete(InstanceBan, { userId });
    const bots = await this.botsOf(change, userId);
    change.afterCommit(() => this.forget(userId, bots));
    return wasSuspended;
  }

  private async hold({ em, rows }: Change, userId: string): Promise<User> {
    await lockUser(rows, userId);
    return em.findOneOrFail(User, userId, { refresh: true });
  }

  private async botsOf({ em }: Change, userId: string): Promise<string[]> {
    const agents = await em.find(Agent, { ownerId: userId }, { orderBy: { id: 'asc' } });
    return agents.map((agent) => agent.userId);
  }

  private async forget(userId: string, bots: string[]): Promise<void> {
    await Promise.all([
      this.deps.caches.forget(userCache, [userId]),
      ...bots.map((id) => this.deps.agentIdentity.forget(id)),
    ]);
  }
}

/** What operators do to accounts is in the log of the installation. */
export const onAccount = (actor: Auditor, id: string) =>
  ({ actor, serverId: null, target: { kind: 'user', id } }) as const;
