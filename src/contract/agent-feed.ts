import { z } from 'zod';
import { agentParam } from './agent.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { messageSchema } from './message.ts';
import { idSchema, limitSchema, record, seqSchema, timeSchema } from './schema.ts';

/** The most rooms that the state of a bot's feed lists. */
export const maxFeedRooms = 100;
/** How many messages of a channel are looked through for a page of what an answer was made from. */
export const maxLookedThrough = 5000;

const roomSchema = z
  .string()
  .regex(/^(channel|user):[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/, 'must be a room')
  .describe("`channel:<id>`, or `user:<id>` for the bot's own room.")
  .meta({ example: 'channel:019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d' });

/** How far one way of getting events has come in a room. */
const reachedSchema = z.object({
  seq: z.number().int().describe('The last event that the bot is known to have dealt with.'),
  lag: z.number().int().describe('Events of the room after that, also those that turn out not to be for the bot.'),
  at: timeSchema.nullable().describe('The last delivery, or the last poll.'),
});

const roomFeedSchema = record('BotFeedRoom', {
  room: roomSchema,
  head: z.number().int().describe("The number of the room's last event."),
  webhook: reachedSchema.nullable().describe('Null: the bot has no webhook, or it has not begun there.'),
  poll: reachedSchema.nullable().describe('Null: the bot has never polled there.'),
  replayAfter: z.number().int().nullable().describe('Its next poll is sent back to here.'),
  waitingSince: timeSchema
    .nullable()
    .describe('When the oldest event happened that the slower way has not dealt with.'),
});

const totalSchema = z.object({
  lag: z.number().int().describe('Events that wait, in all rooms.'),
  rooms: z.number().int().describe('Rooms with such.'),
});

export const botFeedSchema = record('BotFeed', {
  agentId: idSchema,
  webhook: totalSchema.nullable().describe('Null: the bot has no webhook.'),
  poll: totalSchema.nullable().describe('Null: the bot has never polled.'),
  rooms: z.array(roomFeedSchema).describe(`Those furthest behind first, at most ${maxFeedRooms}.`),
});

export const replaySchema = z
  .object({
    room: roomSchema.optional().describe('Without it all rooms that the bot is in; `at` says from when.'),
    after: seqSchema.optional().describe('From behind this number of the room on.'),
    at: timeSchema.optional().describe('From this time on, in place of `after`.'),
  })
  .refine(({ after, at }) => (after === undefined) !== (at === undefined), {
    path: ['after'],
    message: 'is needed, or `at` in its place',
  })
  .refine(({ room, after }) => after === undefined || room !== undefined, {
    path: ['room'],
    message: 'is needed beside `after`',
  })
  .meta({ example: { at: '2026-01-31T12:00:00.000Z' } });

export const replayAnswerSchema = z.object({
  ok: z.literal(true),
  rooms: z.number().int().describe('Rooms in which the bot is sent back.'),
});

/** A message as a bot had it, or has it today. */
const contextMessageSchema = messageSchema.extend({
  changedSince: z
    .boolean()
    .optional()
    .describe(
      'It was edited or deleted after the answer: its former text is kept nowhere. The present one is left out where the bot may no longer read it.',
    ),
});

export const answerContextSchema = record('AnswerContext', {
  messageId: idSchema,
  channelId: idSchema,
  answersTo: z.number().int(),
  hearing: z
    .enum(['all', 'own', 'commands', 'none'])
    .describe(
      'What the policy let the bot read when it answered: all, what concerned it, its commands alone, or nothing; its own messages always.',
    ),
  messages: z
    .array(contextMessageSchema)
    .describe('Up to the number that it answers, the newest first. It may be empty although there is more.'),
  hasMore: z.boolean(),
  before: z.number().int().nullable().describe('Where to go on from, if there is more.'),
});

export const answerContextQuery = z.object({
  limit: limitSchema(100, 50),
  before: seqSchema.optional().describe('The `before` of the page before, or the `seq` of its last message.'),
});

export const agentReplay = durableEvent({
  name: 'agent:replay',
  summary:
    'The owner of this bot asks it to read again: in one room, or in all. Polls and webhooks are sent back by themselves; a bot on sockets joins with `after`.',
  room: 'user',
  payload: z.object({
    agentId: idSchema,
    room: roomSchema.nullable().describe('Null: all rooms.'),
    after: z.number().int().nullable().describe('Null: see `at`, and `replayAfter` of the feed.'),
    at: timeSchema.nullable(),
  }),
});

const params = { id: agentParam };

export const agentFeedCalls = calls('Agents', {
  getAgentFeed: {
    method: 'GET',
    path: '/api/agents/:id/feed',
    summary: 'How far a bot is behind, by webhook and by polls; for its owner and the bot itself.',
    params,
    answer: botFeedSchema,
    errors: ['AGENT_NOT_FOUND'],
  },
  replayAgent: {
    method: 'POST',
    path: '/api/agents/:id/feed/replay',
    summary: 'Have a bot get events again, from a number of a room or from a time on; for its owner.',
    params,
    body: replaySchema,
    answer: replayAnswerSchema,
    errors: ['AGENT_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'FORBIDDEN'],
  },
  getAnswerContext: {
    method: 'GET',
    path: '/api/agents/:id/answers/:messageId/context',
    summary: 'What a bot could read when it wrote a message with `answersTo`; for its owner.',
    params: { id: agentParam, messageId: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message of the bot.') },
    query: answerContextQuery,
    answer: answerContextSchema,
    errors: ['AGENT_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'FORBIDDEN'],
    limit: 'search',
  },
});
