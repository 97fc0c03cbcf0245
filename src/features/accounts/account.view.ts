import type { z } from 'zod';
import type { Membership } from '../../access/capabilities.ts';
import type { ownUserSchema } from '../../contract/account.ts';
import type { SmallUser } from '../../contract/actor.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { User } from '../../database/entities/user.entity.ts';

/** The user columns of a row of something else. */
export interface UserColumns {
  username: string;
  display_name: string;
  avatar_url: string | null;
  is_bot: boolean;
}

/** The user of such a row. */
export function userOf(id: string, row: UserColumns): SmallUser {
  return { id, username: row.username, displayName: row.display_name, avatarUrl: row.avatar_url, isBot: row.is_bot };
}

/** The columns of a user that was read by itself. */
export function columnsOf({ username, displayName, avatarUrl, isBot }: SmallUser): UserColumns {
  return { username, display_name: displayName, avatar_url: avatarUrl, is_bot: isBot };
}

/** The same for a row that may have no user. */
export type UserColumnsOrNull = { [K in keyof UserColumns]: UserColumns[K] | null };

/** The user of such a row, if it has one. */
export function userOrNull(id: string | null, row: UserColumnsOrNull): SmallUser | null {
  const { username, display_name, avatar_url, is_bot } = row;
  if (id === null || username === null || display_name === null) return null;
  return userOf(id, { username, display_name, avatar_url, is_bot: is_bot ?? false });
}

type UserProperties = Pick<User, 'id' | 'username' | 'displayName' | 'avatarUrl' | 'isBot'>;

/** What `smallUser` needs of the user `u` of a typed query. */
export const smallUserColumns = ['u.id', 'u.username', 'u.displayName', 'u.avatarUrl', 'u.isBot'] as const;

/** A user as everyone may see it. */
export function smallUser({ id, username, displayName, avatarUrl, isBot }: UserProperties): SmallUser {
  return { id, username, displayName, avatarUrl: avatarUrl ?? null, isBot };
}

/** The address as shown to the user: also one that is another account's, which nobody is to learn (see User). */
export const shownEmail = ({ email, claimedEmail }: Pick<User, 'email' | 'claimedEmail'>): string | null =>
  email ?? claimedEmail ?? null;

/** @param membership of the user's tier @param required whether the operator requires a second factor */
export function ownUser(user: User, membership: Membership, required: boolean): z.input<typeof ownUserSchema> {
  return {
    ...smallUser(user),
    email: shownEmail(user),
    emailVerifiedAt: isoTimeOrNull(user.emailVerifiedAt ?? null),
    secondFactor: user.secondFactorAt ? 'active' : required && !user.isBot ? 'required' : 'none',
    status: membership.status,
    membership,
    createdAt: isoTime(user.createdAt),
    ...personalOf(user),
  };
}

/** In which language, by which clock and in which colours someone reads. */
export function personalOf({ language, timeZone, hourCycle, theme }: User) {
  return {
    language: language ?? null,
    timeZone: timeZone ?? null,
    hourCycle: hourCycle ?? null,
    theme: theme ?? null,
  };
}
