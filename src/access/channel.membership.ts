/**
 * Who of a server is in a channel (contract §5). A private channel or DM holds those who were let in, and any channel
 * only the bots that were let in. An open channel holds all people of the server who were not removed. The row in
 * `channel_members` shows it: `excluded` is false for those let in, true for those removed, and null without a row.
 */
export function isInChannel(needsEntry: boolean, excluded: boolean | null): boolean {
  return needsEntry ? excluded === false : excluded !== true;
}

/**
 * The same as an SQL condition. Each part is SQL.
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
