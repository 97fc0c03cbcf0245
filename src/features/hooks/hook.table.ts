import type { Rows } from '../../database/database.ts';

const membersLooking = `SELECT 1 FROM users u JOIN server_members m ON m.user_id = u.id AND m.server_id = $1
  WHERE coalesce(u.name_skeleton, replace(lower(translate(u.username, '01I', 'oll') collate "C"), 'm', 'rn')) = $2
    AND u.deleted_at IS NULL LIMIT 1`;
const people = `SELECT m.user_id AS id, u.display_name AS name FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND m.user_id > $2 AND NOT u.is_bot AND u.deleted_at IS NULL ORDER BY m.user_id LIMIT $3`;
const shown = "SELECT 1 FROM users WHERE avatar_url = $1 AND avatar_url LIKE '/media/%' AND id <> $2 LIMIT 1";
const touch = `UPDATE hooks SET last_used_at = now() WHERE id = $1
  AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;
const sealedWith = `SELECT id, secret FROM hooks WHERE split_part(secret, '.', 1) = ANY($1::text[]) LIMIT $2`;
const reseal = 'UPDATE hooks SET secret = $3 WHERE id = $1 AND secret = $2';

/** Whether a member of a server has a username that looks like this. */
export async function isUsernameIn(rows: Rows, serverId: string, skeleton: string): Promise<boolean> {
  return (await rows(membersLooking, [serverId, skeleton])).length > 0;
}

/** Display names of some people in a server, in the order of their ids. @param after the id of the last one before */
export function displayNamesIn(
  rows: Rows,
  serverId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; name: string }[]> {
  return rows(people, [serverId, after, limit]);
}

/** Whether another user shows this picture. */
export async function isShownByOthers(rows: Rows, url: string, userId: string): Promise<boolean> {
  return (await rows(shown, [url, userId])).length > 0;
}

/** Notes that an incoming webhook was used, once a minute. */
export async function noteUse(rows: Rows, id: string): Promise<void> {
  await rows(touch, [id]);
}

/** Those whose secrets are sealed with one of these keys. */
export function hooksSealedWith(rows: Rows, kids: readonly string[], limit: number) {
  return rows<{ id: string; secret: string }>(sealedWith, [kids, limit]);
}

/** Replaces the sealed form of a secret, unless that was changed meanwhile. */
export async function resealHook(rows: Rows, id: string, from: string, to: string): Promise<void> {
  await rows(reseal, [id, from, to]);
}
