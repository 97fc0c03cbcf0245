import type { Rows } from '../../database/database.ts';
import { selectUnread, selectUnreadThreads } from '../members/unread.table.ts';
import { type DmRecord, type DmRow, dmRecord } from './direct.view.ts';

/** DM channels as user $1 sees them; bots are shown no last messages, since a policy may keep them from listening. */
const selectDms = `SELECT c.id, c.server_id, c.kind, c.name, c.type, c.description, c.position, c.is_private,
  c.is_archived, c.created_at, c.updated_at, c.slow_mode_seconds, c.keep_messages_days, s.last_seq,
  last.created_at AS last_message_at,
  CASE WHEN NOT (SELECT is_bot FROM users WHERE id = $1) THEN left(last.content, 200) END AS preview, d.low_id,
  d.high_id, u.id AS other_id, u.username, u.display_name, u.avatar_url, u.is_bot,
  coalesce(r.last_read_seq, 0) AS last_read_seq,
  (${selectUnread('c.id', 'coalesce(r.last_read_seq, 0)', '$1')}) AS unread_count,
  (${selectUnreadThreads('c.id', 'coalesce(r.last_read_seq, 0)', '$1')}) AS unread_threads
  FROM dm_channels d JOIN channels c ON c.id = d.channel_id JOIN streams s ON s.id = d.channel_id
  JOIN users u ON u.id = CASE WHEN d.low_id = $1 THEN d.high_id ELSE d.low_id END
  LEFT JOIN channel_reads r ON r.channel_id = c.id AND r.user_id = $1
  LEFT JOIN LATERAL (
    SELECT m.created_at, m.content FROM messages m
    WHERE m.channel_id = c.id AND m.thread_id IS NULL AND m.deleted_at IS NULL ORDER BY m.seq DESC LIMIT 1
  ) AS last ON true`;

/** A user's $2 last used DM channels: each half is a walk along an index. @param user SQL of its id */
const recentOf = (user: string) => `SELECT channel_id FROM (
    (SELECT channel_id, last_active_at FROM dm_channels WHERE low_id = ${user} ORDER BY last_active_at DESC LIMIT $2)
    UNION ALL
    (SELECT channel_id, last_active_at FROM dm_channels WHERE high_id = ${user} ORDER BY last_active_at DESC LIMIT $2)
  ) AS both_halves ORDER BY last_active_at DESC LIMIT $2`;
const recentOnes = `${selectDms} WHERE d.channel_id IN (${recentOf('$1')})
  ORDER BY coalesce(last.created_at, c.created_at) DESC, c.id DESC`;
const oneDm = `${selectDms} WHERE d.channel_id = $2`;

/** The user's last used DM channels, newest first. */
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

/** A DM channel as one of its two users sees it. */
export async function readDm(rows: Rows, userId: string, channelId: string): Promise<DmRecord | undefined> {
  const [row] = await rows<DmRow>(oneDm, [userId, channelId]);
  return row && dmRecord(row);
}
