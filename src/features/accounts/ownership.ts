import { lockUser } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import { MailedCode } from '../../database/entities/mailed-code.entity.ts';
import { EmailVerification, User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { claimMailbox } from './address/mailboxes.table.ts';
import type { Barring } from './barring.ts';
import type { Credentials } from './credentials.ts';
import type { AccountMails } from './mailed/account-mails.ts';
import { requireActive, standingOf } from './standing.ts';

/** An account belongs to the first person who proves that its address is theirs (contract §3). */
export class Ownership {
  private readonly credentials: Credentials;
  private readonly mails: AccountMails;
  private readonly barring: Barring;

  constructor(credentials: Credentials, mails: AccountMails, barring: Barring) {
    this.credentials = credentials;
    this.mails = mails;
    this.barring = barring;
  }

  /**
   * Someone has proven that the account's address is theirs. If nobody had before, anyone may have made the account:
   * this change ends all credentials of its maker, and a mail reports it.
   * @param kept the provider account that proves it, and whether the proof is about to set the password
   * @returns whether the account was taken over
   * @throws AppError USER_NOT_FOUND, ACCOUNT_SUSPENDED, EMAIL_TAKEN
   */
  async prove(change: Change, userId: string, kept: { link?: string; password?: true } = {}): Promise<boolean> {
    const owner = await this.hold(change, userId);
    if (owner.emailVerifiedAt) return false;
    const ended = await this.credentials.end(change, userId, {
      tokens: true,
      removeWebhooks: true,
      links: true,
      keepLink: kept.link ?? null,
      password: kept.password !== true,
    });
    await this.settle(change, owner);
    const { email, username, language } = owner;
    if (ended > 0 && email != null)
      await this.mails.add(change, { mail: 'account-claimed', email, username, language });
    return true;
  }

  /** The same by someone who is signed in to that account, or knows its password: nothing ends. */
  async confirm(change: Change, userId: string): Promise<void> {
    const owner = await this.hold(change, userId);
    if (!owner.emailVerifiedAt) await this.settle(change, owner);
  }

  /** Locks an account until the commit. @throws AppError USER_NOT_FOUND, ACCOUNT_SUSPENDED */
  async hold({ em, rows }: Change, userId: string): Promise<User> {
    await lockUser(rows, userId);
    const owner = await em.findOne(User, { id: userId, deletedAt: null }, { refresh: true });
    if (!owner) throw new AppError('USER_NOT_FOUND');
    requireActive(standingOf(owner));
    return owner;
  }

  /** An account that was made with another one's address gets it if that one has left it since. */
  private async settle({ em, rows }: Change, owner: User): Promise<void> {
    const { claimedEmail } = owner;
    await this.barring.requireMailbox(rows, owner.email ?? claimedEmail ?? null);
    if (owner.email == null && claimedEmail != null) {
      if (!(await claimMailbox(rows, claimedEmail, owner.id))) throw new AppError('EMAIL_TAKEN');
      Object.assign(owner, { email: claimedEmail, claimedEmail: null });
    }
    owner.emailVerifiedAt = dateNow();
    await em.flush();
    await em.nativeDelete(EmailVerification, { userId: owner.id });
    if (owner.email != null) await em.nativeDelete(MailedCode, { email: owner.email });
  }
}
