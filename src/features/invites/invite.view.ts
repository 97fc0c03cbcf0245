import type { z } from 'zod';
import type { inviteSchema } from '../../contract/invite.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';

export type InviteRecord = z.input<typeof inviteSchema>;

/** A row of `invite_codes` with the user who redeemed it. */
export interface InviteRow extends UserColumnsOrNull {
  id: string;
  code: string;
  is_active: boolean;
  note: string;
  created_by: string | null;
  used_by: string | null;
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
    usedByUser: userOrNull(row.used_by, row),
    usedAt: isoTimeOrNull(row.used_at),
    createdAt: isoTime(row.created_at),
  };
}
