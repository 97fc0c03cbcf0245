import type { Chore } from '../../cluster/chores.ts';
import { AppError } from '../../contract/errors.ts';
import { usernameKey, usernameKeys, usernameSkeleton } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { isFormerName } from './former-names.table.ts';

/** How many names are looked at in one turn of the event loop: 10 ms. */
const batch = 500;

/** SQL of what a name looks like, as in the index `users_look`: that of plain ASCII need not be kept. */
const look = `coalesce(name_skeleton, replace(lower(translate(username, '01I', 'oll') collate "C"), 'm', 'rn'))`;
/** As in the index `users_unseen`: names that older nodes and imports have added, and those from before. */
const unseen = `SELECT id, username FROM users
  WHERE name_skeleton IS NULL AND (username collate "C") ~ '[^ -~]' AND deleted_at IS NULL`;

const lockLook = "SELECT pg_advisory_xact_lock(hashtext('usernames'), hashtext($1))";
/** A name that is kept for its former owner counts as theirs. */
const isKept = 'user_id <> $3 AND kept_until > now()';
const findTaken = `(SELECT id FROM users WHERE username_key = ANY($1::text[]) AND id <> $3 LIMIT 1)
  UNION ALL (SELECT id FROM users WHERE ${look} = $2 AND deleted_at IS NULL AND id <> $3 LIMIT 1)
  UNION ALL (SELECT user_id FROM former_usernames WHERE username_key = ANY($1::text[]) AND ${isKept} LIMIT 1)
  UNION ALL (SELECT user_id FROM former_usernames WHERE name_skeleton = $2 AND ${isKept} LIMIT 1)`;
const someUnseen = `${unseen} ORDER BY id LIMIT ${batch + 1}`;
const lockUnseen = `${unseen} ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED`;
const writeSkeletons = `UPDATE users SET name_skeleton = given.skeleton
  FROM unnest($1::uuid[], $2::text[]) AS given (id, skeleton) WHERE users.id = given.id`;

interface Named {
  id: string;
  username: string;
}

/** The columns of a username. */
export interface NameColumns {
  username: string;
  usernameKey: string;
  nameSkeleton: string;
}

/**
 * Whether another user has this name, or one that looks like it, or has had it lately. It may change until `claimUsername`.
 * @throws AppError SERVER_BUSY while hundreds of earlier names have not been looked at yet
 */
export async function isNameTaken(rows: Rows, userId: string, name: string): Promise<boolean> {
  const skeleton = usernameSkeleton(name);
  if ((await rows(findTaken, [usernameKeys(name), skeleton, userId])).length > 0) return true;
  if (await isFormerName(rows, name)) return true;
  const others = await rows<Named>(someUnseen, []);
  if (others.length > batch) throw new AppError('SERVER_BUSY');
  return others.some(({ id, username }) => id !== userId && usernameSkeleton(username) === skeleton);
}

/**
 * Takes a name for a user until the commit: of names that look alike, on whichever nodes, one wins. Locks of entities come
 * before it.
 * @throws AppError USERNAME_TAKEN, SERVER_BUSY as `isNameTaken`
 */
export async function claimUsername(rows: Rows, userId: string, username: string): Promise<NameColumns> {
  const nameSkeleton = usernameSkeleton(username);
  await rows(lockLook, [nameSkeleton]);
  if (await isNameTaken(rows, userId, username)) throw new AppError('USERNAME_TAKEN');
  return { username, usernameKey: usernameKey(username), nameSkeleton };
}

/** Writes what names look like that are without it, some at a time. */
export const fillSkeletons: Chore = {
  name: 'look at usernames',
  async step(rows) {
    const names = await rows<Named>(lockUnseen, []);
    const skeletons = names.map(({ username }) => usernameSkeleton(username));
    if (names.length > 0) await rows(writeSkeletons, [names.map(({ id }) => id), skeletons]);
    return names.length;
  },
};
