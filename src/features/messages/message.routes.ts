import { z } from 'zod';
import {
  editMessageSchema,
  listMessagesSchema,
  messagePageSchema,
  messageSchema,
  sendMessageSchema,
} from '../../contract/message.ts';
import { done, doneSchema, limitSchema } from '../../contract/schema.ts';
import type { Written } from '../../delivery/batch.ts';
import { JsonText, Reply, type Route, route, uuidParam } from '../../rest/route.ts';
import type { MessageService } from './message.service.ts';
import type { MessageRecord } from './message.view.ts';
import type { PinService } from './pin.service.ts';

const tag = 'Messages';
const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');
const id = uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.');
/** Why someone may not write in a channel or thread. */
export const placeErrors = [
  'CHANNEL_NOT_FOUND',
  'NOT_A_MEMBER',
  'CHANNEL_ARCHIVED',
  'ROLE_REQUIRED',
  'THREAD_NOT_FOUND',
  'THREAD_ARCHIVED',
] as const;
export const sendErrors = [
  ...placeErrors,
  'MESSAGE_NOT_FOUND',
  'ATTACHMENT_NOT_FOUND',
  'ATTACHMENT_INVALID',
  'FORBIDDEN',
  'BOT_LOOP',
] as const;

export function messageRoutes(messages: MessageService, pins: PinService): Route[] {
  return [...listRoutes(messages), ...oneMessageRoutes(messages), ...pinRoutes(pins)];
}

function listRoutes(messages: MessageService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/channels/:channelId/messages',
      summary: 'Send a message. A repeat with the same nonce or Idempotency-Key gives the first one again.',
      tag,
      auth: 'required',
      params: { channelId },
      body: sendMessageSchema,
      status: 201,
      answer: messageSchema,
      errors: [...sendErrors],
      limit: 'messages',
      repeats: ({ actor, params, idempotencyKey }) =>
        sentFirst(messages.sentWith(actor, params.channelId, idempotencyKey)),
      handle: async ({ actor, params, body, idempotencyKey }) =>
        sentMessage(await messages.send(actor, params.channelId, body, { idempotencyKey }), idempotencyKey),
    }),
    route({
      method: 'GET',
      path: '/api/channels/:channelId/messages',
      summary: 'Messages of a channel, newest first; with `after` oldest first.',
      tag,
      auth: 'required',
      params: { channelId },
      query: listMessagesSchema,
      answer: messagePageSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR', 'MESSAGE_NOT_FOUND'],
      handle: async ({ actor, params, query }) =>
        new Reply(new JsonText(await messages.reader.page(actor, params.channelId, query))),
    }),
    route({
      method: 'GET',
      path: '/api/channels/:channelId/messages/around/:messageId',
      summary: 'A message with its neighbours, newest first; as `around` of the list.',
      tag,
      auth: 'required',
      params: { channelId, messageId: id },
      query: z.object({ limit: limitSchema(100, 50) }),
      answer: messagePageSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'MESSAGE_NOT_FOUND'],
      handle: ({ actor, params, query }) =>
        messages.reader.list(actor, params.channelId, { limit: query.limit, around: params.messageId }),
    }),
  ];
}

/** A repeated key answers 201 as the first time; a repeated nonce answers 200 (contract §13). */
export function sentMessage({ result, repeated }: Written<MessageRecord>, key: string | null): Reply<MessageRecord> {
  if (!repeated) return new Reply(result);
  return key ? replayed(result) : new Reply(result, { status: 200 });
}

/** What was sent first with an Idempotency-Key, if anything. */
export async function sentFirst(
  looking: Promise<MessageRecord | undefined>,
): Promise<Reply<MessageRecord> | undefined> {
  const first = await looking;
  return first && replayed(first);
}

const replayed = (first: MessageRecord): Reply<MessageRecord> =>
  new Reply(first, { headers: { 'Idempotency-Replayed': 'true' } });

function oneMessageRoutes(messages: MessageService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/messages/:id',
      summary: 'A message.',
      tag,
      auth: 'required',
      params: { id },
      answer: messageSchema,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => messages.get(actor, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/api/messages/:id',
      summary: 'Edit a message of your own.',
      tag,
      auth: 'required',
      params: { id },
      body: editMessageSchema,
      answer: messageSchema,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'CHANNEL_ARCHIVED'],
      handle: ({ actor, params, body }) => messages.edit(actor, params.id, body.content),
    }),
    route({
      method: 'DELETE',
      path: '/api/messages/:id',
      summary: 'Delete a message: your own, that of a bot of yours, or as a moderator that of others.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await messages.delete(actor, params.id);
        return done;
      },
    }),
  ];
}

function pinRoutes(pins: PinService): Route[] {
  const pinErrors = ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_ARCHIVED'] as const;
  const pinAnswer = messageSchema.extend(doneSchema.shape);
  const inChannel = { path: '/api/channels/:channelId/pins/:messageId', params: { channelId, messageId: id } };
  const ofMessage = { path: '/api/messages/:id/pin', params: { id } };
  return [
    route({
      method: 'GET',
      path: '/api/channels/:channelId/pins',
      summary: 'The pinned messages of a channel, most recently pinned first.',
      tag,
      auth: 'required',
      params: { channelId },
      answer: z.array(messageSchema),
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => pins.list(actor, params.channelId),
    }),
    route({
      ...inChannel,
      method: 'PUT',
      summary: 'Pin a message; for moderators, in direct messages for both people.',
      tag,
      auth: 'required',
      answer: pinAnswer,
      errors: [...pinErrors, 'CHANNEL_NOT_FOUND', 'WRONG_CHANNEL', 'PIN_LIMIT'],
      handle: async ({ actor, params }) => ({
        ...(await pins.pin(actor, params.messageId, params.channelId)),
        ...done,
      }),
    }),
    route({
      ...inChannel,
      method: 'DELETE',
      summary: 'Unpin a message.',
      tag,
      auth: 'required',
      answer: pinAnswer,
      errors: [...pinErrors, 'CHANNEL_NOT_FOUND', 'WRONG_CHANNEL'],
      handle: async ({ actor, params }) => ({
        ...(await pins.unpin(actor, params.messageId, params.channelId)),
        ...done,
      }),
    }),
    route({
      ...ofMessage,
      method: 'POST',
      summary: 'Pin a message.',
      tag,
      auth: 'required',
      answer: pinAnswer,
      errors: [...pinErrors, 'PIN_LIMIT'],
      handle: async ({ actor, params }) => ({ ...(await pins.pin(actor, params.id, null)), ...done }),
    }),
    route({
      ...ofMessage,
      method: 'DELETE',
      summary: 'Unpin a message.',
      tag,
      auth: 'required',
      answer: pinAnswer,
      errors: [...pinErrors],
      handle: async ({ actor, params }) => ({ ...(await pins.unpin(actor, params.id, null)), ...done }),
    }),
  ];
}
