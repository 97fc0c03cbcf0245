import type { z } from 'zod';
import type { SmallUser } from '../access/actor.ts';
import type { Role } from '../access/roles.ts';
import { isoTime } from '../schema.ts';
import type { memberSchema, serverSchema } from './server.contract.ts';

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
  invite_code: string;
  created_at: Date | string;
  updated_at: Date | string;
  member_count: number;
  role: Role | null;
}

export type ServerRecord = z.input<typeof serverSchema>;

/** The record as the caller may see it: owner and invite code only for members (contract §5). */
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
    ...(row.role ? { ownerId: row.owner_id, inviteCode: row.invite_code } : {}),
    memberCount: row.member_count,
    role: row.role,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

export function memberRecord(
  member: { serverId: string; role: Role; nickname: string | null; joinedAt: Date | string },
  user: SmallUser,
): z.input<typeof memberSchema> {
  return {
    userId: user.id,
    serverId: member.serverId,
    role: member.role,
    nickname: member.nickname,
    joinedAt: isoTime(member.joinedAt),
    user,
  };
}
