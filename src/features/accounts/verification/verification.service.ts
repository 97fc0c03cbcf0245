import { randomInt } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { done, isoTime } from '../../../contract/schema.ts';
import type { emailVerifiedSchema, verifyEmailSchema } from '../../../contract/verification.ts';
import type { Database, Queries } from '../../../database/database.ts';
import { EmailVerification, User } from '../../../database/entities/user.entity.ts';
import type { Changes } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../../infrastructure/constant-time.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import { type RateLimits, refusal } from '../../../infrastructure/rate-limits.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { AccountMails } from '../mailed/email-code.service.ts';
import type { Ownership } from '../ownership.ts';
import type { PasswordCheck } from '../password-check.ts';
import { hashSecret, keyedHash, newSecret } from '../secrets.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';

type Verified = z.input<typeof emailVerifiedSchema>;
type Mailed = Pick<EmailVerification, 'tokenHash' | 'codeHash' | 'tries' | 'expiresAt'>;

/** Proof that the address of an account is one's own, by a mailed link or code (contract §3). */
export class EmailVerificationService {
  private readonly parts: {
    database: Database;
    changes: Changes;
    limits: RateLimits;
    mails: AccountMails;
    ownership: Ownership;
    passwordCheck: PasswordCheck;
    settings: Settings;
  };

  constructor(parts: EmailVerificationService['parts']) {
    this.parts = parts;
  }

  /**
   * Mails a link and a code to the caller's address; earlier ones end.
   * @returns the seconds for which they are valid
   * @throws AppError EMAIL_ALREADY_VERIFIED, NO_EMAIL, RATE_LIMITED, INSUFFICIENT_PAT_SCOPE
   */
  async start(actor: Actor): Promise<number> {
    ownSession(actor);
    const user = await this.find(actor.userId);
    if (!user) throw new AppError('USER_NOT_FOUND');
    const { email, username, emailVerifiedAt } = user;
    if (emailVerifiedAt) throw new AppError('EMAIL_ALREADY_VERIFIED');
    if (email == null) throw new AppError('NO_EMAIL');
    const quota = await this.quota(email);
    if (quota?.exceeded) throw refusal(quota);
    this.parts.mails.post(() => this.compose(actor.userId, email, username));
    return this.seconds;
  }

  /** The same for someone who registers, or must verify before sign-in: in the background, silent over the limit. */
  offer(userId: string): void {
    const { mails } = this.parts;
    mails.post(async () => {
      const user = await this.find(userId);
      if (!user || user.emailVerifiedAt || user.email == null) return null;
      const quota = await this.quota(user.email);
      return quota?.exceeded ? null : this.compose(userId, user.email, user.username);
    });
  }

  /**
   * Proves the address: by the code from a session of the account; by the link from anywhere. From a session of the account,
   * or with its password, nothing ends; from anyone else the account is taken over.
   * @throws AppError VERIFICATION_LINK_INVALID, INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED, INVALID_CREDENTIALS,
   * AUTH_TOKEN_MISSING for a code without a session, ACCOUNT_SUSPENDED
   */
  async complete(actor: Actor | null, input: z.output<typeof verifyEmailSchema>): Promise<Verified> {
    const session = actor ? { userId: actor.userId, id: ownSession(actor) } : null;
    if (input.token !== undefined) return this.byLink(session, input.token, input.password);
    if (!session) throw new AppError('AUTH_TOKEN_MISSING');
    return this.byCode(session, input.code ?? '');
  }

  private async byLink(session: Session | null, token: string, password: string | undefined): Promise<Verified> {
    const { database, changes, ownership } = this.parts;
    const tokenHash = hashSecret(token);
    const user = await database.read((em) => mailedTo(em, tokenHash));
    if (!user) throw new AppError('VERIFICATION_LINK_INVALID');
    const { id: userId, passwordHash } = user;
    const own = session?.userId === userId ? session : null;
    const knowsPassword = !own && password !== undefined;
    if (knowsPassword) await this.requirePassword(user, password);
    return changes.run(async (change) => {
      await lockUser(change.rows, userId);
      if (own) await holdSession(change, own.id);
      if (knowsPassword && (await change.em.count(User, { id: userId, passwordHash })) === 0)
        throw new AppError('INVALID_CREDENTIALS');
      const link = { userId, tokenHash, expiresAt: { $gt: dateNow() } };
      const used = await change.em.nativeDelete(EmailVerification, link);
      if (used === 0) throw new AppError('VERIFICATION_LINK_INVALID');
      if (!own && !knowsPassword) return verified(change.em, userId, await ownership.prove(change, userId));
      await ownership.confirm(change, userId);
      return verified(change.em, userId, false);
    });
  }

  private async byCode(session: Session, code: string): Promise<Verified> {
    const { changes, ownership } = this.parts;
    const hash = await this.check(session.userId, code);
    return changes.run(async (change) => {
      await lockUser(change.rows, session.userId);
      await holdSession(change, session.id);
      const used = await change.em.nativeDelete(EmailVerification, { userId: session.userId, codeHash: hash });
      if (used === 0) throw new AppError('INVALID_VERIFICATION_CODE');
      await ownership.confirm(change, session.userId);
      return verified(change.em, session.userId, false);
    });
  }

  /** @returns the hash under which the code is stored */
  private async check(userId: string, code: string): Promise<string> {
    const { changes, settings } = this.parts;
    const { tries } = settings.accounts.emailCode;
    const kept = await changes.run(({ db }) => takeTry(db, userId, tries));
    if (!kept) throw new AppError('INVALID_VERIFICATION_CODE');
    const fits = this.keys.some((key) => equalInConstantTime(codeHash(key, userId, code), kept.codeHash));
    if (!fits) throw new AppError('INVALID_VERIFICATION_CODE');
    if (kept.expiresAt.getTime() < clock.now()) throw new AppError('VERIFICATION_CODE_EXPIRED');
    return kept.codeHash;
  }

  private async requirePassword({ id, passwordHash = null }: User, password: string): Promise<void> {
    if (!(await this.parts.passwordCheck.isRight(id, password, passwordHash)))
      throw new AppError('INVALID_CREDENTIALS', { message: 'The password is wrong.' });
  }

  private find(userId: string): Promise<User | null> {
    return this.parts.database.read((em) => em.findOne(User, { id: userId, deletedAt: null }));
  }

  /** A separate limit: registering with someone's address must not use up their sign-in codes. */
  private quota(email: string) {
    return this.parts.limits.take('mailbox', `verification ${email}`);
  }

  private async compose(userId: string, email: string, username: string): Promise<Mail | null> {
    const { mails, changes } = this.parts;
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const { secret, hash } = newSecret();
    const expiresAt = new Date(clock.now() + this.seconds * 1000);
    const hashes = { tokenHash: hash, codeHash: codeHash(this.keys[0] ?? '', userId, code) };
    const kept = await changes.run(({ em }) => keep(em, userId, { ...hashes, tries: 0, expiresAt }));
    return kept ? mails.verifyEmail(email, { username, token: secret, code, seconds: this.seconds }) : null;
  }

  private get seconds(): number {
    return this.parts.settings.accounts.emailVerificationSeconds;
  }

  private get keys(): string[] {
    return this.parts.settings.jwtSecrets.map(({ secret }) => secret);
  }
}

interface Session {
  userId: string;
  id: string;
}

/** The user whose address a valid link proves. */
async function mailedTo(em: EntityManager, tokenHash: string): Promise<User | null> {
  const mailed = await em.findOne(EmailVerification, { tokenHash, expiresAt: { $gt: dateNow() } });
  return mailed && em.findOne(User, mailed.userId);
}

/** Counts a guess before the code is compared, so that concurrent guesses count too. @returns undefined: too many */
function takeTry(db: Queries, userId: string, tries: number) {
  const verification = db.updateTable('EmailVerification').where('userId', '=', userId).where('tries', '<', tries);
  const counted = verification.set(({ eb }) => ({ tries: eb('tries', '+', 1) }));
  return counted.returning(['codeHash', 'expiresAt']).executeTakeFirst();
}

/** Replaces earlier links and codes. @returns whether the address is still to be proven */
async function keep(em: EntityManager, userId: string, mailed: Mailed): Promise<boolean> {
  if ((await em.count(User, { id: userId, emailVerifiedAt: null })) === 0) return false;
  await em.upsert(EmailVerification, { userId, ...mailed }, { onConflictFields: ['userId'] });
  return true;
}

async function verified(em: EntityManager, userId: string, takenOver: boolean): Promise<Verified> {
  const { emailVerifiedAt } = await em.findOneOrFail(User, userId, { refresh: true });
  if (!emailVerifiedAt) throw new Error('An address was not marked as proven.');
  return { ...done, emailVerifiedAt: isoTime(emailVerifiedAt), takenOver };
}

const codeHash = (key: string, userId: string, code: string) =>
  keyedHash(key, 'e-mail verification', `${userId} ${code}`);
