import { randomInt } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { Settings } from '../../settings/settings.ts';
import { codeAlphabet, normalizeCode } from '../accounts/membership/redemption.ts';

const codeLength = 8;

/** A random code of 8 letters and digits. */
export function newCode(): string {
  return Array.from({ length: codeLength }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
}

/**
 * Gives the operator of an empty installation a first invite code (contract §3). BOOTSTRAP_INVITE_CODE sets it; that one
 * may be redeemed any number of times, and is valid as long as it is set.
 */
export async function bootstrapInvite(database: Database, settings: Settings, log: Log): Promise<void> {
  const given = settings.bootstrapInviteCode && normalizeCode(settings.bootstrapInviteCode);
  // Setting another one, or none, shuts out those who know the old one.
  await database.rows('UPDATE invite_codes SET is_active = false WHERE is_reusable AND code IS DISTINCT FROM $1', [
    given,
  ]);
  if (given) {
    await database.rows(
      `INSERT INTO invite_codes (id, code, note, is_reusable, created_at) VALUES ($1, $2, 'bootstrap', true, now())
       ON CONFLICT (code) DO UPDATE SET is_reusable = true, is_active = true`,
      [newId(), given],
    );
    return;
  }
  // Locked, so that of several nodes that start on an empty database only one creates a code.
  const made = await database.transaction(async ({ rows }) => {
    await rows('LOCK TABLE invite_codes IN SHARE ROW EXCLUSIVE MODE');
    return rows<{ code: string }>(
      `INSERT INTO invite_codes (id, code, note, created_at) SELECT $1, $2, 'bootstrap', now()
       WHERE NOT EXISTS (SELECT FROM users) AND NOT EXISTS (SELECT FROM invite_codes WHERE is_active) RETURNING code`,
      [newId(), newCode()],
    );
  });
  const code = made[0]?.code;
  if (!code) return;
  log.info(
    { firstInviteCode: code },
    `Your first invite code is ${code} - register with it as "inviteCode" to become a member who can create servers.`,
  );
}
