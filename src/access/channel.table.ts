import type { Rows } from '../database/database.ts';
import type { ChannelInfo, MembershipRow } from './channel.access.ts';
import { isNotHeldBack, selectMay } from './rights.table.ts';

/** SQL of an override `o` as `Override` has it. */
export const selectOverride = `json_build_object('builtIn', o.built_in, 'roleId', o.role_id, 'userId', o.user_id,
  'allow', o.allow, 'deny', o.deny)`;
const infos = `SELECT c.id, c.server_id AS "serverId", c.kind, c.name, c.type, c.is_private AS "isPrivate",
    c.is_archived AS "isArchived", c.slow_mode_seconds AS "slowModeSeconds", c.is_watched OR coalesce(w.is_watched, false) AS "isWatched",
    coalesce(w.is_public, false) AS "serverIsPublic",
    coalesce((SELECT json_agg(${selectOverride} ORDER BY o.id) FROM channel_overrides o WHERE o.channel_id = c.id), '[]') AS overrides
  FROM channels c LEFT JOIN servers w ON w.id = c.server_id WHERE c.id = ANY($1::uuid[]) AND c.deleted_at IS NULL`;
const entries = `SELECT key, (SELECT excluded FROM channel_members
    WHERE channel_id = split_part(key, ':', 1)::uuid AND user_id = split_part(key, ':', 2)::uuid) AS excluded
  FROM unnest($1::text[]) AS key`;

export async function readChannels(rows: Rows, ids: string[]): Promise<Map<string, ChannelInfo>> {
  const found = await rows<ChannelInfo>(infos, [ids]);
  return new Map(found.map((channel) => [channel.id, channel]));
}

/** @param keys `<channel>:<user>` */
export async function readEntries(rows: Rows, keys: string[]): Promise<Map<string, MembershipRow>> {
  const found = await rows<MembershipRow & { key: string }>(entries, [keys]);
  return new Map(found.map(({ key, excluded }) => [key, { excluded }]));
}

/** SQL: an override that concerns who may view the channel. */
const isAbout = (list: 'allow' | 'deny') => `'view' = ANY(o.${list})`;

/**
 * SQL of what the overrides of channel `c` say about whether a member of its server may view it, as `viewByOverrides`
 * decides it; null: nothing. Channels without such overrides cost no look-up.
 * @param user SQL of the user's id
 */
export const selectViewByOverrides = (user: string): string => `CASE WHEN c.view_overridden THEN (
  SELECT CASE WHEN s.role NOT IN ('owner', 'admin') AND bool_or(o.user_id IS NOT NULL AND ${isAbout('deny')}) THEN false
    WHEN bool_or(o.user_id IS NULL AND ${isAbout('allow')} AND ${isNotHeldBack('s')}) THEN true
    WHEN s.role NOT IN ('owner', 'admin') AND bool_or(${isAbout('deny')}) THEN false END
  FROM server_members s JOIN channel_overrides o ON o.channel_id = c.id AND (o.user_id = s.user_id
    OR (o.built_in = 'moderator' AND s.role = 'moderator' AND ${isNotHeldBack('s')})
    OR o.role_id IN (SELECT h.role_id FROM member_roles h WHERE h.server_id = s.server_id AND h.user_id = s.user_id))
  WHERE s.server_id = c.server_id AND s.user_id = ${user} GROUP BY s.role) END`;

/**
 * The SQL condition that an override for a member of its server alone says that they may not view channel `c`, as `isDenied`
 * decides it.
 * @param user SQL of the user's id
 */
export const selectIsDenied = (user: string): string => `(c.view_overridden AND EXISTS (
  SELECT FROM channel_overrides o JOIN server_members s ON s.server_id = c.server_id AND s.user_id = o.user_id
  WHERE o.channel_id = c.id AND o.user_id = ${user} AND ${isAbout('deny')} AND s.role NOT IN ('owner', 'admin')))`;

/** SQL of what decides who is in channel `c`. */
interface Asked {
  /** The user's id. */
  user: string;
  /** The value of the user's row in `channel_members`. */
  excluded: string;
  /** Whether the user is a bot. */
  isBot?: string;
  /** Whether the user is in the channel's server, where the statement does not begin with its members. */
  inServer?: string;
}

/** The SQL condition that a user is in channel `c`, as `isInChannel` decides it. */
export function selectIsInChannel({ user, excluded, isBot, inServer }: Asked): string {
  const open = `coalesce(${selectViewByOverrides(user)}, NOT c.is_private)`;
  const without = [inServer, isBot && `NOT (${isBot})`, open].filter((part) => part !== undefined).join(' AND ');
  return `CASE WHEN ${excluded} IS NULL THEN ${without} ELSE NOT ${excluded} AND NOT ${selectIsDenied(user)} END`;
}

/**
 * The SQL condition that someone may read channel `c`, if there is one, and all its messages. Bots get less (see
 * policies).
 * @param user SQL of the user's id
 */
export const selectMayRead = (user: string): string => `(
  c.id IS NOT NULL AND c.deleted_at IS NULL
  AND (c.server_id IS NULL OR EXISTS (
    SELECT FROM server_members s WHERE s.server_id = c.server_id AND s.user_id = ${user}))
  AND ${selectIsInChannel({ user, excluded: selectEntry(user) })})`;

/** A subquery for the value of a user's row in `channel_members` of channel `c`. @param user SQL of the user's id */
export const selectEntry = (user: string): string =>
  `(SELECT cm.excluded FROM channel_members cm WHERE cm.channel_id = c.id AND cm.user_id = ${user})`;

const isBotM = '(SELECT is_bot FROM users WHERE id = m.user_id)';

/** The SQL condition that a member `m` of its server may know of channel `c`, as `placeIn` decides it. */
export const selectMayKnow = `(${selectIsInChannel({
  user: 'm.user_id',
  excluded: `nullif(${selectEntry('m.user_id')}, true)`,
  isBot: isBotM,
})} OR (${selectMay('m', 'channel:see-private')} AND NOT ${isBotM} AND NOT ${selectIsDenied('m.user_id')}))`;

/**
 * The SQL condition that the bots of someone may be in channel `c` of a server that they are in: in a private one while they
 * are in it, in another one unless overrides keep them out (contract §5).
 * @param owner SQL of their id
 */
export const selectMayHaveBots = (owner: string): string => {
  const excluded = `CASE WHEN c.is_private THEN ${selectEntry(owner)} ELSE nullif(${selectEntry(owner)}, true) END`;
  return `(NOT (c.is_private OR c.view_overridden) OR ${selectIsInChannel({ user: owner, excluded })})`;
};

/** SQL: a person whom overrides let into private channel `c` without a row in `channel_members`. */
const isLetIn = (user: string) => `NOT (SELECT is_bot FROM users WHERE id = ${user})
  AND ${selectEntry(user)} IS NULL AND ${selectViewByOverrides(user)}`;

/** A subquery for the ids of those whom overrides alone let into private channel `c`. */
export const selectLetIn = `(SELECT holder.user_id FROM (
    SELECT h.user_id FROM channel_overrides o JOIN member_roles h ON h.role_id = o.role_id
      WHERE o.channel_id = c.id AND ${isAbout('allow')}
    UNION SELECT m.user_id FROM channel_overrides o JOIN server_members m ON m.server_id = c.server_id AND m.role = o.built_in
      WHERE o.channel_id = c.id AND o.built_in = 'moderator' AND ${isAbout('allow')}
  ) AS holder WHERE ${isLetIn('holder.user_id')})`;

/**
 * A subquery for the private channels into which overrides alone let some users: `user_id`, `server_id`, `id`.
 * @param users SQL of an array of their ids
 */
export const selectLetInOf = (users: string): string => `(SELECT holder.user_id, c.server_id, c.id FROM (
    SELECT h.user_id, o.channel_id FROM member_roles h JOIN channel_overrides o ON o.role_id = h.role_id
      WHERE h.user_id = ANY(${users}) AND ${isAbout('allow')}
    UNION SELECT m.user_id, o.channel_id FROM server_members m JOIN channels p ON p.server_id = m.server_id AND p.view_overridden
      JOIN channel_overrides o ON o.channel_id = p.id AND o.built_in = m.role
      WHERE m.user_id = ANY(${users}) AND m.role = 'moderator' AND ${isAbout('allow')}
  ) AS holder JOIN channels c ON c.id = holder.channel_id
  WHERE c.is_private AND c.deleted_at IS NULL AND ${isLetIn('holder.user_id')})`;
