import { AgentToken } from '../../database/entities/agent.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { holdOwned } from '../accounts/agent.access.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import type { Tokens } from '../accounts/tokens.ts';
import type { Context } from '../context.ts';

interface AgentToIssue {
  id: string;
  userId: string;
  ownerId: string;
}

interface Deps extends Pick<Context, 'control' | 'notifications' | 'settings'> {
  tokens: Tokens;
  agentIdentity: AgentIdentity;
}

/** The tokens that bots sign in with: a new one lets older ones run for ten more minutes (contract §4). */
export class AgentTokens {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * A new token of an agent: the JWT that its bot signs in with. Its owner is notified. A webhook is paused until the
   * owner confirms it: a holder of the older token may have set its address (contract §4).
   * @param madeBy the session of its owner
   * @throws AppError AGENT_NOT_FOUND if it was handed over meanwhile
   */
  async issue(change: Change, agent: AgentToIssue, madeBy: string): Promise<string> {
    const { agentTokenSeconds } = this.deps.settings.accounts;
    const { em, db } = change;
    // Concurrent requests for tokens are serialized: each new token ends those before it, and one is the last.
    await holdOwned(db, agent);
    await em.nativeDelete(AgentToken, { agentId: agent.id, endsAt: { $lte: dateNow() } });
    const older = await this.shorten(change, agent.id);
    const id = newId();
    em.create(AgentToken, { id, agentId: agent.id, endsAt: secondsFromNow(agentTokenSeconds), madeBy });
    await em.flush();
    change.afterCommit(() => this.deps.agentIdentity.forgetTokens(older));
    if (await pauseWebhook(change, agent.id)) {
      change.afterCommit(() => this.deps.control.send({ kind: 'webhook', agentId: agent.id }));
    }
    const reference = { type: 'agent', id: agent.id };
    const notice = { kind: 'agent.token_created' as const, to: [agent.ownerId], senderId: agent.userId, reference };
    await this.deps.notifications.add(change, notice);
    return this.deps.tokens.sign({ sub: agent.userId, sid: id, typ: 'agent' }, agentTokenSeconds);
  }

  /** All tokens of an agent, to end them at once. */
  async idsOf({ db }: Change, agentId: string): Promise<string[]> {
    const tokens = await db.selectFrom('AgentToken').where('agentId', '=', agentId).select('id').execute();
    return tokens.map(({ id }) => id);
  }

  /** Tokens that end sooner were announced when they were shortened: all nodes drop each of them once. */
  private async shorten({ db }: Change, agentId: string): Promise<string[]> {
    const endsAt = secondsFromNow(this.deps.settings.agents.tokenOverlapSeconds);
    const ofAgent = db.updateTable('AgentToken').where('agentId', '=', agentId);
    const shortened = await ofAgent.where('endsAt', '>', endsAt).set({ endsAt }).returning('id').execute();
    return shortened.map(({ id }) => id);
  }
}

const secondsFromNow = (seconds: number): Date => new Date(clock.now() + seconds * 1000);

/** @returns whether there is one that was not paused yet */
async function pauseWebhook({ db }: Change, agentId: string): Promise<boolean> {
  const now = dateNow();
  const ofAgent = db.updateTable('Webhook').where('agentId', '=', agentId).where('state', '<>', 'paused');
  const paused = await ofAgent.set({ state: 'paused', stoppedAt: now, updatedAt: now }).returning('agentId').execute();
  return paused.length > 0;
}
