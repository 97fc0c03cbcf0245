import type { Tokens } from '../accounts/tokens.ts';
import type { Change } from '../delivery/changes.ts';
import { newId } from '../infrastructure/ids.ts';
import type { Settings } from '../settings.ts';
import type { AgentIdentity } from './agent.identity.ts';

/** Concurrent requests for tokens are serialized: each new token ends those before it, and one is the last. */
const hold = 'SELECT id FROM agents WHERE id = $1 FOR NO KEY UPDATE';
/** Those that end sooner were announced when theirs was shortened: all nodes drop each of them once. */
const endOlder = `UPDATE agent_tokens SET ends_at = now() + make_interval(secs => $2)
  WHERE agent_id = $1 AND ends_at > now() + make_interval(secs => $2) RETURNING id`;
const addToken = `INSERT INTO agent_tokens (id, agent_id, created_at, ends_at)
  VALUES ($1, $2, now(), now() + make_interval(secs => $3))`;

/** The tokens that bots sign in with: a new one lets older ones run for ten more minutes (contract §4). */
export class AgentTokens {
  private readonly tokens: Tokens;
  private readonly identity: AgentIdentity;
  private readonly settings: Settings;

  constructor(tokens: Tokens, identity: AgentIdentity, settings: Settings) {
    this.tokens = tokens;
    this.identity = identity;
    this.settings = settings;
  }

  /** A new token of an agent: the JWT that its bot signs in with. */
  async issue(change: Change, agent: { id: string; userId: string }): Promise<string> {
    const { agentTokenSeconds } = this.settings.accounts;
    const { tokenOverlapSeconds } = this.settings.agents;
    await change.rows(hold, [agent.id]);
    await change.rows('DELETE FROM agent_tokens WHERE agent_id = $1 AND ends_at <= now()', [agent.id]);
    const older = await change.rows<{ id: string }>(endOlder, [agent.id, tokenOverlapSeconds]);
    const id = newId();
    await change.rows(addToken, [id, agent.id, agentTokenSeconds]);
    change.afterCommit(() => this.identity.forgetTokens(older.map((token) => token.id)));
    return this.tokens.sign({ sub: agent.userId, sid: id, typ: 'agent' }, agentTokenSeconds);
  }

  /** All tokens of an agent, to end them at once. */
  async idsOf(change: Change, agentId: string): Promise<string[]> {
    const found = await change.rows<{ id: string }>('SELECT id FROM agent_tokens WHERE agent_id = $1', [agentId]);
    return found.map((token) => token.id);
  }
}
