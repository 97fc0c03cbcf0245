import type { Chore } from '../../cluster/chores.ts';
import type { Rows } from '../../database/database.ts';

const deleteBan = 'DELETE FROM instance_bans WHERE user_id = $1';
const addressesOf = `SELECT DISTINCT ip_address AS ip FROM sessions
  WHERE user_id = $1 AND ip_address IS NOT NULL AND last_seen_at > now() - interval '30 days' LIMIT 1000`;
const insertHashes =
  'INSERT INTO banned_addresses (hash, ban_id) SELECT DISTINCT h, $2::uuid FROM unnest($1::text[]) AS h';
const liftBans = `DELETE FROM instance_bans WHERE id IN (
    SELECT id FROM instance_bans WHERE until <= clock_timestamp() ORDER BY id LIMIT 100) RETURNING id`;
// The trigger of suspensions has all nodes read these accounts again.
const endOver = `UPDATE users SET suspended_at = NULL, suspension_reason = NULL, suspended_until = NULL WHERE id IN (
    SELECT id FROM users u WHERE suspended_until <= clock_timestamp() AND NOT EXISTS (
      SELECT FROM instance_bans b WHERE b.user_id = u.id AND (b.until IS NULL OR b.until > clock_timestamp()))
    ORDER BY id LIMIT 100 FOR NO KEY UPDATE) RETURNING id`;

/** Forgets a ban and the hashes of its addresses. */
export async function removeBan(rows: Rows, userId: string): Promise<void> {
  await rows(deleteBan, [userId]);
}

/** From where someone's sessions were used in the last 30 days. */
export async function lastAddresses(rows: Rows, userId: string): Promise<string[]> {
  return (await rows<{ ip: string }>(addressesOf, [userId])).map(({ ip }) => ip);
}

export async function addHashes(rows: Rows, banId: string, hashes: string[]): Promise<void> {
  if (hashes.length > 0) await rows(insertHashes, [hashes, banId]);
}

/** Lifts bans and suspensions whose end has come. */
export const endSuspensions: Chore = {
  name: 'end suspensions',
  step: async (rows) => (await rows(endOver)).length + (await rows(liftBans)).length,
};
