import type { SmallUser } from '../../contract/actor.ts';
import type { AgentStatus } from '../../contract/agent.ts';
import type { Rows } from '../../database/database.ts';
import type { Standing } from './standing.ts';

/** What nodes cache about an account. */
export interface KnownUser extends Standing {
  user: SmallUser;
  tier: string;
  secondFactor: boolean;
  /** They have asked to be deleted, and may still come back. */
  leaving: boolean;
}

export interface KnownSession {
  userId: string;
  revoked: boolean;
}

/** Everything that the first use of a session needs. */
export interface Arrival {
  session: KnownSession;
  /** Undefined if there is no such account any more. */
  user: KnownUser | undefined;
}

export interface KnownToken {
  id: string;
  userId: string;
  scopes: readonly string[];
  /** In ms since 1970; null: never. */
  expiresAt: number | null;
  revoked: boolean;
  /** Who answers for the app that it was allowed to; null: nobody does, or it is the person's own. */
  appOwnerId: string | null;
}

/** What nodes cache about an active bot. */
export interface KnownAgent {
  id: string;
  ownerId: string;
  status: AgentStatus;
  user: SmallUser;
  tier: string;
  /** The owner's, which applies to the bot too. */
  standing: Standing;
}

export interface KnownAgentToken {
  agentId: string;
  /** In ms since 1970. */
  endsAt: number;
}

/** When and from where a session or a token was last used. */
export interface Seen {
  id: string;
  at: Date;
  /** Null: from where is known already. */
  ip: string | null;
}

const userColumns = `u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot",
  u.tier, u.suspended_at IS NOT NULL AS suspended, u.suspension_reason AS "suspensionReason",
  u.suspended_until AS "suspendedUntil", u.second_factor_at IS NOT NULL AS "secondFactor",
  u.deletes_at IS NOT NULL AS leaving`;
const selectUsers = `SELECT ${userColumns} FROM users u WHERE u.id = ANY($1::uuid[]) AND u.deleted_at IS NULL`;
const selectArrivals = `SELECT s.id AS "sessionId", s.user_id AS "userId", s.revoked_at IS NOT NULL AS revoked, ${userColumns}
  FROM sessions s LEFT JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL WHERE s.id = ANY($1::uuid[])`;
const selectTokenId = 'SELECT id FROM personal_tokens WHERE token_hash = $1';
const selectToken = `SELECT t.id, t.user_id AS "userId", t.scope, (extract(epoch FROM t.expires_at) * 1000)::float8 AS "expiresAt",
  t.revoked_at IS NOT NULL AS revoked, a.owner_id AS "appOwnerId"
  FROM personal_tokens t LEFT JOIN oauth_apps a ON a.id = t.app_id WHERE t.id = $1`;
const selectAgent = `SELECT a.id AS "agentId", a.owner_id AS "ownerId", a.status, u.id, u.username,
  u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot", u.tier,
  o.suspended_at IS NOT NULL AS suspended, o.suspension_reason AS "suspensionReason",
  o.suspended_until AS "suspendedUntil"
  FROM agents a JOIN users u ON u.id = a.user_id JOIN users o ON o.id = a.owner_id
  WHERE a.user_id = $1 AND u.deleted_at IS NULL`;
const selectAgentToken = `SELECT agent_id AS "agentId", (extract(epoch FROM ends_at) * 1000)::float8 AS "endsAt"
  FROM agent_tokens WHERE id = $1`;
const touchSessions = `UPDATE sessions s SET last_seen_at = greatest(s.last_seen_at, v.at), ip_address = coalesce(v.ip, s.ip_address)
  FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) AS v (id, at, ip)
  WHERE s.id = v.id AND s.last_seen_at < v.at - interval '30 seconds'`;
const touchTokens = `UPDATE personal_tokens t SET last_used_at = greatest(t.last_used_at, v.at)
  FROM unnest($1::uuid[], $2::timestamptz[]) AS v (id, at)
  WHERE t.id = v.id AND (t.last_used_at IS NULL OR t.last_used_at < v.at - interval '30 seconds')`;

/** Those of these accounts that exist, by their ids. */
export async function readUsers(rows: Rows, ids: string[]): Promise<Map<string, KnownUser>> {
  const found = await rows<UserRow>(selectUsers, [ids]);
  return new Map(found.map((row) => [row.id, knownUser(row)]));
}

/** Those of these sessions that exist, each with its user. */
export async function readArrivals(rows: Rows, sessionIds: string[]): Promise<Map<string, Arrival>> {
  const found = await rows<KnownSession & UserRow & { sessionId: string }>(selectArrivals, [sessionIds]);
  return new Map(
    found.map(({ sessionId, userId, revoked, ...user }) => [
      sessionId,
      { session: { userId, revoked }, user: user.id === null ? undefined : knownUser(user) },
    ]),
  );
}

const knownUser = ({
  tier,
  suspended,
  suspensionReason,
  suspendedUntil,
  secondFactor,
  leaving,
  ...user
}: UserRow): KnownUser => ({
  user,
  tier,
  suspended,
  suspensionReason,
  suspendedUntil,
  secondFactor,
  leaving,
});

/** The id of the personal access token with this hash. */
export async function readTokenId(rows: Rows, hash: string): Promise<string | undefined> {
  return (await rows<{ id: string }>(selectTokenId, [hash]))[0]?.id;
}

export async function readToken(rows: Rows, id: string): Promise<KnownToken | undefined> {
  const [row] = await rows<Omit<KnownToken, 'scopes'> & { scope: string }>(selectToken, [id]);
  if (!row) return undefined;
  const { scope, ...token } = row;
  return { ...token, scopes: scope.split(' ') };
}

/** The agent of a bot user. */
export async function readAgent(rows: Rows, userId: string): Promise<KnownAgent | undefined> {
  const [row] = await rows<AgentRow>(selectAgent, [userId]);
  if (!row) return undefined;
  const { agentId, ownerId, status, tier, suspended, suspensionReason, suspendedUntil, ...user } = row;
  const standing = { suspended, suspensionReason, suspendedUntil };
  return { id: agentId, ownerId, status, tier, user, standing };
}

export async function readAgentToken(rows: Rows, id: string): Promise<KnownAgentToken | undefined> {
  return (await rows<KnownAgentToken>(selectAgentToken, [id]))[0];
}

/** Remembers the use of sessions. @param seen sorted, so that concurrent calls lock the rows in the same order */
export async function writeSessionsSeen(rows: Rows, seen: Seen[]): Promise<void> {
  await rows(touchSessions, [seen.map(({ id }) => id), seen.map(({ at }) => at), seen.map(({ ip }) => ip)]);
}

/** The same for personal access tokens. */
export async function writeTokensSeen(rows: Rows, seen: Seen[]): Promise<void> {
  await rows(touchTokens, [seen.map(({ id }) => id), seen.map(({ at }) => at)]);
}

interface UserRow extends SmallUser, Standing {
  tier: string;
  secondFactor: boolean;
  leaving: boolean;
}

interface AgentRow extends SmallUser, Standing {
  agentId: string;
  ownerId: string;
  status: AgentStatus;
  tier: string;
}
