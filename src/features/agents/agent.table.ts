import type { AgentStatus } from '../../contract/agent.ts';
import type { Rows } from '../../database/database.ts';

/**
 * What an UPDATE of `agents` sets when a bot is seen alive, or goes offline: the time since its last sign of life counts,
 * unless it was considered offline in between. `$2` is how many seconds a sign of life is valid.
 */
const uptime = `online_seconds = online_seconds + CASE
    WHEN last_seen_at > now() - make_interval(secs => $2) THEN extract(epoch FROM now() - last_seen_at) ELSE 0 END`;
const beat = `UPDATE agents SET ${uptime}, last_seen_at = now(), last_heartbeat = now(), status = coalesce($3, status)
  WHERE id = $1 AND status <> 'stopped' RETURNING status, last_heartbeat AS "lastHeartbeat"`;
const setStatus = `UPDATE agents SET ${uptime}, last_seen_at = NULL, status = $3, updated_at = now() WHERE id = $1`;
/** Locked in a fixed order, since other nodes may save the same bots. */
const updateUptime = `UPDATE agents SET ${uptime}, last_seen_at = now()
  FROM (SELECT id FROM agents WHERE id = ANY($1::uuid[]) AND status <> 'stopped' ORDER BY id FOR UPDATE) AS seen
  WHERE agents.id = seen.id`;
const selectValid = `SELECT t.id, (extract(epoch FROM t.ends_at) * 1000)::float8 AS "endsAt"
  FROM agent_tokens t JOIN agents a ON a.id = t.agent_id JOIN users o ON o.id = a.owner_id
  WHERE t.id = ANY($1::uuid[]) AND t.ends_at > now() AND a.status <> 'stopped' AND o.suspended_at IS NULL`;
const channelsOf = `SELECT m.channel_id AS id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.user_id = $1 AND NOT m.excluded AND NOT c.is_archived AND c.deleted_at IS NULL
  ORDER BY c.server_id, c.position, c.created_at LIMIT 2000`;

/** Records a heartbeat that is valid for `seconds`. @returns undefined for a bot that is stopped */
export async function recordHeartbeat(
  rows: Rows,
  agentId: string,
  seconds: number,
  status: AgentStatus | null,
): Promise<{ status: AgentStatus; lastHeartbeat: Date | string } | undefined> {
  const [alive] = await rows<{ status: AgentStatus; lastHeartbeat: Date | string }>(beat, [agentId, seconds, status]);
  return alive;
}

/** Starts or stops a bot. @param seconds how long a sign of life is valid */
export async function setAgentStatus(rows: Rows, agentId: string, seconds: number, status: AgentStatus): Promise<void> {
  await rows(setStatus, [agentId, seconds, status]);
}

/** Counts the time up to now for bots that are alive. @param seconds how long a sign of life is valid */
export async function saveUptime(rows: Rows, agentIds: string[], seconds: number): Promise<void> {
  await rows(updateUptime, [agentIds, seconds]);
}

/** When those of the tokens end (in ms since 1970) that bots may sign in with at this moment. */
export async function validTokens(rows: Rows, tokenIds: string[]): Promise<Map<string, number>> {
  const valid = await rows<{ id: string; endsAt: number }>(selectValid, [tokenIds]);
  return new Map(valid.map(({ id, endsAt }) => [id, endsAt]));
}

/** The open channels that a bot is in, in order; read for each of its connections. */
export async function channelsOfBot(rows: Rows, botUserId: string): Promise<string[]> {
  return (await rows<{ id: string }>(channelsOf, [botUserId])).map(({ id }) => id);
}

/** Drops what a deleted bot was to send later, with its files, what it said of itself, and what it was to be notified of. */
export async function dropPlans(rows: Rows, botUserId: string): Promise<void> {
  await rows('DELETE FROM scheduled_messages WHERE user_id = $1', [botUserId]);
  await rows('DELETE FROM custom_statuses WHERE user_id = $1', [botUserId]);
  await rows('DELETE FROM mcp_subscriptions WHERE user_id = $1', [botUserId]);
}
