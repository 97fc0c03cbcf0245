import type { z } from 'zod';
import type { authSchema } from '../../../contract/account.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { sessionSchema, tokenPairSchema } from '../../../contract/session.ts';
import { Session, User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import { seal, unseal } from '../../../infrastructure/sealed-text.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Context } from '../../context.ts';
import { ownUser } from '../account.view.ts';
import type { Credentials } from '../credentials.ts';
import { hashSecret, sealingKey } from '../secrets.ts';
import { requireActive, type Standing } from '../standing.ts';
import type { Tokens } from '../tokens.ts';
import { type Device, nameOf } from './device.ts';
import type { Revocation } from './revocation.ts';

export type AuthAnswer = z.input<typeof authSchema>;
type TokenPair = z.input<typeof tokenPairSchema>;

interface SessionRow {
  id: string;
  deviceName: string | null;
  userAgent: string | null;
  ipAddress: string | null;
  createdAt: Date | string;
  lastSeenAt: Date | string;
}

interface Signable extends Standing {
  verified: boolean;
}

interface RenewableSession extends Signable {
  id: string;
  userId: string;
  /** How long the next refresh token is valid. */
  seconds: number;
}

interface UsedToken extends Signable {
  sessionId: string;
  userId: string;
  successor: string | null;
  inGrace: boolean;
  alive: boolean;
}

/** How many used tokens of a session are recognised as stolen; older ones are simply invalid. */
const rememberedTokens = 200;
const maxListed = 200;

/** What decides whether someone may sign in. */
const standing = `u.email_verified_at IS NOT NULL AS verified, u.suspended_at IS NOT NULL AS suspended,
    u.suspension_reason AS "suspensionReason"`;
const lockByToken = `SELECT s.id, s.user_id AS "userId", ${standing},
    least($2, extract(epoch FROM s.created_at + make_interval(secs => $3) - now()))::float8 AS seconds
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.refresh_hash = $1 AND s.revoked_at IS NULL AND s.refresh_expires_at > now() AND u.deleted_at IS NULL
  FOR UPDATE OF s`;
const rotate = `UPDATE sessions SET refresh_hash = $2, last_seen_at = now(),
  refresh_expires_at = now() + make_interval(secs => $3) WHERE id = $1`;
const rememberUsed = `INSERT INTO used_refresh_tokens (hash, session_id, used_at, successor)
  VALUES ($1, $2, clock_timestamp(), $3)`;
/** Deletes successors past their grace period, and trims the history. */
const forgetUsed = `WITH sealed AS (
    UPDATE used_refresh_tokens SET successor = NULL
    WHERE session_id = $1 AND successor IS NOT NULL AND used_at < now() - make_interval(secs => $2)
  )
  DELETE FROM used_refresh_tokens WHERE session_id = $1 AND used_at < (
    SELECT used_at FROM used_refresh_tokens WHERE session_id = $1 ORDER BY used_at DESC OFFSET $3 LIMIT 1)`;
const findUsed = `SELECT t.session_id AS "sessionId", s.user_id AS "userId", t.successor, ${standing},
    t.used_at > clock_timestamp() - make_interval(secs => $2) AS "inGrace",
    s.revoked_at IS NULL AND s.refresh_expires_at > now() AND u.deleted_at IS NULL AS alive
  FROM used_refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
  WHERE t.hash = $1`;
const listActive = `SELECT id, device_name AS "deviceName", user_agent AS "userAgent", ip_address AS "ipAddress",
    created_at AS "createdAt", last_seen_at AS "lastSeenAt" FROM sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND refresh_expires_at > now() ORDER BY last_seen_at DESC, id DESC LIMIT $2`;

const holdActive = 'SELECT id FROM sessions WHERE id = $1 AND revoked_at IS NULL FOR SHARE';

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
    const { suspendedAt, suspensionReason, emailVerifiedAt } = user;
    this.requireAdmitted({
      suspended: !!suspendedAt,
      suspensionReason: suspensionReason ?? null,
      verified: !!emailVerifiedAt,
    });
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
    const { refreshTokenSeconds, refreshTokenAbsoluteSeconds } = this.settings;
    const pair = await this.deps.changes.run(async (change) => {
      // Of concurrent calls one finds its row; the others wait here, and then find that the token was used.
      const values = [hash, refreshTokenSeconds, refreshTokenAbsoluteSeconds];
      const [session] = await change.rows<RenewableSession>(lockByToken, values);
      return session ? this.rotate(change, session, refreshToken, hash) : this.repeat(change, refreshToken, hash);
    });
    if (!pair) throw new AppError('REFRESH_TOKEN_INVALID');
    return pair;
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE for personal access tokens */
  async list(actor: Actor): Promise<z.input<typeof sessionSchema>[]> {
    const current = ownSession(actor);
    const rows = await this.deps.database.rows<SessionRow>(listActive, [actor.userId, maxListed]);
    return rows.map((row) => ({
      ...row,
      createdAt: isoTime(row.createdAt),
      lastSeenAt: isoTime(row.lastSeenAt),
      current: row.id === current,
    }));
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

  private async rotate(change: Change, session: RenewableSession, token: string, hash: string): Promise<TokenPair> {
    this.requireAdmitted(session);
    const { id, userId, seconds } = session;
    const refreshToken = this.refreshToken(userId, id, seconds);
    await change.rows(rotate, [id, hashSecret(refreshToken), seconds]);
    await change.rows(rememberUsed, [hash, id, seal(refreshToken, sealingKey(token))]);
    await change.rows(forgetUsed, [id, this.settings.refreshGraceSeconds, rememberedTokens]);
    return { accessToken: this.accessToken(userId, id), refreshToken };
  }

  private async repeat(change: Change, token: string, hash: string): Promise<TokenPair | null> {
    const [used] = await change.rows<UsedToken>(findUsed, [hash, this.settings.refreshGraceSeconds]);
    if (!used?.alive) return null;
    this.requireAdmitted(used);
    if (used.inGrace && used.successor) {
      const accessToken = this.accessToken(used.userId, used.sessionId);
      return { accessToken, refreshToken: unseal(used.successor, sealingKey(token)) };
    }
    await this.deps.credentials.endWithSession(change, used.userId, used.sessionId);
    return null;
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
export async function holdSession(change: Change, sessionId: string): Promise<void> {
  const held = await change.rows(holdActive, [sessionId]);
  if (held.length === 0) throw new AppError('SESSION_REVOKED');
}

/** The caller's session; programs may not manage sign-in (contract §13). @throws AppError */
export function ownSession(actor: Actor): string {
  if (actor.sessionId) return actor.sessionId;
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no sessions.' });
  throw new AppError('INSUFFICIENT_PAT_SCOPE', {
    message: 'This takes a signed-in session, not a personal access token.',
  });
}
