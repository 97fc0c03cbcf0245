import { createHash } from 'node:crypto';
import type { Chore } from '../../cluster/chores.ts';
import { usernameSkeleton } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';

/** For how long nobody else may have the name of a deleted account: by then it is no longer taken for that person. */
const keptDays = 30;
const batch = 500;

const keep = `INSERT INTO former_names (look, kept_until) VALUES ($1, now() + make_interval(days => ${keptDays}))
  ON CONFLICT (look) DO UPDATE SET kept_until = excluded.kept_until`;
const find = 'SELECT look FROM former_names WHERE look = $1 AND kept_until > now()';
const forget = `DELETE FROM former_names
  WHERE look = ANY(ARRAY(SELECT look FROM former_names WHERE kept_until <= now() LIMIT ${batch})) RETURNING look`;

/** The name itself is to be gone. */
const lookOf = (username: string): string => createHash('sha256').update(usernameSkeleton(username)).digest('hex');

/** Keeps others from taking the name of an account that is deleted. */
export async function keepName(rows: Rows, username: string): Promise<void> {
  await rows(keep, [lookOf(username)]);
}

/** Whether a deleted account had this name, or one that looks like it, until lately. */
export async function isFormerName(rows: Rows, username: string): Promise<boolean> {
  return (await rows(find, [lookOf(username)])).length > 0;
}

export const forgetFormerNames: Chore = {
  name: 'forget the names of deleted accounts',
  step: async (rows) => (await rows(forget, [])).length,
};
