import { z } from 'zod';
import { dmChannelSchema, listDmMessagesSchema, openDmSchema } from '../../contract/direct.ts';
import { messageSchema, sendMessageSchema } from '../../contract/message.ts';
import { pageReply, Reply, type Route, route, uuidParam } from '../../rest/route.ts';
import { sendErrors, sentFirst, sentMessage } from '../messages/message.routes.ts';
import type { DirectService } from './direct.service.ts';

const tag = 'Direct messages';
const id = uuidParam('CHANNEL_NOT_FOUND', 'Id of the DM channel.');

/** Under both spellings (contract §7). */
export function directRoutes(direct: DirectService): Route[] {
  return ['/api/dm/channels', '/api/channels/dm'].flatMap((base) => [
    ...channelRoutes(base, direct),
    ...messageRoutes(base, direct),
  ]);
}

function channelRoutes(base: string, direct: DirectService): Route[] {
  return [
    route({
      method: 'POST',
      path: base,
      summary: 'The DM channel with someone: a new one (201), or the existing one (200).',
      tag,
      auth: 'required',
      body: openDmSchema,
      status: 201,
      mayExist: true,
      answer: dmChannelSchema,
      errors: ['OWN_USER', 'USER_NOT_FOUND', 'USER_BLOCKED'],
      async handle({ actor, body }) {
        const { dm, created } = await direct.open(actor, body.userId);
        return new Reply(dm, { status: created ? 201 : 200 });
      },
    }),
    route({
      method: 'GET',
      path: base,
      summary: 'Your DM channels, most recently used first.',
      tag,
      auth: 'required',
      answer: z.array(dmChannelSchema),
      handle: ({ actor }) => direct.list(actor),
    }),
  ];
}

function messageRoutes(base: string, direct: DirectService): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/:id/messages`,
      summary: 'Messages of a DM, newest first; with `after` oldest first. `X-Has-More` says whether there are more.',
      tag,
      auth: 'required',
      params: { id },
      query: listDmMessagesSchema,
      paged: true,
      answer: z.array(messageSchema),
      errors: ['CHANNEL_NOT_FOUND', 'FORBIDDEN', 'INVALID_CURSOR'],
      async handle({ actor, params, query }) {
        const { messages, hasMore } = await direct.messagesOf(actor, params.id, query);
        return pageReply({ records: messages, hasMore });
      },
    }),
    route({
      method: 'POST',
      path: `${base}/:id/messages`,
      summary: 'Send a DM. A repeat with the same nonce or Idempotency-Key gives the first one again.',
      tag,
      auth: 'required',
      params: { id },
      body: sendMessageSchema,
      status: 201,
      answer: messageSchema,
      errors: [...sendErrors],
      limit: 'messages',
      repeats: ({ actor, params, idempotencyKey }) => sentFirst(direct.sentWith(actor, params.id, idempotencyKey)),
      handle: async ({ actor, params, body, idempotencyKey }) =>
        sentMessage(await direct.send(actor, params.id, body, idempotencyKey), idempotencyKey),
    }),
  ];
}
