import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { channelSchema } from './channel.ts';
import { durableEvent } from './event.ts';
import { messageSchema, sendMessageSchema } from './message.ts';
import { ownMessages, sendErrors } from './message-calls.ts';
import { unreadSchema, unreadThreadsSchema } from './read-state.ts';
import { idSchema, limitSchema } from './schema.ts';

/** A DM channel as one of its two people sees it. */
export const dmChannelSchema = channelSchema.extend({
  userAId: idSchema,
  userBId: idSchema,
  otherUser: smallUserSchema,
  lastMessagePreview: z.string().nullable().describe('Of the newest message, cut at 200 characters.'),
  isMember: z.boolean(),
  lastReadSeq: z.number().int(),
  unreadCount: unreadSchema,
  unreadThreads: unreadThreadsSchema,
});

export const openDmSchema = z.object({ userId: idSchema });

export const listDmMessagesSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: z.string().max(64).optional().describe('Id of the last message of the page before, or an ISO time.'),
  after: z.string().max(64).optional().describe('Id or seq: strictly newer messages, oldest first.'),
});

export const dmCreated = durableEvent({
  name: 'dm:created',
  summary:
    'A DM channel was opened, by you or with you, or one unused for long is in use again. Its events come without joining.',
  room: 'user',
  payload: dmChannelSchema.extend({
    since: z.number().int().describe("Position in the channel's log from which its events follow by themselves."),
  }),
});

const id = uuidParam('CHANNEL_NOT_FOUND', 'Id of the DM channel.');

/** The calls' path, and its alias, under which all of them are served too (contract §7). */
export const dmPath = { usual: '/api/dm/channels', other: '/api/channels/dm' };

export const directCalls = calls('Direct messages', {
  openDm: {
    method: 'POST',
    path: '/api/dm/channels',
    summary: 'The DM channel with someone: a new one (201), or the existing one (200).',
    body: openDmSchema,
    status: 201,
    mayExist: true,
    answer: dmChannelSchema,
    errors: ['OWN_USER', 'USER_NOT_FOUND', 'USER_BLOCKED', 'FORBIDDEN'],
  },
  listDms: {
    method: 'GET',
    path: '/api/dm/channels',
    summary: 'Your DM channels, most recently used first.',
    answer: z.array(dmChannelSchema),
  },
  listDmMessages: {
    method: 'GET',
    path: '/api/dm/channels/:id/messages',
    summary: 'Messages of a DM, newest first; with `after` oldest first. `X-Has-More` says whether there are more.',
    params: { id },
    query: listDmMessagesSchema,
    paged: true,
    answer: z.array(messageSchema),
    errors: ['CHANNEL_NOT_FOUND', 'FORBIDDEN', 'INVALID_CURSOR'],
  },
  sendDm: {
    method: 'POST',
    path: '/api/dm/channels/:id/messages',
    summary: 'Send a DM. A repeat with the same nonce or Idempotency-Key gives the first one again.',
    params: { id },
    body: sendMessageSchema,
    status: 201,
    answer: messageSchema,
    errors: sendErrors,
    limit: 'messages',
    audit: ownMessages,
  },
});
