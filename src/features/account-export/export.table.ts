import type { Rows } from '../../database/database.ts';

const batch = 100;
/** Exports that never ended: their job was discarded. */
const abandonedDays = 2;
const forget = `DELETE FROM account_exports WHERE id IN (
    SELECT e.id FROM account_exports e JOIN users u ON u.id = e.user_id
    WHERE e.expires_at <= now() OR u.deleted_at IS NOT NULL
      OR (e.expires_at IS NULL AND e.created_at < now() - make_interval(days => $1))
    LIMIT $2
  ) RETURNING id`;

/** Deletes some exports whose time is over, or whose account is gone; the blob collector removes their bytes. @returns how many */
export async function forgetExports(rows: Rows): Promise<number> {
  return (await rows(forget, [abandonedDays, batch])).length;
}
