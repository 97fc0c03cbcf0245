import { z } from 'zod';
import { calls, clientEvents, uuidParam } from './call.ts';
import { ephemeralEvent } from './event.ts';
import { errorSchema } from './schema/error-schema.ts';
import { idSchema, limitSchema, numberSchema, objectOrId, omittable, record, seqSchema } from './schema.ts';

/** A piece of a room's log: the common form of join acks and the log routes (contract §13, Delivery). */
export const logPageSchema = record('LogPage', {
  events: z.array(z.object({ seq: z.number().int(), event: z.string(), data: z.record(z.string(), z.unknown()) })),
  seq: z.number().int().describe('The position reached.'),
  recovered: z.boolean().describe('False: the log no longer reaches back to `after`; fetch the lists anew.'),
  hasMore: z.boolean(),
});

export const readLogSchema = z.object({
  after: seqSchema.optional().describe('The position you are at; without one you are told where the log is now.'),
  limit: limitSchema(500, 100),
  wait: numberSchema(z.number().min(0).max(25)).default(0).describe('Seconds to wait for the first event.'),
});

export const joinSchema = objectOrId('channelId', {
  channelId: idSchema,
  after: omittable(z.number().int().min(0)),
});
export const leaveSchema = objectOrId('channelId', { channelId: idSchema });

export const joinAckSchema = logPageSchema.extend({ channelId: idSchema });

export const ready = ephemeralEvent({
  name: 'ready',
  summary: 'You are connected and in your own room, at this position of its log.',
  room: 'socket',
  payload: z.object({ userId: idSchema, sessionId: idSchema.nullable(), seq: z.number().int() }),
});

/** A room without access, or without a position, is refused individually. */
const resumedRoomSchema = z.union([
  z.object({ seq: z.number().int(), recovered: z.boolean(), hasMore: z.boolean() }),
  errorSchema,
]);

export const resumed = ephemeralEvent({
  name: 'resumed',
  summary: 'Everything missed since the positions in `auth.resume` has been sent.',
  room: 'socket',
  payload: z.object({
    channels: z.record(idSchema, resumedRoomSchema),
    user: resumedRoomSchema.nullable().describe('Null: `resume` did not name it.'),
  }),
});

export const draining = ephemeralEvent({
  name: 'server:draining',
  summary: 'This node is about to stop; reconnect after this many milliseconds.',
  room: 'socket',
  payload: z.object({ reconnectInMs: z.number().int() }),
});

export const errorEvent = ephemeralEvent({
  name: 'error',
  summary: 'An event that you sent without asking for an ack failed.',
  room: 'socket',
  payload: errorSchema,
});

export const eventsCalls = calls('Events', {
  readChannelLog: {
    method: 'GET',
    path: '/api/channels/:id/events',
    summary: "A channel's events after a position, oldest first; with `wait` a long poll.",
    params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
    query: readLogSchema,
    answer: logPageSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  readOwnLog: {
    method: 'GET',
    path: '/api/events',
    summary: 'The events of your own room after a position, oldest first; with `wait` a long poll.',
    query: readLogSchema,
    answer: logPageSchema,
  },
});

export const roomClientEvents = clientEvents('Rooms', {
  'channel:join': {
    summary:
      "Enter a channel's room. With `after` the ack has what was missed since then; while it says hasMore, you are not in the room yet: join again from its seq.",
    payload: joinSchema,
    ack: joinAckSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
    limit: 'joins',
    lane: { by: 'channelId' },
    readOnly: true,
  },
  'channel:leave': {
    summary: "Leave a channel's room. Direct messages still arrive.",
    payload: leaveSchema,
    ack: z.object({}),
    limit: 'joins',
    lane: { by: 'channelId' },
    readOnly: true,
  },
});
