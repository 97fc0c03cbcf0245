import type { Rows } from '../../database/database.ts';

const followers = `SELECT user_id AS "userId", by_choice AS "byChoice" FROM thread_follows
  WHERE thread_id = $1 AND state = 'following' AND user_id > $2 ORDER BY user_id LIMIT $3`;

/** Some who follow a thread, by id, and whether they asked to. */
export function followersOf(
  rows: Rows,
  threadId: string,
  after: string,
  most: number,
): Promise<{ userId: string; byChoice: boolean }[]> {
  return rows(followers, [threadId, after, most]);
}
