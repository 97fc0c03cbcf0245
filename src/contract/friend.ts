import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { doneSchema, idSchema, timeSchema } from './schema.ts';

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

const id = uuidParam('FRIENDSHIP_NOT_FOUND', 'Id of the friendship or request.');
const userId = uuidParam('USER_NOT_FOUND', 'Id of the user.');
const friendships = z.array(friendshipSchema);
const answerErrors = ['FRIENDSHIP_NOT_FOUND', 'FORBIDDEN', 'ALREADY_FRIENDS', 'FRIEND_REQUEST_CLOSED'] as const;

export const friendCalls = calls('Friends', {
  listFriends: {
    method: 'GET',
    path: '/api/friends',
    summary: 'Your friends, by username.',
    answer: friendships,
  },
  listReceivedFriendRequests: {
    method: 'GET',
    path: '/api/friends/pending',
    summary: 'Pending requests to you, newest first.',
    answer: friendships,
  },
  listSentFriendRequests: {
    method: 'GET',
    path: '/api/friends/sent',
    summary: 'Your pending requests, newest first.',
    answer: friendships,
  },
  requestFriend: {
    method: 'POST',
    path: '/api/friends/request',
    summary: 'Ask someone to be friends; if they asked you first, this accepts.',
    body: requestFriendSchema,
    status: 201,
    answer: friendshipSchema,
    errors: [
      'USER_NOT_FOUND',
      'OWN_USER',
      'USER_BLOCKED',
      'ALREADY_FRIENDS',
      'FRIEND_REQUEST_EXISTS',
      'FRIEND_REQUEST_REJECTED',
      'FRIEND_LIMIT',
      'FORBIDDEN',
    ],
  },
  acceptFriend: {
    method: 'POST',
    path: '/api/friends/:id/accept',
    summary: 'Accept a request to you.',
    params: { id },
    answer: friendshipSchema,
    errors: [...answerErrors, 'FRIEND_LIMIT'],
  },
  rejectFriend: {
    method: 'POST',
    path: '/api/friends/:id/reject',
    summary: 'Turn down a request to you.',
    params: { id },
    answer: rejectedSchema,
    errors: answerErrors,
  },
  removeFriend: {
    method: 'DELETE',
    path: '/api/friends/:id',
    summary: 'End a friendship, or cancel a request.',
    params: { id },
    answer: doneSchema,
    errors: ['FRIENDSHIP_NOT_FOUND'],
  },
  listBlocks: {
    method: 'GET',
    path: '/api/friends/blocks',
    summary: 'The people you blocked, newest first.',
    answer: z.array(blockSchema),
  },
  blockUser: {
    method: 'PUT',
    path: '/api/friends/blocks/:userId',
    summary: 'Block someone; ends a friendship and requests.',
    params: { userId },
    answer: blockSchema,
    errors: ['USER_NOT_FOUND', 'OWN_USER', 'BLOCK_LIMIT'],
  },
  unblockUser: {
    method: 'DELETE',
    path: '/api/friends/blocks/:userId',
    summary: 'Unblock someone.',
    params: { userId },
    answer: doneSchema,
    errors: ['USER_NOT_FOUND'],
  },
});
