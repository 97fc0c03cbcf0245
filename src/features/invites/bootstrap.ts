import { randomInt } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { Settings } from '../../settings/settings.ts';
import { codeAlphabet, normalizeCode } from '../accounts/membership/redemption.ts';
import { insertFirst } from './invite.table.ts';

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
  const reusable = database.db.updateTable('InviteCode').where('isReusable', '=', true);
  await reusable.where('code', 'is distinct from', given).set({ isActive: false }).execute();
  if (given) {
    const open = { isReusable: true, isActive: true };
    const code = { id: newId(), code: given, note: 'bootstrap', ...open, createdAt: dateNow() };
    const insert = database.db.insertInto('InviteCode').values(code);
    await insert.onConflict((same) => same.column('code').doUpdateSet(open)).execute();
    return;
  }
  const code = await database.transaction(({ rows }) => insertFirst(rows, newId(), newCode()));
  if (!code) return;
  log.info(
    { firstInviteCode: code },
    `Your first invite code is ${code} - register with it as "inviteCode" to become a member who can create servers.`,
  );
}
