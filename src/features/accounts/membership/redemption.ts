import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../../contract/errors.ts';
import { InviteCode } from '../../../database/entities/invite-code.entity.ts';
import { dateNow } from '../../../infrastructure/clock.ts';

/** Letters and digits that are not easily confused (contract §7). */
export const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export const normalizeCode = (code: string): string => code.trim().toUpperCase();

/**
 * Redeems an invite code for a user. Of two concurrent attempts one wins: the update is the check.
 * @throws AppError INVALID_INVITE_CODE when it is unknown, used or deactivated
 */
export async function redeemCode(em: EntityManager, userId: string, code: string): Promise<void> {
  const open = { code: normalizeCode(code), isActive: true, $or: [{ usedBy: null }, { isReusable: true }] };
  const used = await em.nativeUpdate(InviteCode, open, { usedBy: userId, usedAt: dateNow() });
  if (used === 0) throw new AppError('INVALID_INVITE_CODE');
}
