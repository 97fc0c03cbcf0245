import { selectDirects } from '../../access/direct.table.ts';
import type { Rows } from '../../database/database.ts';
import { selectQuoted } from '../../database/quoted.ts';
import { selectGroup } from '../members/channel.table.ts';
import { selectUnread, selectUnreadThreads } from '../members/unread.table.ts';
import { type DmRecord, type DmRow, dmRecord } from './direct.view.ts';

/** DMs and groups as user $1 sees them; bots are shown no last messages, since a policy may keep them from listening. */
const selectDms = `SELECT c.id, c.server_id, c.kind, c.name, c.type, c.description, c.position, c.category_id, c.is_private,
  c.is_archived, c.created_at, c.updated_at, c.slow_mode_seconds, c.keep_messages_days, s.last_seq,
  last.created_at AS last_message_at,
  CASE WHEN NOT (SELECT is_bot FROM users WHERE id = $1) THEN last.content END AS preview, d.low_id,
  d.high_id, u.id AS other_id, u.username, u.display_name, u.avatar_url, u.is_bot, ${selectGroup} AS members,
  coalesce(r.last_read_seq, 0) AS last_read_seq,
  (${selectUnread('c.id', 'coalesce(r.last_read_seq, 0)', '$1')}) AS unread_count,
  (${selectUnreadThreads('c.id', 'coalesce(r.last_read_seq, 0)', '$1')}) AS unread_threads
  FROM channels c JOIN streams s ON s.id = c.id LEFT JOIN dm_channels d ON d.channel_id = c.id
  LEFT JOIN users u ON u.id = CASE WHEN d.low_id = $1 THEN d.high_id ELSE d.low_id END
  LEFT JOIN channel_reads r ON r.channel_id = c.id AND r.user_id = $1
  LEFT JOIN LATERAL (
    SELECT m.created_at, ${selectQuoted('m')} AS content FROM messages m
    WHERE m.channel_id = c.id AND m.thread_id IS NULL AND m.deleted_at IS NULL ORDER BY m.seq DESC LIMIT 1
  ) AS last ON true`;

/** A user's $2 last used DMs and groups. @param user SQL of its id */
const recentOf = (
  user: string,
) => `SELECT channel_id FROM (${selectDirects(user, 'ORDER BY last_active_at DESC LIMIT $2')}
  ) AS direct ORDER BY last_active_at DESC LIMIT $2`;
const recentOnes = `${selectDms} WHERE c.id IN (${recentOf('$1')})
  ORDER BY coalesce(last.created_at, c.created_at) DESC, c.id DESC`;
const everyone = 'SELECT user_id AS id FROM channel_members WHERE channel_id = $1 AND NOT excluded ORDER BY user_id';
const owners = `SELECT user_id AS "userId", owner_id AS "ownerId" FROM agents WHERE user_id = ANY($1::uuid[])
  ORDER BY id FOR SHARE`;
const members = 'SELECT user_id AS id FROM server_members WHERE server_id = $1 AND user_id = ANY($2::uuid[])';
const oneDm = `${selectDms} WHERE c.id = $2`;

/** The user's last used DMs and groups, newest first. */
export async function readRecentDms(rows: Rows, userId: string, limit: number): Promise<DmRecord[]> {
  return (await rows<DmRow>(recentOnes, [userId, limit])).map(dmRecord);
}

const recentIds = `SELECT people.id, array_agg(channel_id) AS channels
  FROM unnest($1::uuid[]) AS people (id) CROSS JOIN LATERAL (${recentOf('people.id')}) AS recent GROUP BY people.id`;

/** Only the ids of the channels, for many users; those without any are missing. */
export async function readRecentDmIds(rows: Rows, userIds: string[], limit: number): Promise<Map<string, string[]>> {
  const found = await rows<{ id: string; channels: string[] }>(recentIds, [userIds, limit]);
  return new Map(found.map((row) => [row.id, row.channels]));
}

/** A DM or group as someone in it sees it. */
export async function readDm(rows: Rows, userId: string, channelId: string): Promise<DmRecord | undefined> {
  const [row] = await rows<DmRow>(oneDm, [userId, channelId]);
  return row && dmRecord(row);
}

/** Everyone in a DM or group. */
export async function peopleInDirect(rows: Rows, channelId: string): Promise<string[]> {
  return (await rows<{ id: string }>(everyone, [channelId])).map(({ id }) => id);
}

/** The bots among some users, with their owners, who stay so until the commit. */
export function holdOwners(rows: Rows, userIds: string[]): Promise<{ userId: string; ownerId: string }[]> {
  return rows<{ userId: string; ownerId: string }>(owners, [userIds]);
}

/** Those among some users who are members of a server. */
export async function membersAmong(rows: Rows, serverId: string, userIds: string[]): Promise<string[]> {
  return (await rows<{ id: string }>(members, [serverId, userIds])).map(({ id }) => id);
}
