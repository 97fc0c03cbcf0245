import type { Rows } from '../../../database/database.ts';
import type { Standing } from '../standing.ts';

/** What decides whether someone may sign in, or stay signed in. */
export interface Signable extends Standing {
  verified: boolean;
}

/** A session whose refresh token is exchanged. */
export interface RenewableSession extends Signable {
  id: string;
  userId: string;
  /** How long the next refresh token is valid. */
  seconds: number;
}

/** A refresh token that was exchanged before. */
export interface UsedToken extends Signable {
  sessionId: string;
  userId: string;
  successor: string | null;
  inGrace: boolean;
  alive: boolean;
}

/** A refresh token that takes the place of the one with `usedHash`. */
interface Exchange {
  sessionId: string;
  hash: string;
  seconds: number;
  usedHash: string;
  /** The new token, sealed with the used one. */
  successor: string;
  graceSeconds: number;
}

/** How many used tokens of a session are recognised as stolen; older ones are simply invalid. */
const rememberedTokens = 200;

const signable = `u.email_verified_at IS NOT NULL AS verified, u.suspended_at IS NOT NULL AS suspended,
    u.suspension_reason AS "suspensionReason", u.suspended_until AS "suspendedUntil"`;
const lockByToken = `SELECT s.id, s.user_id AS "userId", ${signable},
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
const findUsed = `SELECT t.session_id AS "sessionId", s.user_id AS "userId", t.successor, ${signable},
    t.used_at > clock_timestamp() - make_interval(secs => $2) AS "inGrace",
    s.revoked_at IS NULL AND s.refresh_expires_at > now() AND u.deleted_at IS NULL AS alive
  FROM used_refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
  WHERE t.hash = $1`;

/**
 * Locks the valid session with this refresh token. Of concurrent calls one finds it; the others wait here, and then find
 * that the token was used.
 * @param seconds how long a refresh token is valid, and how long a session can be kept up
 */
export async function lockRenewable(
  rows: Rows,
  hash: string,
  seconds: { token: number; session: number },
): Promise<RenewableSession | undefined> {
  return (await rows<RenewableSession>(lockByToken, [hash, seconds.token, seconds.session]))[0];
}

/** Exchanges the refresh token of a locked session. */
export async function exchangeToken(rows: Rows, exchange: Exchange): Promise<void> {
  const { sessionId, hash, seconds, usedHash, successor, graceSeconds } = exchange;
  await rows(rotate, [sessionId, hash, seconds]);
  await rows(rememberUsed, [usedHash, sessionId, successor]);
  await rows(forgetUsed, [sessionId, graceSeconds, rememberedTokens]);
}

export async function findUsedToken(rows: Rows, hash: string, graceSeconds: number): Promise<UsedToken | undefined> {
  return (await rows<UsedToken>(findUsed, [hash, graceSeconds]))[0];
}
