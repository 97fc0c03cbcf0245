import { selectIsDenied, selectIsInChannel, selectLetInOf, selectMayKnow } from '../../access/channel.table.ts';
import { selectHolders, selectMay } from '../../access/rights.table.ts';
import type { Permission, Role } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';

const selectPeople = `SELECT m.user_id AS id FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND NOT u.is_bot AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`;
const selectMembers = 'SELECT user_id AS id FROM server_members WHERE server_id = $1 ORDER BY user_id';
/** SQL: the effective policy of a bot, if any, lets it read all of channel `c`. People have none. */
const selectReadsAll = `coalesce((SELECT p.listen AND NOT p.mention_only FROM agents a
  JOIN agent_policies p ON p.agent_id = a.id AND (p.channel_id = c.id OR (p.channel_id IS NULL AND p.server_id = c.server_id))
  WHERE a.user_id = m.user_id ORDER BY p.channel_id IS NULL LIMIT 1), true)`;

/**
 * The SQL condition that member `m`, who is user `u` and has the row `e` in it, may read all of channel `c`: a person who is
 * in it or sees private ones, a bot that is in it and reads more than what concerns it.
 */
export const selectReadsChannel = `(${selectIsInChannel({ user: 'm.user_id', excluded: 'e.excluded', isBot: 'u.is_bot' })}
    AND ${selectReadsAll}
  OR (c.is_private OR c.view_overridden) AND NOT u.is_bot AND ${selectMay('m', 'channel:see-private')}
    AND NOT ${selectIsDenied('m.user_id')})`;
const selectListeners = `SELECT m.user_id AS id, m.role FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND m.user_id = ANY($2::uuid[]) AND ($3::uuid IS NULL OR EXISTS (
    SELECT FROM channels c LEFT JOIN channel_members e ON e.channel_id = c.id AND e.user_id = m.user_id
    WHERE c.id = $3 AND ${selectReadsChannel}
  )) ORDER BY m.user_id`;

const holders = (permission: Permission) =>
  `SELECT user_id AS id FROM ${selectHolders('$1', permission)} AS holder ORDER BY 1 LIMIT 200`;

/** $2 channels: those of the people who have a permission in a server who may know of each. 200 of each at most. */
const knowingHolders = (permission: Permission) =>
  `SELECT c.id AS "channelId", holder.id FROM channels c CROSS JOIN LATERAL (
    SELECT m.user_id AS id FROM ${selectHolders('$1', permission)} AS one
    JOIN server_members m ON m.server_id = c.server_id AND m.user_id = one.user_id
    WHERE ${selectMayKnow} ORDER BY 1 LIMIT 200) AS holder
  WHERE c.server_id = $1 AND c.id = ANY($2::uuid[]) ORDER BY 1, 2`;

const selectAsked = `SELECT c.id FROM channels c JOIN server_members m ON m.server_id = c.server_id AND m.user_id = $2
  WHERE c.server_id = $1 AND c.id IN (SELECT channel_id FROM join_requests WHERE server_id = $1 AND status = 'pending')
    AND ${selectMayKnow}`;

const selectAnnounced = `SELECT id FROM channels WHERE server_id = $1 AND NOT is_private AND NOT is_archived
  ORDER BY position, created_at LIMIT $2`;
const selectEntered = `SELECT c.id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.user_id = $2 AND NOT m.excluded AND c.server_id = $1 AND c.is_private AND NOT ${selectIsDenied('$2')}
  UNION SELECT id FROM ${selectLetInOf('ARRAY[$2::uuid]')} AS own WHERE server_id = $1`;
const homepageSize = 'SELECT greatest(length(homepage_html), 1) AS size FROM servers WHERE id = $1';
const holdServer = 'SELECT id FROM servers WHERE id = $1 FOR SHARE';

/** A member that gets an event. */
interface Listener {
  id: string;
  role: Role;
}

const idsOf = async (rows: Rows, text: string, values: unknown[]): Promise<string[]> =>
  (await rows<{ id: string }>(text, values)).map(({ id }) => id);

/**
 * Blocks joins and leaves of a server until the commit: each commits before, and the audience reflects it, or after,
 * and sees the change.
 */
export async function lockMembership(rows: Rows, serverId: string): Promise<void> {
  await rows(holdServer, [serverId]);
}

/** The people of a server by id. @param limit null: all of them */
export function peopleAfter(rows: Rows, serverId: string, after: string, limit: number | null): Promise<string[]> {
  return idsOf(rows, selectPeople, [serverId, after, limit]);
}

/** The same with the bots. */
export function allMembers(rows: Rows, serverId: string): Promise<string[]> {
  return idsOf(rows, selectMembers, [serverId]);
}

/** Those of `people` who are in the server and may know of the channel, if there is one; bots that read all of it. */
export function listenersAmong(
  rows: Rows,
  serverId: string,
  people: string[],
  channelId: string | null,
): Promise<Listener[]> {
  return rows<Listener>(selectListeners, [serverId, people, channelId]);
}

/** The members of a server who have a permission, 200 at most: those who are told of what they decide. */
export function holdersOf(rows: Rows, serverId: string, permission: Permission): Promise<string[]> {
  return idsOf(rows, holders(permission), [serverId]);
}

/** Of these, for each of some channels those who may know of it. */
export async function holdersWhoKnow(
  rows: Rows,
  serverId: string,
  permission: Permission,
  channelIds: string[],
): Promise<Map<string, string[]>> {
  if (channelIds.length === 0) return new Map();
  const found = await rows<{ channelId: string; id: string }>(knowingHolders(permission), [serverId, channelIds]);
  const byChannel = Map.groupBy(found, ({ channelId }) => channelId);
  return new Map([...byChannel].map(([channelId, holders]) => [channelId, holders.map(({ id }) => id)]));
}

/** The channels of a server that people ask to join, as far as a member may know of them. */
export function askedChannels(rows: Rows, serverId: string, userId: string): Promise<string[]> {
  return idsOf(rows, selectAsked, [serverId, userId]);
}

/** The open channels of a server, in their order. */
export function openChannels(rows: Rows, serverId: string, limit: number): Promise<string[]> {
  return idsOf(rows, selectAnnounced, [serverId, limit]);
}

/** The private channels of a server that a member is in. */
export function enteredChannels(rows: Rows, serverId: string, userId: string): Promise<string[]> {
  return idsOf(rows, selectEntered, [serverId, userId]);
}

/** The length of a server's home page in characters, 1 at least; undefined: the server is gone. */
export async function homepageLength(rows: Rows, serverId: string): Promise<number | undefined> {
  const [server] = await rows<{ size: number }>(homepageSize, [serverId]);
  return server?.size;
}
