/**
 * The SQL condition that a user may see the channel `c`, with everything said in it.
 * @param user SQL of the user's id
 */
export const seesChannel = (user: string): string => `(
  c.deleted_at IS NULL
  AND (c.server_id IS NULL OR EXISTS (
    SELECT FROM server_members s WHERE s.server_id = c.server_id AND s.user_id = ${user}))
  AND coalesce((
    SELECT NOT cm.excluded FROM channel_members cm WHERE cm.channel_id = c.id AND cm.user_id = ${user}
  ), NOT c.is_private))`;
