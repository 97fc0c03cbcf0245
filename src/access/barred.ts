import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import type { Rows } from '../database/database.ts';

const isMute = "p.mode = 'disabled' OR NOT p.listen";

/**
 * The bots of $2 that may not write or not listen in any channel of server $1 that they are in; for bots in none the
 * server's default decides. Effective policies of channels have the server's default in them (see PolicyService).
 */
const selectBarred = `SELECT a.user_id AS id FROM agents a
  LEFT JOIN LATERAL (SELECT ${isMute} AS is_mute FROM agent_policies p
    WHERE p.agent_id = a.id AND p.server_id = $1 AND p.channel_id IS NULL) AS standard ON true
  CROSS JOIN LATERAL (SELECT bool_and(coalesce(own.is_mute, standard.is_mute, false)) AS is_mute
    FROM channel_members m JOIN channels c ON c.id = m.channel_id AND c.server_id = $1 AND c.deleted_at IS NULL
    LEFT JOIN LATERAL (SELECT ${isMute} AS is_mute FROM agent_policies p
      WHERE p.agent_id = a.id AND p.channel_id = c.id) AS own ON true
    WHERE m.user_id = a.user_id AND NOT m.excluded) AS everywhere
  WHERE a.user_id = ANY($2::uuid[]) AND coalesce(everywhere.is_mute, standard.is_mute, false)`;

/** The bots that see no members and no files of a server, since they are disabled or deaf everywhere in it (contract §4). */
export async function barredBots(rows: Rows, serverId: string, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const barred = await rows<{ id: string }>(selectBarred, [serverId, userIds]);
  return new Set(barred.map(({ id }) => id));
}

/** @throws AppError FORBIDDEN for such a bot */
export async function requireUnbarred(rows: Rows, actor: Actor, serverId: string): Promise<void> {
  if (!(await isBarred(rows, actor, serverId))) return;
  throw new AppError('FORBIDDEN', { message: "This bot's policies let it see neither members nor files here." });
}

/** Whether the actor is such a bot. */
export async function isBarred(rows: Rows, actor: Actor, serverId: string): Promise<boolean> {
  return actor.user.isBot && (await barredBots(rows, serverId, [actor.userId])).size > 0;
}
