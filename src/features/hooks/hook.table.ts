import type { Rows } from '../../database/database.ts';

const membersLooking = `SELECT 1 FROM users u JOIN server_members m ON m.user_id = u.id AND m.server_id = $1
  WHERE coalesce(u.name_skeleton, replace(lower(translate(u.username, '01I', 'oll') collate "C"), 'm', 'rn')) = $2
    AND u.deleted_at IS NULL LIMIT 1`;
const words = (text: string) => `regexp_replace(${text}, '[^[:alnum:]]+', ' ', 'g')`;
/** By the index of the words in them, since a server may have thousands of members. */
const namesLike = `SELECT u.display_name AS name FROM users u JOIN server_members m ON m.user_id = u.id AND m.server_id = $1
  WHERE to_tsvector('simple'::regconfig, ${words('u.display_name')}) @@ plainto_tsquery('simple'::regconfig, ${words('$2')})
    AND NOT u.is_bot AND u.deleted_at IS NULL LIMIT 500`;
const shown = "SELECT 1 FROM users WHERE avatar_url = $1 AND avatar_url LIKE '/media/%' AND id <> $2 LIMIT 1";
const touch = `UPDATE hooks SET last_used_at = now() WHERE id = $1
  AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;
const sealedWith = `SELECT id, secret FROM hooks WHERE split_part(secret, '.', 1) = ANY($1::text[]) LIMIT $2`;
const reseal = 'UPDATE hooks SET secret = $3 WHERE id = $1 AND secret = $2';

/** Whether a member of a server has a username that looks like this. */
export async function isUsernameIn(rows: Rows, serverId: string, skeleton: string): Promise<boolean> {
  return (await rows(membersLooking, [serverId, skeleton])).length > 0;
}

/** Display names of people in a server with the words of this one. */
export async function displayNamesLike(rows: Rows, serverId: string, name: string): Promise<string[]> {
  return (await rows<{ name: string }>(namesLike, [serverId, name])).map((row) => row.name);
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
