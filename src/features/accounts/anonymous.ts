import { deletedUsernameKey } from '../../contract/username.ts';
import type { User } from '../../database/entities/user.entity.ts';
import { dateNow } from '../../infrastructure/clock.ts';

/** What is left of a deleted bot or person: the author of what they wrote. */
export function anonymise(user: User): void {
  user.deletedAt = dateNow();
  user.username = `deleted-${user.id.replaceAll('-', '').slice(-20)}`;
  user.usernameKey = deletedUsernameKey(user.id);
  user.nameSkeleton = null;
  user.displayName = 'Deleted user';
  user.avatarUrl = null;
  Object.assign(user, { email: null, claimedEmail: null, emailVerifiedAt: null, passwordHash: null });
  Object.assign(user, {
    deletesAt: null,
    secondFactorAt: null,
    suspendedAt: null,
    suspensionReason: null,
    suspendedUntil: null,
    isOperator: false,
    language: null,
    timeZone: null,
    hourCycle: null,
    theme: null,
  });
}
