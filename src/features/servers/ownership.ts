import { lockUser } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import { countOf } from '../../database/statements.ts';

const countOwned = `SELECT count(*)::int AS count FROM server_members WHERE user_id = $1 AND role = 'owner'`;

/** Makes sure, until the commit, that someone may own one more server. @throws AppError SERVER_LIMIT */
export async function requireRoomToOwn(rows: Rows, userId: string, most: number): Promise<void> {
  await lockUser(rows, userId);
  if ((await countOf(rows, countOwned, [userId])) >= most) throw new AppError('SERVER_LIMIT');
}
