import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { authSchema } from '../../../contract/account.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { sessionSchema, tokenPairSchema } from '../../../contract/session.ts';
import { Session, UsedRefreshToken, User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import { seal, unseal } from '../../../infrastructure/sealed-text.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Context } from '../../context.ts';
import { ownUser } from '../account.view.ts';
import type { Credentials } from '../credentials.ts';
import { hashSecret, sealingKey } from '../secrets.ts';
import { requireActive, standingOf } from '../standing.ts';
import type { Tokens } from '../tokens.ts';
import { type Device, nameOf } from './device.ts';
import type { Revocation } from './revocation.ts';

export type AuthAnswer = z.input<typeof authSchema>;
type TokenPair = z.input<typeof tokenPairSchema>;

/** How many used tokens of a session are recognised as stolen; older ones are simply invalid. */
const rememberedTokens = 200;
const maxListed = 200;

interface Deps extends Pick<Context, 'database' | 'changes' | 'capabilities' | 'settings'> {
  revocation: Revocation;
  credentials: Pick<Credentials, 'endWithSession'>;
  tokens: Tokens;
}

/** Sign-ins and their tokens (contract §3). */
export class SessionService {
  private readonly deps: Deps;
  private readonly settings: Settings['accounts'];

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.accounts;
  }

  /**
   * Signs a user in: the caller has verified their identity, and holds the user's row where that could be taken over.
   * @throws AppError ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED
   */
  async open(change: Change, userId: string, device: Device): Promise<AuthAnswer> {
    const user = await change.em.findOneOrFail(User, userId, { refresh: true });
    this.requireAdmitted(user);
    const id = newId();
    const { refreshTokenSeconds } = this.settings;
    const refreshToken = this.refreshToken(userId, id, refreshTokenSeconds);
    change.em.create(Session, {
      id,
      userId,
      deviceName: nameOf(device),
      userAgent: device.userAgent,
      ipAddress: device.ip,
      refreshHash: hashSecret(refreshToken),
      refreshExpiresAt: new Date(clock.now() + refreshTokenSeconds * 1000),
    });
    await change.em.flush();
    return {
      accessToken: this.accessToken(userId, id),
      refreshToken,
      user: ownUser(user, this.deps.capabilities.membership(user.tier)),
    };
  }

  /**
   * Exchanges a refresh token. Within the grace period it gives the same successor again, since responses get lost; later a
   * second use counts as theft and ends the session. A refused token is not used up.
   * @throws AppError REFRESH_TOKEN_INVALID, ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED
   */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const hash = hashSecret(refreshToken);
    const pair = await this.deps.changes.run(async (change) => {
      const { em } = change;
      // Of concurrent calls one finds its row; the others wait here, and then find that the token was used.
      const session = await em.findOne(
        Session,
        { refreshHash: hash, ...active() },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!session) return this.repeat(change, refreshToken, hash);
      const user = await em.findOne(User, { id: session.userId, deletedAt: null });
      return user && this.rotate(em, session, user, refreshToken);
    });
    if (!pair) throw new AppError('REFRESH_TOKEN_INVALID');
    return pair;
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE for personal access tokens */
  async list(actor: Actor): Promise<z.input<typeof sessionSchema>[]> {
    const current = ownSession(actor);
    const sessions = await this.deps.database.read((em) =>
      em.find(
        Session,
        { userId: actor.userId, ...active() },
        { orderBy: { lastSeenAt: 'desc', id: 'desc' }, limit: maxListed },
      ),
    );
    return sessions.map((session) => sessionRecord(session, current));
  }

  /** Ends a session with the credentials that it made. @throws AppError SESSION_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async revoke(actor: Actor, sessionId: string): Promise<void> {
    ownSession(actor);
    const found = await this.deps.changes.run((change) =>
      this.deps.credentials.endWithSession(change, actor.userId, sessionId),
    );
    if (!found) throw new AppError('SESSION_NOT_FOUND');
  }

  /** Ends the calling session; what it made stays. @throws AppError INSUFFICIENT_PAT_SCOPE */
  async logOut(actor: Actor): Promise<void> {
    const sessionId = ownSession(actor);
    await this.deps.changes.run((change) => this.deps.revocation.session(change, actor.userId, sessionId));
  }

  private async rotate(em: EntityManager, session: Session, user: User, token: string): Promise<TokenPair> {
    this.requireAdmitted(user);
    const { id, userId, refreshHash } = session;
    const { refreshTokenSeconds, refreshTokenAbsoluteSeconds, refreshGraceSeconds } = this.settings;
    const now = clock.now();
    const end = session.createdAt.getTime() + refreshTokenAbsoluteSeconds * 1000;
    const seconds = Math.min(refreshTokenSeconds, (end - now) / 1000);
    const refreshToken = this.refreshToken(userId, id, seconds);
    const successor = seal(refreshToken, sealingKey(token));
    em.create(UsedRefreshToken, { hash: refreshHash, sessionId: id, usedAt: new Date(now), successor });
    session.refreshHash = hashSecret(refreshToken);
    session.lastSeenAt = new Date(now);
    session.refreshExpiresAt = new Date(now + seconds * 1000);
    await em.flush();
    await forgetUsed(em, id, new Date(now - refreshGraceSeconds * 1000));
    return { accessToken: this.accessToken(userId, id), refreshToken };
  }

  private async repeat(change: Change, token: string, hash: string): Promise<TokenPair | null> {
    const { em } = change;
    const used = await em.findOne(UsedRefreshToken, hash);
    const session = used && (await em.findOne(Session, { id: used.sessionId, ...active() }));
    const user = session && (await em.findOne(User, { id: session.userId, deletedAt: null }));
    if (!user) return null;
    this.requireAdmitted(user);
    const inGrace = used.usedAt.getTime() > clock.now() - this.settings.refreshGraceSeconds * 1000;
    if (inGrace && used.successor) {
      const accessToken = this.accessToken(user.id, session.id);
      return { accessToken, refreshToken: unseal(used.successor, sealingKey(token)) };
    }
    await this.deps.credentials.endWithSession(change, user.id, session.id);
    return null;
  }

  /** Refuses accounts that may not sign in or stay signed in (contract §3). */
  private requireAdmitted(user: User): void {
    requireActive(standingOf(user));
    if (this.settings.requireVerifiedEmail && !user.emailVerifiedAt) throw new AppError('EMAIL_NOT_VERIFIED');
  }

  /** A JWT, made unique by its `jti`; only its hash is stored. */
  private refreshToken(userId: string, sessionId: string, seconds: number): string {
    return this.deps.tokens.sign({ sub: userId, sid: sessionId, typ: 'refresh' }, Math.ceil(seconds));
  }

  private accessToken(userId: string, sessionId: string): string {
    return this.deps.tokens.sign({ sub: userId, sid: sessionId, typ: 'access' }, this.settings.accessTokenSeconds);
  }
}

/**
 * Makes sure that the calling session is valid until the commit, for changes that outlive it: its last check may be
 * some time ago.
 * @throws AppError SESSION_REVOKED
 */
export async function holdSession(change: Change, sessionId: string): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_READ;
  const held = await change.em.findOne(Session, { id: sessionId, revokedAt: null }, { lockMode });
  if (!held) throw new AppError('SESSION_REVOKED');
}

/** The caller's session; programs may not manage sign-in (contract §13). @throws AppError */
export function ownSession(actor: Actor): string {
  if (actor.sessionId) return actor.sessionId;
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no sessions.' });
  throw new AppError('INSUFFICIENT_PAT_SCOPE', {
    message: 'This takes a signed-in session, not a personal access token.',
  });
}

/** Which sessions are valid now. */
const active = () => ({ revokedAt: null, refreshExpiresAt: { $gt: dateNow() } });

/** Deletes successors past their grace period, and trims the history. */
async function forgetUsed(em: EntityManager, sessionId: string, graceBegan: Date): Promise<void> {
  const late = { sessionId, successor: { $ne: null }, usedAt: { $lt: graceBegan } };
  await em.nativeUpdate(UsedRefreshToken, late, { successor: null });
  const [last] = await em.find(
    UsedRefreshToken,
    { sessionId },
    { orderBy: { usedAt: 'desc' }, offset: rememberedTokens, limit: 1 },
  );
  if (last) await em.nativeDelete(UsedRefreshToken, { sessionId, usedAt: { $lt: last.usedAt } });
}

function sessionRecord(session: Session, current: string): z.input<typeof sessionSchema> {
  const { id, deviceName = null, userAgent = null, ipAddress = null, createdAt, lastSeenAt } = session;
  const times = { createdAt: isoTime(createdAt), lastSeenAt: isoTime(lastSeenAt) };
  return { id, deviceName, userAgent, ipAddress, ...times, current: id === current };
}
