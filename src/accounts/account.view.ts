import type { z } from 'zod';
import type { SmallUser } from '../access/actor.ts';
import type { Membership } from '../access/capabilities.ts';
import { isoTime } from '../schema.ts';
import type { ownUserSchema } from './account.contract.ts';
import type { User } from './user.entity.ts';

export function smallUser(user: SmallUser): SmallUser {
  const { id, username, displayName, avatarUrl, isBot } = user;
  return { id, username, displayName, avatarUrl, isBot };
}

/** @param membership of the user's tier */
export function ownUser(user: User, membership: Membership): z.input<typeof ownUserSchema> {
  return {
    id: user.id,
    email: user.email ?? null,
    username: user.username,
    displayName: user.displayName,
    avatarUrl: user.avatarUrl ?? null,
    isBot: user.isBot,
    status: membership.status,
    membership,
    createdAt: isoTime(user.createdAt),
  };
}
