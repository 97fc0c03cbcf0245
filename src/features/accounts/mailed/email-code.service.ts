import type { z } from 'zod';
import { lockUser, personByEmail } from '../../../access/user.table.ts';
import type { verifyCodeSchema } from '../../../contract/account.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Database, Queries } from '../../../database/database.ts';
import { MailedCode } from '../../../database/entities/mailed-code.entity.ts';
import type { Change, Changes } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../../infrastructure/constant-time.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import type { RateLimits } from '../../../infrastructure/rate-limits.ts';
import type { Settings } from '../../../settings/settings.ts';
import { countedMailbox } from '../address/mailbox.ts';
import type { Barring } from '../barring.ts';
import type { MembershipService } from '../membership/membership.service.ts';
import { createUser, namingConflicts } from '../new-user.ts';
import type { SignIns } from '../notices/sign-ins.ts';
import type { Ownership } from '../ownership.ts';
import { derivedCode, keyedHash } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import type { KnownDevices } from '../sessions/known-devices.ts';
import type { AuthAnswer, SessionService } from '../sessions/session.service.ts';
import { finished } from '../sessions/unfinished.ts';
import { type Source, sourceAbout, sourceKey, takeMail } from '../sources.ts';
import { type AccountMails, languageFor, type MailedTo, secondsUntil } from './account-mails.ts';

/** Who asks for a mail, or brings what it says. */
export type Asker = Pick<Device, 'ip' | 'token' | 'language'>;

interface EmailCodeParts {
  database: Database;
  changes: Changes;
  limits: RateLimits;
  mails: AccountMails;
  sessions: SessionService;
  devices: KnownDevices;
  membership: MembershipService;
  ownership: Ownership;
  barring: Barring;
  signIns: Pick<SignIns, 'remember'>;
  settings: Settings;
}

/** Sign-in and sign-up with a mailed code (contract §3). */
export class EmailCodeService {
  private readonly parts: EmailCodeParts;

  constructor(parts: EmailCodeParts) {
    this.parts = parts;
  }

  /**
   * Mails a code, whether or not there is an account. Earlier ones stay valid: strangers may have asked for this one.
   * @returns the seconds for which it is valid
   */
  async start(email: string, device: Asker): Promise<number> {
    const { limits, mails, changes, settings } = this.parts;
    const { seconds } = settings.accounts.emailCode;
    const source = await this.sourceOf(email, device);
    const quota = await takeMail(limits, countedMailbox(email), source);
    if (quota?.exceeded) return seconds;
    await changes.run(async (change) => {
      const id = await mails.add(change, { mail: 'sign-in-code', email, language: device.language });
      if (!id) return;
      const { hash: codeHash } = this.codeOf(this.keys[0] ?? '', id, email);
      const expiresAt = new Date(clock.now() + seconds * 1000);
      const longOver = new Date(clock.now() - seconds * 1000);
      await change.em.nativeDelete(MailedCode, { email, expiresAt: { $lt: longOver } });
      const untried = { tries: 0, otherTries: 0 };
      await change.em.insert(MailedCode, { id, email, codeHash, asker: sourceKey(source), ...untried, expiresAt });
    });
    return seconds;
  }

  /** The mail of a job with its code, unless that was used, replaced, or is over. */
  async compose({ em, rows }: Change, jobId: string, { email, language }: MailedTo<'email'>): Promise<Mail | null> {
    // A code from just before the secrets were rotated is still valid.
    const codes = this.keys.map((key) => this.codeOf(key, jobId, email));
    const codeHash = codes.map(({ hash }) => hash);
    const kept = await em.findOne(MailedCode, { email, codeHash, expiresAt: { $gt: dateNow() } });
    const valid = codes.find(({ hash }) => hash === kept?.codeHash);
    if (!kept || !valid) return null;
    const to = { email, language: languageFor(await personByEmail(rows, email), language) };
    return this.parts.mails.signInCode(to, valid.code, secondsUntil(kept.expiresAt));
  }

  /**
   * Signs in with a mailed code: to the account with this e-mail, or to a new one. The code proves the address.
   * @throws AppError INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED, INVALID_INVITE_CODE, ACCOUNT_SUSPENDED,
   * SECOND_FACTOR_REQUIRED, EMAIL_TAKEN if the mailbox has an account under another spelling
   */
  async verify(input: z.output<typeof verifyCodeSchema>, device: Device): Promise<AuthAnswer> {
    const { changes, sessions, membership, ownership } = this.parts;
    const hash = await this.check(input.email, input.code, device);
    const entering = namingConflicts(true, () =>
      changes.run(async (change) => {
        const known = await personByEmail(change.rows, input.email);
        // Locks the user before the code, like every change that ends codes.
        if (known) await lockUser(change.rows, known.id);
        await this.use(change, input.email, hash);
        if (known) await ownership.prove(change, known.id);
        const userId = known?.id ?? (await this.signUp(change, input, device));
        if (known && input.inviteCode !== undefined) await membership.redeemFor(change, userId, input.inviteCode);
        return sessions.open(change, userId, device);
      }),
    );
    return finished(await entering);
  }

  /**
   * Checks a code, which is not used up by it. Whoever asked for it has tries of their own, wherever others guess.
   * @returns the hash under which it is stored
   * @throws AppError INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED
   */
  async check(email: string, code: string, device: Asker): Promise<string> {
    const { changes, settings } = this.parts;
    const { tries } = settings.accounts.emailCode;
    const asker = sourceKey(await this.sourceOf(email, device));
    const untried = await changes.run(({ db }) => takeTries(db, email, asker, tries));
    // A code that was mailed just before the secrets were rotated is still valid.
    const hashes = this.keys.map((key) => codeHash(key, email, code));
    const kept = untried.find((one) => hashes.some((hash) => equalInConstantTime(hash, one.codeHash)));
    if (!kept) throw new AppError('INVALID_VERIFICATION_CODE');
    if (kept.expiresAt.getTime() < clock.now()) throw new AppError('VERIFICATION_CODE_EXPIRED');
    return kept.codeHash;
  }

  /** Uses up a code that was checked: of two uses at once one finds it gone. @throws AppError INVALID_VERIFICATION_CODE */
  async use({ em }: Change, email: string, codeHash: string): Promise<void> {
    const used = await em.nativeDelete(MailedCode, { email, codeHash });
    if (used === 0) throw new AppError('INVALID_VERIFICATION_CODE');
  }

  private sourceOf(email: string, device: Asker): Promise<Source> {
    const { database, devices } = this.parts;
    return sourceAbout(email, device, { rows: database.rows, devices });
  }

  private async signUp(change: Change, input: z.output<typeof verifyCodeSchema>, device: Device): Promise<string> {
    const { email, displayName, inviteCode } = input;
    const tier = this.parts.settings.newAccountTier;
    const proven = { email, emailVerified: true, suggestion: email };
    const user = await createUser(
      change,
      { ...proven, passwordHash: null, displayName, tier },
      {
        barring: this.parts.barring,
        ip: device.ip,
      },
    );
    if (inviteCode !== undefined) await this.parts.membership.admit(change, user, inviteCode);
    await this.parts.signIns.remember(change, user.id, device);
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

/**
 * Counts a guess before the code is compared, so that concurrent guesses count too.
 * @returns the codes that may still be guessed from there
 */
async function takeTries(db: Queries, email: string, asker: string, tries: number) {
  // In one order: guesses at the same time wait for each other.
  const codes = db.selectFrom('MailedCode').where('email', '=', email).orderBy('id').forUpdate();
  if ((await codes.select('id').execute()).length === 0) return [];
  const own = db.updateTable('MailedCode').where('email', '=', email).where('asker', '=', asker);
  const others = db.updateTable('MailedCode').where('email', '=', email).where('asker', '<>', asker);
  const counted = [
    await own
      .where('tries', '<', tries)
      .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
      .returning(['codeHash', 'expiresAt'])
      .execute(),
    await others
      .where('otherTries', '<', tries)
      .set(({ eb }) => ({ otherTries: eb('otherTries', '+', 1) }))
      .returning(['codeHash', 'expiresAt'])
      .execute(),
  ];
  return counted.flat();
}
