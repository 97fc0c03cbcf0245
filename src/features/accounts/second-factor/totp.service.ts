import { Secret, TOTP } from 'otpauth';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import { TotpFactor } from '../../../database/entities/second-factor.entity.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';
import type { Context } from '../../context.ts';
import { shownEmail } from '../account.view.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import type { Device } from '../sessions/device.ts';
import { ownSession } from '../sessions/session.service.ts';
import type { Factors } from './factors.ts';

const secretBytes = 20;
const stepSeconds = 30;
/** How many steps a device's clock may be off, either way. */
const drift = 1;

interface Deps extends Pick<Context, 'database' | 'changes' | 'publicUrl'> {
  factors: Factors;
  notices: Pick<SecurityNotices, 'notify'>;
  sealed: SealedText;
}

/** Authenticator apps (RFC 6238): six digits that change every 30 s, each taken once (contract §3). */
export class TotpService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * A secret for an app, which counts once its first code was given; it replaces one that never did.
   * @throws AppError TOTP_ACTIVE, EMAIL_NOT_VERIFIED, INSUFFICIENT_PAT_SCOPE
   */
  async start(actor: Actor): Promise<{ secret: string; uri: string }> {
    const secret = new Secret({ size: secretBytes });
    return this.deps.changes.run(async (change) => {
      const user = await this.deps.factors.holdToAdd(change, actor);
      const kept = await change.em.findOne(TotpFactor, { userId: user.id, confirmedAt: { $ne: null } });
      if (kept) throw new AppError('TOTP_ACTIVE');
      const sealed = this.deps.sealed.seal(secret.base32);
      await change.em.nativeDelete(TotpFactor, { userId: user.id });
      await change.em.insert(TotpFactor, { userId: user.id, secret: sealed, createdAt: dateNow() });
      const issuer = `Parley (${new URL(this.deps.publicUrl()).host})`;
      const uri = totpOf(secret.base32, { issuer, label: shownEmail(user) ?? user.username }).toString();
      return { secret: secret.base32, uri };
    });
  }

  /**
   * Puts the app in force with a code of it.
   * @returns recovery codes with the first factor of the account, else null
   * @throws AppError TOTP_NOT_FOUND, SECOND_FACTOR_INVALID, EMAIL_NOT_VERIFIED, INSUFFICIENT_PAT_SCOPE
   */
  async complete(actor: Actor, code: string, device: Device): Promise<string[] | null> {
    const sessionId = ownSession(actor);
    return this.deps.changes.run(async (change) => {
      const user = await this.deps.factors.holdToAdd(change, actor);
      const begun = await change.em.findOne(TotpFactor, { userId: user.id, confirmedAt: null }, { refresh: true });
      if (!begun) throw new AppError('TOTP_NOT_FOUND');
      const lastStep = this.stepOf(begun, code);
      if (lastStep === null) throw new AppError('SECOND_FACTOR_INVALID');
      change.em.assign(begun, { confirmedAt: dateNow(), lastStep });
      await change.em.flush();
      const codes = await this.deps.factors.added(change, user, sessionId);
      await this.deps.notices.notify(change, user.id, 'factor-added', { device });
      return codes;
    });
  }

  /** @throws AppError TOTP_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async remove(actor: Actor, device: Device): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const { id: userId } = await this.deps.factors.hold(change, actor);
      if ((await change.em.nativeDelete(TotpFactor, { userId, confirmedAt: { $ne: null } })) === 0)
        throw new AppError('TOTP_NOT_FOUND');
      await this.deps.factors.removed(change, userId);
      await this.deps.notices.notify(change, userId, 'factor-removed', { device });
    });
  }

  /** The step whose code this is; null: it is none of this app, or not of now. */
  async check(userId: string, code: string): Promise<number | null> {
    const kept = await this.deps.database.read((em) => em.findOne(TotpFactor, { userId, confirmedAt: { $ne: null } }));
    return kept && this.stepOf(kept, code);
  }

  /** Takes the code of a step, if none of it or of a later one was taken. @throws AppError SECOND_FACTOR_INVALID */
  async use(db: Queries, userId: string, step: number): Promise<void> {
    const factor = db.updateTable('TotpFactor').where('userId', '=', userId).where('confirmedAt', 'is not', null);
    const unused = factor.where((eb) => eb.or([eb('lastStep', 'is', null), eb('lastStep', '<', step)]));
    const taken = await unused.set({ lastStep: step }).returning('userId').executeTakeFirst();
    if (!taken) throw new AppError('SECOND_FACTOR_INVALID');
  }

  private stepOf({ secret }: TotpFactor, code: string): number | null {
    const text = this.deps.sealed.open(secret);
    if (text === undefined) return null;
    const delta = totpOf(text).validate({ token: code, window: drift, timestamp: clock.now() });
    return delta === null ? null : Math.floor(clock.now() / (stepSeconds * 1000)) + delta;
  }
}

/** The parameters that all apps know. */
function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...names, secret, algorithm: 'SHA1', digits: 6, period: stepSeconds });
}
