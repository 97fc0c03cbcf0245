import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import { durableEvent, ephemeralEvent } from './event.ts';
import { maxContent, messageSchema } from './message.ts';
import { ownMessages, sendErrors } from './message-calls.ts';
import {
  doneSchema,
  idExample,
  idSchema,
  numberSchema,
  omittable,
  record,
  textSchema,
  timeSchema,
  withDefault,
} from './schema.ts';

const maxDeltaBytes = 4 * 1024;
/** Why a reply in progress ended before its end. */
const endReasons = ['stopped', 'abandoned', 'refused', 'cut'] as const;
export type EndReason = (typeof endReasons)[number];
export const streamIdSchema = textSchema(64, z.string().min(1));

const streamId = streamIdSchema.describe(
  "The bot's own name for this reply: the same for all its pieces, another one for each reply. `done` under a name that was used within 24 hours gives the message that came of it then.",
);
const offset = omittable(z.int().min(0)).describe(
  'Where the delta stands in the reply, in UTF-16 units; what was there from here on is replaced, so a piece may be said again. 0 begins anew; a number beyond what arrived means that something is missing, and only the whole ends it.',
);

const pieceSchema = z.object({
  streamId,
  delta: withDefault(
    z.string().refine((text) => Buffer.byteLength(text) <= maxDeltaBytes, 'must have at most 4 KiB'),
    '',
  ).describe('What comes next.'),
  offset,
  done: withDefault(z.boolean(), false).describe('This was the last piece: the whole becomes a message.'),
  content: omittable(textSchema(maxContent)).describe(
    'With `done`: the whole text, for a bot that came back and does not know which pieces arrived.',
  ),
  replyToId: idSchema.nullish(),
  threadId: idSchema.nullish(),
});

const isWhole = ({ done, content }: { done: boolean; content?: string | undefined }) => done || content === undefined;
const wholeOnly = { path: ['content'], message: 'may be given with `done` alone' };
const piece = { streamId: 'reply-1', delta: 'Hello ', offset: 0 };

/** A piece of a reply in progress. */
export const streamSchema = pieceSchema
  .extend({ channelId: idSchema })
  .refine(isWhole, wholeOnly)
  .meta({ example: { channelId: idExample, ...piece } });

/** The same in a channel's address; none where the body is text. */
const streamBodySchema = pieceSchema.refine(isWhole, wholeOnly).meta({ example: piece }).optional();

/** Of a reply whose text is the body. */
const streamQuerySchema = z.object({
  streamId: omittable(streamIdSchema).describe(
    "With a body of text, and required then: the bot's name for this reply.",
  ),
  offset: numberSchema(z.int().min(0)).optional().describe('With a body of text: where it continues the reply.'),
  replyToId: omittable(idSchema),
  threadId: omittable(idSchema),
});

export const streamAckSchema = z.object({ message: messageSchema.optional().describe('With `done`.') });

export const messageStream = ephemeralEvent({
  name: 'message:stream',
  summary: 'A bot is streaming a reply: its next piece, or its end. Pieces are not stored; the message follows.',
  room: 'channel',
  payload: z.object({
    channelId: idSchema,
    threadId: idSchema.nullable(),
    streamId: streamIdSchema,
    userId: idSchema,
    author: smallUserSchema.optional(),
    delta: z.string().optional(),
    offset: z
      .int()
      .optional()
      .describe('How much of the reply came before the delta, in UTF-16 units: more than was heard means a gap.'),
    replyToId: idSchema.nullable().optional(),
    done: z.boolean(),
    soFar: z
      .boolean()
      .optional()
      .describe('Sent to one connection that has just come: the delta is all of the text up to now, from offset 0.'),
    startedAt: timeSchema.optional().describe('With `soFar`.'),
    aborted: z.boolean().optional().describe('With `done`: nothing comes of it.'),
    reason: z
      .enum(endReasons)
      .optional()
      .describe(
        'Why it ended before its end. `stopped`: someone stopped it; `abandoned`: it was not continued, or its node died; `refused`: the bot may not say it; `cut`: what made it failed.',
      ),
    stoppedBy: idSchema.optional().describe('With `stopped`.'),
    messageId: idSchema.optional().describe('With `done`: the message it has become.'),
  }),
});

export const streamStopped = durableEvent({
  name: 'message:stream-stopped',
  summary: 'For the bot: someone stopped a reply of yours. It has ended with the text so far; stop making it.',
  room: 'user',
  payload: z.object({
    channelId: idSchema,
    threadId: idSchema.nullable(),
    streamId: streamIdSchema,
    replyToId: idSchema.nullable(),
    stoppedBy: smallUserSchema,
  }),
});

/** A reply in progress, as far as it goes. */
const openStreamSchema = record('OpenStream', {
  channelId: idSchema,
  threadId: idSchema.nullable(),
  streamId: streamIdSchema,
  userId: idSchema,
  author: smallUserSchema,
  replyToId: idSchema.nullable(),
  content: z.string().describe('The text so far.'),
  length: z.int().describe('How much of it arrived, in UTF-16 units: where its bot continues.'),
  startedAt: timeSchema,
});

export type OpenStreamRecord = z.output<typeof openStreamSchema>;

const stopSchema = z
  .object({ userId: idSchema.describe('The bot that is writing.'), streamId: streamIdSchema })
  .meta({ example: { userId: idExample, streamId: 'reply-1' } });

const stopErrors = [
  'CHANNEL_NOT_FOUND',
  'NOT_A_MEMBER',
  'CHANNEL_ARCHIVED',
  'ROLE_REQUIRED',
  'FORBIDDEN',
  'STREAM_NOT_FOUND',
] as const;
export const streamErrors = [...sendErrors, 'STREAM_LIMIT', 'STREAM_BROKEN', 'STREAM_STOPPED'] as const;

const tag = 'Agents';
const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');

export const streamCalls = calls(tag, {
  streamReply: {
    method: 'POST',
    path: '/api/channels/:channelId/streams',
    summary:
      'Stream a reply; for bots. As JSON one piece, with `done` the last. As text/plain the body is the reply: it is shown as it arrives, and its end makes the message.',
    params: { channelId },
    query: streamQuerySchema,
    body: streamBodySchema,
    orText: true,
    answer: z.object({
      streamId: streamIdSchema,
      length: z.int().describe('How much of the reply arrived, in UTF-16 units: where to continue.'),
      message: messageSchema.optional().describe('At its end.'),
    }),
    status: 200,
    errors: streamErrors,
    limit: 'deltas',
    repeats: 'never',
    audit: ownMessages,
  },
  listStreams: {
    method: 'GET',
    path: '/api/channels/:channelId/streams',
    summary: 'The replies in progress in a channel, with their text so far; for a bot its own.',
    areas: ['messages'],
    params: { channelId },
    answer: z.object({ streams: z.array(openStreamSchema) }),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
  },
  stopStream: {
    method: 'POST',
    path: '/api/channels/:channelId/streams/stop',
    summary:
      'Stop a reply in progress, for everyone who may write there: its text so far becomes the message, and its bot is told.',
    areas: ['messages'],
    params: { channelId },
    body: stopSchema,
    answer: doneSchema,
    status: 200,
    errors: stopErrors,
    repeats: 'never',
    audit: ownMessages,
  },
});

export const streamClientEvents = clientEvents(tag, {
  'message:stream': {
    summary: 'Stream a reply; for bots. With `done` it becomes a message.',
    payload: streamSchema,
    ack: streamAckSchema,
    errors: streamErrors,
    limit: 'deltas',
    lane: { by: 'channelId' },
  },
  'message:stream-stop': {
    summary: 'Stop a reply in progress.',
    payload: stopSchema.extend({ channelId: idSchema }),
    ack: z.object({}),
    errors: stopErrors,
    limit: 'events',
    areas: ['messages'],
  },
});
