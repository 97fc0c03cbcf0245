import type { Membership } from '../../../access/capabilities.ts';
import { lockUser } from '../../../access/user.table.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { membershipUpdated } from '../../../contract/membership.ts';
import { userRoom } from '../../../contract/rooms.ts';
import { User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { Context } from '../../context.ts';
import { userCache } from '../identity.ts';
import { readIsOperator } from '../operators.table.ts';
import { redeemCode } from './redemption.ts';

type Deps = Pick<Context, 'database' | 'changes' | 'caches' | 'capabilities' | 'settings'>;

/** Tiers of accounts, and upgrades by invite code (contract §3). */
export class MembershipService {
  private readonly deps: Deps;
  private readonly inviteTier: string;

  constructor(deps: Deps) {
    this.deps = deps;
    this.inviteTier = deps.settings.accounts.inviteTier;
  }

  /** The current one, even on a connection that is older than its last change. */
  async mine(actor: Actor): Promise<Membership> {
    const isOperator = actor.sessionId !== null && (await readIsOperator(this.deps.database.rows, actor.userId));
    return this.deps.capabilities.membership(actor.tier, isOperator);
  }

  /** @throws AppError INVALID_INVITE_CODE, and FORBIDDEN for bots */
  async redeem(actor: Actor, code: string): Promise<Membership> {
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no membership of their own.' });
    return this.deps.changes.run(async (change) => {
      await this.redeemFor(change, actor.userId, code);
      const { tier, isOperator } = await change.em.findOneOrFail(User, actor.userId, { refresh: true });
      return this.deps.capabilities.membership(tier, isOperator);
    });
  }

  /**
   * Redeems a code for an account being created; it is used up even if new accounts are members anyway.
   * @throws AppError INVALID_INVITE_CODE
   */
  async admit(change: Change, user: { id: string; tier: string }, code: string): Promise<void> {
    await redeemCode(change.em, user.id, code);
    if (this.isBelowInvited(user.tier)) await this.setTier(change, user.id, this.inviteTier);
  }

  /**
   * Redeems a code for a user. A member stays as is, and the code stays unused; the row is locked, so that two concurrent
   * codes of one user are not both used up. Writes that refer to the user, such as notifications, go on: they have locked
   * the user's log, which is locked here after the row.
   * @throws AppError INVALID_INVITE_CODE
   */
  async redeemFor(change: Change, userId: string, code: string): Promise<void> {
    await lockUser(change.rows, userId);
    const user = await change.em.findOne(User, userId, { refresh: true });
    if (!user) throw new AppError('USER_NOT_FOUND');
    if (!this.isBelowInvited(user.tier)) return;
    await redeemCode(change.em, userId, code);
    await this.setTier(change, userId, this.inviteTier);
  }

  /** @throws AppError USER_NOT_FOUND */
  async setTier(change: Change, userId: string, tier: string): Promise<void> {
    const changed = await change.em.nativeUpdate(User, { id: userId, deletedAt: null }, { tier, updatedAt: dateNow() });
    if (changed === 0) throw new AppError('USER_NOT_FOUND');
    await this.tell(change, userId, tier);
    change.afterCommit(() => this.deps.caches.forget(userCache, [userId]));
  }

  /** Gives or takes the capability `instance:admin`. @returns whether that changed anything. @throws AppError USER_NOT_FOUND */
  async setOperator(change: Change, userId: string, isOperator: boolean): Promise<boolean> {
    await lockUser(change.rows, userId);
    const user = await change.em.findOne(User, { id: userId, deletedAt: null }, { refresh: true });
    if (!user) throw new AppError('USER_NOT_FOUND');
    if (user.isOperator === isOperator) return false;
    user.isOperator = isOperator;
    await change.em.flush();
    await this.tell(change, userId, user.tier);
    return true;
  }

  private async tell(change: Change, userId: string, tier: string): Promise<void> {
    const membership = this.deps.capabilities.membership(tier, await readIsOperator(change.rows, userId));
    change.publish(membershipUpdated.in(userRoom(userId), membership));
  }

  private isBelowInvited(tier: string): boolean {
    return this.deps.capabilities.membership(tier).level < this.deps.capabilities.membership(this.inviteTier).level;
  }
}
