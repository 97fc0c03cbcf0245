import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { lockUser, personByEmail } from '../../../access/user.table.ts';
import type { completeResetSchema } from '../../../contract/account.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Database } from '../../../database/database.ts';
import { PasswordReset, User } from '../../../database/entities/user.entity.ts';
import type { Change, Changes } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import type { RateLimits } from '../../../infrastructure/rate-limits.ts';
import type { Settings } from '../../../settings/settings.ts';
import { countedMailbox } from '../address/mailbox.ts';
import type { CredentialCounts, Credentials } from '../credentials.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import type { Ownership } from '../ownership.ts';
import { requireUnguessable } from '../password-rules.ts';
import { type Passwords, saltIn } from '../passwords.ts';
import { derivedToken, hashSecret } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import type { KnownDevices } from '../sessions/known-devices.ts';
import { sourceAbout, takeMail } from '../sources.ts';
import { type AccountMails, languageFor, type MailedTo, secondsUntil } from './account-mails.ts';
import type { Asker } from './email-code.service.ts';

/** Resetting a forgotten password by a mailed link (contract §3). */
export class PasswordResetService {
  private readonly parts: {
    database: Database;
    changes: Changes;
    limits: RateLimits;
    mails: AccountMails;
    passwords: Passwords;
    credentials: Credentials;
    devices: KnownDevices;
    ownership: Ownership;
    notices: Pick<SecurityNotices, 'notify'>;
    settings: Settings;
  };

  constructor(parts: PasswordResetService['parts']) {
    this.parts = parts;
  }

  /**
   * Mails a link if there is an account. That is looked up some time after the response, so neither its content nor its timing
   * reveals it, nor that of the next one. @returns the seconds for which a link is valid
   */
  async start(email: string, device: Asker): Promise<number> {
    const { database, devices, limits, mails, changes, settings } = this.parts;
    const seconds = settings.accounts.passwordResetSeconds;
    const source = await sourceAbout(email, device, { rows: database.rows, devices });
    const quota = await takeMail(limits, countedMailbox(email), source);
    if (quota?.exceeded) return seconds;
    const { language } = device;
    await changes.run((change) => mails.request(change, { request: 'password-reset', email, language }));
    return seconds;
  }

  /** Mails a link after this change if there is an account. */
  async begin(change: Change, { email, language }: MailedTo<'email'>): Promise<void> {
    const user = await personByEmail(change.rows, email);
    if (user) await this.mail(change, { userId: user.id, language });
  }

  /** Mails someone a link after this change. @returns false: so many mails wait that this one is dropped */
  async mail(change: Change, { userId, language }: MailedTo<'userId'>): Promise<boolean> {
    const { mails, settings } = this.parts;
    const id = await mails.add(change, { mail: 'password-reset', userId, language });
    if (!id) return false;
    const tokenHash = hashSecret(derivedToken(this.keys[0] ?? '', id));
    const expiresAt = new Date(clock.now() + settings.accounts.passwordResetSeconds * 1000);
    await change.em.insert(PasswordReset, { tokenHash, userId, expiresAt });
    return true;
  }

  /** The mail of a job with its link, unless that was used, or is over. */
  async compose(em: EntityManager, jobId: string, { userId, language }: MailedTo<'userId'>): Promise<Mail | null> {
    const tokens = this.keys.map((key) => derivedToken(key, jobId));
    const kept = await em.findOne(PasswordReset, { userId, ...unexpired(tokens.map(hashSecret)) });
    const token = tokens.find((one) => hashSecret(one) === kept?.tokenHash);
    const user = await em.findOne(User, { id: userId, deletedAt: null });
    if (!kept || !token || user?.email == null) return null;
    const to = { email: user.email, language: languageFor(user, language) };
    return this.parts.mails.passwordReset(to, user.username, token, secondsUntil(kept.expiresAt));
  }

  /**
   * Sets the password, consumes the link and ends all sessions; on request also all other credentials. The link also
   * proves the address: if it is the first to do so, everything ends.
   * @returns the credentials that remain
   * @throws AppError PASSWORD_RESET_TOKEN_INVALID, ACCOUNT_SUSPENDED
   */
  async complete(input: z.output<typeof completeResetSchema>, device: Device): Promise<CredentialCounts> {
    const { database, changes, passwords, credentials, ownership, notices } = this.parts;
    const { endTokens = false } = input;
    const tokenHash = hashSecret(input.token);
    // Looked up first, so that made-up links cause no password hashing.
    const valid = await database.read((em) => em.findOne(PasswordReset, unexpired([tokenHash])));
    if (!valid) throw new AppError('PASSWORD_RESET_TOKEN_INVALID');
    const { userId } = valid;
    const user = await database.read((em) => em.findOneOrFail(User, userId));
    await requireUnguessable(input.newPassword, 'newPassword', user);
    const passwordHash = await passwords.hash(input.newPassword, saltIn(user.passwordHash));
    return changes.run(async (change) => {
      // Locks the user first, like every change that ends links.
      await lockUser(change.rows, userId);
      // The delete is the check: of two concurrent uses of one link, one finds it gone.
      const used = await change.em.nativeDelete(PasswordReset, unexpired([tokenHash]));
      if (used === 0) throw new AppError('PASSWORD_RESET_TOKEN_INVALID');
      await ownership.prove(change, userId, { password: true });
      await credentials.replacePassword(change, userId, passwordHash, { tokens: endTokens, links: endTokens });
      await notices.notify(change, userId, user.passwordHash == null ? 'password-set' : 'password-changed', { device });
      return credentials.remaining(change.em, userId);
    });
  }

  private get keys(): string[] {
    return this.parts.settings.jwtSecrets.map(({ secret }) => secret);
  }
}

const unexpired = (tokenHash: string[]) => ({ tokenHash, expiresAt: { $gt: dateNow() } });
