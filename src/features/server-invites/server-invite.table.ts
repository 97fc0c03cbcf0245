import { selectIsOpenToNewcomers } from '../../access/newcomers.table.ts';
import { selectHolders } from '../../access/rights.table.ts';
import type { Rows } from '../../database/database.ts';
import { selectIsOpen } from '../members/invite-link.table.ts';
import type { ServerInviteRow } from './server-invite.view.ts';

/** How long a link that nobody joins with any more is kept, and how many of a server at most. */
const keptDays = 90;
const keptOver = 500;

const columns = `i.id, i.server_id, i.code, i.channel_id, i.created_by, i.max_uses, i.uses, i.expires_at, i.revoked_at,
  i.created_at, ${selectIsOpen('i')} AS is_open, u.username, u.display_name, u.avatar_url, u.is_bot,
  EXISTS (SELECT FROM channels c WHERE c.id = i.channel_id AND ${selectIsOpenToNewcomers('c')}) AS channel_is_open`;
const from = 'FROM server_invites i LEFT JOIN users u ON u.id = i.created_by';

const selectSome = `SELECT ${columns} ${from} WHERE i.server_id = $1 AND ($2::uuid IS NULL OR i.created_by = $2)
  AND i.id < $3 AND (NOT $5::boolean OR ${selectIsOpen('i')}) ORDER BY i.id DESC LIMIT $4`;
const selectOne = `SELECT ${columns} ${from} WHERE i.server_id = $1 AND i.id = $2`;
const countOpen = `SELECT count(*)::int AS "all", count(*) FILTER (WHERE created_by = $2)::int AS own
  FROM server_invites i WHERE server_id = $1 AND ${selectIsOpen('i')}`;
const selectManagers = `SELECT h.user_id AS id FROM ${selectHolders('$1', 'invite:manage')} AS h
  JOIN users u ON u.id = h.user_id WHERE NOT u.is_bot ORDER BY 1 LIMIT 200`;
const end = `UPDATE server_invites SET revoked_at = clock_timestamp(), revoked_by = $3,
  over_at = least(over_at, clock_timestamp())`;
const endOne = `${end} WHERE server_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`;
const endOf = `${end} WHERE id IN (SELECT i.id FROM server_invites i
  WHERE i.server_id = $1 AND i.created_by = $2 AND ${selectIsOpen('i')} ORDER BY i.id FOR UPDATE) RETURNING id`;
const dropOldest = `DELETE FROM server_invites WHERE id IN (SELECT i.id FROM server_invites i
  WHERE i.server_id = $1 AND NOT ${selectIsOpen('i')} AND NOT EXISTS (SELECT FROM server_members m WHERE m.invite_id = i.id)
  ORDER BY i.id DESC OFFSET ${keptOver})`;

const old = `SELECT id FROM server_invites WHERE over_at < now() - interval '${keptDays} days' ORDER BY over_at LIMIT 50`;
const detach = `UPDATE server_members SET invite_id = NULL WHERE (server_id, user_id) IN (
  SELECT m.server_id, m.user_id FROM server_members m WHERE m.invite_id = ANY(ARRAY(${old})) LIMIT 500) RETURNING 1 AS one`;
const dropOld = `DELETE FROM server_invites WHERE id IN (${old}) RETURNING 1 AS one`;

interface Some {
  /** Whose; null: everyone's. */
  maker: string | null;
  onlyOpen: boolean;
  before: string;
  limit: number;
}

/** Links of a server, newest first. */
export function readLinks(
  rows: Rows,
  serverId: string,
  { maker, onlyOpen, before, limit }: Some,
): Promise<ServerInviteRow[]> {
  return rows<ServerInviteRow>(selectSome, [serverId, maker, before, limit, onlyOpen]);
}

export async function readLink(rows: Rows, serverId: string, id: string): Promise<ServerInviteRow | undefined> {
  const [link] = await rows<ServerInviteRow>(selectOne, [serverId, id]);
  return link;
}

/** How many open links there are, and how many of them are someone's. */
export async function countLinks(rows: Rows, serverId: string, maker: string): Promise<{ all: number; own: number }> {
  const [count] = await rows<{ all: number; own: number }>(countOpen, [serverId, maker]);
  return count ?? { all: 0, own: 0 };
}

/** The people who manage the links of a server, 200 at most. Bots see no codes. */
export async function managersOf(rows: Rows, serverId: string): Promise<string[]> {
  return (await rows<{ id: string }>(selectManagers, [serverId])).map(({ id }) => id);
}

/** @returns whether it was not revoked before */
export async function endLink(rows: Rows, serverId: string, id: string, by: string): Promise<boolean> {
  return (await rows(endOne, [serverId, id, by])).length > 0;
}

/** Ends the open links of someone. @returns their ids */
export async function endLinksBy(rows: Rows, serverId: string, maker: string, by: string): Promise<string[]> {
  return (await rows<{ id: string }>(endOf, [serverId, maker, by])).map(({ id }) => id);
}

/** Of links that are over and brought nobody who is still here, only the newest are kept. */
export async function dropOldestLinks(rows: Rows, serverId: string): Promise<void> {
  await rows(dropOldest, [serverId]);
}

/** One step of forgetting links that were over long ago: first those whom they brought are let go. @returns how many */
export async function forgetOldLinks(rows: Rows): Promise<number> {
  const detached = await rows(detach, []);
  return detached.length > 0 ? detached.length : (await rows(dropOld, [])).length;
}
