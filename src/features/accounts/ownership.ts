import { AppError } from '../../contract/errors.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Credentials } from './credentials.ts';
import type { AccountMails } from './mailed/email-code.service.ts';
import { requireActive, type Standing } from './standing.ts';

interface Owner extends Standing {
  username: string;
  email: string | null;
  verified: boolean;
}

const lockOwner = `SELECT username, email, email_verified_at IS NOT NULL AS verified, suspended_at IS NOT NULL AS suspended,
  suspension_reason AS "suspensionReason" FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`;
const markVerified = 'UPDATE users SET email_verified_at = now(), updated_at = now() WHERE id = $1';

/** An account belongs to the first person who proves that its address is theirs (contract §3). */
export class Ownership {
  private readonly credentials: Credentials;
  private readonly mails: AccountMails;

  constructor(credentials: Credentials, mails: AccountMails) {
    this.credentials = credentials;
    this.mails = mails;
  }

  /**
   * Someone has proven that the account's address is theirs. If nobody had before, anyone may have made the account:
   * this change ends all credentials of its maker, and a mail reports it.
   * @param kept the provider account that proves it, and whether the proof is about to set the password
   * @returns whether the account was taken over
   * @throws AppError USER_NOT_FOUND, ACCOUNT_SUSPENDED
   */
  async prove(change: Change, userId: string, kept: { link?: string; password?: true } = {}): Promise<boolean> {
    const owner = await this.hold(change, userId);
    if (owner.verified) return false;
    const ended = await this.credentials.end(change, userId, {
      tokens: true,
      removeWebhooks: true,
      links: true,
      keepLink: kept.link ?? null,
      password: kept.password !== true,
    });
    await this.settle(change, userId, owner.email);
    const { email, username } = owner;
    if (ended > 0 && email !== null) {
      change.afterCommit(() => this.mails.post(async () => this.mails.accountClaimed(email, username)));
    }
    return true;
  }

  /** The same by someone who is signed in to that account, or knows its password: nothing ends. */
  async confirm(change: Change, userId: string): Promise<void> {
    const owner = await this.hold(change, userId);
    if (!owner.verified) await this.settle(change, userId, owner.email);
  }

  /** Locks an account until the commit. @throws AppError USER_NOT_FOUND, ACCOUNT_SUSPENDED */
  async hold(change: Change, userId: string): Promise<Owner> {
    const [owner] = await change.rows<Owner>(lockOwner, [userId]);
    if (!owner) throw new AppError('USER_NOT_FOUND');
    requireActive(owner);
    return owner;
  }

  private async settle(change: Change, userId: string, email: string | null): Promise<void> {
    await change.rows(markVerified, [userId]);
    await change.rows('DELETE FROM email_verifications WHERE user_id = $1', [userId]);
    await change.rows('DELETE FROM email_codes WHERE email = $1', [email]);
  }
}
