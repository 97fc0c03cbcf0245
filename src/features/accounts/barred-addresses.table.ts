import type { Rows } from '../../database/database.ts';

const findBarred = `SELECT 1 AS one FROM banned_addresses a JOIN instance_bans b ON b.id = a.ban_id
  WHERE a.hash = ANY($1::text[]) AND (b.until IS NULL OR b.until > clock_timestamp()) LIMIT 1`;

/** Whether one of these hashes is of an address whose ban counts now, by PostgreSQL's clock. */
export async function hasBarred(rows: Rows, hashes: string[]): Promise<boolean> {
  return (await rows(findBarred, [hashes])).length > 0;
}
