import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { durableEvent } from './event.ts';
import { updatedSchema } from './notification.ts';
import { markReadSchema } from './read-state.ts';
import { idSchema, limitSchema, omittable, record, timeSchema } from './schema.ts';
import { threadSchema } from './thread.ts';

/** How many unread replies of a thread are counted at most. */
export const mostUnreadReplies = 100;
/** How many threads with unread replies are listed, and counted, at most. */
export const mostUnreadThreads = 100;

export const followStates = ['following', 'muted', 'none'] as const;
export type FollowState = (typeof followStates)[number];

export const threadStateSchema = record('ThreadState', {
  threadId: idSchema,
  channelId: idSchema,
  serverId: idSchema.nullable(),
  state: z
    .enum(followStates)
    .describe('`following`: you are notified of replies. `muted`: of nothing in it. `none`: you do not follow it.'),
  lastReadSeq: z.number().int().describe("How far you have read it, as a number of the channel's log."),
  lastSeq: z.number().int().describe('Number of the last reply; 0: there is none.'),
  unreadCount: z
    .number()
    .int()
    .describe(`Replies of others after \`lastReadSeq\`; up to ${mostUnreadReplies} are counted.`),
  lastMessageAt: timeSchema.nullable(),
});

/** The last reply of a thread, as far as a list shows it. */
const lastReplySchema = z.object({
  id: idSchema,
  seq: z.number().int(),
  author: smallUserSchema,
  content: z.string().describe('Cut at 200 characters.'),
  createdAt: timeSchema,
});

export const followedThreadSchema = record('FollowedThread', {
  ...threadStateSchema.shape,
  thread: threadSchema,
  channelName: z.string().describe('In a direct message the name of the other person.'),
  lastReply: lastReplySchema.nullable(),
});

export const inboxSchema = record('ThreadInbox', {
  threads: z.array(followedThreadSchema),
  unreadThreads: z
    .number()
    .int()
    .describe(`How many of all that you follow have unread replies; up to ${mostUnreadThreads} are counted.`),
  cursor: z.string().nullable().describe('For the next page; null: there is none.'),
});

export const listFollowedSchema = z.object({
  state: z.enum(['following', 'muted']).default('following').describe('`muted`: those that you have muted instead.'),
  limit: limitSchema(50, 30),
  cursor: z.string().max(100).optional().describe('`cursor` of the page before.'),
});

export const followSchema = z.object({
  muted: omittable(z.boolean()).describe('Whether it is muted from now on; by default it is not.'),
});

export const unreadThreadSchema = threadStateSchema.extend({ parentMessageId: idSchema }).meta({ id: 'UnreadThread' });

/** Where reading stands after a message was marked as unread. */
export const unreadFromSchema = z.object({
  channelId: idSchema,
  threadId: idSchema.nullable().describe('The thread that the message is in; null: it is in the channel itself.'),
  lastReadSeq: z.number().int(),
  unreadCount: z.number().int(),
});

export const threadState = durableEvent({
  name: 'thread:state',
  summary:
    'A thread that you follow has new replies, or you have read, followed, left or muted one, on this or another device.',
  room: 'user',
  payload: threadStateSchema.extend({
    back: z.boolean().optional().describe('You marked replies as unread: `lastReadSeq` has gone back.'),
  }),
});

const id = uuidParam('THREAD_NOT_FOUND', 'Id of the thread.');
const stateErrors = ['THREAD_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'] as const;
const readErrors = [...stateErrors, 'MESSAGE_NOT_FOUND'] as const;
const unreadErrors = ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'] as const;

export const followCalls = calls('Threads', {
  listFollowedThreads: {
    method: 'GET',
    path: '/api/threads',
    summary: 'The threads that you follow: those with unread replies first, then by their last reply, newest first.',
    query: listFollowedSchema,
    answer: inboxSchema,
    errors: ['INVALID_CURSOR', 'FORBIDDEN'],
  },
  listUnreadThreads: {
    method: 'GET',
    path: '/api/channels/:channelId/threads/unread',
    summary: 'The threads of a channel with replies that you have not read, whether you follow them or not.',
    params: { channelId: channelParam },
    answer: z.array(unreadThreadSchema),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
  },
  getThreadState: {
    method: 'GET',
    path: '/api/threads/:id/state',
    summary: 'Whether you follow a thread, and how far you have read it.',
    params: { id },
    answer: threadStateSchema,
    errors: stateErrors,
  },
  followThread: {
    method: 'PUT',
    path: '/api/threads/:id/follow',
    summary: 'Follow a thread, or mute it. What was said in it before counts as read if you did not follow it.',
    params: { id },
    body: followSchema,
    answer: threadStateSchema,
    errors: stateErrors,
  },
  unfollowThread: {
    method: 'DELETE',
    path: '/api/threads/:id/follow',
    summary: 'Follow a thread no more, and end muting it. You follow it again once you write in it or are named.',
    params: { id },
    answer: threadStateSchema,
    errors: stateErrors,
  },
  markThreadRead: {
    method: 'PUT',
    path: '/api/threads/:id/read',
    summary: "Mark a thread as read up to a message or a number of its channel's log, with its notifications.",
    params: { id },
    body: markReadSchema,
    answer: threadStateSchema,
    errors: readErrors,
  },
  markAllThreadsRead: {
    method: 'POST',
    path: '/api/threads/read-all',
    summary: 'Mark all threads that you follow as read, with their notifications.',
    answer: updatedSchema,
    errors: ['FORBIDDEN'],
  },
  markUnread: {
    method: 'POST',
    path: '/api/messages/:id/unread',
    summary: 'Mark a message and all after it as unread, in its channel, or in its thread if it is in one.',
    params: { id: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.') },
    answer: unreadFromSchema,
    errors: unreadErrors,
  },
});

const onThread = z.object({ threadId: idSchema });

export const followClientEvents = clientEvents('Threads', {
  'thread:read': {
    summary: "Mark a thread as read up to a message or a number of its channel's log, with its notifications.",
    payload: markReadSchema.safeExtend({ threadId: idSchema }),
    ack: threadStateSchema,
    errors: readErrors,
    limit: 'events',
    lane: { by: 'threadId' },
  },
  'thread:follow': {
    summary: 'Follow a thread, or mute it.',
    payload: onThread.extend(followSchema.shape),
    ack: threadStateSchema,
    errors: stateErrors,
    limit: 'events',
    lane: { by: 'threadId' },
  },
  'thread:unfollow': {
    summary: 'Follow a thread no more, and end muting it.',
    payload: onThread,
    ack: threadStateSchema,
    errors: stateErrors,
    limit: 'events',
    lane: { by: 'threadId' },
  },
  'message:unread': {
    summary: 'Mark a message and all after it as unread, in its channel, or in its thread if it is in one.',
    payload: z.object({ messageId: idSchema }),
    ack: unreadFromSchema,
    errors: unreadErrors,
    limit: 'events',
    lane: { by: 'messageId' },
  },
});
