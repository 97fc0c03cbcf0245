/**
 * The SQL condition that everyone who joins a server sees a channel of it: what a member without roles of their own does.
 * @param channel the alias of its row in `channels`
 */
export const selectIsOpenToNewcomers = (channel: string): string => `(
  NOT ${channel}.is_private AND NOT ${channel}.is_archived AND ${channel}.deleted_at IS NULL AND coalesce(
    (SELECT CASE WHEN 'view' = ANY(o.allow) THEN true WHEN 'view' = ANY(o.deny) THEN false END
      FROM channel_overrides o WHERE o.channel_id = ${channel}.id AND o.built_in = 'member'),
    (SELECT r.permissions @> ARRAY['channel:view'] FROM server_roles r
      WHERE r.server_id = ${channel}.server_id AND r.built_in = 'member'),
    true))`;
