import type { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import { AppError } from '../../errors.ts';
import type { RateLimits } from '../../infrastructure/rate-limits.ts';
import type { Settings } from '../../settings.ts';
import type { completeResetSchema } from '../account.contract.ts';
import { replacePassword } from '../new-password.ts';
import type { Passwords } from '../passwords.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import type { Revocation } from '../sessions/revocation.ts';
import { personByEmail } from '../user.reader.ts';
import type { AccountMails } from './account.mails.ts';

const keepLink = `INSERT INTO password_resets (token_hash, user_id, expires_at)
  VALUES ($1, $2, now() + make_interval(secs => $3))`;
const isValid = 'SELECT user_id FROM password_resets WHERE token_hash = $1 AND expires_at > now()';
/** The delete is the check: of two concurrent uses of one link, one finds it gone. */
const useLink =
  'DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > now() RETURNING user_id AS "userId"';

/** Resetting a forgotten password by a mailed link (contract §3). */
export class PasswordResetService {
  private readonly parts: {
    database: Database;
    changes: Changes;
    limits: RateLimits;
    mails: AccountMails;
    passwords: Passwords;
    revocation: Revocation;
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

  /** Sets the password, consumes the link and ends all sessions. @throws AppError PASSWORD_RESET_TOKEN_INVALID */
  async complete(input: z.output<typeof completeResetSchema>): Promise<void> {
    const { database, changes, passwords, revocation } = this.parts;
    const tokenHash = hashSecret(input.token);
    // Looked up first, so that made-up links cause no password hashing.
    const valid = await database.rows(isValid, [tokenHash]);
    if (valid.length === 0) throw new AppError('PASSWORD_RESET_TOKEN_INVALID');
    const passwordHash = await passwords.hash(input.newPassword);
    await changes.run(async (change) => {
      const [used] = await change.rows<{ userId: string }>(useLink, [tokenHash]);
      if (!used) throw new AppError('PASSWORD_RESET_TOKEN_INVALID');
      await replacePassword(change, revocation, used.userId, passwordHash);
    });
  }
}
