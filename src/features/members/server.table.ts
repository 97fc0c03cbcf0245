import { selectStanding } from '../../access/rights.table.ts';
import type { Rows } from '../../database/database.ts';
import { selectIsOpen } from './invite-link.table.ts';
import { memberColumns } from './member.table.ts';
import type { MemberRow, ServerRow } from './server.view.ts';

/** @param viewer SQL of the viewer's id: bots see no invite codes */
const ownColumns = (viewer: string) => `s.id, s.name, s.slug, s.description, s.icon_url, s.banner_url, s.is_public,
  s.owner_id, s.created_at, s.updated_at, s.member_count, s.require_second_factor, s.roles_version, s.emoji_version,
  s.categories_version, s.hold_new_member_links_hours, s.keep_messages_days, s.keep_edit_history, s.link_previews,
  s.mark, s.accent_color,
  CASE WHEN NOT coalesce((SELECT v.is_bot FROM users v WHERE v.id = ${viewer}), false) THEN s.invite_code END AS invite_code`;
const serverColumns = (viewer: string): string => `${ownColumns(viewer)}, s.homepage_html`;

/** Bytes of home pages in one list: a thousand of the longest would be a quarter of a gigabyte. */
const listedHomepages = 1024 * 1024;

/** The same in lists: with the home pages that fit, from the first one on. @param order SQL of the list's order */
const listedColumns = (order: string, viewer: string): string => `${ownColumns(viewer)},
  CASE WHEN sum(octet_length(s.homepage_html)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) <= ${listedHomepages}
    THEN s.homepage_html END AS homepage_html`;

const byId = `SELECT ${serverColumns('$2')}, m.role, ${selectStanding} AS standing FROM servers s
  LEFT JOIN server_members m ON m.server_id = s.id AND m.user_id = $2 WHERE s.id = $1`;
const byInviteCode = `SELECT ${serverColumns('$2')}, m.role, d.link_id AS "linkId" FROM (
    SELECT id, NULL::uuid AS link_id FROM servers WHERE invite_code = $1
    UNION ALL SELECT i.server_id, i.id FROM server_invites i WHERE i.code = $1 AND ${selectIsOpen('i')} LIMIT 1
  ) AS d JOIN servers s ON s.id = d.id LEFT JOIN server_members m ON m.server_id = s.id AND m.user_id = $2`;
const ofUser = `SELECT ${listedColumns('m.joined_at, s.id', '$1')}, ${memberColumns}, ${selectStanding} AS standing FROM server_members m
  JOIN servers s ON s.id = m.server_id JOIN users u ON u.id = m.user_id
  WHERE m.user_id = $1 ORDER BY m.joined_at, s.id LIMIT 1000`;
const byMembers = 's.member_count DESC, s.id';
const discovered = `SELECT ${listedColumns(byMembers, '$4')}, m.role FROM (
    SELECT * FROM servers s
    WHERE s.is_public AND ($1 = '' OR s.name ILIKE $1 OR s.slug ILIKE $1 OR s.description ILIKE $1)
    ORDER BY ${byMembers} LIMIT $2 OFFSET $3
  ) AS s LEFT JOIN server_members m ON m.server_id = s.id AND m.user_id = $4
  ORDER BY ${byMembers}`;
const hold = 'SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE';
const count = 'UPDATE servers SET member_count = member_count + $2 WHERE id = $1';

/** Counts members who joined or left. It is no change of the server itself. */
export async function countMembers(rows: Rows, serverId: string, more: number): Promise<void> {
  await rows(count, [serverId, more]);
}

/** Locks a server until the commit, except for references to it. @returns whether it is there */
export async function holdServer(rows: Rows, serverId: string): Promise<boolean> {
  return (await rows(hold, [serverId])).length > 0;
}

/** A server with `userId`'s relation to it. */
export async function findServer(rows: Rows, serverId: string, userId: string): Promise<ServerRow | undefined> {
  const [row] = await rows<ServerRow>(byId, [serverId, userId]);
  return row;
}

/** The same by its own code or that of an open link, whose id is beside it. */
export async function findInviting(
  rows: Rows,
  code: string,
  userId: string | null,
): Promise<(ServerRow & { linkId: string | null }) | undefined> {
  const [row] = await rows<ServerRow & { linkId: string | null }>(byInviteCode, [code, userId]);
  return row;
}

/** The servers of someone, in the order joined. */
export function serversOf(rows: Rows, userId: string): Promise<(ServerRow & MemberRow)[]> {
  return rows<ServerRow & MemberRow>(ofUser, [userId]);
}

/** Public servers, those with the most members first. @param like a pattern of ILIKE; empty: all */
export function publicServers(
  rows: Rows,
  like: string,
  { limit, offset }: { limit: number; offset: number },
  userId: string | null,
): Promise<ServerRow[]> {
  return rows<ServerRow>(discovered, [like, limit, offset, userId]);
}
