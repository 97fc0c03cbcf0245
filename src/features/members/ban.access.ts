import type { z } from 'zod';
import type { banSchema } from '../../contract/ban.ts';
import { AppError } from '../../contract/errors.ts';
import { rolesThatMay } from '../../contract/roles.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import { type UserColumns, type UserColumnsOrNull, userOf, userOrNull } from '../accounts/account.view.ts';

/** A ban that counts now: nodes' clocks differ, PostgreSQL's decides. */
const counts = '(b.until IS NULL OR b.until > clock_timestamp())';
const selectBans = `SELECT b.id, b.server_id, b.user_id, b.banned_by, b.reason, b.until, b.created_at,
    u.username, u.display_name, u.avatar_url, u.is_bot, by.username AS by_username,
    by.display_name AS by_display_name, by.avatar_url AS by_avatar_url, by.is_bot AS by_is_bot
  FROM server_bans b JOIN users u ON u.id = b.user_id LEFT JOIN users by ON by.id = b.banned_by`;
const page = `${selectBans} WHERE b.server_id = $1 AND b.id < $2 AND ${counts} ORDER BY b.id DESC LIMIT $3`;
const one = `${selectBans} WHERE b.server_id = $1 AND b.user_id = $2`;
/** A bot is kept out with its owner. */
const ofUser = `SELECT reason, until FROM server_bans b WHERE b.server_id = $1 AND ${counts}
  AND (b.user_id = $2 OR b.user_id = (SELECT owner_id FROM agents WHERE user_id = $2)) LIMIT 1`;
const selectModerators = `SELECT user_id AS id FROM server_members
  WHERE server_id = $1 AND role IN (${rolesThatMay('member:ban')}) ORDER BY user_id LIMIT 200`;

interface BanRow extends UserColumns {
  id: string;
  server_id: string;
  user_id: string;
  banned_by: string | null;
  reason: string | null;
  until: Date | string | null;
  created_at: Date | string;
  by_username: string | null;
  by_display_name: string | null;
  by_avatar_url: string | null;
  by_is_bot: boolean | null;
}

export type BanRecord = z.output<typeof banSchema>;

export function banRecord(row: BanRow): BanRecord {
  const by: UserColumnsOrNull = {
    username: row.by_username,
    display_name: row.by_display_name,
    avatar_url: row.by_avatar_url,
    is_bot: row.by_is_bot,
  };
  return {
    id: row.id,
    serverId: row.server_id,
    userId: row.user_id,
    user: userOf(row.user_id, row),
    bannedBy: row.banned_by,
    bannedByUser: userOrNull(row.banned_by, by),
    reason: row.reason,
    until: isoTimeOrNull(row.until),
    createdAt: isoTime(row.created_at),
  };
}

/** The bans of a server that count, newest first. */
export function readBans(rows: Rows, serverId: string, before: string, limit: number): Promise<BanRow[]> {
  return rows<BanRow>(page, [serverId, before, limit]);
}

/** @throws AppError BAN_NOT_FOUND */
export async function readBan(rows: Rows, serverId: string, userId: string): Promise<BanRecord> {
  const [row] = await rows<BanRow>(one, [serverId, userId]);
  if (!row) throw new AppError('BAN_NOT_FOUND');
  return banRecord(row);
}

/**
 * Keeps out those who are banned from a server, and their bots. Call it when adding someone, with the server's row
 * locked, as bans do. @param own whether they are the caller themselves
 * @throws AppError BANNED with the reason and the end
 */
export async function requireUnbanned(rows: Rows, serverId: string, userId: string, own: boolean): Promise<void> {
  const [ban] = await rows<{ reason: string | null; until: Date | string | null }>(ofUser, [serverId, userId]);
  if (!ban) return;
  const message = own ? {} : { message: 'This user is banned from the server; lift the ban first.' };
  throw new AppError('BANNED', { ...message, extra: { reason: ban.reason, until: isoTimeOrNull(ban.until) } });
}

/** Those who see the bans of a server, 200 at most. */
export async function moderators(rows: Rows, serverId: string): Promise<string[]> {
  return (await rows<{ id: string }>(selectModerators, [serverId])).map(({ id }) => id);
}
