import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Language } from '../../../contract/languages.ts';
import { done, isoTime } from '../../../contract/schema.ts';
import type { emailVerifiedSchema, verifyEmailSchema } from '../../../contract/verification.ts';
import type { Database, Queries } from '../../../database/database.ts';
import { EmailVerification, User } from '../../../database/entities/user.entity.ts';
import type { Change, Changes } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../../infrastructure/constant-time.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import { type Quota, type RateLimits, refusal } from '../../../infrastructure/rate-limits.ts';
import type { Settings } from '../../../settings/settings.ts';
import { shownEmail } from '../account.view.ts';
import { countedMailbox } from '../address/mailbox.ts';
import { mailboxHolder } from '../address/mailboxes.table.ts';
import { type AccountMails, languageFor, type MailedTo, secondsUntil } from '../mailed/account-mails.ts';
import type { Ownership } from '../ownership.ts';
import type { PasswordCheck } from '../password-check.ts';
import { derivedCode, derivedToken, hashSecret, keyedHash } from '../secrets.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';
import { takeMail } from '../sources.ts';

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
  async start(actor: Actor, language: Language | null): Promise<number> {
    ownSession(actor);
    const user = await this.parts.database.read((em) => userById(em, actor.userId));
    if (!user) throw new AppError('USER_NOT_FOUND');
    if (user.emailVerifiedAt) throw new AppError('EMAIL_ALREADY_VERIFIED');
    if (shownEmail(user) === null) throw new AppError('NO_EMAIL');
    const quota = await this.ownQuota(user);
    if (quota?.exceeded && quota.name === 'mailbox') throw refusal(quota);
    // What others with this address have used up is not to be told.
    const to = { userId: actor.userId, language };
    if (!quota?.exceeded) await this.parts.changes.run((change) => this.mail(change, to));
    return this.seconds;
  }

  /** The same for someone who registers, or must verify before sign-in: after this change, silent over the limit. */
  async offer(change: Change, to: MailedTo<'userId'>): Promise<void> {
    await this.parts.mails.request(change, { request: 'verify-email', ...to });
  }

  /** Mails them after this change, unless there is nothing to prove. */
  async begin(change: Change, { userId, language }: MailedTo<'userId'>): Promise<void> {
    const user = await userById(change.em, userId);
    const email = user && shownEmail(user);
    if (!user || user.emailVerifiedAt || email === null) return;
    // A separate limit: registering with someone's address must not use up their sign-in codes.
    const quota = await this.parts.limits.take('mailbox', `verification ${countedMailbox(email)}`);
    if (!quota?.exceeded) await this.mail(change, { userId, language });
  }

  /**
   * The mail of a job with its link and code, unless they were used, replaced, or are over. Where another account has the mailbox,
   * the mail says that instead.
   */
  async compose({ em, rows }: Change, jobId: string, { userId, language }: MailedTo<'userId'>): Promise<Mail | null> {
    const kept = await em.findOne(EmailVerification, { userId, expiresAt: { $gt: dateNow() } });
    const key = this.keys.find((one) => hashSecret(derivedToken(one, jobId)) === kept?.tokenHash);
    const user = await userById(em, userId);
    const email = user && shownEmail(user);
    if (!kept || key === undefined || !email) return null;
    const holder = user.email == null ? await mailboxHolder(rows, email, userId) : null;
    if (holder) return this.parts.mails.accountExists({ email, language: languageFor(holder, null) }, holder.username);
    const [token, code] = [derivedToken(key, jobId), derivedCode(key, jobId)];
    const seconds = secondsUntil(kept.expiresAt);
    const to = { email, language: languageFor(user, language) };
    return this.parts.mails.verifyEmail(to, { username: user.username, token, code, seconds });
  }

  /**
   * Proves the address: by the code from a session of the account; by the link from anywhere. From a session of the account,
   * or with its password, nothing ends; from anyone else the account is taken over.
   * @throws AppError VERIFICATION_LINK_INVALID, INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED, INVALID_CREDENTIALS,
   * AUTH_TOKEN_MISSING for a code without a session, ACCOUNT_SUSPENDED, EMAIL_TAKEN if another account has the mailbox by now
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
    if (knowsPassword) await this.requirePassword(user, password, tokenHash);
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

  private async requirePassword({ id, passwordHash = null }: User, password: string, link: string): Promise<void> {
    if (!(await this.parts.passwordCheck.isRight({ id, passwordHash }, password, `link ${link}`)))
      throw new AppError('INVALID_CREDENTIALS', { message: 'The password is wrong.' });
  }

  /** Of those who are signed in; apart for those who only gave the address: they use up nothing of whose account it is. */
  private ownQuota(user: User): Promise<Quota | null> {
    const what = user.email == null ? 'claim' : 'verification';
    const mailbox = countedMailbox(shownEmail(user) ?? '');
    return takeMail(this.parts.limits, `${what} ${mailbox}`, { known: `user ${user.id}` });
  }

  private async mail(change: Change, to: MailedTo<'userId'>): Promise<void> {
    const { userId } = to;
    const id = await this.parts.mails.add(change, { mail: 'verify-email', ...to });
    if (!id) return;
    const key = this.keys[0] ?? '';
    const hashes = {
      tokenHash: hashSecret(derivedToken(key, id)),
      codeHash: codeHash(key, userId, derivedCode(key, id)),
    };
    const expiresAt = new Date(clock.now() + this.seconds * 1000);
    await keep(change.em, userId, { ...hashes, tries: 0, expiresAt });
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

function userById(em: EntityManager, id: string): Promise<User | null> {
  return em.findOne(User, { id, deletedAt: null });
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

/** Replaces earlier links and codes, unless the address is proven by now. */
async function keep(em: EntityManager, userId: string, mailed: Mailed): Promise<void> {
  if ((await em.count(User, { id: userId, emailVerifiedAt: null })) === 0) return;
  await em.upsert(EmailVerification, { userId, ...mailed }, { onConflictFields: ['userId'] });
}

async function verified(em: EntityManager, userId: string, takenOver: boolean): Promise<Verified> {
  const { emailVerifiedAt } = await em.findOneOrFail(User, userId, { refresh: true });
  if (!emailVerifiedAt) throw new Error('An address was not marked as proven.');
  return { ...done, emailVerifiedAt: isoTime(emailVerifiedAt), takenOver };
}

const codeHash = (key: string, userId: string, code: string) =>
  keyedHash(key, 'e-mail verification', `${userId} ${code}`);
