import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { inviteSchema } from '../../contract/invite.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { InviteCode } from '../../database/entities/invite-code.entity.ts';

export type InviteRecord = z.input<typeof inviteSchema>;

/** @param usedByUser who redeemed it; null: nobody, or no longer known */
export function inviteRecord(invite: InviteCode, usedByUser: SmallUser | null): InviteRecord {
  const { id, code, isActive, note, createdBy = null, usedBy = null, usedAt, createdAt } = invite;
  const times = { usedAt: isoTimeOrNull(usedAt), createdAt: isoTime(createdAt) };
  return { id, code, isActive, note, createdBy, usedBy, usedByUser, ...times };
}
