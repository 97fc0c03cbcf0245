import type { Rows } from '../../database/database.ts';

const isOperator = 'SELECT id FROM users WHERE id = $1 AND is_operator AND deleted_at IS NULL';
const all = 'SELECT id FROM users WHERE is_operator AND deleted_at IS NULL ORDER BY id LIMIT 200';

/** Whether an account has the capability `instance:admin`. */
export async function readIsOperator(rows: Rows, userId: string): Promise<boolean> {
  return (await rows(isOperator, [userId])).length > 0;
}

/** Those who have it, 200 at most. */
export async function operatorIds(rows: Rows): Promise<string[]> {
  return (await rows<{ id: string }>(all)).map(({ id }) => id);
}
