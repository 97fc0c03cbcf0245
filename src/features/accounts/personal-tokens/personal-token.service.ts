import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { createTokenSchema, newTokenSchema, personalTokenSchema } from '../../../contract/personal-token.ts';
import { isoTime, isoTimeOrNull } from '../../../contract/schema.ts';
import { PersonalToken } from '../../../database/entities/user.entity.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { Context } from '../../context.ts';
import { personalTokenPrefix } from '../identity.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import { newSecret } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import type { Revocation } from '../sessions/revocation.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';

type TokenRecord = z.input<typeof personalTokenSchema>;

const day = 24 * 60 * 60 * 1000;

interface Deps extends Pick<Context, 'database' | 'changes' | 'settings'> {
  revocation: Revocation;
  notices: Pick<SecurityNotices, 'notify'>;
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
  async create(
    actor: Actor,
    input: z.output<typeof createTokenSchema>,
    device: Device,
  ): Promise<z.input<typeof newTokenSchema>> {
    const session = ownSession(actor);
    const { secret, hash } = newSecret(personalTokenPrefix);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      await holdSession(change, session);
      const { userId } = actor;
      const valid = await change.em.count(PersonalToken, { userId, revokedAt: null, appId: null });
      if (valid >= this.most) throw new AppError('TOKEN_LIMIT');
      const { name, expiresInDays: days } = input;
      const scope = (input.scopes ?? input.scope ?? ['user:read']).join(' ');
      const createdAt = dateNow();
      const expiresAt = days == null ? null : new Date(createdAt.getTime() + days * day);
      const made = { id: newId(), tokenHash: hash, madeBy: session, createdAt };
      const token = change.em.create(PersonalToken, { ...made, userId, name, scope, expiresAt });
      await change.em.flush();
      await this.deps.notices.notify(change, userId, 'token-made', { device, detail: name });
      return { ...tokenRecord(token), token: secret };
    });
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE */
  async list(actor: Actor): Promise<TokenRecord[]> {
    ownSession(actor);
    const valid = { userId: actor.userId, revokedAt: null, appId: null };
    const orderBy = { createdAt: 'desc', id: 'desc' } as const;
    const tokens = await this.deps.database.read((em) => em.find(PersonalToken, valid, { orderBy }));
    return tokens.map(tokenRecord);
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

function tokenRecord({ id, name, scope, createdAt, expiresAt, lastUsedAt }: PersonalToken): TokenRecord {
  const times = { expiresAt: isoTimeOrNull(expiresAt), lastUsedAt: isoTimeOrNull(lastUsedAt) };
  return { id, name, scope, scopes: scope.split(' '), createdAt: isoTime(createdAt), ...times };
}
