import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import type { confirmSchema } from '../../../contract/confirmation.ts';
import { AppError } from '../../../contract/errors.ts';
import { Session, User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { Context } from '../../context.ts';
import { shownEmail } from '../account.view.ts';
import type { Asker, EmailCodeService } from '../mailed/email-code.service.ts';
import type { PasswordCheck } from '../password-check.ts';
import { factorMethods } from '../second-factor/factors.ts';
import type { SecondFactorService } from '../second-factor/second-factor.service.ts';
import type { Device } from '../sessions/device.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'settings'> {
  passwordCheck: PasswordCheck;
  codes: Pick<EmailCodeService, 'check' | 'use'>;
  secondFactor: Pick<SecondFactorService, 'check'>;
}

type Proof = z.output<typeof confirmSchema>;

/** Who brings a proof. */
interface Confirming {
  device: Device;
  sessionId: string;
}

/**
 * Whether it is the account's owner who uses a session: what cannot be undone, or lets others in, takes a sign-in, a password
 * or a code of the last minutes; of an account with a second factor, that one (contract §3).
 */
export class Confirmations {
  private readonly deps: Deps;
  private readonly ms: number;

  constructor(deps: Deps) {
    this.deps = deps;
    this.ms = deps.settings.accounts.confirmationSeconds * 1000;
  }

  /**
   * Bots and personal tokens pass: they have no owner at hand, and where only people may act they are refused anyway.
   * @param ms how long ago it may have been, if not as long as the configuration says
   * @throws AppError CONFIRMATION_REQUIRED, with the `methods` that the account has
   */
  async require({ userId, sessionId }: Actor, ms = this.ms): Promise<void> {
    if (sessionId === null) return;
    const session = await this.deps.database.read((em) => em.findOne(Session, sessionId));
    const user = await this.find(userId);
    if (session && isFresh(session, user, ms)) return;
    throw new AppError('CONFIRMATION_REQUIRED', { extra: { methods: await this.methodsOf(user) } });
  }

  /**
   * Confirms the calling session. @returns until when this holds
   * @throws AppError CURRENT_PASSWORD_WRONG, RATE_LIMITED, INVALID_VERIFICATION_CODE, VERIFICATION_CODE_EXPIRED, NO_EMAIL,
   * SECOND_FACTOR_REQUIRED for less than that, SECOND_FACTOR_INVALID, PASSKEY_INVALID, SESSION_REVOKED, INSUFFICIENT_PAT_SCOPE
   */
  async confirm(actor: Actor, given: Proof, device: Device): Promise<Date> {
    const sessionId = ownSession(actor);
    const user = await this.find(actor.userId);
    const proof = await this.check(user, given, { device, sessionId });
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, user.id);
      await holdSession(change, sessionId);
      // It may have got its first factor while the proof was checked.
      const isWeak = given.password !== undefined || given.code !== undefined;
      if (isWeak) await this.requireNoFactor(await change.em.findOneOrFail(User, user.id, { refresh: true }));
      await proof(change);
      const confirmedAt = dateNow();
      await change.em.nativeUpdate(Session, { id: sessionId }, { confirmedAt });
      return new Date(confirmedAt.getTime() + this.ms);
    });
  }

  /** @returns what makes sure in the change that the proof is still good, and uses it up */
  private async check(user: User, given: Proof, by: Confirming): Promise<(change: Change) => Promise<void>> {
    const { password, code } = given;
    if (password === undefined && code === undefined)
      return this.deps.secondFactor.check(user.id, given, 'confirm', by.device);
    await this.requireNoFactor(user);
    return password === undefined
      ? this.byCode(user, code ?? '', by.device)
      : this.byPassword(user, password, by.sessionId);
  }

  /** With a second factor less than that confirms nothing. */
  private async requireNoFactor(user: User): Promise<void> {
    if (!user.secondFactorAt) return;
    throw new AppError('SECOND_FACTOR_REQUIRED', { extra: { methods: await this.methodsOf(user) } });
  }

  /** @returns what makes sure in the change that the password is still the one that was given */
  private async byPassword({ id, passwordHash = null }: User, password: string, session: string) {
    const isRight = await this.deps.passwordCheck.isRight({ id, passwordHash }, password, `session ${session}`);
    if (!isRight) throw new AppError('CURRENT_PASSWORD_WRONG');
    return async ({ em }: Change): Promise<void> => {
      if ((await em.count(User, { id, passwordHash })) === 0) throw new AppError('CURRENT_PASSWORD_WRONG');
    };
  }

  /** @returns what uses up the code in the change */
  private async byCode(user: User, code: string, device: Asker) {
    const email = shownEmail(user);
    if (email === null) throw new AppError('NO_EMAIL');
    const hash = await this.deps.codes.check(email, code, device);
    return (change: Change): Promise<void> => this.deps.codes.use(change, email, hash);
  }

  private async methodsOf(user: User): Promise<string[]> {
    if (user.secondFactorAt) return this.deps.database.read((em) => factorMethods(em, user.id));
    return [...(user.passwordHash == null ? [] : ['password']), ...(shownEmail(user) === null ? [] : ['code'])];
  }

  private async find(id: string): Promise<User> {
    const user = await this.deps.database.read((em) => em.findOne(User, { id, deletedAt: null }));
    if (!user) throw new AppError('USER_NOT_FOUND');
    return user;
  }
}

/** A session that was confirmed before the account got its second factor was confirmed without it. */
function isFresh({ confirmedAt, createdAt }: Session, { secondFactorAt }: User, ms: number): boolean {
  const since = confirmedAt ?? createdAt;
  return clock.now() < since.getTime() + ms && (!secondFactorAt || since >= secondFactorAt);
}
