import type { Rows } from '../../database/database.ts';

interface OwnCounts {
  memberSince: Date | string;
  serversOwned: number;
  serversJoined: number;
  messagesSent: number;
}

export const countOwn = `SELECT u.created_at AS "memberSince",
    memberships.owned AS "serversOwned", memberships.joined AS "serversJoined",
    (SELECT count(*)::int FROM messages WHERE author_id = u.id) AS "messagesSent"
  FROM users u CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE role = 'owner')::int AS owned, count(*) FILTER (WHERE role <> 'owner')::int AS joined
    FROM server_members WHERE user_id = u.id
  ) AS memberships WHERE u.id = $1 AND u.deleted_at IS NULL`;

/** What a user has; undefined: there is no account. Its messages are counted, so the statement stays prepared. */
export async function readOwnCounts(rows: Rows, userId: string): Promise<OwnCounts | undefined> {
  return (await rows<OwnCounts>(countOwn, [userId]))[0];
}
