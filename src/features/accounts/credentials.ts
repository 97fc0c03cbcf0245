import { lockUser } from '../../access/user.table.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import type { AgentIdentity } from './agent.identity.ts';
import { modelTokenCache } from './model-tokens.ts';
import type { Revocation } from './sessions/revocation.ts';

/** Counts of credentials besides sessions and the password, and of webhooks. */
export interface CredentialCounts {
  personalTokens: number;
  /** Of all bots of the account. */
  agentTokens: number;
  modelTokens: number;
  linkedAccounts: number;
  webhooks: number;
}

/** What to end besides sessions and pending links, which always end. */
export interface EndOptions {
  /** The calling session, which is kept. */
  keepSession?: string | null;
  /** Personal, agents' and model tokens; webhooks pause until the owner confirms them. */
  tokens?: boolean;
  /** With `tokens`: webhooks are removed instead, since somebody else may have set their addresses. */
  removeWebhooks?: boolean;
  /** Accounts at identity providers, except `keepLink`. */
  links?: boolean;
  keepLink?: string | null;
  password?: boolean;
}

const lockAgents = 'SELECT id FROM agents WHERE owner_id = $1 ORDER BY id FOR NO KEY UPDATE';
/** $2: only those that this session made; null: all. The same holds below. */
const madeBy = '($2::uuid IS NULL OR made_by = $2)';
const endAgentTokens = `DELETE FROM agent_tokens WHERE agent_id = ANY($1::uuid[]) AND ${madeBy} RETURNING id`;
const pauseWebhooks = `UPDATE webhooks SET state = 'paused', stopped_at = now(), updated_at = now()
  WHERE agent_id = ANY($1::uuid[]) AND state <> 'paused' AND ${madeBy} RETURNING agent_id AS id`;
const removeWebhooks = 'DELETE FROM webhooks WHERE agent_id = ANY($1::uuid[]) RETURNING agent_id AS id';
const endModelTokens = `DELETE FROM model_tokens WHERE user_id = $1 AND ${madeBy} RETURNING id`;
const endLinksOf = 'DELETE FROM oauth_accounts WHERE user_id = $1 AND made_by = $2';
const endLinks = 'DELETE FROM oauth_accounts WHERE user_id = $1 AND id IS DISTINCT FROM $2::uuid RETURNING id';
const setPassword = 'UPDATE users SET password_hash = $2, updated_at = now() WHERE id = $1';
const endPassword = `UPDATE users SET password_hash = NULL, updated_at = now()
  WHERE id = $1 AND password_hash IS NOT NULL RETURNING id`;
const countLeft = `SELECT
    (SELECT count(*)::int FROM personal_tokens WHERE user_id = $1 AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())) AS "personalTokens",
    (SELECT count(*)::int FROM agent_tokens t JOIN agents a ON a.id = t.agent_id
      WHERE a.owner_id = $1 AND t.ends_at > now()) AS "agentTokens",
    (SELECT count(*)::int FROM model_tokens WHERE user_id = $1 AND expires_at > now()) AS "modelTokens",
    (SELECT count(*)::int FROM oauth_accounts WHERE user_id = $1) AS "linkedAccounts",
    (SELECT count(*)::int FROM webhooks w JOIN agents a ON a.id = w.agent_id WHERE a.owner_id = $1 AND w.state = 'active') AS webhooks`;

interface Ended {
  id: string;
}

interface Deps extends Pick<Context, 'caches' | 'control'> {
  revocation: Revocation;
  agentIdentity: Pick<AgentIdentity, 'forgetTokens'>;
}

/** The only way to end an account's credentials (contract §3): on every node before the response. */
export class Credentials {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Ends sessions, mailed reset links and half-made provider links of a user, and what the options name. It locks the
   * user first. Making a credential locks the user too, or holds the making session: one made meanwhile ends too.
   * @returns how many sessions, tokens, webhooks, links and passwords were ended
   */
  async end(change: Change, userId: string, options: EndOptions = {}): Promise<number> {
    const { keepSession = null, tokens = false, links = false, keepLink = null, password = false } = options;
    const webhooks = options.removeWebhooks ? 'removed' : 'paused';
    await lockUser(change.rows, userId);
    let ended = await this.deps.revocation.sessions(change, userId, keepSession);
    await change.rows('DELETE FROM oauth_states WHERE link_to = $1', [userId]);
    await change.rows('DELETE FROM password_resets WHERE user_id = $1', [userId]);
    if (tokens) ended += await this.endTokens(change, userId, null, webhooks);
    if (links) ended += (await change.rows(endLinks, [userId, keepLink])).length;
    if (password) ended += (await change.rows(endPassword, [userId])).length;
    return ended;
  }

  /** Sets a password, and ends what `end` ends with the options. The caller has verified that the user wants it. */
  async replacePassword(change: Change, userId: string, passwordHash: string, options: EndOptions = {}): Promise<void> {
    await this.end(change, userId, options);
    await change.rows(setPassword, [userId, passwordHash]);
  }

  /**
   * Ends one session with everything that it made, so a thief keeps nothing.
   * @returns whether the session existed
   */
  async endWithSession(change: Change, userId: string, sessionId: string): Promise<boolean> {
    await lockUser(change.rows, userId);
    if (!(await this.deps.revocation.session(change, userId, sessionId))) return false;
    await this.endTokens(change, userId, sessionId, 'paused');
    await change.rows(endLinksOf, [userId, sessionId]);
    return true;
  }

  /** What a user still has besides sessions and the password. */
  async remaining(rows: Rows, userId: string): Promise<CredentialCounts> {
    const [counts] = await rows<CredentialCounts>(countLeft, [userId]);
    if (!counts) throw new Error('Credentials were not counted.');
    return counts;
  }

  /** @param session ends only what it made; null: all */
  private async endTokens(
    change: Change,
    userId: string,
    session: string | null,
    webhooks: 'paused' | 'removed',
  ): Promise<number> {
    const personal = await this.deps.revocation.personalTokens(change, userId, session);
    const model = idsOf(await change.rows<Ended>(endModelTokens, [userId, session]));
    change.afterCommit(() => this.deps.caches.forget(modelTokenCache, model));
    return personal + model.length + (await this.endOfAgents(change, userId, session, webhooks));
  }

  private async endOfAgents(
    change: Change,
    userId: string,
    session: string | null,
    how: 'paused' | 'removed',
  ): Promise<number> {
    const agents = idsOf(await change.rows<Ended>(lockAgents, [userId]));
    const tokens = idsOf(await change.rows<Ended>(endAgentTokens, [agents, session]));
    const stopping =
      how === 'removed'
        ? change.rows<Ended>(removeWebhooks, [agents])
        : change.rows<Ended>(pauseWebhooks, [agents, session]);
    const webhooks = idsOf(await stopping);
    change.afterCommit(async () => {
      // In this order on each node: first the tokens are no longer accepted, then their sockets are closed.
      const forgotten = this.deps.agentIdentity.forgetTokens(tokens);
      const cut = tokens.map((sessionId) => this.deps.control.send({ kind: 'disconnect', sessionId, event: null }));
      const stopped = webhooks.map((agentId) => this.deps.control.send({ kind: 'webhook', agentId }));
      await Promise.all([forgotten, ...cut, ...stopped]);
    });
    return tokens.length + webhooks.length;
  }
}

const idsOf = (rows: Ended[]): string[] => rows.map(({ id }) => id);
