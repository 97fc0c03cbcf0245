import {
  selectIsDenied,
  selectIsInChannel,
  selectOverride,
  selectViewByOverrides,
} from '../../access/channel.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { may, type Rights } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';
import { selectQuoted } from '../../database/quoted.ts';
import { countOf } from '../../database/statements.ts';
import {
  type ChannelItem,
  type ChannelItemRow,
  type ChannelRecord,
  type ChannelRow,
  channelItem,
  channelRecord,
  type OneChannel,
  type OneChannelRow,
  oneChannel,
} from './channel.view.ts';
import { selectUnread, selectUnreadThreads } from './unread.table.ts';

// Reading never moves it back (contract §5).
const onward = `ON CONFLICT (channel_id, user_id) DO UPDATE SET last_read_seq = excluded.last_read_seq
  WHERE channel_reads.last_read_seq < excluded.last_read_seq`;
const pointer = 'SELECT last_read_seq FROM channel_reads WHERE channel_id = $1 AND user_id = $2';
const seqOfMessage = 'SELECT seq FROM messages WHERE id = $1 AND channel_id = $2';
const moveOn = `INSERT INTO channel_reads (channel_id, user_id, last_read_seq)
  SELECT id, $2, least($3, last_seq) FROM streams WHERE id = $1 ${onward}
    AND channel_reads.last_read_seq >= coalesce($4::bigint, 0) RETURNING last_read_seq`;
const moveBack = `UPDATE channel_reads SET last_read_seq = $3::bigint - 1
  WHERE channel_id = $1 AND user_id = $2 AND last_read_seq >= $3::bigint RETURNING last_read_seq`;
const moveOnInServer = `INSERT INTO channel_reads (channel_id, user_id, last_read_seq)
  SELECT c.id, $2, s.last_seq FROM channels c JOIN streams s ON s.id = c.id
  WHERE c.server_id = $1 AND NOT c.is_private ${onward}`;

/**
 * Marks a channel as read by someone.
 * @param seq up to which number of its log; null: all of it. Past the end of the log there is nothing to read
 * @param knownSeq where the pointer was, as a device knows it; if it has gone back since, it stays
 * @returns whether that is new: it was not read so far
 */
export async function moveReadPointer(
  rows: Rows,
  channelId: string,
  userId: string,
  seq: number | null,
  knownSeq: number | null = null,
): Promise<boolean> {
  const moved = await rows(moveOn, [channelId, userId, seq, knownSeq]);
  return moved.length > 0;
}

/** Marks a number of a channel's log, and all after it, as unread by someone. @returns whether they were read */
export async function moveReadPointerBack(
  rows: Rows,
  channelId: string,
  userId: string,
  seq: number,
): Promise<boolean> {
  return (await rows(moveBack, [channelId, userId, seq])).length > 0;
}

/** How far someone has read a channel; 0: nothing of it. */
export async function readPointer(rows: Rows, channelId: string, userId: string): Promise<number> {
  const [row] = await rows<{ last_read_seq: number }>(pointer, [channelId, userId]);
  return row?.last_read_seq ?? 0;
}

/** The number of a message in its channel's log; undefined: it is not there. */
export async function messageSeq(rows: Rows, channelId: string, messageId: string): Promise<number | undefined> {
  const [row] = await rows<{ seq: number }>(seqOfMessage, [messageId, channelId]);
  return row?.seq;
}

/** Marks the open channels of a server as read for a new member: earlier messages are not unread. */
export async function readAllInServer(rows: Rows, serverId: string, userId: string): Promise<void> {
  await rows(moveOnInServer, [serverId, userId]);
}

/**
 * $2 user, $3 whether it is a bot, $4 whether it is in the server. Bots are shown no last messages: their read rights
 * are decided in one place, not here.
 */
const selectItems = (
  more = { columns: '', joins: '' },
) => `SELECT c.id, c.server_id, c.kind, c.name, c.type, c.description, c.position, c.category_id, c.is_private,
    c.is_archived, c.created_at, c.updated_at, c.slow_mode_seconds, c.keep_messages_days, s.last_seq,
    last.created_at AS last_message_at, place.is_member,
    CASE WHEN place.is_member AND NOT $3 THEN last.content END AS last_message, coalesce(r.last_read_seq, 0) AS last_read_seq,
    coalesce(unread.count, 0) AS unread_count, coalesce(threads.count, 0) AS unread_threads, (SELECT json_agg(${selectOverride}) FROM channel_overrides o
      WHERE o.channel_id = c.id AND (o.user_id IS NULL OR o.user_id = $2)) AS overrides ${more.columns}
  FROM channels c JOIN streams s ON s.id = c.id
  LEFT JOIN channel_members own ON own.channel_id = c.id AND own.user_id = $2
  LEFT JOIN channel_reads r ON r.channel_id = c.id AND r.user_id = $2
  CROSS JOIN LATERAL (
    SELECT ${selectIsInChannel({ user: '$2', excluded: 'own.excluded', isBot: '$3', inServer: '$4' })} AS is_member) place
  LEFT JOIN LATERAL (SELECT m.created_at, ${selectQuoted('m')} AS content FROM messages m
    WHERE m.channel_id = c.id AND m.thread_id IS NULL AND m.deleted_at IS NULL ORDER BY m.seq DESC LIMIT 1) last ON true
  LEFT JOIN LATERAL (${selectUnread('c.id', 'coalesce(r.last_read_seq, 0)', '$2')}) unread ON place.is_member
  LEFT JOIN LATERAL (${selectUnreadThreads('c.id', 'coalesce(r.last_read_seq, 0)', '$2')}) threads ON place.is_member ${more.joins}
  WHERE c.deleted_at IS NULL`;
/** SQL of the people of channel `c` if it is a group, as small users in JSON. */
export const selectGroup = `CASE WHEN c.kind = 'group' THEN coalesce((SELECT json_agg(json_build_object('id', p.id,
    'username', p.username, 'displayName', p.display_name, 'avatarUrl', p.avatar_url, 'isBot', p.is_bot) ORDER BY p.id)
  FROM group_members g JOIN users p ON p.id = g.user_id WHERE g.channel_id = c.id), '[]') END`;

/** With the people of a DM or group. */
const oneItem = `${selectItems({
  columns: `, d.low_id, d.high_id, u.id AS other_id, u.username, u.display_name, u.avatar_url, u.is_bot, ${selectGroup} AS members`,
  joins: `LEFT JOIN dm_channels d ON d.channel_id = c.id
    LEFT JOIN users u ON u.id = CASE WHEN d.low_id = $2 THEN d.high_id ELSE d.low_id END`,
})} AND c.id = $1`;
/** Whether a channel is open to the user: those who were removed from it may enter it again. */
const isOpen = `NOT $3 AND coalesce(${selectViewByOverrides('$2')}, NOT c.is_private)`;
/** $5 whether all channels are seen from outside, $6 archived ones instead of the others */
const itemsOfServer = `${selectItems()} AND c.server_id = $1 AND c.is_archived = $6
  AND (place.is_member OR ($5 AND NOT ${selectIsDenied('$2')}) OR (${isOpen}))
  ORDER BY c.position, c.created_at, c.id LIMIT 1000`;
const unreadCount = selectUnread('$1', '$3', '$2');
const bare = `SELECT c.id, c.server_id, c.kind, c.name, c.type, c.description, c.position, c.category_id, c.is_private, c.is_archived,
    c.created_at, c.updated_at, c.slow_mode_seconds, c.keep_messages_days, s.last_seq, last.created_at AS last_message_at
  FROM channels c JOIN streams s ON s.id = c.id
  LEFT JOIN LATERAL (SELECT m.created_at FROM messages m
    WHERE m.channel_id = c.id AND m.thread_id IS NULL AND m.deleted_at IS NULL ORDER BY m.seq DESC LIMIT 1) last ON true
  WHERE c.id = ANY($1::uuid[]) AND c.deleted_at IS NULL ORDER BY c.position, c.created_at, c.id`;

/** The channels of a server that the actor may know of, with its place in them, in their order. */
export async function channelItems(
  rows: Rows,
  actor: Actor,
  serverId: string,
  rights: Rights | null,
  archived: boolean,
): Promise<ChannelItem[]> {
  const seesPrivate = may(rights, 'channel:see-private') && !actor.user.isBot;
  const values = [serverId, actor.userId, actor.user.isBot, rights !== null, seesPrivate, archived];
  return (await rows<ChannelItemRow>(itemsOfServer, values)).map((row) =>
    channelItem(row, { userId: actor.userId, rights }),
  );
}

/** One channel as the actor sees it; the caller has checked that it may. @throws AppError CHANNEL_NOT_FOUND */
export async function channelItemOf(
  rows: Rows,
  actor: Actor,
  channelId: string,
  rights: Rights | null,
): Promise<OneChannel> {
  const [row] = await rows<OneChannelRow>(oneItem, [channelId, actor.userId, actor.user.isBot, rights !== null]);
  if (!row) throw new AppError('CHANNEL_NOT_FOUND');
  return oneChannel(row, { userId: actor.userId, rights });
}

/** Channels as everyone in them sees them, in their order. */
export async function channelRecords(rows: Rows, ids: string[]): Promise<ChannelRecord[]> {
  return (await rows<ChannelRow>(bare, [ids])).map(channelRecord);
}

/** @throws AppError CHANNEL_NOT_FOUND */
export async function channelRecordOf(rows: Rows, channelId: string): Promise<ChannelRecord> {
  const [record] = await channelRecords(rows, [channelId]);
  if (!record) throw new AppError('CHANNEL_NOT_FOUND');
  return record;
}

/** How many messages of others a user has not read in a channel beyond `seq`. */
export function countUnread(rows: Rows, channelId: string, userId: string, seq: number): Promise<number> {
  return countOf(rows, unreadCount, [channelId, userId, seq]);
}
