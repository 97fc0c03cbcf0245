import type { ChannelInfo } from '../../access/channel.access.ts';
import {
  selectIsDenied,
  selectIsInChannel,
  selectLetIn,
  selectMayHaveBots,
  selectViewByOverrides,
} from '../../access/channel.table.ts';
import { isInChannel } from '../../access/view.ts';
import type { Rows } from '../../database/database.ts';
import { memberColumns, userColumns } from '../members/member.table.ts';
import type { MemberRow } from '../members/server.view.ts';

/** Everyone in the server except the excluded, and the added bots. $1 channel, $2 server, $3 after, $4 limit */
const ofOpen = `SELECT ${memberColumns} FROM channels c JOIN server_members m ON m.server_id = c.server_id
  JOIN users u ON u.id = m.user_id LEFT JOIN channel_members cm ON cm.channel_id = c.id AND cm.user_id = m.user_id
  WHERE c.id = $1 AND m.server_id = $2 AND m.user_id > $3
    AND ${selectIsInChannel({ user: 'm.user_id', excluded: 'cm.excluded', isBot: 'u.is_bot' })}
  ORDER BY m.user_id LIMIT $4`;
const ofPrivate = `SELECT ${memberColumns} FROM channel_members cm JOIN channels c ON c.id = cm.channel_id
  JOIN server_members m ON m.server_id = $2 AND m.user_id = cm.user_id JOIN users u ON u.id = cm.user_id
  WHERE cm.channel_id = $1 AND NOT cm.excluded AND NOT ${selectIsDenied('cm.user_id')} AND cm.user_id > $3
  ORDER BY cm.user_id LIMIT $4`;
/** The same with those whom overrides let in. */
const ofPrivateOverridden = `SELECT ${memberColumns} FROM (
    SELECT cm.user_id FROM channels c JOIN channel_members cm ON cm.channel_id = c.id AND NOT cm.excluded
      WHERE c.id = $1 AND NOT ${selectIsDenied('cm.user_id')}
    UNION SELECT own.user_id FROM channels c CROSS JOIN LATERAL ${selectLetIn} AS own WHERE c.id = $1
  ) AS someone JOIN server_members m ON m.server_id = $2 AND m.user_id = someone.user_id JOIN users u ON u.id = m.user_id
  WHERE m.user_id > $3 ORDER BY m.user_id LIMIT $4`;
/** Everyone in a direct message or group. $1 channel, $2 after, $3 limit */
const ofDirect = `SELECT NULL AS server_id, u.id AS user_id, 'member' AS role, NULL AS nickname,
    c.created_at AS joined_at, false AS kept, false AS workspace_write, '{}'::text[] AS roles, NULL AS timeout,
    ${userColumns}
  FROM channel_members cm JOIN channels c ON c.id = cm.channel_id JOIN users u ON u.id = cm.user_id
  WHERE cm.channel_id = $1 AND NOT cm.excluded AND u.id > $2 ORDER BY u.id LIMIT $3`;
const selectStray = `SELECT c.id FROM agents a JOIN channel_members e ON e.user_id = a.user_id AND NOT e.excluded
  JOIN channels c ON c.id = e.channel_id AND c.server_id = $1
  WHERE a.user_id = $2 AND NOT ${selectMayHaveBots('a.owner_id')} ORDER BY c.id`;
const lockMember = 'SELECT user_id FROM server_members WHERE server_id = $1 AND user_id = $2 FOR NO KEY UPDATE';
const selectMember = `SELECT ${memberColumns}, cm.excluded, ${selectViewByOverrides('m.user_id')} AS by_overrides,
    ${selectIsDenied('m.user_id')} AS is_denied
  FROM server_members m JOIN users u ON u.id = m.user_id LEFT JOIN channels c ON c.id = $1
  LEFT JOIN channel_members cm ON cm.channel_id = c.id AND cm.user_id = m.user_id
  WHERE m.server_id = $2 AND m.user_id = $3`;

export interface LockedMember extends MemberRow {
  /** Null: no entry in the channel. */
  excluded: boolean | null;
  /** What overrides say about whether they may view it (see `viewByOverrides`). */
  by_overrides: boolean | null;
  /** An override for them alone says that they may not view it (see `isDenied`). */
  is_denied: boolean;
}

/** Whether a member of the server is in a channel. */
export function isInPlace({ isPrivate }: Pick<ChannelInfo, 'isPrivate'>, row: LockedMember): boolean {
  const { is_bot: isBot, excluded, by_overrides: byOverrides, is_denied: isDenied } = row;
  return isInChannel({ isPrivate, isBot, excluded, isDenied }, byOverrides);
}

/** Whether a channel is open to a member of the server: those who were removed from it may enter it again. */
export function isOpenTo({ isPrivate }: Pick<ChannelInfo, 'isPrivate'>, row: LockedMember): boolean {
  return !row.is_bot && (row.by_overrides ?? !isPrivate);
}

/** The channels of a server that a bot is in, and from which it is out with its owner. */
export async function strayIn(rows: Rows, serverId: string, botUserId: string): Promise<string[]> {
  return (await rows<{ id: string }>(selectStray, [serverId, botUserId])).map(({ id }) => id);
}

/** Who is in a channel, by id. */
export function readMembersIn(
  rows: Rows,
  { id, serverId, isPrivate, overrides }: Pick<ChannelInfo, 'id' | 'serverId' | 'isPrivate' | 'overrides'>,
  after: string,
  limit: number,
): Promise<MemberRow[]> {
  if (serverId === null) return rows<MemberRow>(ofDirect, [id, after, limit]);
  const ofClosed = overrides.some(({ allow }) => allow.includes('view')) ? ofPrivateOverridden : ofPrivate;
  return rows<MemberRow>(isPrivate ? ofClosed : ofOpen, [id, serverId, after, limit]);
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
  return readMemberOf(rows, channelId, serverId, userId);
}

/** The same without locking it. */
export async function readMemberOf(
  rows: Rows,
  channelId: string,
  serverId: string,
  userId: string,
): Promise<LockedMember | undefined> {
  const [row] = await rows<LockedMember>(selectMember, [channelId, serverId, userId]);
  return row;
}
