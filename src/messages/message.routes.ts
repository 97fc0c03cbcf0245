import { Reply, type Route, route, uuidParam } from '../rest/route.ts';
import { done, doneSchema } from '../schema.ts';
import {
  editMessageSchema,
  listMessagesSchema,
  messagePageSchema,
  messageSchema,
  sendMessageSchema,
} from './message.contract.ts';
import type { MessageService } from './message.service.ts';

const tag = 'Messages';
const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');
const id = uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.');

export function messageRoutes(messages: MessageService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/channels/:channelId/messages',
      summary: 'Send a message. A repeat with the same nonce or Idempotency-Key gives the first one again.',
      tag,
      entrance: 'user',
      params: { channelId },
      body: sendMessageSchema,
      status: 201,
      answer: messageSchema,
      errors: ['CHANNEL_NOT_FOUND', 'CHANNEL_ARCHIVED', 'ROLE_REQUIRED', 'THREAD_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
      limit: 'messages',
      repeats: 'nonce',
      async handle({ actor, params, body, idempotencyKey }) {
        const { result, repeated } = await messages.send(actor, params.channelId, body, idempotencyKey);
        if (!repeated) return result;
        // A repeated key answers as the first time; a repeated nonce says that the message was there (contract §13).
        return idempotencyKey
          ? new Reply(result, { headers: { 'Idempotency-Replayed': 'true' } })
          : new Reply(result, { status: 200 });
      },
    }),
    route({
      method: 'GET',
      path: '/api/channels/:channelId/messages',
      summary: 'Messages of a channel, newest first; with `after` oldest first.',
      tag,
      entrance: 'user',
      params: { channelId },
      query: listMessagesSchema,
      answer: messagePageSchema,
      errors: ['CHANNEL_NOT_FOUND', 'INVALID_CURSOR', 'MESSAGE_NOT_FOUND'],
      handle: ({ actor, params, query }) => messages.list(actor, params.channelId, query),
    }),
    route({
      method: 'GET',
      path: '/api/messages/:id',
      summary: 'A message.',
      tag,
      entrance: 'user',
      params: { id },
      answer: messageSchema,
      errors: ['MESSAGE_NOT_FOUND'],
      handle: ({ actor, params }) => messages.get(actor, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/api/messages/:id',
      summary: 'Edit a message of your own.',
      tag,
      entrance: 'user',
      params: { id },
      body: editMessageSchema,
      answer: messageSchema,
      errors: ['MESSAGE_NOT_FOUND', 'FORBIDDEN', 'CHANNEL_ARCHIVED'],
      handle: ({ actor, params, body }) => messages.edit(actor, params.id, body.content),
    }),
    route({
      method: 'DELETE',
      path: '/api/messages/:id',
      summary: 'Delete a message: your own, or as a moderator that of others.',
      tag,
      entrance: 'user',
      params: { id },
      answer: doneSchema,
      errors: ['MESSAGE_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await messages.delete(actor, params.id);
        return done;
      },
    }),
  ];
}
