import type { Capabilities } from '../../access/capabilities.ts';
import { AppError } from '../../contract/errors.ts';
import { bearerToken } from '../../infrastructure/bearer.ts';
import { quotaHeaders, type RateLimits, refusal } from '../../infrastructure/rate-limits.ts';
import type { Identity } from '../accounts/identity.ts';
import { modelTokenPrefix } from '../accounts/model-tokens.ts';
import type { ModelTokenService } from './model-token.service.ts';

/** The caller of a model. */
export interface Caller {
  userId: string;
  /** Null: came with an access token. */
  tokenId: string | null;
  /** Null: every model offered. */
  models: string[] | null;
}

/** Authenticates callers of the proxy: `smp_` tokens, and access tokens of users who may deploy (contract §8). */
export class ModelCallers {
  private readonly tokens: ModelTokenService;
  private readonly identity: Identity;
  private readonly capabilities: Capabilities;
  private readonly limits: RateLimits;

  constructor(parts: {
    modelTokenService: ModelTokenService;
    identity: Identity;
    capabilities: Capabilities;
    limits: RateLimits;
  }) {
    this.tokens = parts.modelTokenService;
    this.identity = parts.identity;
    this.capabilities = parts.capabilities;
    this.limits = parts.limits;
  }

  /** @throws AppError AUTH_TOKEN_MISSING, ACCESS_TOKEN_INVALID, SESSION_REVOKED, ACCOUNT_SUSPENDED, INVITE_REQUIRED, FORBIDDEN */
  async enter(headers: { authorization?: string; 'x-api-key'?: string }, ip: string): Promise<Caller> {
    const text = bearerToken(headers.authorization) ?? headers['x-api-key'];
    if (!text) throw new AppError('AUTH_TOKEN_MISSING');
    if (text.startsWith(modelTokenPrefix)) {
      const { id, userId, models } = await this.tokens.verify(text);
      // Tokens last long; a user who may no longer deploy must not spend with an old one.
      this.capabilities.requireOf(await this.identity.tierOf(userId), 'cloud:deploy');
      return { userId, tokenId: id, models };
    }
    const actor = await this.identity.authenticate(text, ip);
    // Personal access tokens are not issued for spending.
    if (actor.sessionId === null && !actor.user.isBot) throw new AppError('ACCESS_TOKEN_INVALID');
    this.capabilities.require(actor, 'cloud:deploy');
    return { userId: actor.userId, tokenId: null, models: null };
  }

  /** Counts one call. @returns the headers with the remaining calls @throws AppError RATE_LIMITED */
  async count(caller: Caller): Promise<Record<string, string>> {
    const quota = await this.limits.take('modelProxy', caller.tokenId ?? caller.userId);
    if (quota?.exceeded) throw refusal(quota);
    return quota ? quotaHeaders(quota) : {};
  }
}
