import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { channelItemSchema, channelSchema } from './channel.ts';
import { channelCreate } from './channel-actions.ts';
import { durableEvent } from './event.ts';
import { messageSchema, sendMessageSchema } from './message.ts';
import { ownMessages, sendErrors } from './message-calls.ts';
import { unreadSchema, unreadThreadsSchema } from './read-state.ts';
import { doneSchema, idExample, idSchema, limitSchema, nameSchema, omittable } from './schema.ts';

/** How many people a group has at most, with the one who opens it. */
export const mostInGroup = 11;

const stateSchema = z.object({
  lastMessagePreview: z.string().nullable().describe('Of the newest message, cut at 200 characters.'),
  isMember: z.boolean(),
  lastReadSeq: z.number().int(),
  unreadCount: unreadSchema,
  unreadThreads: unreadThreadsSchema,
});

const pairSchema = channelSchema.extend({
  kind: z.literal('dm'),
  userAId: idSchema,
  userBId: idSchema,
  otherUser: smallUserSchema,
  ...stateSchema.shape,
});

const groupSchema = channelSchema.extend({
  kind: z.literal('group'),
  members: z.array(smallUserSchema).describe('Everyone in it, you among them.'),
  ...stateSchema.shape,
});

/** A DM channel as one of its people sees it: of two people, or of a group. */
export const dmChannelSchema = z.discriminatedUnion('kind', [pairSchema, groupSchema]);

const groupNameSchema = nameSchema(100);

const othersSchema = (least: number) =>
  z
    .array(idSchema)
    .min(least)
    .max(mostInGroup - 1)
    .refine((ids) => new Set(ids).size === ids.length, 'must be different');

export const openDmSchema = z
  .object({
    userId: omittable(idSchema).describe('The other one of a DM.'),
    userIds: omittable(othersSchema(2)).describe('The 2 to 10 others of a group, in its place.'),
    name: omittable(groupNameSchema).describe('Of a new group.'),
  })
  .refine(({ userId, userIds }) => userId !== undefined || userIds !== undefined, {
    path: ['userId'],
    message: 'must be given, or userIds',
  })
  .refine(({ userId, userIds }) => userId === undefined || userIds === undefined, {
    path: ['userIds'],
    message: 'must not be given beside userId',
  })
  .meta({ example: { userId: idExample } });

export const addToDmSchema = z.object({ userIds: othersSchema(1), name: omittable(groupNameSchema) });

export const renameGroupSchema = z.object({ name: groupNameSchema.nullable().describe('Null: without a name.') });

export const turnGroupSchema = z.object({
  serverId: idSchema,
  name: groupNameSchema.describe('Of the channel.'),
});

export const listDmMessagesSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: z.string().max(64).optional().describe('Id of the last message of the page before, or an ISO time.'),
  after: z.string().max(64).optional().describe('Id or seq: strictly newer messages, oldest first.'),
});

const sinceSchema = z
  .number()
  .int()
  .describe("Position in the channel's log from which its events follow by themselves.");

export const dmCreated = durableEvent({
  name: 'dm:created',
  summary:
    'A DM channel was opened, by you or with you, or one unused for long is in use again. Its events come without joining.',
  room: 'user',
  payload: z.discriminatedUnion('kind', [
    pairSchema.extend({ since: sinceSchema }),
    groupSchema.extend({ since: sinceSchema }),
  ]),
});

const id = uuidParam('CHANNEL_NOT_FOUND', 'Id of the DM channel.');
const group = uuidParam('CHANNEL_NOT_FOUND', 'Id of the group.');

/** The calls' path, and its alias, under which all of them are served too (contract §7). */
export const dmPath = { usual: '/api/dm/channels', other: '/api/channels/dm' };

export const directCalls = calls('Direct messages', {
  openDm: {
    method: 'POST',
    path: '/api/dm/channels',
    summary: 'The DM channel with someone, or the group of several people: a new one (201), or the existing one (200).',
    body: openDmSchema,
    status: 201,
    mayExist: true,
    answer: dmChannelSchema,
    errors: ['OWN_USER', 'USER_NOT_FOUND', 'USER_BLOCKED', 'FORBIDDEN'],
  },
  listDms: {
    method: 'GET',
    path: '/api/dm/channels',
    summary: 'Your DM channels, groups among them, most recently used first.',
    answer: z.array(dmChannelSchema),
  },
  addToDm: {
    method: 'POST',
    path: '/api/dm/channels/:id/members',
    summary:
      'The group of everyone in a DM or group and of these people, which is another one: nobody gets to read what was written before.',
    params: { id },
    body: addToDmSchema,
    status: 201,
    mayExist: true,
    answer: dmChannelSchema,
    errors: ['CHANNEL_NOT_FOUND', 'OWN_USER', 'USER_NOT_FOUND', 'USER_BLOCKED', 'GROUP_LIMIT', 'FORBIDDEN'],
  },
  renameGroup: {
    method: 'PATCH',
    path: '/api/dm/channels/:id',
    summary: 'Name a group, or take its name away.',
    params: { id: group },
    body: renameGroupSchema,
    answer: dmChannelSchema,
    errors: ['CHANNEL_NOT_FOUND', 'FORBIDDEN'],
  },
  leaveGroup: {
    method: 'POST',
    path: '/api/dm/channels/:id/leave',
    summary: 'Leave a group, with your bots. What you wrote stays there.',
    params: { id: group },
    answer: doneSchema,
    errors: ['CHANNEL_NOT_FOUND', 'FORBIDDEN'],
  },
  turnGroup: {
    method: 'POST',
    path: '/api/dm/channels/:id/channel',
    summary:
      'Turn a group into a private channel of a server that everyone in it is a member of, with all that was written. Its bots leave.',
    params: { id: group },
    body: turnGroupSchema,
    answer: channelItemSchema,
    errors: [
      'CHANNEL_NOT_FOUND',
      'SERVER_NOT_FOUND',
      'NOT_A_MEMBER',
      'ROLE_REQUIRED',
      'NOT_IN_SERVER',
      'CHANNEL_LIMIT',
      'FORBIDDEN',
    ],
    areas: ['messages', 'servers'],
    audit: [channelCreate],
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
    rehearsed: true,
    audit: ownMessages,
  },
});
