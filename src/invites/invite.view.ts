import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../schema.ts';
import type { inviteCodeSchema } from './invite.contract.ts';

export type InviteRecord = z.input<typeof inviteCodeSchema>;

/** A row of `invite_codes` with the user who redeemed it. */
export interface InviteRow {
  id: string;
  code: string;
  is_active: boolean;
  note: string;
  created_by: string | null;
  used_by: string | null;
  username: string | null;
  display_name: string | null;
  avatar_url: string | null;
  is_bot: boolean | null;
  used_at: Date | string | null;
  created_at: Date | string;
}

export function inviteRecord(row: InviteRow): InviteRecord {
  return {
    id: row.id,
    code: row.code,
    isActive: row.is_active,
    note: row.note,
    createdBy: row.created_by,
    usedBy: row.used_by,
    usedByUser: redeemer(row),
    usedAt: isoTimeOrNull(row.used_at),
    createdAt: isoTime(row.created_at),
  };
}

function redeemer(row: InviteRow): InviteRecord['usedByUser'] {
  const { used_by: id, username, display_name: displayName } = row;
  if (id === null || username === null || displayName === null) return null;
  return { id, username, displayName, avatarUrl: row.avatar_url, isBot: row.is_bot ?? false };
}
