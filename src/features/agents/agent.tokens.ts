import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import type { Tokens } from '../accounts/tokens.ts';
import type { Context } from '../context.ts';

/** Concurrent requests for tokens are serialized: each new token ends those before it, and one is the last. */
const hold = 'SELECT id FROM agents WHERE id = $1 FOR NO KEY UPDATE';
/** Tokens that end sooner were announced when they were shortened: all nodes drop each of them once. */
const endOlder = `UPDATE agent_tokens SET ends_at = now() + make_interval(secs => $2)
  WHERE agent_id = $1 AND ends_at > now() + make_interval(secs => $2) RETURNING id`;
const addToken = `INSERT INTO agent_tokens (id, agent_id, created_at, ends_at, made_by)
  VALUES ($1, $2, now(), now() + make_interval(secs => $3), $4)`;
const pauseWebhook = `UPDATE webhooks SET state = 'paused', stopped_at = now(), updated_at = now()
  WHERE agent_id = $1 AND state <> 'paused' RETURNING agent_id`;

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
   */
  async issue(change: Change, agent: AgentToIssue, madeBy: string): Promise<string> {
    const { agentTokenSeconds } = this.deps.settings.accounts;
    const { tokenOverlapSeconds } = this.deps.settings.agents;
    await change.rows(hold, [agent.id]);
    await change.rows('DELETE FROM agent_tokens WHERE agent_id = $1 AND ends_at <= now()', [agent.id]);
    const older = await change.rows<{ id: string }>(endOlder, [agent.id, tokenOverlapSeconds]);
    const id = newId();
    await change.rows(addToken, [id, agent.id, agentTokenSeconds, madeBy]);
    change.afterCommit(() => this.deps.agentIdentity.forgetTokens(older.map((token) => token.id)));
    const paused = await change.rows(pauseWebhook, [agent.id]);
    if (paused.length > 0) change.afterCommit(() => this.deps.control.send({ kind: 'webhook', agentId: agent.id }));
    const reference = { type: 'agent', id: agent.id };
    const notice = { kind: 'agent.token_created' as const, to: [agent.ownerId], senderId: agent.userId, reference };
    await this.deps.notifications.add(change, notice);
    return this.deps.tokens.sign({ sub: agent.userId, sid: id, typ: 'agent' }, agentTokenSeconds);
  }

  /** All tokens of an agent, to end them at once. */
  async idsOf(change: Change, agentId: string): Promise<string[]> {
    const found = await change.rows<{ id: string }>('SELECT id FROM agent_tokens WHERE agent_id = $1', [agentId]);
    return found.map((token) => token.id);
  }
}
