import type { z } from 'zod';
import { permissionsIn, type Standing } from '../../access/rights.ts';
import type { memberSchema } from '../../contract/member.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { may, type Rights, type Role } from '../../contract/roles.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { serverSchema, serverUpdated } from '../../contract/server.ts';
import { type UserColumns, userOf } from '../accounts/account.view.ts';

/** A row of `servers` with what depends on the caller. */
export interface ServerRow {
  id: string;
  name: string;
  slug: string | null;
  description: string | null;
  icon_url: string | null;
  banner_url: string | null;
  homepage_html: string | null;
  mark: string | null;
  accent_color: string | null;
  is_public: boolean;
  owner_id: string;
  /** Null for bots. */
  invite_code: string | null;
  created_at: Date | string;
  updated_at: Date | string;
  member_count: number;
  require_second_factor: boolean;
  roles_version: number;
  emoji_version: number;
  categories_version: number;
  hold_new_member_links_hours: number;
  keep_messages_days: number | null;
  keep_edit_history: boolean;
  link_previews: boolean;
  role: Role | null;
  /** Of the caller; null for those who are no members, absent where outsiders read it. */
  standing?: Standing | null;
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
    mark: row.mark,
    accentColor: row.accent_color,
    isPublic: row.is_public,
    ...(row.role ? { ownerId: row.owner_id } : {}),
    ...(row.role && row.invite_code !== null ? { inviteCode: row.invite_code } : {}),
    memberCount: row.member_count,
    requireSecondFactor: row.require_second_factor,
    rolesVersion: row.roles_version,
    emojiVersion: row.emoji_version,
    categoriesVersion: row.categories_version,
    role: row.role,
    ...(row.role && row.standing ? { permissions: permissionsIn(row.role, row.standing) } : {}),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    holdNewMemberLinksHours: row.hold_new_member_links_hours,
    keepMessagesDays: row.keep_messages_days,
    keepEditHistory: row.keep_edit_history,
    linkPreviews: row.link_previews,
  };
}

/** With the link that they joined with, for those who manage links. */
export function broughtRecord(row: MemberRow, statuses: StatusReader, reader: Reader | null = null): MemberRecord {
  const { invite_id: inviteId = null, invited_by: invitedBy = null } = row;
  return { ...memberRecord(row, statuses, reader), invitedBy, inviteId };
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
  /** Ids of the server's own roles that they have. */
  roles: string[];
  /** Of their own timeout, while it lasts. */
  timeout: { until: string; reason: string | null } | null;
  /** Absent where nobody sees them. */
  invite_id?: string | null;
  invited_by?: string | null;
  /** Of a bot. */
  agent: { id: string; owner: string; status: string; beat: string | null } | null;
}

export type MemberRecord = z.output<typeof memberSchema>;

/** Who reads a member's record. */
interface Reader {
  userId: string;
  rights: Rights | null;
}

/** @param reader sees timeouts if they may time out, and their own; null: only what everyone sees */
export function memberRecord(row: MemberRow, statuses: StatusReader, reader: Reader | null = null): MemberRecord {
  const isConcerned = reader?.userId === row.user_id || may(reader?.rights, 'member:timeout');
  const seesTimeout = row.server_id !== null && isConcerned;
  return {
    userId: row.user_id,
    serverId: row.server_id,
    role: row.role,
    roles: row.roles,
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
    ...(seesTimeout && {
      timedOutUntil: row.timeout && isoTime(row.timeout.until),
      timeoutReason: row.timeout?.reason ?? null,
    }),
  };
}
