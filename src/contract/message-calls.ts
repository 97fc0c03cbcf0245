import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import {
  editMessageEventSchema,
  editMessageSchema,
  listMessagesSchema,
  messageDeleted,
  messagePageSchema,
  messageSchema,
  sendMessageEventSchema,
  sendMessageSchema,
  typingSchema,
} from './message.ts';
import { doneSchema, idSchema, limitSchema } from './schema.ts';

const tag = 'Messages';
const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');
const id = uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.');
/** Why someone may not write in a channel or thread. */
const placeErrors = [
  'CHANNEL_NOT_FOUND',
  'NOT_A_MEMBER',
  'CHANNEL_ARCHIVED',
  'ROLE_REQUIRED',
  'THREAD_NOT_FOUND',
  'THREAD_ARCHIVED',
] as const;
/** What filters do with messages and edits (contract §6). */
const heldErrors = ['MESSAGE_REFUSED', 'MESSAGE_HELD', 'HELD_LIMIT'] as const;
export const sendErrors = [
  ...placeErrors,
  'MESSAGE_NOT_FOUND',
  'ATTACHMENT_NOT_FOUND',
  'ATTACHMENT_INVALID',
  'QUOTA_EXCEEDED',
  'FORBIDDEN',
  'BOT_LOOP',
  'SLOW_MODE',
  'HEAD_MOVED',
  'REHEARSAL_FULL',
  ...heldErrors,
] as const;
const editErrors = [
  'MESSAGE_NOT_FOUND',
  'NOT_A_MEMBER',
  'ROLE_REQUIRED',
  'FORBIDDEN',
  'CHANNEL_ARCHIVED',
  ...heldErrors,
] as const;
/** Members' own messages and threads are in the channel for all to see. */
export const ownMessages = { none: 'It is what members do, and there for all to see.' } as const;
const pinErrors = ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_ARCHIVED'] as const;
const pinInChannelErrors = [...pinErrors, 'CHANNEL_NOT_FOUND', 'WRONG_CHANNEL'] as const;
const pinAnswer = messageSchema.extend(doneSchema.shape);
const pinPath = { path: '/api/channels/:channelId/pins/:messageId', params: { channelId, messageId: id } } as const;

export const messagePin = auditAction({ name: 'message.pin', summary: 'A message was pinned.', fields: ['authorId'] });

export const messageUnpin = auditAction({
  name: 'message.unpin',
  summary: 'A message was unpinned.',
  fields: ['authorId'],
});

export const messageDelete = auditAction({
  name: 'message.delete',
  summary: 'A message of someone else was deleted; its text is not kept.',
  fields: ['authorId'],
});

export const messageCalls = calls(tag, {
  sendMessage: {
    method: 'POST',
    path: '/api/channels/:channelId/messages',
    summary: 'Send a message. A repeat with the same nonce or Idempotency-Key gives the first one again.',
    params: { channelId },
    body: sendMessageSchema,
    status: 201,
    answer: messageSchema,
    errors: sendErrors,
    limit: 'messages',
    rehearsed: true,
    audit: ownMessages,
  },
  listMessages: {
    method: 'GET',
    path: '/api/channels/:channelId/messages',
    summary: 'Messages of a channel, newest first; with `after` oldest first.',
    params: { channelId },
    query: listMessagesSchema,
    answer: messagePageSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR', 'MESSAGE_NOT_FOUND'],
  },
  listMessagesAround: {
    method: 'GET',
    path: '/api/channels/:channelId/messages/around/:messageId',
    summary: 'A message with its neighbours, newest first; as `around` of the list.',
    params: { channelId, messageId: id },
    query: z.object({ limit: limitSchema(100, 50) }),
    answer: messagePageSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'MESSAGE_NOT_FOUND'],
  },
  getMessage: {
    method: 'GET',
    path: '/api/messages/:id',
    summary: 'A message.',
    params: { id },
    answer: messageSchema,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  editMessage: {
    method: 'PATCH',
    path: '/api/messages/:id',
    summary: 'Edit a message of your own.',
    params: { id },
    body: editMessageSchema,
    answer: messageSchema,
    errors: editErrors,
    audit: ownMessages,
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/api/messages/:id',
    summary: 'Delete a message: your own, that of a bot of yours, or as a moderator that of others.',
    params: { id },
    answer: doneSchema,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'TIMED_OUT'],
    audit: [messageDelete],
  },
  listPins: {
    method: 'GET',
    path: '/api/channels/:channelId/pins',
    summary: 'The pinned messages of a channel, most recently pinned first.',
    params: { channelId },
    answer: z.array(messageSchema),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  pinInChannel: {
    ...pinPath,
    method: 'PUT',
    summary: 'Pin a message; for moderators, in direct messages for both people.',
    answer: pinAnswer,
    errors: [...pinInChannelErrors, 'PIN_LIMIT'],
    audit: [messagePin],
  },
  unpinInChannel: {
    ...pinPath,
    method: 'DELETE',
    summary: 'Unpin a message.',
    answer: pinAnswer,
    errors: pinInChannelErrors,
    audit: [messageUnpin],
  },
  pinMessage: {
    method: 'POST',
    path: '/api/messages/:id/pin',
    params: { id },
    summary: 'Pin a message.',
    answer: pinAnswer,
    errors: [...pinErrors, 'PIN_LIMIT'],
    audit: [messagePin],
  },
  unpinMessage: {
    method: 'DELETE',
    path: '/api/messages/:id/pin',
    params: { id },
    summary: 'Unpin a message.',
    answer: pinAnswer,
    errors: pinErrors,
    audit: [messageUnpin],
  },
});

const messageAck = z.object({ message: messageSchema });

export const messageClientEvents = clientEvents(tag, {
  'message:send': {
    summary: 'Send a message; the ack comes when it is committed.',
    payload: sendMessageEventSchema,
    ack: messageAck,
    errors: sendErrors,
    limit: 'messages',
    lane: { by: 'channelId', beside: true },
  },
  'message:edit': {
    summary: 'Edit a message of your own.',
    payload: editMessageEventSchema,
    ack: messageAck,
    errors: editErrors,
    limit: 'events',
    lane: { by: 'messageId' },
  },
  'message:delete': {
    summary: 'Delete a message: your own, that of a bot of yours, or as a moderator that of others.',
    payload: z.object({ messageId: idSchema }),
    ack: z.object({ message: messageDeleted.payload }),
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'TIMED_OUT'],
    limit: 'events',
    lane: { by: 'messageId' },
  },
  'message:typing': {
    summary: 'Show others that you are typing (repeat every 3 seconds meanwhile), or that you have stopped.',
    payload: typingSchema,
    ack: z.object({}),
    errors: placeErrors,
    limit: 'events',
    lane: { by: 'channelId' },
  },
});
