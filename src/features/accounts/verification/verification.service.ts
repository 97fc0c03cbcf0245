import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { done, isoTime } from '../../../contract/schema.ts';
import type { emailVerifiedSchema, verifyEmailSchema } from '../../../contract/verification.ts';
import type { Database } from '../../../database/database.ts';
import type { Change, Changes } from '../../../delivery/changes.ts';
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

interface Unproven {
  email: string | null;
  username: string;
  verified: boolean;
}

interface Mailed {
  userId: string;
  passwordHash: string | null;
}

const findUser = `SELECT email, username, email_verified_at IS NOT NULL AS verified FROM users
  WHERE id = $1 AND deleted_at IS NULL`;
const keep = `INSERT INTO email_verifications (user_id, token_hash, code_hash, tries, expires_at)
  SELECT id, $2, $3, 0, now() + make_interval(secs => $4) FROM users WHERE id = $1 AND email_verified_at IS NULL
  ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, code_hash = excluded.code_hash, tries = 0,
    expires_at = excluded.expires_at RETURNING user_id`;
const byToken = `SELECT v.user_id AS "userId", u.password_hash AS "passwordHash"
  FROM email_verifications v JOIN users u ON u.id = v.user_id WHERE v.token_hash = $1 AND v.expires_at > now()`;
const useToken = `DELETE FROM email_verifications WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()
  RETURNING user_id`;
const useCode = 'DELETE FROM email_verifications WHERE user_id = $1 AND code_hash = $2 RETURNING user_id';
/** Counted before the code is compared, so that concurrent guesses count too. */
const takeTry = `UPDATE email_verifications SET tries = tries + 1 WHERE user_id = $1 AND tries < $2
  RETURNING code_hash AS hash, expires_at < now() AS expired`;
const verifiedAt = 'SELECT email_verified_at AS at FROM users WHERE id = $1';
const hasPassword = 'SELECT id FROM users WHERE id = $1 AND password_hash = $2';

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
    const [user] = await this.parts.database.rows<Unproven>(findUser, [actor.userId]);
    if (!user) throw new AppError('USER_NOT_FOUND');
    if (user.verified) throw new AppError('EMAIL_ALREADY_VERIFIED');
    if (user.email === null) throw new AppError('NO_EMAIL');
    const quota = await this.quota(user.email);
    if (quota?.exceeded) throw refusal(quota);
    const { email, username } = user;
    this.parts.mails.post(() => this.compose(actor.userId, email, username));
    return this.seconds;
  }

  /** The same for someone who registers, or must verify before sign-in: in the background, silent over the limit. */
  offer(userId: string): void {
    const { database, mails } = this.parts;
    mails.post(async () => {
      const [user] = await database.rows<Unproven>(findUser, [userId]);
      if (!user || user.verified || user.email === null) return null;
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
    const [mailed] = await database.rows<Mailed>(byToken, [tokenHash]);
    if (!mailed) throw new AppError('VERIFICATION_LINK_INVALID');
    const own = session?.userId === mailed.userId ? session : null;
    const knowsPassword = !own && password !== undefined;
    if (knowsPassword) await this.requirePassword(mailed, password);
    return changes.run(async (change) => {
      await lockUser(change.rows, mailed.userId);
      if (own) await holdSession(change, own.id);
      if (knowsPassword && (await change.rows(hasPassword, [mailed.userId, mailed.passwordHash])).length === 0)
        throw new AppError('INVALID_CREDENTIALS');
      const used = await change.rows(useToken, [mailed.userId, tokenHash]);
      if (used.length === 0) throw new AppError('VERIFICATION_LINK_INVALID');
      if (!own && !knowsPassword)
        return this.verified(change, mailed.userId, await ownership.prove(change, mailed.userId));
      await ownership.confirm(change, mailed.userId);
      return this.verified(change, mailed.userId, false);
    });
  }

  private async byCode(session: Session, code: string): Promise<Verified> {
    const { changes, ownership } = this.parts;
    const hash = await this.check(session.userId, code);
    return changes.run(async (change) => {
      await lockUser(change.rows, session.userId);
      await holdSession(change, session.id);
      const used = await change.rows(useCode, [session.userId, hash]);
      if (used.length === 0) throw new AppError('INVALID_VERIFICATION_CODE');
      await ownership.confirm(change, session.userId);
      return this.verified(change, session.userId, false);
    });
  }

  /** @returns the hash under which the code is stored */
  private async check(userId: string, code: string): Promise<string> {
    const { changes, settings } = this.parts;
    const { tries } = settings.accounts.emailCode;
    const [kept] = await changes.run((change) =>
      change.rows<{ hash: string; expired: boolean }>(takeTry, [userId, tries]),
    );
    if (!kept) throw new AppError('INVALID_VERIFICATION_CODE');
    const fits = this.keys.some((key) => equalInConstantTime(codeHash(key, userId, code), kept.hash));
    if (!fits) throw new AppError('INVALID_VERIFICATION_CODE');
    if (kept.expired) throw new AppError('VERIFICATION_CODE_EXPIRED');
    return kept.hash;
  }

  private async requirePassword({ userId, passwordHash }: Mailed, password: string): Promise<void> {
    if (!(await this.parts.passwordCheck.isRight(userId, password, passwordHash)))
      throw new AppError('INVALID_CREDENTIALS', { message: 'The password is wrong.' });
  }

  private async verified(change: Change, userId: string, takenOver: boolean): Promise<Verified> {
    const [user] = await change.rows<{ at: Date | string }>(verifiedAt, [userId]);
    if (!user) throw new AppError('USER_NOT_FOUND');
    return { ...done, emailVerifiedAt: isoTime(user.at), takenOver };
  }

  /** A separate limit: registering with someone's address must not use up their sign-in codes. */
  private quota(email: string) {
    return this.parts.limits.take('mailbox', `verification ${email}`);
  }

  private async compose(userId: string, email: string, username: string): Promise<Mail | null> {
    const { mails, changes } = this.parts;
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const { secret, hash } = newSecret();
    const values = [userId, hash, codeHash(this.keys[0] ?? '', userId, code), this.seconds];
    const kept = await changes.run((change) => change.rows(keep, values));
    return kept.length > 0 ? mails.verifyEmail(email, { username, token: secret, code, seconds: this.seconds }) : null;
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

const codeHash = (key: string, userId: string, code: string) =>
  keyedHash(key, 'e-mail verification', `${userId} ${code}`);
