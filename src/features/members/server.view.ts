import type { z } from 'zod';
import type { joinRequestSchema } from '../../contract/join-request.ts';
import type { StatusReader } from '../../contract/presence.ts';
import type { Role } from '../../contract/roles.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { memberSchema, serverSchema, serverUpdated } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import { type UserColumns, userOf } from '../accounts/account.view.ts';

export type JoinRequestRecord = z.output<typeof joinRequestSchema>;

export interface RequestRow extends UserColumns {
  id: string;
  server_id: string;
  channel_id: string | null;
  user_id: string;
  status: JoinRequestRecord['status'];
  created_at: Date | string;
  updated_at: Date | string;
}

export const selectRequest = `SELECT j.id, j.server_id, j.channel_id, j.user_id, j.status, j.created_at, j.updated_at,
  u.username, u.display_name, u.avatar_url, u.is_bot FROM join_requests j JOIN users u ON u.id = j.user_id`;

export function requestRecord(row: RequestRow): JoinRequestRecord {
  return {
    id: row.id,
    serverId: row.server_id,
    channelId: row.channel_id,
    userId: row.user_id,
    user: userOf(row.user_id, row),
    status: row.status,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** A row of `servers` with what depends on the caller. */
export interface ServerRow {
  id: string;
  name: string;
  slug: string | null;
  description: string | null;
  icon_url: string | null;
  banner_url: string | null;
  homepage_html: string | null;
  is_public: boolean;
  owner_id: string;
  /** Null for bots. */
  invite_code: string | null;
  created_at: Date | string;
  updated_at: Date | string;
  member_count: number;
  role: Role | null;
}

/** @param viewer SQL of the viewer's id: bots see no invite codes */
const ownColumns = (viewer: string) => `s.id, s.name, s.slug, s.description, s.icon_url, s.banner_url, s.is_public,
  s.owner_id, s.created_at, s.updated_at, s.member_count,
  CASE WHEN NOT coalesce((SELECT v.is_bot FROM users v WHERE v.id = ${viewer}), false) THEN s.invite_code END AS invite_code`;
export const serverColumns = (viewer: string): string => `${ownColumns(viewer)}, s.homepage_html`;

/** Bytes of home pages in one list: a thousand of the longest would be a quarter of a gigabyte. */
const listedHomepages = 1024 * 1024;

/** The same in lists: with the home pages that fit, from the first one on. @param order SQL of the list's order */
export const listedColumns = (order: string, viewer: string): string => `${ownColumns(viewer)},
  CASE WHEN sum(octet_length(s.homepage_html)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) <= ${listedHomepages}
    THEN s.homepage_html END AS homepage_html`;

const byId = `SELECT ${serverColumns('$2')}, m.role FROM servers s
  LEFT JOIN server_members m ON m.server_id = s.id AND m.user_id = $2 WHERE s.id = $1`;

/** A server with `userId`'s relation to it. */
export async function findServer(rows: Rows, serverId: string, userId: string): Promise<ServerRow | undefined> {
  const [row] = await rows<ServerRow>(byId, [serverId, userId]);
  return row;
}

export type ServerRecord = z.output<typeof serverSchema>;

/** The payload of events about a joined or changed server. */
export function serverChange(server: ServerRecord): z.output<typeof serverUpdated.payload> {
  return { serverId: server.id, serverName: server.name, server };
}

/** The record as the caller may see it: owner and invite code only for members, the code not for bots (contract §5). */
export function serverRecord(row: ServerRow): ServerRecord {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    iconUrl: row.icon_url,
    bannerUrl: row.banner_url,
    homepageHtml: row.homepage_html,
    isPublic: row.is_public,
    ...(row.role ? { ownerId: row.owner_id } : {}),
    ...(row.role && row.invite_code !== null ? { inviteCode: row.invite_code } : {}),
    memberCount: row.member_count,
    role: row.role,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** The record in lists and invitations that everyone can read: without what only members may know. */
export function outsideRecord(row: ServerRow): ServerRecord {
  return { ...serverRecord({ ...row, role: null }), role: row.role };
}

/** A row of `server_members` with its user. */
export interface MemberRow extends UserColumns {
  /** Null: of a direct message. */
  server_id: string | null;
  user_id: string;
  role: Role;
  nickname: string | null;
  joined_at: Date | string;
  kept: boolean;
  workspace_write: boolean;
  /** Of a bot. */
  agent: { id: string; owner: string; status: string; beat: string | null } | null;
}

const agentColumn = `(SELECT json_build_object('id', a.id, 'owner', a.owner_id, 'status', a.status,
    'beat', a.last_heartbeat) FROM agents a WHERE u.is_bot AND a.user_id = u.id) AS agent`;

/** The user `u` in a member record. */
export const userColumns = `u.username, u.display_name, u.avatar_url, u.is_bot, ${agentColumn}`;

export const memberColumns = `m.server_id, m.user_id, m.role, m.nickname, m.joined_at, m.kept,
  m.workspace_write, ${userColumns}`;

export type MemberRecord = z.output<typeof memberSchema>;

export function memberRecord(row: MemberRow, statuses: StatusReader): MemberRecord {
  return {
    userId: row.user_id,
    serverId: row.server_id,
    role: row.role,
    nickname: row.nickname,
    joinedAt: isoTime(row.joined_at),
    user: { ...userOf(row.user_id, row), status: statuses.statusOf(row.user_id) },
    agent: row.agent && {
      id: row.agent.id,
      ownerId: row.agent.owner,
      status: row.agent.status,
      lastHeartbeat: isoTimeOrNull(row.agent.beat),
      kept: row.kept,
      workspaceWrite: row.workspace_write,
    },
  };
}
