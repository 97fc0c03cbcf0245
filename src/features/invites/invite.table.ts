import type { Rows } from '../../database/database.ts';

/** Of several nodes that start on an empty database only one creates a code. */
const lockCodes = 'LOCK TABLE invite_codes IN SHARE ROW EXCLUSIVE MODE';
const insertIfFirst = `INSERT INTO invite_codes (id, code, note, created_at) SELECT $1, $2, 'bootstrap', now()
  WHERE NOT EXISTS (SELECT FROM users) AND NOT EXISTS (SELECT FROM invite_codes WHERE is_active) RETURNING code`;

/** Adds a code where there are neither users nor codes. @param rows in a transaction. @returns the code, if it was added */
export async function insertFirst(rows: Rows, id: string, code: string): Promise<string | undefined> {
  await rows(lockCodes);
  return (await rows<{ code: string }>(insertIfFirst, [id, code]))[0]?.code;
}
