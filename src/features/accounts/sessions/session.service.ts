import { LockMode } from '@mikro-orm/core';
import type { z } from 'zod';
import type { authSchema } from '../../../contract/account.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { sessionSchema, tokenPairSchema } from '../../../contract/session.ts';
import { Session, User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { addressRange } from '../../../infrastructure/client-address.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import { seal, unseal } from '../../../infrastructure/sealed-text.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Context } from '../../context.ts';
import { ownUser } from '../account.view.ts';
import type { Barring } from '../barring.ts';
import type { Credentials } from '../credentials.ts';
import type { SignIns } from '../notices/sign-ins.ts';
import type { Tickets } from '../second-factor/tickets.ts';
import { hashSecret, sealingKey } from '../secrets.ts';
import { requireActive, standingOf } from '../standing.ts';
import type { Tokens } from '../tokens.ts';
import { type Device, nameOf } from './device.ts';
import type { KnownDevices } from './known-devices.ts';
import { exchangeToken, findUsedToken, lockRenewable, type RenewableSession, type Signable } from './refresh.table.ts';
import { restore } from './restoring.ts';
import type { Revocation } from './revocation.ts';
import type { Unfinished } from './unfinished.ts';

export type AuthAnswer = z.input<typeof authSchema>;
type TokenPair = z.input<typeof tokenPairSchema>;

const maxListed = 200;

interface Deps extends Pick<Context, 'database' | 'caches' | 'changes' | 'capabilities' | 'directAccess' | 'settings'> {
  revocation: Revocation;
  credentials: Pick<Credentials, 'endWithSession'>;
  signIns: Pick<SignIns, 'check' | 'forget'>;
  tickets: Pick<Tickets, 'issue'>;
  tokens: Tokens;
  devices: KnownDevices;
  barring: Pick<Barring, 'requireEntry'>;
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
   * Signs a user in, up to the second factor where there is one: the caller has verified their identity, and holds the
   * user's row where that could be taken over. Whoever calls it passes the result to `finished` after the commit.
   * @throws AppError ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED
   */
  async open(change: Change, userId: string, device: Device): Promise<AuthAnswer | Unfinished> {
    const user = await this.admitted(change, userId);
    return user.secondFactorAt ? this.deps.tickets.issue(change, userId) : this.enter(change, userId, device);
  }

  /** The same for users who have given all that is asked of them. @throws AppError ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED */
  async enter(change: Change, userId: string, device: Device): Promise<AuthAnswer> {
    const user = await this.admitted(change, userId);
    const isRestored = await restore(change, user, this.deps);
    await this.deps.signIns.check(change, userId, device);
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
      deviceToken: this.deps.devices.issue(userId, device.token),
      user: ownUser(
        user,
        this.deps.capabilities.membership(user.tier, user.isOperator),
        this.settings.secondFactor.required,
      ),
      ...(isRestored ? { restored: true as const } : {}),
    };
  }

  /**
   * Exchanges a refresh token. Within the grace period it gives the same successor again, since responses get lost; later a
   * second use counts as theft and ends the session. A refused token is not used up.
   * @throws AppError REFRESH_TOKEN_INVALID, ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED
   */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const hash = hashSecret(refreshToken);
    const { refreshTokenSeconds: token, refreshTokenAbsoluteSeconds: session } = this.settings;
    const pair = await this.deps.changes.run(async (change) => {
      const renewable = await lockRenewable(change.rows, hash, { token, session });
      return renewable ? this.rotate(change, renewable, refreshToken, hash) : this.repeat(change, refreshToken, hash);
    });
    if (!pair) throw new AppError('REFRESH_TOKEN_INVALID');
    return pair;
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE for personal access tokens */
  async list(actor: Actor): Promise<z.input<typeof sessionSchema>[]> {
    const current = ownSession(actor);
    const sessions = await this.deps.database.db
      .selectFrom('Session')
      .where('userId', '=', actor.userId)
      .where('revokedAt', 'is', null)
      .where('refreshExpiresAt', '>', dateNow())
      .orderBy('lastSeenAt', 'desc')
      .orderBy('id', 'desc')
      .limit(maxListed)
      .select(['id', 'deviceName', 'userAgent', 'ipAddress', 'createdAt', 'lastSeenAt'])
      .execute();
    return sessions.map((session) => sessionRecord(session, current));
  }

  /** Ends a session with the credentials that it made. @throws AppError SESSION_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async revoke(actor: Actor, sessionId: string): Promise<void> {
    ownSession(actor);
    const { credentials, signIns } = this.deps;
    const found = await this.deps.changes.run(async (change) => {
      const ended = await credentials.endWithSession(change, actor.userId, sessionId);
      if (ended) await signIns.forget(change, actor.userId, sessionId);
      return ended;
    });
    if (!found) throw new AppError('SESSION_NOT_FOUND');
  }

  /** Ends the calling session; what it made stays. @throws AppError INSUFFICIENT_PAT_SCOPE */
  async logOut(actor: Actor): Promise<void> {
    const sessionId = ownSession(actor);
    await this.deps.changes.run((change) => this.deps.revocation.session(change, actor.userId, sessionId));
  }

  private async rotate(change: Change, session: RenewableSession, token: string, hash: string): Promise<TokenPair> {
    this.requireAdmitted(session);
    const { id, userId, seconds } = session;
    const refreshToken = this.refreshToken(userId, id, seconds);
    await exchangeToken(change.rows, {
      sessionId: id,
      hash: hashSecret(refreshToken),
      seconds,
      usedHash: hash,
      successor: seal(refreshToken, sealingKey(token)),
      graceSeconds: this.settings.refreshGraceSeconds,
    });
    return { accessToken: this.accessToken(userId, id), refreshToken };
  }

  private async repeat(change: Change, token: string, hash: string): Promise<TokenPair | null> {
    const used = await findUsedToken(change.rows, hash, this.settings.refreshGraceSeconds);
    if (!used?.alive) return null;
    this.requireAdmitted(used);
    if (used.inGrace && used.successor) {
      const accessToken = this.accessToken(used.userId, used.sessionId);
      return { accessToken, refreshToken: unseal(used.successor, sealingKey(token)) };
    }
    await this.deps.credentials.endWithSession(change, used.userId, used.sessionId);
    return null;
  }

  private async admitted({ em, rows }: Change, userId: string): Promise<User> {
    const user = await em.findOneOrFail(User, userId, { refresh: true });
    this.requireAdmitted({ ...standingOf(user), verified: !!user.emailVerifiedAt });
    await this.deps.barring.requireEntry(rows, user);
    return user;
  }

  /** Refuses accounts that may not sign in or stay signed in (contract §3). */
  private requireAdmitted(account: Signable): void {
    requireActive(account);
    if (this.settings.requireVerifiedEmail && !account.verified) throw new AppError('EMAIL_NOT_VERIFIED');
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
export async function holdSession(change: Change, sessionId: string): Promise<Session> {
  const lockMode = LockMode.PESSIMISTIC_READ;
  const held = await change.em.findOne(Session, { id: sessionId, revokedAt: null }, { lockMode });
  if (!held) throw new AppError('SESSION_REVOKED');
  return held;
}

/** The caller's session; programs may not manage sign-in (contract §13). @throws AppError */
export function ownSession(actor: Actor): string {
  if (actor.sessionId) return actor.sessionId;
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no sessions.' });
  throw new AppError('INSUFFICIENT_PAT_SCOPE', {
    message: 'This takes a signed-in session, not a personal access token.',
  });
}

type Listed = Pick<Session, 'id' | 'deviceName' | 'userAgent' | 'ipAddress' | 'createdAt' | 'lastSeenAt'>;

function sessionRecord(session: Listed, current: string): z.input<typeof sessionSchema> {
  const { id, deviceName = null, userAgent = null, ipAddress = null, createdAt, lastSeenAt } = session;
  const times = { createdAt: isoTime(createdAt), lastSeenAt: isoTime(lastSeenAt) };
  const place = ipAddress === null ? null : (addressRange(ipAddress) ?? null);
  return { id, deviceName, userAgent, place, ipAddress: place, ...times, current: id === current };
}
