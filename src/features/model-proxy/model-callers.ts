import { AppError } from '../../contract/errors.ts';
import { bearerToken } from '../../infrastructure/bearer.ts';
import { quotaHeaders, refusal } from '../../infrastructure/rate-limits.ts';
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
}

interface Deps extends Pick<Context, 'capabilities' | 'limits'> {
  modelTokenService: ModelTokenService;
  identity: Identity;
}

/** Authenticates callers of the proxy: `smp_` tokens, and access tokens of users who may deploy (contract §8). */
export class ModelCallers {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError AUTH_TOKEN_MISSING, ACCESS_TOKEN_INVALID, SESSION_REVOKED, ACCOUNT_SUSPENDED, INVITE_REQUIRED, FORBIDDEN, SECOND_FACTOR_SETUP_REQUIRED */
  async enter(headers: { authorization?: string; 'x-api-key'?: string }, ip: string): Promise<Caller> {
    const text = bearerToken(headers.authorization) ?? headers['x-api-key'];
    if (!text) throw new AppError('AUTH_TOKEN_MISSING');
    if (text.startsWith(modelTokenPrefix)) {
      const { id, userId, models } = await this.deps.modelTokenService.verify(text);
      // Tokens last long; a user who may no longer deploy must not spend with an old one.
      this.deps.capabilities.requireOf(await this.deps.identity.tierOf(userId), 'cloud:deploy');
      return { userId, tokenId: id, models };
    }
    const actor = await this.deps.identity.authenticate(text, ip);
    this.deps.identity.requireSecondFactor(actor);
    // Personal access tokens are not issued for spending.
    if (actor.sessionId === null && !actor.user.isBot) throw new AppError('ACCESS_TOKEN_INVALID');
    this.deps.capabilities.require(actor, 'cloud:deploy');
    return { userId: actor.userId, tokenId: null, models: null };
  }

  /** Counts one call of the person, whichever token makes it. @returns the headers with the remaining calls @throws AppError RATE_LIMITED */
  async count(caller: Caller): Promise<Record<string, string>> {
    const quota = await this.deps.limits.take('modelProxy', caller.userId);
    if (quota?.exceeded) throw refusal(quota);
    return quota ? quotaHeaders(quota) : {};
  }
}
