import type { Rows } from '../../database/database.ts';

/** What a code stands for. */
interface Code {
  appId: string;
  userId: string;
  scope: string;
  redirectUri: string;
  challenge: string;
  nonce: string | null;
  madeBy: string;
}

/** What a person has allowed an app. */
export interface Allowed {
  id: string;
  userId: string;
  scope: string;
}

/** A refresh token of an app that was exchanged before. */
interface UsedToken extends Allowed {
  successor: string | null;
  inGrace: boolean;
}

/** A refresh token that takes the place of the one with `usedHash`. */
interface Exchange {
  id: string;
  hash: string;
  expiresAt: Date;
  /** How long after it was allowed it ends in any case. */
  longestSeconds: number;
  usedHash: string;
  /** The new token, sealed with the used one. */
  successor: string;
  graceSeconds: number;
}

/** A device, as it asks whether it may. */
interface Device {
  appId: string;
  scope: string;
  state: string;
  userId: string | null;
  madeBy: string | null;
  pause: number;
  isEarly: boolean;
  isOver: boolean;
}

const selectCodeUser = 'SELECT user_id AS "userId", token_id AS "tokenId" FROM oauth_codes WHERE code_hash = $1';
const useCode = `UPDATE oauth_codes SET used_at = now() WHERE code_hash = $1 AND used_at IS NULL AND expires_at > now()
  RETURNING app_id AS "appId", user_id AS "userId", scope, redirect_uri AS "redirectUri", challenge, nonce, made_by AS "madeBy"`;
const noteToken = 'UPDATE oauth_codes SET token_id = $2 WHERE code_hash = $1';
const allowed = 'id, user_id AS "userId", scope';
const lockAllowed = `SELECT ${allowed} FROM personal_tokens
  WHERE token_hash = $1 AND app_id = $2 AND revoked_at IS NULL AND expires_at > now() FOR UPDATE`;
const selectByRefresh = `SELECT ${allowed}, token_hash FROM personal_tokens WHERE token_hash = $1 AND app_id = $2
  UNION ALL SELECT t.id, t.user_id, t.scope, t.token_hash FROM used_app_tokens u JOIN personal_tokens t ON t.id = u.token_id
  WHERE u.hash = $1 AND t.app_id = $2 LIMIT 1`;
const rotate = `UPDATE personal_tokens SET token_hash = $2,
  expires_at = least($3::timestamptz, created_at + make_interval(secs => $4)) WHERE id = $1`;
const rememberUsed = `INSERT INTO used_app_tokens (hash, token_id, used_at, successor)
  VALUES ($1, $2, clock_timestamp(), $3)`;
/** How many used tokens of a permission are recognised as stolen; older ones are simply invalid. */
const rememberedTokens = 200;
/** Deletes successors past their grace period, and trims the history. */
const forgetUsed = `WITH sealed AS (
    UPDATE used_app_tokens SET successor = NULL
    WHERE token_id = $1 AND successor IS NOT NULL AND used_at < now() - make_interval(secs => $2)
  )
  DELETE FROM used_app_tokens WHERE token_id = $1 AND used_at < (
    SELECT used_at FROM used_app_tokens WHERE token_id = $1 ORDER BY used_at DESC OFFSET $3 LIMIT 1)`;
const findUsed = `SELECT t.id, t.user_id AS "userId", t.scope, u.successor,
    u.used_at > clock_timestamp() - make_interval(secs => $3) AS "inGrace"
  FROM used_app_tokens u JOIN personal_tokens t ON t.id = u.token_id
  WHERE u.hash = $1 AND t.app_id = $2 AND t.revoked_at IS NULL AND t.expires_at > now()`;
const selectOldest = `SELECT id FROM personal_tokens WHERE app_id = $2 AND user_id = $1 AND revoked_at IS NULL
  ORDER BY coalesce(last_used_at, created_at) DESC OFFSET $3`;
const selectDeviceUser = 'SELECT user_id AS "userId" FROM oauth_devices WHERE device_hash = $1';
const lockDevice = `SELECT app_id AS "appId", scope, state, user_id AS "userId", made_by AS "madeBy", pause,
    coalesce(polled_at > now() - make_interval(secs => pause), false) AS "isEarly", expires_at <= now() AS "isOver"
  FROM oauth_devices WHERE device_hash = $1 FOR UPDATE`;
const noteAsked = 'UPDATE oauth_devices SET polled_at = now(), pause = $2 WHERE device_hash = $1';
const forgetDevice = 'DELETE FROM oauth_devices WHERE device_hash = $1';
const selectSome = `SELECT id, user_id AS "userId" FROM personal_tokens WHERE app_id = $1 AND revoked_at IS NULL LIMIT $2`;
const noteUse = `UPDATE oauth_apps SET used_at = now() WHERE id = $1
  AND (used_at IS NULL OR used_at < now() - interval '1 hour')`;
const unused = `SELECT id FROM oauth_apps WHERE owner_id IS NULL AND used_at IS NULL
  AND created_at < now() - make_interval(secs => $1) ORDER BY created_at LIMIT 20`;
const forgetUnused = `DELETE FROM oauth_apps WHERE id IN (${unused}) AND used_at IS NULL RETURNING id`;
const forgetLeft = `DELETE FROM oauth_apps a WHERE a.id IN (
    SELECT id FROM oauth_apps WHERE owner_id IS NULL AND coalesce(used_at, created_at) < now() - interval '90 days' LIMIT 100
  ) AND NOT EXISTS (SELECT FROM personal_tokens t WHERE t.app_id = a.id AND t.revoked_at IS NULL) RETURNING id`;
/** Counted no further than the limit, $1. */
const countUnused = `SELECT count(*)::int AS count FROM (
    SELECT FROM oauth_apps WHERE owner_id IS NULL AND used_at IS NULL LIMIT $1) counted`;
const selectOfServer = `SELECT t.app_id AS "appId", count(DISTINCT t.user_id)::int AS members,
    string_agg(DISTINCT t.scope, ' ') AS scope
  FROM server_members m JOIN personal_tokens t ON t.user_id = m.user_id
  WHERE m.server_id = $1 AND t.app_id IS NOT NULL AND t.revoked_at IS NULL AND t.expires_at > now()
  GROUP BY t.app_id ORDER BY members DESC, t.app_id LIMIT 200`;

/** Whose code it is, whether it was used or not, and what it was exchanged for. */
export async function findCode(
  rows: Rows,
  hash: string,
): Promise<{ userId: string; tokenId: string | null } | undefined> {
  return (await rows<{ userId: string; tokenId: string | null }>(selectCodeUser, [hash]))[0];
}

/** Uses up a code. Of concurrent calls one gets it. */
export async function takeCode(rows: Rows, hash: string): Promise<Code | undefined> {
  return (await rows<Code>(useCode, [hash]))[0];
}

/** Remembers what a code was exchanged for. */
export async function noteExchanged(rows: Rows, hash: string, tokenId: string): Promise<void> {
  await rows(noteToken, [hash, tokenId]);
}

/** Locks what this refresh token of the app stands for. Concurrent calls wait here, and then find that it was used. */
export async function lockByRefresh(rows: Rows, hash: string, appId: string): Promise<Allowed | undefined> {
  return (await rows<Allowed>(lockAllowed, [hash, appId]))[0];
}

/** The same without a lock, also by one that was exchanged, and whether it is valid or not. */
export async function findByRefresh(
  rows: Rows,
  hash: string,
  appId: string,
): Promise<(Allowed & { token_hash: string }) | undefined> {
  return (await rows<Allowed & { token_hash: string }>(selectByRefresh, [hash, appId]))[0];
}

/** Exchanges the refresh token of a locked permission. */
export async function exchangeRefresh(rows: Rows, exchange: Exchange): Promise<void> {
  const { id, hash, expiresAt, longestSeconds, usedHash, successor, graceSeconds } = exchange;
  await rows(rotate, [id, hash, expiresAt, longestSeconds]);
  await rows(rememberUsed, [usedHash, id, successor]);
  await rows(forgetUsed, [id, graceSeconds, rememberedTokens]);
}

export async function findUsedRefresh(
  rows: Rows,
  hash: string,
  appId: string,
  graceSeconds: number,
): Promise<UsedToken | undefined> {
  return (await rows<UsedToken>(findUsed, [hash, appId, graceSeconds]))[0];
}

/** What a person allowed an app beyond the latest ones. */
export async function oldestAllowed(rows: Rows, userId: string, appId: string, keep: number): Promise<string[]> {
  return (await rows<{ id: string }>(selectOldest, [userId, appId, keep])).map(({ id }) => id);
}

/** Who has decided about a device; null: nobody yet. */
export async function findDeviceUser(rows: Rows, hash: string): Promise<string | null> {
  return (await rows<{ userId: string | null }>(selectDeviceUser, [hash]))[0]?.userId ?? null;
}

export async function lockWaiting(rows: Rows, hash: string): Promise<Device | undefined> {
  return (await rows<Device>(lockDevice, [hash]))[0];
}

export async function noteDeviceAsked(rows: Rows, hash: string, pause: number): Promise<void> {
  await rows(noteAsked, [hash, pause]);
}

export async function endDevice(rows: Rows, hash: string): Promise<void> {
  await rows(forgetDevice, [hash]);
}

/** Some of what people have allowed an app. */
export function someAllowed(rows: Rows, appId: string, most: number): Promise<{ id: string; userId: string }[]> {
  return rows(selectSome, [appId, most]);
}

export async function noteAppUsed(rows: Rows, appId: string): Promise<void> {
  await rows(noteUse, [appId]);
}

/** Forgets the oldest of the apps that registered themselves, and that nobody has allowed. @returns how many */
export async function forgetUnusedApps(rows: Rows, seconds: number): Promise<number> {
  return (await rows(forgetUnused, [seconds])).length;
}

/** Forgets some of those that nobody allows any more. @returns how many */
export async function forgetLeftApps(rows: Rows): Promise<number> {
  return (await rows(forgetLeft)).length;
}

export async function unusedApps(rows: Rows, most: number): Promise<number> {
  return (await rows<{ count: number }>(countUnused, [most]))[0]?.count ?? 0;
}

/** The apps that members of a server have allowed, those of most members first. */
export function appsOfServer(
  rows: Rows,
  serverId: string,
): Promise<{ appId: string; members: number; scope: string }[]> {
  return rows(selectOfServer, [serverId]);
}
