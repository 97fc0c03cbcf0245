import type { Rows } from '../database/database.ts';
import type { ChannelInfo, MembershipRow } from './channel.access.ts';

const infos = `SELECT c.id, c.server_id AS "serverId", c.kind, c.name, c.type, c.is_private AS "isPrivate",
    c.is_archived AS "isArchived",
    coalesce((SELECT is_public FROM servers WHERE id = c.server_id), false) AS "serverIsPublic",
    coalesce((SELECT json_agg(json_build_object('builtIn', o.built_in, 'roleId', o.role_id, 'userId', o.user_id,
      'allow', o.allow, 'deny', o.deny) ORDER BY o.id) FROM channel_overrides o WHERE o.channel_id = c.id), '[]') AS overrides
  FROM channels c WHERE c.id = ANY($1::uuid[]) AND c.deleted_at IS NULL`;
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

/**
 * The SQL condition that a user is in a channel, as `isInChannel` decides it. Each part is SQL.
 * @param needsEntry whether one must have been let in
 * @param excluded the row's value
 * @param inServer whether the user is in the channel's server, where the statement does not begin with its members
 */
export function selectIsInChannel(needsEntry: string, excluded: string, inServer?: string): string {
  const open = `${inServer ? `${inServer} AND ` : ''}${excluded} IS NOT TRUE`;
  return `CASE WHEN ${needsEntry} THEN ${excluded} IS FALSE ELSE ${open} END`;
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
  AND ${selectIsInChannel('c.is_private', entryOf(user))})`;
const entryOf = (user: string) =>
  `(SELECT cm.excluded FROM channel_members cm WHERE cm.channel_id = c.id AND cm.user_id = ${user})`;
