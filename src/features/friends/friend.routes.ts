import { z } from 'zod';
import { blockSchema, friendshipSchema, rejectedSchema, requestFriendSchema } from '../../contract/friend.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import type { BlockService } from './block.service.ts';
import type { FriendService } from './friend.service.ts';

const tag = 'Friends';
const id = uuidParam('FRIENDSHIP_NOT_FOUND', 'Id of the friendship or request.');
const userId = uuidParam('USER_NOT_FOUND', 'Id of the user.');

export function friendRoutes(friends: FriendService, blocks: BlockService): Route[] {
  return [...listRoutes(friends), ...changeRoutes(friends), ...blockRoutes(blocks)];
}

function listRoutes(friends: FriendService): Route[] {
  const answer = z.array(friendshipSchema);
  return [
    route({
      method: 'GET',
      path: '/api/friends',
      summary: 'Your friends, by username.',
      tag,
      auth: 'required',
      answer,
      handle: ({ actor }) => friends.friends(actor),
    }),
    route({
      method: 'GET',
      path: '/api/friends/pending',
      summary: 'Pending requests to you, newest first.',
      tag,
      auth: 'required',
      answer,
      handle: ({ actor }) => friends.received(actor),
    }),
    route({
      method: 'GET',
      path: '/api/friends/sent',
      summary: 'Your pending requests, newest first.',
      tag,
      auth: 'required',
      answer,
      handle: ({ actor }) => friends.sent(actor),
    }),
  ];
}

function changeRoutes(friends: FriendService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/friends/request',
      summary: 'Ask someone to be friends; if they asked you first, this accepts.',
      tag,
      auth: 'required',
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
      handle: ({ actor, body }) => friends.request(actor, body.username),
    }),
    route({
      method: 'POST',
      path: '/api/friends/:id/accept',
      summary: 'Accept a request to you.',
      tag,
      auth: 'required',
      params: { id },
      answer: friendshipSchema,
      errors: ['FRIENDSHIP_NOT_FOUND', 'FORBIDDEN', 'ALREADY_FRIENDS', 'FRIEND_REQUEST_CLOSED', 'FRIEND_LIMIT'],
      handle: ({ actor, params }) => friends.accept(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/friends/:id/reject',
      summary: 'Turn down a request to you.',
      tag,
      auth: 'required',
      params: { id },
      answer: rejectedSchema,
      errors: ['FRIENDSHIP_NOT_FOUND', 'FORBIDDEN', 'ALREADY_FRIENDS', 'FRIEND_REQUEST_CLOSED'],
      handle: async ({ actor, params }) => ({ ...done, ...(await friends.reject(actor, params.id)) }),
    }),
    route({
      method: 'DELETE',
      path: '/api/friends/:id',
      summary: 'End a friendship, or cancel a request.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['FRIENDSHIP_NOT_FOUND'],
      async handle({ actor, params }) {
        await friends.remove(actor, params.id);
        return done;
      },
    }),
  ];
}

function blockRoutes(blocks: BlockService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/friends/blocks',
      summary: 'The people you blocked, newest first.',
      tag,
      auth: 'required',
      answer: z.array(blockSchema),
      handle: ({ actor }) => blocks.list(actor),
    }),
    route({
      method: 'PUT',
      path: '/api/friends/blocks/:userId',
      summary: 'Block someone; ends a friendship and requests.',
      tag,
      auth: 'required',
      params: { userId },
      answer: blockSchema,
      errors: ['USER_NOT_FOUND', 'OWN_USER', 'BLOCK_LIMIT'],
      handle: ({ actor, params }) => blocks.block(actor, params.userId),
    }),
    route({
      method: 'DELETE',
      path: '/api/friends/blocks/:userId',
      summary: 'Unblock someone.',
      tag,
      auth: 'required',
      params: { userId },
      answer: doneSchema,
      errors: ['USER_NOT_FOUND'],
      async handle({ actor, params }) {
        await blocks.unblock(actor, params.userId);
        return done;
      },
    }),
  ];
}
