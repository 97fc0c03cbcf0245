import type { Rows } from '../../database/database.ts';

interface Timeout {
  until: Date | string;
  reason: string | null;
}

const put = `INSERT INTO server_timeouts (server_id, user_id, timed_out_by, reason, until, created_at)
  VALUES ($1, $2, $3, $4, $5, now())
  ON CONFLICT (server_id, user_id) DO UPDATE SET timed_out_by = excluded.timed_out_by, reason = excluded.reason,
    until = excluded.until, created_at = excluded.created_at`;
const drop = 'DELETE FROM server_timeouts WHERE server_id = $1 AND user_id = $2 RETURNING until > now() AS held';
const bots = `SELECT m.user_id AS id FROM server_members m JOIN agents a ON a.user_id = m.user_id
  WHERE m.server_id = $1 AND a.owner_id = $2 ORDER BY m.user_id`;
const forgetEnded = `DELETE FROM server_timeouts WHERE (server_id, user_id) IN (
    SELECT server_id, user_id FROM server_timeouts WHERE until < now() ORDER BY until LIMIT 500
  ) RETURNING 1 AS one`;

/** Times someone out, in place of an earlier timeout. */
export async function putTimeout(
  rows: Rows,
  of: { serverId: string; userId: string; by: string },
  { until, reason }: Timeout,
): Promise<void> {
  await rows(put, [of.serverId, of.userId, of.by, reason, until]);
}

/** Ends someone's timeout. @returns whether there was one that counted */
export async function dropTimeout(rows: Rows, serverId: string, userId: string): Promise<boolean> {
  const [dropped] = await rows<{ held: boolean }>(drop, [serverId, userId]);
  return dropped?.held ?? false;
}

/** The bots of someone in a server, those that it keeps too. */
export async function botsHeldWith(rows: Rows, serverId: string, ownerId: string): Promise<string[]> {
  return (await rows<{ id: string }>(bots, [serverId, ownerId])).map(({ id }) => id);
}

/** Deletes some timeouts that have ended. @returns how many */
export async function deleteEnded(rows: Rows): Promise<number> {
  return (await rows(forgetEnded, [])).length;
}
