import type { SmallUser } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import type { Language } from '../contract/languages.ts';
import { usernameKeys } from '../contract/username.ts';
import type { Rows } from '../database/database.ts';

const selectUsers = `SELECT id, username, display_name AS "displayName", avatar_url AS "avatarUrl", is_bot AS "isBot"
  FROM users`;
const known = `${selectUsers} WHERE id = $1`;
const byId = `${known} AND deleted_at IS NULL`;
const byIds = `${selectUsers} WHERE id = ANY($1::uuid[])`;
const livingByIds = `${byIds} AND deleted_at IS NULL`;
const byUsername = `${selectUsers} WHERE username_key = ANY($1::text[]) AND deleted_at IS NULL
  ORDER BY username_key = $2 DESC LIMIT 1`;
/** Nobody reads what is written to an incoming webhook. */
const reads = 'NOT (is_bot AND EXISTS (SELECT FROM hooks WHERE hooks.user_id = users.id))';
const staying = `SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL AND deletes_at IS NULL AND ${reads}`;
const allStaying = `SELECT id FROM users WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL AND deletes_at IS NULL AND ${reads}
  ORDER BY id FOR KEY SHARE`;
const heldAuthors = `SELECT id, deleted_at IS NOT NULL AND erases_messages AS "isErased" FROM users
  WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE`;
const byEmail = 'SELECT id, username, language FROM users WHERE email = $1 AND NOT is_bot AND deleted_at IS NULL';

/** A user with an account, as others see them. @throws AppError USER_NOT_FOUND */
export async function userById(rows: Rows, id: string): Promise<SmallUser> {
  const [user] = await rows<SmallUser>(byId, [id]);
  if (!user) throw new AppError('USER_NOT_FOUND');
  return user;
}

/** The same by username, in any case (contract §13), with or without a leading `@`. @throws AppError USER_NOT_FOUND */
export async function userByUsername(rows: Rows, name: string): Promise<SmallUser> {
  const keys = usernameKeys(name.replace(/^@/, ''));
  const [user] = await rows<SmallUser>(byUsername, [keys, keys[0]]);
  if (!user) throw new AppError('USER_NOT_FOUND');
  return user;
}

/** The same for users whose account is gone too, since their relations to others remain. */
export async function anyUserById(rows: Rows, id: string): Promise<SmallUser> {
  const [user] = await rows<SmallUser>(known, [id]);
  if (!user) throw new AppError('USER_NOT_FOUND');
  return user;
}

/** Users by their ids, also those whose account is gone. */
export async function usersByIds(rows: Rows, ids: string[]): Promise<Map<string, SmallUser>> {
  const users = await rows<SmallUser>(byIds, [ids]);
  return new Map(users.map((user) => [user.id, user]));
}

/** Users with an account by their ids. @throws AppError USER_NOT_FOUND when any of them has none */
export async function livingUsers(rows: Rows, ids: string[]): Promise<SmallUser[]> {
  const users = await rows<SmallUser>(livingByIds, [ids]);
  if (users.length < ids.length) throw new AppError('USER_NOT_FOUND');
  return users;
}

/** Whom an address belongs to. */
interface Person {
  id: string;
  username: string;
  language: Language | null;
}

/** The person with this e-mail, in lower case. */
export async function personByEmail(rows: Rows, email: string): Promise<Person | undefined> {
  const [person] = await rows<Person>(byEmail, [email]);
  return person;
}

/** @throws AppError FORBIDDEN for someone whose account is gone, or about to be */
export async function requireStaying(rows: Rows, id: string): Promise<void> {
  if ((await rows(staying, [id])).length > 0) return;
  throw new AppError('FORBIDDEN', { message: 'This account is being deleted.' });
}

/** None of them is gone before the commit. @throws AppError FORBIDDEN when the account of any is, or is about to be */
export async function requireAllStaying(rows: Rows, ids: string[]): Promise<void> {
  if ((await rows(allStaying, [ids])).length === ids.length) return;
  throw new AppError('FORBIDDEN', { message: 'The account of one of them is being deleted.' });
}

/**
 * Those of some users whose accounts are gone with all that they wrote. The deletion of the others waits for the commit, and so
 * finds what is written of theirs until then.
 */
export async function erasedAmong(rows: Rows, ids: string[]): Promise<Set<string>> {
  const found = await rows<{ id: string; isErased: boolean }>(heldAuthors, [ids]);
  return new Set(found.filter(({ isErased }) => isErased).map(({ id }) => id));
}

/** Locks a user until the commit, so that limits hold: changes that count what the user has run one at a time. */
export async function lockUser(rows: Rows, id: string): Promise<void> {
  await rows('SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
}
