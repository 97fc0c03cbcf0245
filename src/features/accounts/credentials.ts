import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { lockUser } from '../../access/user.table.ts';
import type { Queries } from '../../database/database.ts';
import { Agent, AgentToken, ModelToken, Webhook } from '../../database/entities/agent.entity.ts';
import { Passkey, SignInTicket } from '../../database/entities/second-factor.entity.ts';
import { OAuthAccount, OAuthState, PasswordReset, PersonalToken, User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
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
  passkeys: number;
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
   * Ends sessions, half-done sign-ins and provider links, and mailed reset links of a user, and what the options name. It locks the
   * user first. Making a credential locks the user too, or holds the making session: one made meanwhile ends too.
   * @returns how many sessions, tokens, webhooks, links and passwords were ended
   */
  async end(change: Change, userId: string, options: EndOptions = {}): Promise<number> {
    const { keepSession = null, tokens = false, links = false, keepLink = null, password = false } = options;
    const webhooks = options.removeWebhooks ? 'removed' : 'paused';
    await lockUser(change.rows, userId);
    let ended = await this.deps.revocation.sessions(change, userId, keepSession);
    await change.em.nativeDelete(OAuthState, { linkTo: userId });
    await change.em.nativeDelete(PasswordReset, { userId });
    await change.em.nativeDelete(SignInTicket, { userId });
    if (tokens) ended += await this.endTokens(change, userId, null, webhooks);
    if (links)
      ended += await change.em.nativeDelete(OAuthAccount, { userId, ...(keepLink && { id: { $ne: keepLink } }) });
    if (password) ended += await setPassword(change.em, { id: userId, passwordHash: { $ne: null } }, null);
    return ended;
  }

  /** Sets a password, and ends what `end` ends with the options. The caller has verified that the user wants it. */
  async replacePassword(change: Change, userId: string, passwordHash: string, options: EndOptions = {}): Promise<void> {
    await this.end(change, userId, options);
    await setPassword(change.em, { id: userId }, passwordHash);
  }

  /**
   * Ends one session with everything that it made, so a thief keeps nothing.
   * @returns whether the session existed
   */
  async endWithSession(change: Change, userId: string, sessionId: string): Promise<boolean> {
    await lockUser(change.rows, userId);
    if (!(await this.deps.revocation.session(change, userId, sessionId))) return false;
    await this.endTokens(change, userId, sessionId, 'paused');
    await change.em.nativeDelete(OAuthAccount, { userId, madeBy: sessionId });
    return true;
  }

  /** What a user still has besides sessions and the password. */
  async remaining(em: EntityManager, userId: string): Promise<CredentialCounts> {
    const later = { $gt: dateNow() };
    const agents = await em.find(Agent, { ownerId: userId }, { fields: ['id'] });
    const agentId = agents.map(({ id }) => id);
    return {
      personalTokens: await em.count(PersonalToken, {
        userId,
        revokedAt: null,
        $or: [{ expiresAt: null }, { expiresAt: later }],
      }),
      agentTokens: await em.count(AgentToken, { agentId, endsAt: later }),
      modelTokens: await em.count(ModelToken, { userId, expiresAt: later }),
      linkedAccounts: await em.count(OAuthAccount, { userId }),
      passkeys: await em.count(Passkey, { userId }),
      webhooks: await em.count(Webhook, { agentId, state: 'active' }),
    };
  }

  /** @param session ends only what it made; null: all */
  private async endTokens(
    change: Change,
    userId: string,
    session: string | null,
    webhooks: 'paused' | 'removed',
  ): Promise<number> {
    const personal = await this.deps.revocation.personalTokens(change, userId, session);
    const model = idsOf(await endModelTokens(change.db, userId, session));
    change.afterCommit(() => this.deps.caches.forget(modelTokenCache, model));
    return personal + model.length + (await this.endOfAgents(change, userId, session, webhooks));
  }

  private async endOfAgents(
    change: Change,
    userId: string,
    session: string | null,
    how: 'paused' | 'removed',
  ): Promise<number> {
    const agents = idsOf(await lockAgents(change.db, userId));
    if (agents.length === 0) return 0;
    const tokens = idsOf(await endAgentTokens(change.db, agents, session));
    const stopping = how === 'removed' ? removeWebhooks(change.db, agents) : pauseWebhooks(change.db, agents, session);
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

const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

function lockAgents(db: Queries, ownerId: string) {
  const agents = db.selectFrom('Agent').where('ownerId', '=', ownerId).orderBy('id');
  return agents.select('id').forNoKeyUpdate().execute();
}

/** @param session deletes only what it made; null: all. The same holds below. */
function endModelTokens(db: Queries, userId: string, session: string | null) {
  const tokens = db.deleteFrom('ModelToken').where('userId', '=', userId).returning('id');
  return tokens.$if(session !== null, (all) => all.where('madeBy', '=', session)).execute();
}

function endAgentTokens(db: Queries, agents: string[], session: string | null) {
  const tokens = db.deleteFrom('AgentToken').where('agentId', 'in', agents).returning('id');
  return tokens.$if(session !== null, (all) => all.where('madeBy', '=', session)).execute();
}

function pauseWebhooks(db: Queries, agents: string[], session: string | null) {
  const [stoppedAt, updatedAt] = [dateNow(), dateNow()];
  const webhooks = db.updateTable('Webhook').set({ state: 'paused', stoppedAt, updatedAt });
  const active = webhooks.where('agentId', 'in', agents).where('state', '<>', 'paused').returning('agentId as id');
  return active.$if(session !== null, (all) => all.where('madeBy', '=', session)).execute();
}

function removeWebhooks(db: Queries, agents: string[]) {
  return db.deleteFrom('Webhook').where('agentId', 'in', agents).returning('agentId as id').execute();
}

function setPassword(em: EntityManager, who: FilterQuery<User>, passwordHash: string | null): Promise<number> {
  return em.nativeUpdate(User, who, { passwordHash, updatedAt: dateNow() });
}
