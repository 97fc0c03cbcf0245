import type { Policy } from '../contract/policy.ts';
import type { Rows } from '../database/database.ts';

/** The channel's own policy takes precedence over its server's default. */
const effective = `SELECT p.mode, p.mention_only AS "mentionOnly", p.reply, p.listen, p.config
  FROM agents a JOIN channels c ON c.id = $2
  JOIN agent_policies p ON p.agent_id = a.id
    AND (p.channel_id = c.id OR (p.channel_id IS NULL AND p.server_id = c.server_id))
  WHERE a.user_id = $1 ORDER BY p.channel_id IS NULL LIMIT 1`;

/** Those of channels $2 in which the effective policy of bot $1 meets a condition. */
const where = (
  condition: string,
) => `SELECT c.id FROM agents a JOIN channels c ON c.id = ANY($2::uuid[]) CROSS JOIN LATERAL (
    SELECT p.listen, p.mention_only FROM agent_policies p WHERE p.agent_id = a.id
      AND (p.channel_id = c.id OR (p.channel_id IS NULL AND p.server_id = c.server_id))
    ORDER BY p.channel_id IS NULL LIMIT 1) AS policy
  WHERE a.user_id = $1 AND ${condition}`;
const deaf = where('NOT policy.listen');
const limited = where('policy.mention_only');

const isMute = "p.mode = 'disabled' OR NOT p.listen";

/**
 * The bots of $2 that may not write or not listen in any channel of servers $1 that they are in; for bots in none the
 * server's default decides. Effective policies of channels have the server's default in them (see PolicyService).
 */
const selectBarred = `SELECT a.user_id AS "userId", s.id AS "serverId"
  FROM agents a CROSS JOIN unnest($1::uuid[]) AS s (id)
  LEFT JOIN LATERAL (SELECT ${isMute} AS is_mute FROM agent_policies p
    WHERE p.agent_id = a.id AND p.server_id = s.id AND p.channel_id IS NULL) AS standard ON true
  CROSS JOIN LATERAL (SELECT bool_and(coalesce(own.is_mute, standard.is_mute, false)) AS is_mute
    FROM channel_members m JOIN channels c ON c.id = m.channel_id AND c.server_id = s.id AND c.deleted_at IS NULL
    LEFT JOIN LATERAL (SELECT ${isMute} AS is_mute FROM agent_policies p
      WHERE p.agent_id = a.id AND p.channel_id = c.id) AS own ON true
    WHERE m.user_id = a.user_id AND NOT m.excluded) AS everywhere
  WHERE a.user_id = ANY($2::uuid[]) AND coalesce(everywhere.is_mute, standard.is_mute, false)`;

interface Barred {
  userId: string;
  serverId: string;
}

/** @param key `<bot>:<channel>` */
export async function readEffective(rows: Rows, key: string): Promise<Policy | undefined> {
  const [policy] = await rows<Policy>(effective, key.split(':'));
  return policy;
}

/** Those of the channels in which the bot may not listen. */
export async function deafIn(rows: Rows, botUserId: string, channelIds: string[]): Promise<string[]> {
  return (await rows<{ id: string }>(deaf, [botUserId, channelIds])).map(({ id }) => id);
}

/** Those in which it reads only what concerns it. */
export async function limitedIn(rows: Rows, botUserId: string, channelIds: string[]): Promise<string[]> {
  return (await rows<{ id: string }>(limited, [botUserId, channelIds])).map(({ id }) => id);
}

/** The bots that see no members and no files of a server, since they are disabled or deaf everywhere in it (contract §4). */
export async function barredBots(rows: Rows, serverId: string, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const barred = await rows<Barred>(selectBarred, [[serverId], userIds]);
  return new Set(barred.map(({ userId }) => userId));
}

/** The servers among some in which a user is such a bot. */
export async function barredServers(rows: Rows, userId: string, serverIds: string[]): Promise<Set<string>> {
  const barred = await rows<Barred>(selectBarred, [serverIds, [userId]]);
  return new Set(barred.map(({ serverId }) => serverId));
}
