import { selectIsInChannel } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';
import { memberColumns, userColumns } from '../members/member.table.ts';
import type { MemberRow } from '../members/server.view.ts';

/** Everyone in the server except the excluded, and the added bots. $1 channel, $2 server, $3 after, $4 limit */
const ofOpen = `SELECT ${memberColumns} FROM server_members m JOIN users u ON u.id = m.user_id
  LEFT JOIN channel_members cm ON cm.channel_id = $1 AND cm.user_id = m.user_id
  WHERE m.server_id = $2 AND m.user_id > $3
    AND ${selectIsInChannel('u.is_bot', 'cm.excluded')}
  ORDER BY m.user_id LIMIT $4`;
const ofPrivate = `SELECT ${memberColumns} FROM channel_members cm
  JOIN server_members m ON m.server_id = $2 AND m.user_id = cm.user_id JOIN users u ON u.id = cm.user_id
  WHERE cm.channel_id = $1 AND NOT cm.excluded AND cm.user_id > $3 ORDER BY cm.user_id LIMIT $4`;
/** Both people of a direct message. $1 channel, $2 after, $3 limit */
const ofDirect = `SELECT NULL AS server_id, u.id AS user_id, 'member' AS role, NULL AS nickname,
    c.created_at AS joined_at, false AS kept, false AS workspace_write, ${userColumns}
  FROM dm_channels d JOIN channels c ON c.id = d.channel_id JOIN users u ON u.id IN (d.low_id, d.high_id)
  WHERE d.channel_id = $1 AND u.id > $2 ORDER BY u.id LIMIT $3`;
const lockMember = 'SELECT user_id FROM server_members WHERE server_id = $1 AND user_id = $2 FOR NO KEY UPDATE';
const selectMember = `SELECT ${memberColumns}, cm.excluded FROM server_members m JOIN users u ON u.id = m.user_id
  LEFT JOIN channel_members cm ON cm.channel_id = $1 AND cm.user_id = m.user_id
  WHERE m.server_id = $2 AND m.user_id = $3`;

export interface LockedMember extends MemberRow {
  /** Null: no entry in the channel. */
  excluded: boolean | null;
}

/** Who is in a channel, by id. */
export function readMembersIn(
  rows: Rows,
  { id, serverId, isPrivate }: { id: string; serverId: string | null; isPrivate: boolean },
  after: string,
  limit: number,
): Promise<MemberRow[]> {
  if (serverId === null) return rows<MemberRow>(ofDirect, [id, after, limit]);
  return rows<MemberRow>(isPrivate ? ofPrivate : ofOpen, [id, serverId, after, limit]);
}

/**
 * A server member's row with its state in a channel, locked until the transaction ends: of several requests for the same
 * change only one makes it. @returns undefined for non-members of the server
 */
export async function findMember(
  rows: Rows,
  channelId: string,
  serverId: string,
  userId: string,
): Promise<LockedMember | undefined> {
  await rows(lockMember, [serverId, userId]);
  const [row] = await rows<LockedMember>(selectMember, [channelId, serverId, userId]);
  return row;
}
