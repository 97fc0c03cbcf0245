import type { Change } from '../delivery/changes.ts';
import type { Revocation } from './sessions/revocation.ts';

/** Sets a user's password, whatever the old one was: the caller has verified that the user wants it. */
export async function replacePassword(
  change: Change,
  revocation: Revocation,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await change.rows('UPDATE users SET password_hash = $2, updated_at = now() WHERE id = $1', [userId, passwordHash]);
  await endWithPassword(change, revocation, userId);
}

/** Ends what a password change ends: mailed reset links, and all sessions but the one to keep (contract §3). */
export async function endWithPassword(
  change: Change,
  revocation: Revocation,
  userId: string,
  keep: string | null = null,
): Promise<void> {
  await change.rows('DELETE FROM password_resets WHERE user_id = $1', [userId]);
  await revocation.sessions(change, userId, keep);
}
