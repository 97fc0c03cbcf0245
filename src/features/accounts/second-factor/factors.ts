import type { EntityManager } from '@mikro-orm/postgresql';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { FactorMethod } from '../../../contract/second-factor.ts';
import { MemberRole } from '../../../database/entities/role.entity.ts';
import { Passkey, RecoveryCode, SignInTicket, TotpFactor } from '../../../database/entities/second-factor.entity.ts';
import { ServerMember } from '../../../database/entities/server.entity.ts';
import { Session, User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { Context } from '../../context.ts';
import { shownEmail } from '../account.view.ts';
import { userCache } from '../identity.ts';
import { hashSecret } from '../secrets.ts';
import { holdSession, ownSession } from '../sessions/session.service.ts';
import { newRecoveryCodes, plainCode } from './recovery-codes.ts';

type Deps = Pick<Context, 'caches' | 'control' | 'serverAccess' | 'settings'>;

/**
 * Whether an account has a second factor (contract §3): an authenticator app or a passkey, and recovery codes beside it.
 * Whatever adds or removes one ends here.
 */
export class Factors {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Locks the caller's account, to change its factors. @throws AppError SESSION_REVOKED, INSUFFICIENT_PAT_SCOPE */
  async hold(change: Change, actor: Actor): Promise<User> {
    const session = ownSession(actor);
    await lockUser(change.rows, actor.userId);
    await holdSession(change, session);
    return change.em.findOneOrFail(User, actor.userId, { refresh: true });
  }

  /**
   * The same to add one. Its address must be proven: the first to prove it takes an account over, and must not find
   * somebody else's factor there.
   * @throws AppError EMAIL_NOT_VERIFIED, SESSION_REVOKED, INSUFFICIENT_PAT_SCOPE
   */
  async holdToAdd(change: Change, actor: Actor): Promise<User> {
    const user = await this.hold(change, actor);
    if (shownEmail(user) !== null && !user.emailVerifiedAt) throw new AppError('EMAIL_NOT_VERIFIED');
    return user;
  }

  /**
   * After a factor was added to a held account: the first one is in force from now on, and counts as given for this session.
   * @returns recovery codes with the first one, else null
   */
  async added(change: Change, user: User, sessionId: string): Promise<string[] | null> {
    if (user.secondFactorAt) return null;
    const now = dateNow();
    user.secondFactorAt = now;
    await change.em.flush();
    await change.em.nativeUpdate(Session, { id: sessionId }, { confirmedAt: now });
    await this.forget(change, user.id);
    return this.renewCodes(change, user.id);
  }

  /** After one was removed from a locked account: with the last one everything of the kind ends. */
  async removed(change: Change, userId: string): Promise<void> {
    const { em } = change;
    const left =
      (await em.count(TotpFactor, { userId, confirmedAt: { $ne: null } })) + (await em.count(Passkey, { userId }));
    if (left > 0) return;
    await em.nativeDelete(RecoveryCode, { userId });
    await em.nativeDelete(SignInTicket, { userId });
    await em.nativeUpdate(User, { id: userId }, { secondFactorAt: null });
    await this.forget(change, userId);
    // Whoever must have one may do nothing without it.
    if (this.deps.settings.accounts.secondFactor.required)
      change.afterCommit(() => this.deps.control.send({ kind: 'disconnect', userId, event: null }));
  }

  /**
   * Removes the factors of an account whose row is locked.
   * @param since only those added from then on @returns how many there were
   */
  async removeAll(change: Change, userId: string, since?: Date): Promise<number> {
    const which = { userId, ...(since && { createdAt: { $gte: since } }) };
    const removed = (await change.em.nativeDelete(TotpFactor, which)) + (await change.em.nativeDelete(Passkey, which));
    await this.removed(change, userId);
    return removed;
  }

  /** New recovery codes in place of those before. */
  async renewCodes({ em }: Change, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    await em.nativeDelete(RecoveryCode, { userId });
    await em.insertMany(
      RecoveryCode,
      codes.map((code) => ({ userId, codeHash: hashSecret(plainCode(code)) })),
    );
    return codes;
  }

  /** Its own nodes learn it before the answer, others and those without Redis by a trigger. */
  private async forget(change: Change, userId: string): Promise<void> {
    const fixed = await change.em.find(ServerMember, { userId, role: { $ne: 'member' } });
    const own = await change.em.find(MemberRole, { userId });
    const seats = [...fixed, ...own];
    change.afterCommit(() => this.deps.caches.forget(userCache, [userId]));
    change.afterCommit(() => this.deps.serverAccess.forgetAll(seats));
  }
}

/** The ways in which an account completes a sign-in, or confirms a session; none: it has no second factor. */
export async function factorMethods(em: EntityManager, userId: string): Promise<FactorMethod[]> {
  const totp = await em.count(TotpFactor, { userId, confirmedAt: { $ne: null } });
  const passkeys = await em.count(Passkey, { userId });
  if (totp + passkeys === 0) return [];
  const codes = await em.count(RecoveryCode, { userId });
  const counts: [FactorMethod, number][] = [
    ['totp', totp],
    ['passkey', passkeys],
    ['recovery', codes],
  ];
  return counts.flatMap(([method, count]) => (count > 0 ? [method] : []));
}
