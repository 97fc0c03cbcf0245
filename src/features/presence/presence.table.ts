import { selectIsInChannel } from '../../access/channel.table.ts';
import type { Status } from '../../contract/presence.ts';
import type { Rows } from '../../database/database.ts';

/** DMs beyond the last used ones do not count as acquaintance here. */
const maxDms = 500;

const servers =
  'SELECT user_id AS "userId", server_id AS "serverId" FROM server_members WHERE user_id = ANY($1::uuid[])';
const friends = `SELECT low_id AS low, high_id AS high FROM friendships
  WHERE status = 'accepted' AND (low_id = ANY($1::uuid[]) OR high_id = ANY($1::uuid[]))`;
const dms = `SELECT dm.low_id AS low, dm.high_id AS high FROM unnest($1::uuid[]) AS someone (id) CROSS JOIN LATERAL (
    (SELECT low_id, high_id FROM dm_channels WHERE low_id = someone.id ORDER BY last_active_at DESC LIMIT $2)
    UNION ALL
    (SELECT low_id, high_id FROM dm_channels WHERE high_id = someone.id ORDER BY last_active_at DESC LIMIT $2)
  ) AS dm`;
/** Servers that user $1 has in common with the users $2. */
const shared = `SELECT other.user_id AS "userId", other.server_id AS "serverId" FROM server_members own
  JOIN server_members other ON other.server_id = own.server_id
  WHERE own.user_id = $1 AND other.user_id = ANY($2::uuid[])`;

/** Someone in a server. */
export interface Membership {
  userId: string;
  serverId: string;
}

/** Two who know each other. */
export interface Pair {
  low: string;
  high: string;
}

export function membershipsOf(rows: Rows, userIds: string[]): Promise<Membership[]> {
  return rows<Membership>(servers, [userIds]);
}

export function friendsOf(rows: Rows, userIds: string[]): Promise<Pair[]> {
  return rows<Pair>(friends, [userIds]);
}

/** Those with whom users lately had DMs. */
export function directPartnersOf(rows: Rows, userIds: string[]): Promise<Pair[]> {
  return rows<Pair>(dms, [userIds, maxDms]);
}

/** The memberships of others in servers of a user. */
export function meetingsOf(rows: Rows, userId: string, others: string[]): Promise<Membership[]> {
  return rows<Membership>(shared, [userId, others]);
}

const selectPeople = `SELECT m.user_id FROM channels c JOIN server_members m ON m.server_id = c.server_id JOIN users u ON u.id = m.user_id
    LEFT JOIN channel_members own ON own.channel_id = c.id AND own.user_id = m.user_id
    WHERE c.id = $1 AND NOT c.is_private AND ${selectIsInChannel('u.is_bot', 'own.excluded')}
  UNION ALL
  SELECT m.user_id FROM channels c JOIN channel_members m ON m.channel_id = c.id
    WHERE c.id = $1 AND c.is_private AND NOT m.excluded`;
const somePeople = `${selectPeople} LIMIT $2`;
const peopleAmongThem = `SELECT user_id FROM (${selectPeople}) AS people WHERE user_id = ANY($2::uuid[]) LIMIT $3`;

/** Up to a number of the people of a channel. */
export async function peopleOf(rows: Rows, channelId: string, limit: number): Promise<string[]> {
  return (await rows<{ user_id: string }>(somePeople, [channelId, limit])).map((row) => row.user_id);
}

/** Those among some users who are in a channel. */
export async function peopleAmong(rows: Rows, channelId: string, userIds: string[], limit: number): Promise<string[]> {
  return (await rows<{ user_id: string }>(peopleAmongThem, [channelId, userIds, limit])).map((row) => row.user_id);
}

/** The statuses that users chose, except for plain `online`. */
export async function readWishes(rows: Rows, userIds: string[]): Promise<Map<string, Status>> {
  const found = await rows<{ user_id: string; status: Status }>(
    'SELECT user_id, status FROM presence_wishes WHERE user_id = ANY($1::uuid[])',
    [userIds],
  );
  return new Map(found.map((row) => [row.user_id, row.status]));
}
