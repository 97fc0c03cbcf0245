import type { ChannelWithRights } from '../../access/channel.access.ts';
import { selectIsInChannel } from '../../access/channel.table.ts';
import type { Actor } from '../../contract/actor.ts';
import type { Rows } from '../../database/database.ts';

/** The label of a mentioned channel that no longer exists: its former name stays hidden. */
const deletedChannel = 'deleted-channel';

/** SQL of a user's current name. @param user SQL of the id */
const userLabel = (user: string): string => `(SELECT display_name FROM users WHERE id = ${user})`;

/** SQL: not everyone in the server may know of channel `c`: it is private, or an override hides it from a role. */
const isHidden = `(c.is_private OR (c.view_overridden AND EXISTS (SELECT FROM channel_overrides o
  WHERE o.channel_id = c.id AND o.user_id IS NULL AND 'view' = ANY(o.deny))))`;

/**
 * SQL of a channel's current name, for readers of another one. The new name of a hidden channel is only for those in
 * it: others keep seeing the name that it was mentioned by.
 * @param given SQL of that name
 */
const channelLabel = (channel: string, place: string, given: string): string =>
  `coalesce((SELECT CASE WHEN deleted_at IS NOT NULL THEN '${deletedChannel}'
     WHEN ${isHidden} AND c.id <> ${place} THEN ${given} ELSE name END
   FROM channels c WHERE c.id = ${channel}), '${deletedChannel}')`;

/** SQL of the mentions of message `m` with current labels, as JSON. Messages without mentions cost no look-up. */
export const currentMentions = `CASE WHEN m.mentions IS NOT NULL THEN (
    SELECT json_agg(json_build_object('kind', one ->> 'kind', 'targetId', one ->> 'targetId', 'token', one ->> 'token',
      'label', CASE one ->> 'kind'
        WHEN 'user' THEN coalesce(${userLabel("(one ->> 'targetId')::uuid")}, one ->> 'label')
        WHEN 'channel' THEN ${channelLabel("(one ->> 'targetId')::uuid", 'm.channel_id', "one ->> 'label'")}
        ELSE one ->> 'label' END,
      'range', one -> 'range') ORDER BY place)
    FROM json_array_elements(m.mentions) WITH ORDINALITY AS mention (one, place)
  ) END`;

/** The name of a user or channel as mentions in a channel show it. */
export interface Label {
  text: string;
}

/** @param keys kind, id of the mentioned user or channel, and id of the channel in which it is mentioned */
export async function readLabels(rows: Rows, keys: string[]): Promise<Map<string, Label>> {
  const found = await rows<Label & { key: string }>(
    `SELECT key, coalesce(CASE kind WHEN 'user' THEN ${userLabel('target')}
       ELSE ${channelLabel('target', 'place', "''")} END, '') AS text
     FROM (SELECT key, split_part(key, ':', 1) AS kind, split_part(key, ':', 2)::uuid AS target,
       split_part(key, ':', 3)::uuid AS place FROM unnest($1::text[]) AS key) AS given`,
    [keys],
  );
  return new Map(found.map(({ key, text }) => [key, { text }]));
}

/** A user that may be mentioned. */
export interface UserRow {
  id: string;
  username: string;
  username_key: string;
  display_name: string;
  avatar_url: string | null;
  is_bot: boolean;
}

/** A channel that may be mentioned. */
export interface ChannelRow {
  id: string;
  name: string;
}

const isHere = selectIsInChannel({
  user: 'u.id',
  excluded: 'cm.excluded',
  isBot: 'u.is_bot',
  inServer: 'sm.user_id IS NOT NULL',
});
/** Only users who can read the channel can be mentioned in it. $1 channel, $2 server */
const usersHere = `SELECT u.id, u.username, u.username_key, u.display_name, u.avatar_url, u.is_bot FROM users u
  JOIN channels c ON c.id = $1
  LEFT JOIN server_members sm ON sm.server_id = $2 AND sm.user_id = u.id
  LEFT JOIN channel_members cm ON cm.channel_id = c.id AND cm.user_id = u.id
  WHERE u.deleted_at IS NULL AND ${isHere}`;
const selectUsersNamed = `${usersHere} AND (u.username_key = ANY($3::text[]) OR u.id = ANY($4::uuid[]))`;
/** Prefix search for names, by $3. Characters are compared by code, so that one plan serves any prefix by its index. */
const selectUsersLike = `${usersHere} AND u.username_key ~>=~ $3 AND u.username_key ~<~ ($3 || chr(1114111))
  ORDER BY u.username_key USING ~<~ LIMIT $4`;
/**
 * Hidden channels are not named to those who may not know of them; only the current channel is known to all. Bots know
 * only the channels that they are in. $1 channel, $2 server, $3 author, $4 whether that is a bot
 */
const channelsHere = `SELECT id, name FROM channels c WHERE server_id = $2 AND NOT is_archived
  AND (NOT ${isHidden} OR id = $1)
  AND (NOT $4 OR id IN (SELECT channel_id FROM channel_members WHERE user_id = $3 AND NOT excluded))`;
const selectChannelsNamed = `${channelsHere} AND (lower(name) IN (SELECT lower(given) FROM unnest($5::text[]) AS given)
  OR id = ANY($6::uuid[])) ORDER BY position LIMIT 1000`;
const selectChannelsLike = `${channelsHere} AND lower(name) LIKE lower($5) ORDER BY position LIMIT $6`;

const placeOf = (channel: ChannelWithRights) => [channel.id, channel.serverId];
const viewOf = ({ user }: Actor, channel: ChannelWithRights) => [channel.id, channel.serverId, user.id, user.isBot];
const beginningWith = (text: string) => `${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The users that may be mentioned in a channel, by the keys of their names or by their ids. */
export function usersNamed(rows: Rows, channel: ChannelWithRights, keys: string[], ids: string[]): Promise<UserRow[]> {
  return rows<UserRow>(selectUsersNamed, [...placeOf(channel), [...new Set(keys)], [...new Set(ids)]]);
}

/** The same by the beginning of the key of their name, in the forms in which it may be kept. */
export async function usersLike(
  rows: Rows,
  channel: ChannelWithRights,
  typed: string[],
  limit: number,
): Promise<UserRow[]> {
  const found = typed.map((key) => rows<UserRow>(selectUsersLike, [...placeOf(channel), key, limit]));
  const users = new Map((await Promise.all(found)).flat().map((user) => [user.id, user]));
  return [...users.values()].slice(0, limit);
}

/** The channels that the actor may name in a channel, in their order. */
export function channelsNamed(
  rows: Rows,
  actor: Actor,
  channel: ChannelWithRights,
  names: string[],
  ids: string[],
): Promise<ChannelRow[]> {
  return rows<ChannelRow>(selectChannelsNamed, [...viewOf(actor, channel), [...new Set(names)], [...new Set(ids)]]);
}

/** The same by the beginning of their name. */
export function channelsLike(
  rows: Rows,
  actor: Actor,
  channel: ChannelWithRights,
  typed: string,
  limit: number,
): Promise<ChannelRow[]> {
  return rows<ChannelRow>(selectChannelsLike, [...viewOf(actor, channel), beginningWith(typed), limit]);
}
