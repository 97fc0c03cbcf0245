import type { z } from 'zod';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { passkeyAnswerSchema, passkeyRequestSchema } from '../../../contract/passkey.ts';
import type { completeSignInSchema, secondFactorSchema } from '../../../contract/second-factor.ts';
import { Passkey, RecoveryCode, TotpFactor } from '../../../database/entities/second-factor.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { refusal } from '../../../infrastructure/rate-limits.ts';
import type { Context } from '../../context.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import { hashSecret } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import { type AuthAnswer, ownSession, type SessionService } from '../sessions/session.service.ts';
import type { Factors } from './factors.ts';
import type { PasskeyService } from './passkey.service.ts';
import { plainCode } from './recovery-codes.ts';
import { secondFactorRecord } from './second-factor.view.ts';
import type { Tickets } from './tickets.ts';
import type { TotpService } from './totp.service.ts';

/** A proof of a second factor: one of these. */
export interface FactorProof {
  totp?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: z.output<typeof passkeyAnswerSchema> | undefined;
}

/** Uses up a proof that was checked, in the change that relies on it. */
type Use = (change: Change) => Promise<void>;
type PasskeyOptions = z.input<typeof passkeyRequestSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'limits' | 'settings'> {
  factors: Factors;
  tickets: Tickets;
  totp: TotpService;
  passkeys: PasskeyService;
  sessions: Pick<SessionService, 'enter'>;
  notices: Pick<SecurityNotices, 'notify'>;
}

/** What an account has as second factors, and signing in with them (contract §3). */
export class SecondFactorService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE */
  async overview(actor: Actor): Promise<z.input<typeof secondFactorSchema>> {
    ownSession(actor);
    const { userId } = actor;
    const { required } = this.deps.settings.accounts.secondFactor;
    return this.deps.database.read(async (em) => {
      const totp = await em.findOne(TotpFactor, { userId });
      const passkeys = await em.find(Passkey, { userId }, { orderBy: { id: 'asc' } });
      return secondFactorRecord(totp, passkeys, await em.count(RecoveryCode, { userId }), required);
    });
  }

  /** @throws AppError SECOND_FACTOR_SETUP_REQUIRED, INSUFFICIENT_PAT_SCOPE */
  async renewCodes(actor: Actor, device: Device): Promise<string[]> {
    return this.deps.changes.run(async (change) => {
      const user = await this.deps.factors.hold(change, actor);
      if (!user.secondFactorAt) throw new AppError('SECOND_FACTOR_SETUP_REQUIRED');
      const codes = await this.deps.factors.renewCodes(change, user.id);
      await this.deps.notices.notify(change, user.id, 'recovery-codes-made', { device });
      return codes;
    });
  }

  /**
   * Completes a sign-in.
   * @throws AppError SIGN_IN_TICKET_INVALID, RATE_LIMITED, SECOND_FACTOR_INVALID, PASSKEY_INVALID, ACCOUNT_SUSPENDED,
   * EMAIL_NOT_VERIFIED
   */
  async complete({ ticket, ...proof }: z.output<typeof completeSignInSchema>, device: Device): Promise<AuthAnswer> {
    const userId = await this.deps.tickets.try(ticket);
    const use = await this.check(userId, proof, 'second-factor', device);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, userId);
      await this.deps.tickets.use(change, ticket);
      await use(change);
      return this.deps.sessions.enter(change, userId, device);
    });
  }

  /** Signs in with a passkey alone. @throws AppError PASSKEY_INVALID, ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED */
  async signIn(passkey: z.output<typeof passkeyAnswerSchema>, device: Device): Promise<AuthAnswer> {
    const { userId, use } = await this.deps.passkeys.recognise(passkey, { purpose: 'sign-in', userId: null });
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, userId);
      await use(change);
      return this.deps.sessions.enter(change, userId, device);
    });
  }

  askToSignIn(): Promise<PasskeyOptions> {
    return this.deps.passkeys.ask({ purpose: 'sign-in', userId: null });
  }

  /** @throws AppError SIGN_IN_TICKET_INVALID */
  async askToComplete(ticket: string): Promise<PasskeyOptions> {
    return this.deps.passkeys.ask({ purpose: 'second-factor', userId: await this.deps.tickets.owner(ticket) });
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE */
  async askToConfirm(actor: Actor): Promise<PasskeyOptions> {
    ownSession(actor);
    return this.deps.passkeys.ask({ purpose: 'confirm', userId: actor.userId });
  }

  /**
   * Checks a proof of an account's second factor. Tries of codes are limited for the account; passkeys cannot be guessed.
   * @returns what uses it up: of two uses at once one fails
   * @throws AppError RATE_LIMITED, SECOND_FACTOR_INVALID, PASSKEY_INVALID
   */
  async check(userId: string, proof: FactorProof, purpose: 'second-factor' | 'confirm', device: Device): Promise<Use> {
    const { limits, passkeys } = this.deps;
    if (proof.passkey) return (await passkeys.recognise(proof.passkey, { purpose, userId })).use;
    // Counted before the check and given back afterwards, so that concurrent tries count too.
    const attempt = await limits.attempt([{ name: 'factorFailures', key: userId }]);
    if (attempt.quota?.exceeded) throw refusal(attempt.quota);
    const { totp } = proof;
    const use = totp === undefined ? await this.byRecovery(userId, proof, device) : await this.byTotp(userId, totp);
    if (!use) throw new AppError('SECOND_FACTOR_INVALID');
    await attempt.giveBack();
    return use;
  }

  private async byTotp(userId: string, code: string): Promise<Use | null> {
    const { totp } = this.deps;
    const step = await totp.check(userId, code);
    return step === null ? null : ({ db }) => totp.use(db, userId, step);
  }

  private async byRecovery(userId: string, { recoveryCode = '' }: FactorProof, device: Device): Promise<Use | null> {
    const code = { userId, codeHash: hashSecret(plainCode(recoveryCode)) };
    if ((await this.deps.database.read((em) => em.count(RecoveryCode, code))) === 0) return null;
    return async (change) => {
      if ((await change.em.nativeDelete(RecoveryCode, code)) === 0) throw new AppError('SECOND_FACTOR_INVALID');
      await this.deps.notices.notify(change, userId, 'recovery-code-used', { device });
    };
  }
}
