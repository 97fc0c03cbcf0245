import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { createTokenSchema, newTokenSchema, personalTokenSchema } from '../../../contract/personal-token.ts';
import { isoTime, isoTimeOrNull } from '../../../contract/schema.ts';
import { countOf } from '../../../database/statements.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { Context } from '../../context.ts';
import { personalTokenPrefix } from '../identity.ts';
import { newSecret } from '../secrets.ts';
import type { Revocation } from '../sessions/revocation.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';

type TokenRecord = z.input<typeof personalTokenSchema>;

interface TokenRow {
  id: string;
  name: string;
  scope: TokenRecord['scope'];
  createdAt: Date | string;
  expiresAt: Date | string | null;
  lastUsedAt: Date | string | null;
}

const columns = `id, name, scope, created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"`;
const listOwn = `SELECT ${columns} FROM personal_tokens WHERE user_id = $1 AND revoked_at IS NULL
  ORDER BY created_at DESC, id DESC`;
const insert = `INSERT INTO personal_tokens (id, user_id, name, scope, token_hash, created_at, expires_at, made_by)
  VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(days => $6), $7) RETURNING ${columns}`;
const countOwn = 'SELECT count(*)::int AS count FROM personal_tokens WHERE user_id = $1 AND revoked_at IS NULL';

interface Deps extends Pick<Context, 'database' | 'changes' | 'settings'> {
  revocation: Revocation;
}

/** Tokens that people create for their own programs (contract §3). Only a signed-in person manages them. */
export class PersonalTokenService {
  private readonly deps: Deps;
  private readonly most: number;

  constructor(deps: Deps) {
    this.deps = deps;
    this.most = deps.settings.accounts.personalTokens;
  }

  /** @throws AppError TOKEN_LIMIT, INSUFFICIENT_PAT_SCOPE */
  async create(actor: Actor, input: z.output<typeof createTokenSchema>): Promise<z.input<typeof newTokenSchema>> {
    const session = ownSession(actor);
    const { secret, hash } = newSecret(personalTokenPrefix);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      await holdSession(change, session);
      if ((await countOf(change.rows, countOwn, [actor.userId])) >= this.most) throw new AppError('TOKEN_LIMIT');
      const values = [newId(), actor.userId, input.name, input.scope, hash, input.expiresInDays ?? null, session];
      const [row] = await change.rows<TokenRow>(insert, values);
      if (!row) throw new Error('A personal access token was not kept.');
      return { ...tokenRecord(row), token: secret };
    });
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE */
  async list(actor: Actor): Promise<TokenRecord[]> {
    ownSession(actor);
    const rows = await this.deps.database.rows<TokenRow>(listOwn, [actor.userId]);
    return rows.map(tokenRecord);
  }

  /** Revokes a token and closes its sockets. @throws AppError TOKEN_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async revoke(actor: Actor, tokenId: string): Promise<void> {
    ownSession(actor);
    const found = await this.deps.changes.run((change) =>
      this.deps.revocation.personalToken(change, actor.userId, tokenId),
    );
    if (!found) throw new AppError('TOKEN_NOT_FOUND');
  }
}

function tokenRecord(row: TokenRow): TokenRecord {
  const { id, name, scope } = row;
  const times = { expiresAt: isoTimeOrNull(row.expiresAt), lastUsedAt: isoTimeOrNull(row.lastUsedAt) };
  return { id, name, scope, createdAt: isoTime(row.createdAt), ...times };
}
