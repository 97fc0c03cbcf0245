import { AppError } from '../../../contract/errors.ts';
import type { Rows } from '../../../database/database.ts';

/** Letters and digits that are not easily confused (contract §7). */
export const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export const normalizeCode = (code: string): string => code.trim().toUpperCase();

/**
 * Redeems an invite code for a user. Of two concurrent attempts one wins: the update is the check.
 * @throws AppError INVALID_INVITE_CODE when it is unknown, used or deactivated
 */
export async function redeemCode(rows: Rows, userId: string, code: string): Promise<void> {
  const used = await rows<{ id: string }>(
    `UPDATE invite_codes SET used_by = $2, used_at = now()
     WHERE code = $1 AND is_active AND (used_by IS NULL OR is_reusable) RETURNING id`,
    [normalizeCode(code), userId],
  );
  if (used.length === 0) throw new AppError('INVALID_INVITE_CODE');
}
