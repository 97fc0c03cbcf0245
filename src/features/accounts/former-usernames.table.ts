import { usernameKeys } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';

const isKept = 'kept_until > now()';
/** That it is given up once more counts from now on. */
const keep = `INSERT INTO former_usernames (id, user_id, username, username_key, name_skeleton, kept_until)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
  ON CONFLICT (user_id, username_key) DO UPDATE SET username = excluded.username, name_skeleton = excluded.name_skeleton,
    kept_until = excluded.kept_until`;
const findOwn = `SELECT 1 FROM former_usernames WHERE user_id = $1 AND username_key = ANY($2::text[]) AND ${isKept} LIMIT 1`;
/** Once this one is over, one fewer than $2 are left. */
const findLimiting = `SELECT extract(epoch FROM kept_until - now())::float8 AS seconds FROM former_usernames
  WHERE user_id = $1 AND ${isKept} ORDER BY kept_until DESC OFFSET $2 - 1 LIMIT 1`;
const findOwner = `SELECT u.username FROM former_usernames f JOIN users u ON u.id = f.user_id
  WHERE f.username_key = ANY($1::text[]) AND ${isKept} AND u.deleted_at IS NULL ORDER BY f.kept_until DESC LIMIT 1`;

/** A name as it was kept with its user. */
interface FormerName {
  username: string;
  usernameKey: string;
  nameSkeleton: string;
}

/** Keeps a name for the user who gives it up, for so long. */
export async function keepFormerName(rows: Rows, userId: string, name: FormerName, seconds: number): Promise<void> {
  await rows(keep, [newId(), userId, name.username, name.usernameKey, name.nameSkeleton, seconds]);
}

/** Whether a name is one that is kept for this user. */
export async function isOwnFormerName(rows: Rows, userId: string, name: string): Promise<boolean> {
  return (await rows(findOwn, [userId, usernameKeys(name)])).length > 0;
}

/** In how many seconds fewer than `most` former names of a user are kept; undefined: that is so now. */
export async function secondsUntilFewer(rows: Rows, userId: string, most: number): Promise<number | undefined> {
  return (await rows<{ seconds: number }>(findLimiting, [userId, most]))[0]?.seconds;
}

/** What the user is called now for whom one of these keys is kept. */
export async function ownerOfFormerName(rows: Rows, keys: string[]): Promise<string | undefined> {
  return (await rows<{ username: string }>(findOwner, [keys]))[0]?.username;
}
