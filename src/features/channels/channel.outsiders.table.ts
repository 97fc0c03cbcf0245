import { selectHolders } from '../../access/rights.table.ts';
import type { Rows } from '../../database/database.ts';

/** Someone who may know of a channel without being in it, and so gets no events in its room. */
export interface Outsider {
  userId: string;
  channelId: string;
}

/** For private channels the admins, for open ones the excluded users. $1 channels of one server */
const selectOutsiders = `WITH place AS MATERIALIZED (
    SELECT id, server_id, is_private FROM channels WHERE id = ANY($1::uuid[])
  ), admins AS MATERIALIZED (
    SELECT u.id AS user_id FROM users u WHERE NOT u.is_bot
      AND u.id IN ${selectHolders('(SELECT server_id FROM place LIMIT 1)', 'channel:see-private')}
  )
  SELECT admins.user_id AS "userId", place.id AS "channelId" FROM place CROSS JOIN admins
  LEFT JOIN channel_members e ON e.channel_id = place.id AND e.user_id = admins.user_id
  WHERE place.is_private AND e.excluded IS NOT FALSE
  UNION ALL SELECT e.user_id, place.id FROM place JOIN channel_members e ON e.channel_id = place.id AND e.excluded
  WHERE NOT place.is_private
  ORDER BY 1, 2 LIMIT $2`;

/** @param channelIds of one server */
export function readOutsiders(rows: Rows, channelIds: string[], limit: number): Promise<Outsider[]> {
  return rows<Outsider>(selectOutsiders, [channelIds, limit]);
}
