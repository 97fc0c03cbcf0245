import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { requireNoRehearsal } from '../../contract/rehearsal.ts';
import { isUuid } from '../../contract/schema.ts';
import { bearerToken } from '../../infrastructure/bearer.ts';
import { quotaHeaders, refusal } from '../../infrastructure/rate-limits.ts';
import type { AgentAccess } from '../accounts/agent.access.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import type { Identity } from '../accounts/identity.ts';
import { modelTokenPrefix } from '../accounts/model-tokens.ts';
import type { Context } from '../context.ts';
import type { ModelTokenService } from './model-token.service.ts';

/** The caller of a model. */
export interface Caller {
  userId: string;
  /** Null: the caller uses an access token. */
  tokenId: string | null;
  /** Null: every model offered. */
  models: string[] | null;
  /** What the caller's token was minted for; null: it is an access token. */
  runtimeId: string | null;
  /** The bot that calls with its own token, for its owner; null: it is no bot. */
  bot: Actor | null;
}

interface Deps extends Pick<Context, 'capabilities' | 'limits'> {
  modelTokenService: ModelTokenService;
  identity: Identity;
  agentIdentity: AgentIdentity;
  agentAccess: AgentAccess;
}

/** Authenticates callers of the proxy: `smp_` tokens, and access tokens of users who may deploy (contract §8). */
export class ModelCallers {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError AUTH_TOKEN_MISSING, ACCESS_TOKEN_INVALID, SESSION_REVOKED, ACCOUNT_SUSPENDED, INVITE_REQUIRED, FORBIDDEN,
   *   SECOND_FACTOR_SETUP_REQUIRED, INSUFFICIENT_PAT_SCOPE for a rehearsal
   */
  async enter(headers: { authorization?: string; 'x-api-key'?: string }, ip: string): Promise<Caller> {
    const text = bearerToken(headers.authorization) ?? headers['x-api-key'];
    if (!text) throw new AppError('AUTH_TOKEN_MISSING');
    if (text.startsWith(modelTokenPrefix)) {
      const { id, userId, models, runtimeId } = await this.deps.modelTokenService.verify(text);
      // Tokens last long; a user who may no longer deploy must not spend with an old one.
      this.deps.capabilities.requireOf(await this.deps.identity.tierOf(userId), 'cloud:deploy');
      return { userId, tokenId: id, models, runtimeId, bot: null };
    }
    const actor = await this.deps.identity.authenticate(text, ip);
    this.deps.identity.requireSecondFactor(actor);
    requireNoRehearsal(actor);
    if (actor.user.isBot) return this.ownerOf(actor);
    // Personal access tokens are not issued for spending.
    if (actor.sessionId === null) throw new AppError('ACCESS_TOKEN_INVALID');
    this.deps.capabilities.require(actor, 'cloud:deploy');
    return { userId: actor.userId, tokenId: null, models: null, runtimeId: null, bot: null };
  }

  /**
   * The bot in whose name an answer is delivered: the caller, the one that the caller's token was minted for, or one of the caller's own.
   * @throws AppError FORBIDDEN, AGENT_NOT_FOUND, AGENT_STOPPED
   */
  async speaker({ userId, bot, tokenId, runtimeId }: Caller, agentId: string | null): Promise<Actor> {
    const id = agentId ?? bot?.agent?.id ?? runtimeId;
    const isOther = (bot && bot.agent?.id !== id) || (tokenId !== null && runtimeId !== id);
    if (isOther || id === null || !isUuid(id)) {
      throw new AppError('FORBIDDEN', { message: 'Answers are delivered in the name of a bot, with a token for it.' });
    }
    if (bot) return bot;
    const agent = await this.deps.agentAccess.find(id);
    if (agent.ownerId !== userId) throw new AppError('AGENT_NOT_FOUND');
    const speaker = await this.deps.agentIdentity.actor(agent.userId);
    if (!speaker) throw new AppError('AGENT_STOPPED');
    return speaker;
  }

  /** A bot spends for its owner. @throws AppError INVITE_REQUIRED */
  private async ownerOf(bot: Actor): Promise<Caller> {
    const agent = await this.deps.agentIdentity.find(bot.userId);
    if (!agent) throw new AppError('ACCESS_TOKEN_INVALID');
    this.deps.capabilities.requireOf(await this.deps.identity.tierOf(agent.ownerId), 'cloud:deploy');
    return { userId: agent.ownerId, tokenId: null, models: null, runtimeId: null, bot };
  }

  /** Counts one call of the person, whichever token makes it. @returns the headers with the remaining calls @throws AppError RATE_LIMITED */
  async count(caller: Caller): Promise<Record<string, string>> {
    const quota = await this.deps.limits.take('modelProxy', caller.userId);
    if (quota?.exceeded) throw refusal(quota);
    return quota ? quotaHeaders(quota) : {};
  }
}

/** Bots ask for what is delivered into channels, and for nothing else. @throws AppError FORBIDDEN */
export function requireNoBot({ bot }: Caller): void {
  if (bot)
    throw new AppError('FORBIDDEN', { message: 'Bots ask models with `deliver` alone, or with a token of a runtime.' });
}
