import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { lockUser, personByEmail } from '../../../access/user.table.ts';
import type { verifyCodeSchema } from '../../../contract/account.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Database, Queries } from '../../../database/database.ts';
import { EmailCode } from '../../../database/entities/user.entity.ts';
import type { Change, Changes } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../../infrastructure/constant-time.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import type { RateLimits } from '../../../infrastructure/rate-limits.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { MembershipService } from '../membership/membership.service.ts';
import { createUser, namingConflicts } from '../new-user.ts';
import type { Ownership } from '../ownership.ts';
import { derivedCode, keyedHash } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import type { AuthAnswer, SessionService } from '../sessions/session.service.ts';
import { type AccountMails, secondsUntil } from './account-mails.ts';

interface EmailCodeParts {
  database: Database;
  changes: Changes;
  limits: RateLimits;
  mails: AccountMails;
  sessions: SessionService;
  membership: MembershipService;
  ownership: Ownership;
  settings: Settings;
}

/** Sign-in and sign-up with a mailed code (contract §3). */
export class EmailCodeService {
  private readonly parts: EmailCodeParts;

  constructor(parts: EmailCodeParts) {
    this.parts = parts;
  }

  /** Mails a code, whether or not there is an account. @returns the seconds for which it is valid */
  async start(email: string): Promise<number> {
    const { limits, mails, changes, settings } = this.parts;
    const { seconds } = settings.accounts.emailCode;
    const quota = await limits.take('mailbox', email);
    if (quota?.exceeded) return seconds;
    await changes.run(async (change) => {
      const id = await mails.add(change, { mail: 'sign-in-code', email });
      if (!id) return;
      const { hash } = this.codeOf(this.keys[0] ?? '', id, email);
      const expiresAt = new Date(clock.now() + seconds * 1000);
      await change.em.upsert(EmailCode, { email, codeHash: hash, tries: 0, expiresAt });
    });
    return seconds;
  }

  /** The mail of a job with its code, unless that was used, replaced, or is over. */
  async compose(em: EntityManager, jobId: string, email: string): Promise<Mail | null> {
    // A code from just before the secrets were rotated is still valid.
    const codes = this.keys.map((key) => this.codeOf(key, jobId, email));
    const kept = await em.findOne(EmailCode, { email, expiresAt: { $gt: dateNow() } });
    const valid = codes.find(({ hash }) => hash === kept?.codeHash);
    return kept && valid ? this.parts.mails.signInCode(email, valid.code, secondsUntil(kept.expiresAt)) : null;
  }

  /**
   * Signs in with a mailed code: to the account with this e-mail, or to a new one. The code proves the address.
   * @throws AppError INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED, INVALID_INVITE_CODE, ACCOUNT_SUSPENDED
   */
  async verify(input: z.output<typeof verifyCodeSchema>, device: Device): Promise<AuthAnswer> {
    const { changes, sessions, membership, ownership } = this.parts;
    const hash = await this.check(input.email, input.code);
    return namingConflicts(true, () =>
      changes.run(async (change) => {
        const known = await personByEmail(change.rows, input.email);
        // Locks the user before the code, like every change that ends codes.
        if (known) await lockUser(change.rows, known.id);
        await this.use(change, input.email, hash);
        if (known) await ownership.prove(change, known.id);
        const userId = known?.id ?? (await this.signUp(change, input));
        if (known && input.inviteCode !== undefined) await membership.redeemFor(change, userId, input.inviteCode);
        return sessions.open(change, userId, device);
      }),
    );
  }

  /**
   * Checks a code, which is not used up by it.
   * @returns the hash under which it is stored
   * @throws AppError INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED
   */
  async check(email: string, code: string): Promise<string> {
    const { changes, settings } = this.parts;
    const { tries } = settings.accounts.emailCode;
    const kept = await changes.run(({ db }) => takeTry(db, email, tries));
    if (!kept) throw new AppError('INVALID_VERIFICATION_CODE');
    // A code that was mailed just before the secrets were rotated is still valid.
    const fits = this.keys.some((key) => equalInConstantTime(codeHash(key, email, code), kept.codeHash));
    if (!fits) throw new AppError('INVALID_VERIFICATION_CODE');
    if (kept.expiresAt.getTime() < clock.now()) throw new AppError('VERIFICATION_CODE_EXPIRED');
    return kept.codeHash;
  }

  /** Uses up a code that was checked: of two uses at once one finds it gone. @throws AppError INVALID_VERIFICATION_CODE */
  async use({ em }: Change, email: string, codeHash: string): Promise<void> {
    const used = await em.nativeDelete(EmailCode, { email, codeHash });
    if (used === 0) throw new AppError('INVALID_VERIFICATION_CODE');
  }

  private async signUp(change: Change, input: z.output<typeof verifyCodeSchema>): Promise<string> {
    const { email, displayName, inviteCode } = input;
    const tier = this.parts.settings.newAccountTier;
    const proven = { email, emailVerified: true, suggestion: email };
    const user = await createUser(change, { ...proven, passwordHash: null, displayName, tier });
    if (inviteCode !== undefined) await this.parts.membership.admit(change, user, inviteCode);
    return user.id;
  }

  private codeOf(key: string, jobId: string, email: string): { code: string; hash: string } {
    const code = derivedCode(key, jobId);
    return { code, hash: codeHash(key, email, code) };
  }

  private get keys(): string[] {
    return this.parts.settings.jwtSecrets.map(({ secret }) => secret);
  }
}

const codeHash = (key: string, email: string, code: string) => keyedHash(key, 'e-mail code', `${email} ${code}`);

/** Counts a guess before the code is compared, so that concurrent guesses count too. @returns undefined: too many */
function takeTry(db: Queries, email: string, tries: number) {
  const code = db.updateTable('EmailCode').where('email', '=', email).where('tries', '<', tries);
  const counted = code.set(({ eb }) => ({ tries: eb('tries', '+', 1) }));
  return counted.returning(['codeHash', 'expiresAt']).executeTakeFirst();
}
