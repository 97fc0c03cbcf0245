import type { Rows } from '../../database/database.ts';

/** Deletes some offers that nobody answered in time. @returns how many */
export async function forgetExpired(rows: Rows): Promise<number> {
  const gone = await rows(
    `DELETE FROM handovers WHERE id = ANY(ARRAY(SELECT id FROM handovers WHERE expires_at <= now() LIMIT 100)) RETURNING id`,
  );
  return gone.length;
}
