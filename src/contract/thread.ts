import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { durableEvent } from './event.ts';
import { logPageSchema } from './events.ts';
import { listMessagesSchema, messageSchema, threadMessageSchema } from './message.ts';
import { ownMessages, sendErrors } from './message-calls.ts';
import { doneSchema, idSchema, limitSchema, nameSchema, objectOrId, omittable, record, timeSchema } from './schema.ts';

export const threadSchema = record('Thread', {
  id: idSchema,
  channelId: idSchema,
  name: z.string(),
  parentMessageId: idSchema,
  creatorId: idSchema,
  isArchived: z.boolean(),
  messageCount: z
    .number()
    .int()
    .describe(
      'Messages in the thread, without the one that it starts from. It grows and shrinks with the `message:new` and ' +
        '`message:deleted` that have its `threadId`; no event tells it alone.',
    ),
  lastMessageAt: timeSchema.nullable().describe('When the last message was sent, also if it was deleted since.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const createThreadSchema = z.object({ name: nameSchema(100), parentMessageId: idSchema });

export const startThreadSchema = z.object({ name: nameSchema(100).nullish() });

export const updateThreadSchema = z.object({
  name: nameSchema(100).optional(),
  isArchived: z.boolean().optional().describe('Nothing can be sent to an archived thread.'),
});

export const listThreadsSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: idSchema.optional().describe('Id of the last thread of the page before.'),
});

export const threadIdSchema = objectOrId('threadId', {
  threadId: idSchema,
  after: omittable(z.number().int().min(0)),
});

export const threadCreated = durableEvent({
  name: 'thread:created',
  summary: 'A thread was started from a message.',
  room: 'channel',
  payload: threadSchema,
});

export const threadUpdated = durableEvent({
  name: 'thread:updated',
  summary: 'A thread was renamed or archived. Its messages come as message:new and message:deleted.',
  room: 'channel',
  payload: threadSchema,
});

export const threadDeleted = durableEvent({
  name: 'thread:deleted',
  summary: 'A thread was deleted, and all messages in it.',
  room: 'channel',
  payload: z.object({ id: idSchema, channelId: idSchema, parentMessageId: idSchema }),
});

const id = uuidParam('THREAD_NOT_FOUND', 'Id of the thread.');
const startErrors = [
  'MESSAGE_NOT_FOUND',
  'NOT_A_MEMBER',
  'CHANNEL_ARCHIVED',
  'ROLE_REQUIRED',
  'THREAD_IN_THREAD',
  'MESSAGE_REFUSED',
] as const;

export const threadUpdate = auditAction({
  name: 'thread.update',
  summary: 'A thread of someone else was renamed or archived.',
  fields: ['name', 'isArchived'],
});

export const threadDelete = auditAction({
  name: 'thread.delete',
  summary: 'A thread of someone else was deleted.',
  fields: ['creatorId', 'messageCount'],
});

export const threadCalls = calls('Threads', {
  createThread: {
    method: 'POST',
    path: '/api/channels/:channelId/threads',
    summary: 'Start a thread from a message; if it has one, that is the answer (200).',
    params: { channelId: channelParam },
    body: createThreadSchema,
    status: 201,
    mayExist: true,
    answer: threadSchema,
    errors: [...startErrors, 'CHANNEL_NOT_FOUND', 'WRONG_CHANNEL'],
    audit: ownMessages,
  },
  startThread: {
    method: 'POST',
    path: '/api/messages/:id/thread',
    summary: 'The thread of a message, created if there is none.',
    params: { id: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.') },
    body: startThreadSchema,
    status: 201,
    mayExist: true,
    answer: threadSchema,
    errors: startErrors,
    audit: ownMessages,
  },
  listThreads: {
    method: 'GET',
    path: '/api/channels/:channelId/threads',
    summary: 'The threads of a channel, newest first.',
    params: { channelId: channelParam },
    query: listThreadsSchema,
    paged: true,
    answer: z.array(threadSchema),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  getThread: {
    method: 'GET',
    path: '/api/threads/:id',
    summary: 'A thread.',
    params: { id },
    answer: threadSchema,
    errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  updateThread: {
    method: 'PATCH',
    path: '/api/threads/:id',
    summary: 'Rename or archive a thread; for the one who started it and moderators.',
    params: { id },
    body: updateThreadSchema,
    answer: threadSchema,
    errors: [
      'THREAD_NOT_FOUND',
      'NOT_A_MEMBER',
      'ROLE_REQUIRED',
      'FORBIDDEN',
      'CHANNEL_ARCHIVED',
      'BLOCKED',
      'USER_BLOCKED',
      'MESSAGE_REFUSED',
    ],
    audit: [threadUpdate],
  },
  deleteThread: {
    method: 'DELETE',
    path: '/api/threads/:id',
    summary:
      'Delete a thread and its messages; for moderators, and for the one who started it while nothing of anyone else is in it.',
    params: { id },
    answer: doneSchema,
    errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'TIMED_OUT'],
    audit: [threadDelete],
  },
  listThreadMessages: {
    method: 'GET',
    path: '/api/threads/:id/messages',
    summary:
      'The messages of a thread, newest first; with `after` oldest first. X-Has-More says whether there are more.',
    params: { id },
    query: listMessagesSchema.omit({ around: true, include: true }),
    paged: true,
    answer: z.array(messageSchema),
    errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR'],
  },
  sendThreadMessage: {
    method: 'POST',
    path: '/api/threads/:id/messages',
    summary: 'Send a message to a thread.',
    params: { id },
    body: threadMessageSchema,
    status: 201,
    answer: messageSchema,
    errors: sendErrors,
    limit: 'messages',
    rehearsed: true,
    audit: ownMessages,
  },
});

export const threadClientEvents = clientEvents('Rooms', {
  'thread:join': {
    summary:
      "Enter a thread's room, to get only its events, not those of the rest of the channel. Numbers are those of the channel's log.",
    payload: threadIdSchema,
    ack: logPageSchema.extend({ threadId: idSchema, channelId: idSchema }),
    errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER'],
    limit: 'joins',
    lane: { by: 'threadId' },
    readOnly: true,
  },
  'thread:leave': {
    summary: "Leave a thread's room.",
    payload: threadIdSchema,
    ack: z.object({}),
    limit: 'joins',
    lane: { by: 'threadId' },
    readOnly: true,
  },
});
