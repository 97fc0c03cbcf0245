import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { durableEvent } from './event.ts';
import { idSchema, timeSchema } from './schema.ts';

/** A friendship or a request, as one of the two sees it. */
export const friendshipSchema = z.object({
  id: idSchema,
  friendshipId: idSchema.describe('The same as `id`.'),
  requesterId: idSchema,
  addresseeId: idSchema,
  userId: idSchema.describe('The one who looks at it.'),
  friendId: idSchema.describe('The other one.'),
  status: z.enum(['pending', 'accepted', 'rejected']),
  user: smallUserSchema.describe('The other one.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const rejectedSchema = friendshipSchema.extend({ ok: z.literal(true), success: z.literal(true) });

export const requestFriendSchema = z.object({
  username: z.string().trim().min(1, 'must not be empty').max(64).describe('In any case.'),
});

export const blockSchema = z.object({ userId: idSchema, user: smallUserSchema, createdAt: timeSchema });

export const friendRequest = durableEvent({
  name: 'friend:request',
  summary: 'Someone sent you a friend request, or you sent one on another device; `requesterId` says who.',
  room: 'user',
  payload: friendshipSchema,
});

export const friendAccepted = durableEvent({
  name: 'friend:accepted',
  summary: 'You have a new friend.',
  room: 'user',
  payload: friendshipSchema,
});

export const friendRemoved = durableEvent({
  name: 'friend:removed',
  summary: 'A friendship ended, or a request was cancelled or rejected.',
  room: 'user',
  payload: z.object({ friendshipId: idSchema, userId: idSchema.describe('The other one.') }),
});
