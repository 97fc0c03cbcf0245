import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { invalid } from '../../../contract/schema/validation.ts';
import type { Queries, Rows } from '../../../database/database.ts';
import { MailedCode } from '../../../database/entities/mailed-code.entity.ts';
import { EmailChange, EmailVerification, User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../../infrastructure/constant-time.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import type { Context } from '../../context.ts';
import { shownEmail } from '../account.view.ts';
import type { Barring } from '../barring.ts';
import type { Credentials } from '../credentials.ts';
import { type AccountMails, languageFor, secondsUntil } from '../mailed/account-mails.ts';
import { namingConflicts } from '../new-user.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import type { Ownership } from '../ownership.ts';
import type { Factors } from '../second-factor/factors.ts';
import { derivedCode, derivedToken, hashSecret, keyedHash } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import { restore } from '../sessions/restoring.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';
import { takeMail } from '../sources.ts';
import { countedMailbox } from './mailbox.ts';
import { claimMailbox, mailboxHolder } from './mailboxes.table.ts';

interface Deps extends Pick<Context, 'caches' | 'changes' | 'directAccess' | 'limits' | 'settings'> {
  mails: AccountMails;
  ownership: Ownership;
  barring: Barring;
  credentials: Credentials;
  factors: Pick<Factors, 'removeAll'>;
  notices: Pick<SecurityNotices, 'notify'>;
}

/** Another address for an account: proven by a code at the new one, and undone by a link at the old one (contract §3). */
export class EmailChangeService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Mails a code to the new address, or the news that it has an account. An earlier change of this account that waits
   * ends; those of others to this address stay: whoever reads mail there decides. @returns the seconds for which the code is valid
   * @throws AppError VALIDATION_FAILED for the address that it has, INSUFFICIENT_PAT_SCOPE
   */
  async start(actor: Actor, email: string): Promise<number> {
    const session = ownSession(actor);
    const { changes, limits, settings } = this.deps;
    const { seconds } = settings.accounts.emailCode;
    // A separate limit: it must not use up the sign-in codes of whoever reads mail there.
    const source = { known: `user ${actor.userId}` };
    const quota = await takeMail(limits, `change ${countedMailbox(email)}`, source);
    if (quota?.exceeded) return seconds;
    await changes.run((change) => this.begin(change, actor.userId, session, email));
    return seconds;
  }

  /** The mail of a job to a new address, unless its code is used, replaced, or over. */
  async composeCode({ em, rows }: Change, jobId: string, userId: string, email: string): Promise<Mail | null> {
    const kept = await em.findOne(EmailChange, { id: jobId, changedAt: null, expiresAt: { $gt: dateNow() } });
    const key = this.keys.find((one) => kept?.codeHash === codeHashOf(one, jobId, userId, email));
    const user = await em.findOne(User, { id: userId, deletedAt: null });
    if (!kept || key === undefined || !user) return null;
    const to = { email, language: languageFor(user, null) };
    if (await isTaken(rows, email, userId)) return this.deps.mails.addressInUse(to);
    return this.deps.mails.changeEmail(to, user.username, derivedCode(key, jobId), secondsUntil(kept.expiresAt));
  }

  /**
   * @returns the new address, which counts as proven
   * @throws AppError INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED, EMAIL_TAKEN if someone was faster
   */
  async complete(actor: Actor, code: string): Promise<string> {
    const session = ownSession(actor);
    const { userId } = actor;
    const { id, email } = await this.check(userId, code);
    return namingConflicts(false, () =>
      this.deps.changes.run(async (change) => {
        const { em } = change;
        const user = await this.deps.ownership.hold(change, userId);
        await holdSession(change, session);
        // The delete is the check: of two uses of one code at once, one finds it gone.
        if ((await em.nativeDelete(EmailChange, { id, changedAt: null })) === 0)
          throw new AppError('INVALID_VERIFICATION_CODE');
        await this.deps.barring.requireMailbox(change.rows, email);
        if (!(await claimMailbox(change.rows, email, userId))) throw new AppError('EMAIL_TAKEN');
        const { email: oldEmail = null, emailVerifiedAt } = user;
        await this.move(change, user, email);
        // Nobody has proven the old address: it may be a stranger's.
        if (oldEmail !== null && emailVerifiedAt) await this.offerUndo(change, user, oldEmail);
        return email;
      }),
    );
  }

  /** The mail to an old address, unless its link is used or over. */
  async composeUndo(em: EntityManager, jobId: string): Promise<Mail | null> {
    const kept = await em.findOne(EmailChange, { id: jobId, expiresAt: { $gt: dateNow() } });
    const token = this.keys.map((key) => derivedToken(key, jobId)).find((one) => hashSecret(one) === kept?.undoHash);
    const user = kept && (await em.findOne(User, { id: kept.userId, deletedAt: null }));
    if (!kept?.oldEmail || token === undefined || !user) return null;
    const { oldEmail, email, expiresAt } = kept;
    const to = { email: oldEmail, language: languageFor(user, null) };
    return this.deps.mails.emailChanged(to, { username: user.username, email, token }, secondsUntil(expiresAt));
  }

  /**
   * Gives an account back to its old address, with all credentials ended: somebody else may have made them.
   * @returns the address. @throws AppError VERIFICATION_LINK_INVALID, EMAIL_TAKEN, ACCOUNT_SUSPENDED
   */
  async undo(token: string, device: Device): Promise<string> {
    const { changes, ownership, credentials, notices, settings } = this.deps;
    const link = { undoHash: hashSecret(token), expiresAt: { $gt: dateNow() } };
    return namingConflicts(false, () =>
      changes.run(async (change) => {
        const found = await change.em.findOne(EmailChange, link);
        if (!found) throw new AppError('VERIFICATION_LINK_INVALID');
        const user = await ownership.hold(change, found.userId);
        const kept = await change.em.findOne(EmailChange, link, { refresh: true });
        if (!kept?.oldEmail || !kept.changedAt) throw new AppError('VERIFICATION_LINK_INVALID');
        const { oldEmail, userId, changedAt } = kept;
        // An earlier link stays: whoever has moved the account on must not take that one away.
        const later = { userId, $or: [{ changedAt: null }, { changedAt: { $gte: changedAt } }] };
        await change.em.nativeDelete(EmailChange, later);
        if (!(await claimMailbox(change.rows, oldEmail, userId))) throw new AppError('EMAIL_TAKEN');
        await this.move(change, user, oldEmail);
        // Whoever moved the account away may have added a factor shortly before.
        const factorsSince = new Date(changedAt.getTime() - settings.accounts.emailChangeUndoSeconds * 1000);
        const hadPassword = user.passwordHash != null;
        await credentials.end(change, userId, { tokens: true, links: true, password: true });
        const factors = await this.deps.factors.removeAll(change, userId, factorsSince);
        if (hadPassword) await notices.notify(change, userId, 'password-removed', { device });
        if (factors > 0) await notices.notify(change, userId, 'factor-removed', { device });
        // Nor must it go because of them.
        await restore(change, user, this.deps);
        return oldEmail;
      }),
    );
  }

  /** Codes and links that were mailed to the address before do not count any more. */
  private async move({ em }: Change, user: User, email: string): Promise<void> {
    const before = user.email;
    Object.assign(user, { email, claimedEmail: null, emailVerifiedAt: dateNow() });
    await em.flush();
    await em.nativeDelete(EmailVerification, { userId: user.id });
    if (before != null) await em.nativeDelete(MailedCode, { email: before });
  }

  private async offerUndo(change: Change, { id: userId, email }: User, oldEmail: string): Promise<void> {
    const id = await this.deps.mails.addOfAddress(change, { mail: 'email-changed' });
    if (!id || email == null) return;
    const undoHash = hashSecret(derivedToken(this.keys[0] ?? '', id));
    const expiresAt = new Date(clock.now() + this.deps.settings.accounts.emailChangeUndoSeconds * 1000);
    const done = { changedAt: dateNow(), expiresAt, tries: 0 };
    await change.em.insert(EmailChange, { id, userId, email, oldEmail, undoHash, ...done });
  }

  private async begin(change: Change, userId: string, session: string, email: string): Promise<void> {
    const { em } = change;
    const user = await this.deps.ownership.hold(change, userId);
    await holdSession(change, session);
    if (shownEmail(user) === email)
      throw invalid([{ path: 'email', message: 'is your address already', code: 'custom' }]);
    const id = await this.deps.mails.addOfAddress(change, { mail: 'change-email', userId, email });
    if (!id) return;
    const codeHash = codeHashOf(this.keys[0] ?? '', id, userId, email);
    const expiresAt = new Date(clock.now() + this.deps.settings.accounts.emailCode.seconds * 1000);
    await em.nativeDelete(EmailChange, { changedAt: null, userId });
    await em.insert(EmailChange, { id, userId, email, codeHash, tries: 0, expiresAt });
  }

  private async check(userId: string, code: string): Promise<{ id: string; email: string }> {
    const { tries } = this.deps.settings.accounts.emailCode;
    const kept = await this.deps.changes.run(({ db }) => takeTry(db, userId, tries));
    if (!kept) throw new AppError('INVALID_VERIFICATION_CODE');
    const { id, email, codeHash, expiresAt } = kept;
    const fits = this.keys.some((key) => equalInConstantTime(hashOf(key, code, userId, email), codeHash ?? ''));
    if (!fits) throw new AppError('INVALID_VERIFICATION_CODE');
    if (expiresAt.getTime() < clock.now()) throw new AppError('VERIFICATION_CODE_EXPIRED');
    return { id, email };
  }

  private get keys(): string[] {
    return this.deps.settings.jwtSecrets.map(({ secret }) => secret);
  }
}

async function isTaken(rows: Rows, email: string, userId: string): Promise<boolean> {
  return (await mailboxHolder(rows, email, userId)) !== null;
}

const hashOf = (key: string, code: string, userId: string, email: string) =>
  keyedHash(key, 'e-mail change', `${userId} ${email} ${code}`);

const codeHashOf = (key: string, jobId: string, userId: string, email: string) =>
  hashOf(key, derivedCode(key, jobId), userId, email);

/** Counts a guess before the code is compared, so that concurrent guesses count too. @returns undefined: too many */
function takeTry(db: Queries, userId: string, tries: number) {
  const waiting = db.updateTable('EmailChange').where('userId', '=', userId).where('changedAt', 'is', null);
  const counted = waiting.where('tries', '<', tries).set(({ eb }) => ({ tries: eb('tries', '+', 1) }));
  return counted.returning(['id', 'email', 'codeHash', 'expiresAt']).executeTakeFirst();
}
