import type { Language } from '../../../contract/languages.ts';
import type { Rows } from '../../../database/database.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import { mailboxOf } from './mailbox.ts';

/** SQL of `mailboxOf`, as in the indexes `users_mailbox` and `email_changes_kept`. */
const mailbox = (email: string) =>
  `case when ${email} ~ '@(gmail|googlemail)[.]com$' then replace(split_part(split_part(${email}, '@', 1), '+', 1), '.', '') || '@gmail.com' when ${email} ~ '@(outlook[.]com|hotmail[.]com|live[.]com|icloud[.]com|me[.]com|mac[.]com|fastmail[.]com|proton[.]me|protonmail[.]com|pm[.]me)$' then split_part(split_part(${email}, '@', 1), '+', 1) || '@' || split_part(${email}, '@', 2) else ${email} end`;

const lockMailbox = "SELECT pg_advisory_xact_lock(hashtext('mailboxes'), hashtext($1))";
/** Whoever has it, or may still take it back by undoing a change of address. */
const findHolder = `(SELECT username, language FROM users WHERE ${mailbox('email')} = $1 AND email IS NOT NULL AND id <> $2 LIMIT 1)
  UNION ALL (SELECT u.username, u.language FROM email_changes c JOIN users u ON u.id = c.user_id
    WHERE ${mailbox('old_email')} = $1 AND c.changed_at IS NOT NULL AND c.expires_at > $3 AND c.user_id <> $2 LIMIT 1)`;
/** Those whose it is first; then those who only gave it, newest first. */
const findNamed = `SELECT id, password_hash AS "passwordHash" FROM users
  WHERE (email = $1 OR claimed_email = $1) AND NOT is_bot AND deleted_at IS NULL
  ORDER BY email = $1 DESC NULLS LAST, id DESC LIMIT $2`;

/** Who has a mailbox. */
interface Holder {
  username: string;
  language: Language | null;
}

/** The account, other than `userId`, that has the mailbox of an address. */
export async function mailboxHolder(rows: Rows, email: string, userId: string): Promise<Holder | null> {
  const [holder] = await rows<Holder>(findHolder, [mailboxOf(email), userId, dateNow()]);
  return holder ?? null;
}

/**
 * Takes the mailbox of an address for an account until the commit: of several at once, on whichever nodes, one gets it. Locks
 * of entities come before it.
 * @returns false: another account has it
 */
export async function claimMailbox(rows: Rows, email: string, userId: string): Promise<boolean> {
  await rows(lockMailbox, [mailboxOf(email)]);
  return (await mailboxHolder(rows, email, userId)) === null;
}

/** An account that a password may belong to. */
export interface Named {
  id: string;
  passwordHash: string | null;
}

/** The accounts of an address: the one that has it, and those that were made with it. */
export function accountsOfAddress(rows: Rows, email: string, most: number): Promise<Named[]> {
  return rows<Named>(findNamed, [email, most]);
}
