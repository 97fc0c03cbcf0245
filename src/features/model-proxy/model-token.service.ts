import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { mintedTokenSchema, mintTokenSchema, modelTokenSchema } from '../../contract/model-proxy.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Settings } from '../../settings/settings.ts';
import { type ModelTokens, modelTokenCache } from '../accounts/model-tokens.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';

type TokenRecord = z.input<typeof modelTokenSchema>;

interface TokenRow extends Omit<TokenRecord, 'createdAt' | 'expiresAt'> {
  createdAt: Date | string;
  expiresAt: Date | string;
}

/** What every node caches about a token in use. */
export interface KnownModelToken {
  userId: string;
  models: string[] | null;
}

const columns = `id, runtime_id AS "runtimeId", template_slug AS "templateSlug", models, created_at AS "createdAt",
  expires_at AS "expiresAt"`;
const insert = `INSERT INTO model_tokens (id, user_id, runtime_id, template_slug, models, created_at, expires_at, made_by)
  VALUES ($1, $2, $3, $4, $5::json, now(), $6, $7) RETURNING ${columns}`;
const ofUser = `SELECT ${columns} FROM model_tokens WHERE user_id = $1 AND expires_at > now() ORDER BY id DESC`;
const inUse = `SELECT t.user_id AS "userId", t.models FROM model_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = $1 AND t.expires_at > now() AND u.deleted_at IS NULL`;

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
    const expiresAt = new Date(clock.now() + expiresInDays * 24 * 60 * 60 * 1000);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      await holdSession(change, session);
      await change.rows('DELETE FROM model_tokens WHERE user_id = $1 AND expires_at <= now()', [actor.userId]);
      const held = await change.rows<TokenRow>(ofUser, [actor.userId]);
      if (held.length >= this.settings.tokensPerUser) throw new AppError('TOKEN_LIMIT');
      const listed = models && JSON.stringify(models);
      const values = [id, actor.userId, runtimeId, templateSlug, listed, expiresAt, session];
      const [row] = await change.rows<TokenRow>(insert, values);
      if (!row) throw new Error('A model token was not stored.');
      const claims = { sub: actor.userId, jti: id, runtime: runtimeId, template: templateSlug };
      return { ...tokenRecord(row), token: this.deps.modelTokens.sign(claims, expiresAt) };
    });
  }

  /** The actor's, without the tokens themselves. */
  async list(actor: Actor): Promise<TokenRecord[]> {
    const rows = await this.deps.database.rows<TokenRow>(ofUser, [actor.userId]);
    return rows.map(tokenRecord);
  }

  /** From the response on no node accepts the token. @throws AppError TOKEN_NOT_FOUND, also for those of others */
  async revoke(actor: Actor, tokenId: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const gone = await change.rows<{ id: string }>(
        'DELETE FROM model_tokens WHERE id = $1 AND user_id = $2 RETURNING id',
        [tokenId, actor.userId],
      );
      if (gone.length === 0) throw new AppError('TOKEN_NOT_FOUND');
      change.afterCommit(() => this.deps.caches.forget(modelTokenCache, [tokenId]));
    });
  }

  /** The token behind an `smp_` text. @throws AppError ACCESS_TOKEN_INVALID */
  async verify(text: string): Promise<KnownModelToken & { id: string }> {
    const { sub, jti } = this.deps.modelTokens.verify(text);
    const token = await this.known.get(jti, async () => {
      const [row] = await this.deps.database.committedRows<KnownModelToken>(inUse, [jti]);
      return row;
    });
    if (token?.userId !== sub) throw new AppError('ACCESS_TOKEN_INVALID');
    return { id: jti, ...token };
  }
}

function tokenRecord({ createdAt, expiresAt, ...row }: TokenRow): TokenRecord {
  return { ...row, expiresAt: isoTime(expiresAt), createdAt: isoTime(createdAt) };
}
