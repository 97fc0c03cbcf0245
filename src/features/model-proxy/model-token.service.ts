import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { mintedTokenSchema, mintTokenSchema, modelTokenSchema } from '../../contract/model-proxy.ts';
import { isoTime } from '../../contract/schema.ts';
import { ModelToken } from '../../database/entities/agent.entity.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Settings } from '../../settings/settings.ts';
import { type ModelTokens, modelTokenCache } from '../accounts/model-tokens.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { type KnownModelToken, tokenInUse } from './model.table.ts';

type TokenRecord = z.input<typeof modelTokenSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'caches' | 'capabilities' | 'settings'> {
  modelTokens: ModelTokens;
}

/** `smp_` tokens: issued, listed and revoked by users who may deploy (contract §8). */
export class ModelTokenService {
  private readonly deps: Deps;
  private readonly settings: Settings['modelProxy'];
  private readonly known: Cache<KnownModelToken>;

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.modelProxy;
    this.known = deps.caches.create(modelTokenCache, 20_000);
  }

  /** @throws AppError INVITE_REQUIRED, TOKEN_LIMIT, INSUFFICIENT_PAT_SCOPE */
  async mint(actor: Actor, input: z.output<typeof mintTokenSchema>): Promise<z.input<typeof mintedTokenSchema>> {
    this.deps.capabilities.require(actor, 'cloud:deploy');
    const session = ownSession(actor);
    const { runtimeId, templateSlug = null, models = null, expiresInDays = this.settings.tokenDays } = input;
    const id = newId();
    const createdAt = dateNow();
    const expiresAt = new Date(createdAt.getTime() + expiresInDays * 24 * 60 * 60 * 1000);
    return this.deps.changes.run(async (change) => {
      const { em } = change;
      await lockUser(change.rows, actor.userId);
      await holdSession(change, session);
      await em.nativeDelete(ModelToken, { userId: actor.userId, expiresAt: { $lte: dateNow() } });
      const held = await em.count(ModelToken, { userId: actor.userId });
      if (held >= this.settings.tokensPerUser) throw new AppError('TOKEN_LIMIT');
      const about = { runtimeId, templateSlug, models, createdAt, expiresAt, madeBy: session };
      const token = em.create(ModelToken, { id, userId: actor.userId, ...about });
      await em.flush();
      const claims = { sub: actor.userId, jti: id, runtime: runtimeId, template: templateSlug };
      return { ...tokenRecord(token), token: this.deps.modelTokens.sign(claims, expiresAt) };
    });
  }

  /** The actor's, without the tokens themselves. */
  async list(actor: Actor): Promise<TokenRecord[]> {
    const valid = { userId: actor.userId, expiresAt: { $gt: dateNow() } };
    const tokens = await this.deps.database.read((em) => em.find(ModelToken, valid, { orderBy: { id: 'desc' } }));
    return tokens.map(tokenRecord);
  }

  /** From the response on no node accepts the token. @throws AppError TOKEN_NOT_FOUND, also for those of others */
  async revoke(actor: Actor, tokenId: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const gone = await change.em.nativeDelete(ModelToken, { id: tokenId, userId: actor.userId });
      if (gone === 0) throw new AppError('TOKEN_NOT_FOUND');
      change.afterCommit(() => this.deps.caches.forget(modelTokenCache, [tokenId]));
    });
  }

  /** The token behind an `smp_` text. @throws AppError ACCESS_TOKEN_INVALID */
  async verify(text: string): Promise<KnownModelToken & { id: string; runtimeId: string }> {
    const { sub, jti, runtime } = this.deps.modelTokens.verify(text);
    const token = await this.known.get(jti, () => tokenInUse(this.deps.database.committedRows, jti));
    if (token?.userId !== sub) throw new AppError('ACCESS_TOKEN_INVALID');
    return { id: jti, runtimeId: runtime, ...token };
  }
}

function tokenRecord(token: ModelToken): TokenRecord {
  const { id, runtimeId, templateSlug = null, models = null, createdAt, expiresAt } = token;
  return { id, runtimeId, templateSlug, models, expiresAt: isoTime(expiresAt), createdAt: isoTime(createdAt) };
}
