import type { z } from 'zod';
import { lockUser, personByEmail } from '../../../access/user.table.ts';
import type { completeResetSchema } from '../../../contract/account.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Database } from '../../../database/database.ts';
import type { Changes } from '../../../delivery/changes.ts';
import type { RateLimits } from '../../../infrastructure/rate-limits.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { CredentialCounts, Credentials } from '../credentials.ts';
import type { Ownership } from '../ownership.ts';
import type { Passwords } from '../passwords.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import type { AccountMails } from './email-code.service.ts';

const keepLink = `INSERT INTO password_resets (token_hash, user_id, expires_at)
  VALUES ($1, $2, now() + make_interval(secs => $3))`;
const isValid = 'SELECT user_id AS "userId" FROM password_resets WHERE token_hash = $1 AND expires_at > now()';
/** The delete is the check: of two concurrent uses of one link, one finds it gone. */
const useLink = 'DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > now() RETURNING user_id';

/** Resetting a forgotten password by a mailed link (contract §3). */
export class PasswordResetService {
  private readonly parts: {
    database: Database;
    changes: Changes;
    limits: RateLimits;
    mails: AccountMails;
    passwords: Passwords;
    credentials: Credentials;
    ownership: Ownership;
    settings: Settings;
  };

  constructor(parts: PasswordResetService['parts']) {
    this.parts = parts;
  }

  /**
   * Mails a link if there is an account. That is looked up after the response, so neither its content nor its timing
   * reveals it. @returns the seconds for which a link is valid
   */
  async start(email: string): Promise<number> {
    const { limits, mails, database, changes, settings } = this.parts;
    const seconds = settings.accounts.passwordResetSeconds;
    const quota = await limits.take('mailbox', email);
    if (quota?.exceeded) return seconds;
    mails.post(async () => {
      const user = await personByEmail(database.rows, email);
      if (!user) return null;
      const { secret, hash } = newSecret();
      await changes.run((change) => change.rows(keepLink, [hash, user.id, seconds]));
      return mails.passwordReset(email, user.username, secret, seconds);
    });
    return seconds;
  }

  /**
   * Sets the password, consumes the link and ends all sessions; on request also all other credentials. The link also
   * proves the address: if it is the first to do so, everything ends.
   * @returns the credentials that remain
   * @throws AppError PASSWORD_RESET_TOKEN_INVALID, ACCOUNT_SUSPENDED
   */
  async complete(input: z.output<typeof completeResetSchema>): Promise<CredentialCounts> {
    const { database, changes, passwords, credentials, ownership } = this.parts;
    const { endTokens = false } = input;
    const tokenHash = hashSecret(input.token);
    // Looked up first, so that made-up links cause no password hashing.
    const [valid] = await database.rows<{ userId: string }>(isValid, [tokenHash]);
    if (!valid) throw new AppError('PASSWORD_RESET_TOKEN_INVALID');
    const passwordHash = await passwords.hash(input.newPassword);
    const { userId } = valid;
    return changes.run(async (change) => {
      // Locks the user first, like every change that ends links.
      await lockUser(change.rows, userId);
      const used = await change.rows(useLink, [tokenHash]);
      if (used.length === 0) throw new AppError('PASSWORD_RESET_TOKEN_INVALID');
      await ownership.prove(change, userId, { password: true });
      await credentials.replacePassword(change, userId, passwordHash, { tokens: endTokens, links: endTokens });
      return credentials.remaining(change.rows, userId);
    });
  }
}
