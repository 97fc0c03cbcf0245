import { z } from 'zod';
import { listMessagesSchema, messageSchema, threadMessageSchema } from '../../contract/message.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import {
  createThreadSchema,
  listThreadsSchema,
  startThreadSchema,
  threadSchema,
  updateThreadSchema,
} from '../../contract/thread.ts';
import { pageReply, Reply, type Route, route, uuidParam } from '../../rest/route.ts';
import { sendErrors, sentFirst, sentMessage } from '../messages/message.routes.ts';
import type { ThreadService } from './thread.service.ts';

const tag = 'Threads';
const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');
const id = uuidParam('THREAD_NOT_FOUND', 'Id of the thread.');
const startErrors = [
  'MESSAGE_NOT_FOUND',
  'NOT_A_MEMBER',
  'CHANNEL_ARCHIVED',
  'ROLE_REQUIRED',
  'THREAD_IN_THREAD',
] as const;

export function threadRoutes(threads: ThreadService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/channels/:channelId/threads',
      summary: 'Start a thread from a message; if it has one, that is the answer (200).',
      tag,
      auth: 'required',
      params: { channelId },
      body: createThreadSchema,
      status: 201,
      mayExist: true,
      answer: threadSchema,
      errors: [...startErrors, 'CHANNEL_NOT_FOUND', 'WRONG_CHANNEL'],
      async handle({ actor, params, body }) {
        const { result, repeated } = await threads.create(actor, params.channelId, body);
        return new Reply(result, { status: repeated ? 200 : 201 });
      },
    }),
    route({
      method: 'POST',
      path: '/api/messages/:id/thread',
      summary: 'The thread of a message, created if there is none.',
      tag,
      auth: 'required',
      params: { id: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.') },
      body: startThreadSchema,
      status: 201,
      mayExist: true,
      answer: threadSchema,
      errors: [...startErrors],
      async handle({ actor, params, body }) {
        const { result, repeated } = await threads.start(actor, params.id, body.name ?? null);
        return new Reply(result, { status: repeated ? 200 : 201 });
      },
    }),
    route({
      method: 'GET',
      path: '/api/channels/:channelId/threads',
      summary: 'The threads of a channel, newest first.',
      tag,
      auth: 'required',
      params: { channelId },
      query: listThreadsSchema,
      paged: true,
      answer: z.array(threadSchema),
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: async ({ actor, params, query }) => pageReply(await threads.list(actor, params.channelId, query)),
    }),
    ...oneThread(threads),
    ...messagesOfThread(threads),
  ];
}

function oneThread(threads: ThreadService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/threads/:id',
      summary: 'A thread.',
      tag,
      auth: 'required',
      params: { id },
      answer: threadSchema,
      errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => threads.get(actor, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/api/threads/:id',
      summary: 'Rename or archive a thread; for the one who started it and moderators.',
      tag,
      auth: 'required',
      params: { id },
      body: updateThreadSchema,
      answer: threadSchema,
      errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'CHANNEL_ARCHIVED', 'BLOCKED', 'USER_BLOCKED'],
      handle: ({ actor, params, body }) => threads.update(actor, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/api/threads/:id',
      summary:
        'Delete a thread and its messages; for moderators, and for the one who started it while nothing of anyone else is in it.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await threads.delete(actor, params.id);
        return done;
      },
    }),
  ];
}

function messagesOfThread(threads: ThreadService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/threads/:id/messages',
      summary:
        'The messages of a thread, newest first; with `after` oldest first. X-Has-More says whether there are more.',
      tag,
      auth: 'required',
      params: { id },
      query: listMessagesSchema.omit({ around: true, include: true }),
      paged: true,
      answer: z.array(messageSchema),
      errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR'],
      handle: async ({ actor, params, query }) => pageReply(await threads.listMessages(actor, params.id, query)),
    }),
    route({
      method: 'POST',
      path: '/api/threads/:id/messages',
      summary: 'Send a message to a thread.',
      tag,
      auth: 'required',
      params: { id },
      body: threadMessageSchema,
      status: 201,
      answer: messageSchema,
      errors: [...sendErrors],
      limit: 'messages',
      repeats: ({ actor, params, idempotencyKey }) => sentFirst(threads.sentWith(actor, params.id, idempotencyKey)),
      handle: async ({ actor, params, body, idempotencyKey }) =>
        sentMessage(await threads.send(actor, params.id, body, idempotencyKey), idempotencyKey),
    }),
  ];
}
