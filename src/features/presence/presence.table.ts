import { selectIsDenied, selectIsInChannel, selectLetIn, selectLetInOf } from '../../access/channel.table.ts';
import type { Status } from '../../contract/presence.ts';
import type { Rows } from '../../database/database.ts';

/** DMs beyond the last used ones do not count as acquaintance here. */
const maxDms = 500;
/** The same for groups, with up to ten others each. */
const maxGroups = 50;
/** Of these, those whose partners are listed to who comes into a large server. */
const acquaintedDms = 100;
/** Among the authors of so many messages are those who wrote last. */
const lastMessages = 50;

/** The servers of users, and the private channels that they are in. */
const places = `SELECT user_id AS "userId", server_id AS "serverId", NULL::uuid AS "channelId" FROM server_members
    WHERE user_id = ANY($1::uuid[])
  UNION ALL SELECT m.user_id, c.server_id, c.id FROM channel_members m JOIN channels c ON c.id = m.channel_id
    WHERE m.user_id = ANY($1::uuid[]) AND NOT m.excluded AND c.is_private AND c.server_id IS NOT NULL
      AND NOT ${selectIsDenied('m.user_id')}
  UNION ALL SELECT user_id, server_id, id FROM ${selectLetInOf('$1')} AS own`;
const friends = `SELECT low_id AS low, high_id AS high FROM friendships
  WHERE status = 'accepted' AND (low_id = ANY($1::uuid[]) OR high_id = ANY($1::uuid[]))`;
/** SQL of the others `other` in someone's last used groups. @param user SQL of their id */
const othersInGroups = (user: string) => `FROM (
    SELECT channel_id FROM group_members WHERE user_id = ${user} ORDER BY last_active_at DESC LIMIT ${maxGroups}) AS own
  JOIN group_members other ON other.channel_id = own.channel_id AND other.user_id <> ${user}`;
const dms = `SELECT dm.low_id AS low, dm.high_id AS high FROM unnest($1::uuid[]) AS someone (id) CROSS JOIN LATERAL (
    (SELECT low_id, high_id FROM dm_channels WHERE low_id = someone.id ORDER BY last_active_at DESC LIMIT $2)
    UNION ALL
    (SELECT low_id, high_id FROM dm_channels WHERE high_id = someone.id ORDER BY last_active_at DESC LIMIT $2)
    UNION ALL
    (SELECT someone.id, other.user_id ${othersInGroups('someone.id')})
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

/** Someone in a server, or in a private channel of it. */
export interface PlaceOf extends Membership {
  channelId: string | null;
}

/** Two who know each other. */
export interface Pair {
  low: string;
  high: string;
}

export function readPlaces(rows: Rows, userIds: string[]): Promise<PlaceOf[]> {
  return rows<PlaceOf>(places, [userIds]);
}

export function friendsOf(rows: Rows, userIds: string[]): Promise<Pair[]> {
  return rows<Pair>(friends, [userIds]);
}

/** Those with whom users lately had DMs, or were in groups. */
export function directPartnersOf(rows: Rows, userIds: string[]): Promise<Pair[]> {
  return rows<Pair>(dms, [userIds, maxDms]);
}

/** The memberships of others in servers of a user. */
export function meetingsOf(rows: Rows, userId: string, others: string[]): Promise<Membership[]> {
  return rows<Membership>(shared, [userId, others]);
}

const selectPeople = `SELECT m.user_id FROM channels c JOIN server_members m ON m.server_id = c.server_id JOIN users u ON u.id = m.user_id
    LEFT JOIN channel_members own ON own.channel_id = c.id AND own.user_id = m.user_id
    WHERE c.id = $1 AND NOT c.is_private
      AND ${selectIsInChannel({ user: 'm.user_id', excluded: 'own.excluded', isBot: 'u.is_bot' })}
  UNION ALL
  SELECT m.user_id FROM channels c JOIN channel_members m ON m.channel_id = c.id
    WHERE c.id = $1 AND c.is_private AND NOT m.excluded AND NOT ${selectIsDenied('m.user_id')}
  UNION ALL
  SELECT m.user_id FROM channels c CROSS JOIN LATERAL ${selectLetIn} AS m
    WHERE c.id = $1 AND c.is_private AND c.view_overridden`;
const somePeople = `${selectPeople} LIMIT $2`;

/** Up to a number of the people of a channel. */
export async function peopleOf(rows: Rows, channelId: string, limit: number): Promise<string[]> {
  return (await rows<{ user_id: string }>(somePeople, [channelId, limit])).map((row) => row.user_id);
}

const sizes = 'SELECT id, member_count AS size FROM servers WHERE id = ANY($1::uuid[])';
const members = `SELECT user_id AS id FROM server_members WHERE server_id = $1 AND user_id > $2
  ORDER BY user_id LIMIT $3`;
const membersAmongThem = 'SELECT user_id AS id FROM server_members WHERE server_id = $1 AND user_id = ANY($2::uuid[])';

/** How many members servers have. */
export async function sizesOf(rows: Rows, serverIds: string[]): Promise<Map<string, { size: number }>> {
  const found = await rows<{ id: string; size: number }>(sizes, [serverIds]);
  return new Map(found.map(({ id, size }) => [id, { size }]));
}

/** The members of a server after one of them, in the order of their ids. */
export async function membersAfter(rows: Rows, serverId: string, after: string, limit: number): Promise<string[]> {
  return (await rows<{ id: string }>(members, [serverId, after, limit])).map(({ id }) => id);
}

/** Those among some users who are members of a server. */
export async function membersAmong(rows: Rows, serverId: string, userIds: string[]): Promise<string[]> {
  return (await rows<{ id: string }>(membersAmongThem, [serverId, userIds])).map(({ id }) => id);
}

const membersOfServers = `SELECT s.id AS key, m.user_id AS id FROM unnest($1::uuid[]) AS s (id) CROSS JOIN LATERAL (
    SELECT user_id FROM server_members WHERE server_id = s.id LIMIT $2) AS m`;
/** `$1` has `<server>:<user>`. */
const acquaintances = `SELECT asked.key, known.id FROM unnest($1::text[]) AS asked (key)
  CROSS JOIN LATERAL (
    SELECT split_part(asked.key, ':', 1)::uuid AS server_id, split_part(asked.key, ':', 2)::uuid AS user_id) AS who
  CROSS JOIN LATERAL (
    SELECT high_id AS id FROM friendships WHERE low_id = who.user_id AND status = 'accepted'
    UNION SELECT low_id FROM friendships WHERE high_id = who.user_id AND status = 'accepted'
    UNION (SELECT high_id FROM dm_channels WHERE low_id = who.user_id ORDER BY last_active_at DESC LIMIT $2)
    UNION (SELECT low_id FROM dm_channels WHERE high_id = who.user_id ORDER BY last_active_at DESC LIMIT $2)
    UNION (SELECT other.user_id ${othersInGroups('who.user_id')})
  ) AS known
  JOIN server_members m ON m.server_id = who.server_id AND m.user_id = known.id`;
/** Those who wrote last in channels, the latest first, and are members still. */
const recentAuthors = `SELECT c.id AS key, recent.author_id AS id FROM channels c CROSS JOIN LATERAL (
    SELECT author_id, max(seq) AS seq FROM (
      SELECT author_id, seq FROM messages
      WHERE channel_id = c.id AND thread_id IS NULL AND deleted_at IS NULL ORDER BY seq DESC LIMIT $2) AS latest
    GROUP BY author_id) AS recent
  JOIN server_members m ON m.server_id = c.server_id AND m.user_id = recent.author_id
  WHERE c.id = ANY($1::uuid[]) ORDER BY recent.seq DESC`;

async function idsByKey(rows: Rows, text: string, values: [keys: string[], number]): Promise<Map<string, string[]>> {
  const found = new Map(values[0].map((key): [string, string[]] => [key, []]));
  for (const { key, id } of await rows<{ key: string; id: string }>(text, values)) found.get(key)?.push(id);
  return found;
}

/** Up to a number of the members of each server. */
export function membersOfAll(rows: Rows, serverIds: string[], limit: number): Promise<Map<string, string[]>> {
  return idsByKey(rows, membersOfServers, [serverIds, limit]);
}

/**
 * The friends of users, and those with whom they had DMs lately, who are members of a server.
 * @param keys `<server>:<user>`
 */
export function acquaintancesIn(rows: Rows, keys: string[]): Promise<Map<string, string[]>> {
  return idsByKey(rows, acquaintances, [keys, acquaintedDms]);
}

/** Those who wrote the last messages of channels of a server. */
export function recentAuthorsOf(rows: Rows, channelIds: string[]): Promise<Map<string, string[]>> {
  return idsByKey(rows, recentAuthors, [channelIds, lastMessages]);
}

/** The statuses that users chose, except for plain `online`. */
export async function readWishes(rows: Rows, userIds: string[]): Promise<Map<string, Status>> {
  const found = await rows<{ user_id: string; status: Status }>(
    'SELECT user_id, status FROM presence_wishes WHERE user_id = ANY($1::uuid[])',
    [userIds],
  );
  return new Map(found.map((row) => [row.user_id, row.status]));
}
