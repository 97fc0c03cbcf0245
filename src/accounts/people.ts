import type { SmallUser } from '../access/actor.ts';
import type { Rows } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { usernameKey } from './account.contract.ts';

const selectPeople = `SELECT id, username, display_name AS "displayName", avatar_url AS "avatarUrl", is_bot AS "isBot"
  FROM users`;
const known = `${selectPeople} WHERE id = $1`;
const byId = `${known} AND deleted_at IS NULL`;
const byUsername = `${selectPeople} WHERE username_key = $1 AND deleted_at IS NULL`;

/** Someone who has an account, as others see them. @throws AppError USER_NOT_FOUND */
export async function personById(rows: Rows, id: string): Promise<SmallUser> {
  const [user] = await rows<SmallUser>(byId, [id]);
  if (!user) throw new AppError('USER_NOT_FOUND');
  return user;
}

/** The same by username, in any case (contract §13), with or without an `@` before it. @throws AppError USER_NOT_FOUND */
export async function personByUsername(rows: Rows, name: string): Promise<SmallUser> {
  const [user] = await rows<SmallUser>(byUsername, [usernameKey(name.replace(/^@/, ''))]);
  if (!user) throw new AppError('USER_NOT_FOUND');
  return user;
}

/** The same also for someone whose account is gone, since what was between them and others remains. */
export async function knownPerson(rows: Rows, id: string): Promise<SmallUser> {
  const [user] = await rows<SmallUser>(known, [id]);
  if (!user) throw new AppError('USER_NOT_FOUND');
  return user;
}

/** From here to the commit what is counted for someone is made by nobody else: of many things asked for at once, too. */
export async function holdUser(rows: Rows, id: string): Promise<void> {
  await rows('SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
}
