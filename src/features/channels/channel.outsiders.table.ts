import { selectIsDenied, selectIsInChannel, selectViewByOverrides } from '../../access/channel.table.ts';
import { selectHolders } from '../../access/rights.table.ts';
import type { Rows } from '../../database/database.ts';

/** Someone who may know of a channel without being in it, and so gets no events in its room. */
export interface Outsider {
  userId: string;
  channelId: string;
}

/** The admins who are not in it, and those who were removed and may enter again. $1 channels of one server */
const selectOutsiders = `WITH place AS MATERIALIZED (
    SELECT id, server_id, is_private, view_overridden FROM channels WHERE id = ANY($1::uuid[])
  ), admins AS MATERIALIZED (
    SELECT u.id AS user_id FROM users u WHERE NOT u.is_bot
      AND u.id IN ${selectHolders('(SELECT server_id FROM place LIMIT 1)', 'channel:see-private')}
  )
  SELECT admins.user_id AS "userId", c.id AS "channelId" FROM place c CROSS JOIN admins
  LEFT JOIN channel_members e ON e.channel_id = c.id AND e.user_id = admins.user_id
  WHERE (c.is_private OR c.view_overridden)
    AND NOT ${selectIsInChannel({ user: 'admins.user_id', excluded: 'e.excluded' })}
    AND NOT ${selectIsDenied('admins.user_id')}
  UNION SELECT e.user_id, c.id FROM place c JOIN channel_members e ON e.channel_id = c.id AND e.excluded
  WHERE coalesce(${selectViewByOverrides('e.user_id')}, NOT c.is_private)
  ORDER BY 1, 2 LIMIT $2`;

/** @param channelIds of one server */
export function readOutsiders(rows: Rows, channelIds: string[], limit: number): Promise<Outsider[]> {
  return rows<Outsider>(selectOutsiders, [channelIds, limit]);
}
