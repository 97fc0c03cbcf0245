import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { clientEvents } from './call.ts';
import { ephemeralEvent } from './event.ts';
import { maxContent, messageSchema } from './message.ts';
import { sendErrors } from './message-calls.ts';
import { idExample, idSchema, omittable, textSchema, withDefault } from './schema.ts';

const maxDeltaBytes = 4 * 1024;
const streamIdSchema = textSchema(64, z.string().min(1));

/** A piece of a reply in progress. */
export const streamSchema = z
  .object({
    channelId: idSchema,
    streamId: streamIdSchema.describe(
      "The bot's own name for this reply: the same for all its pieces, another one for each reply. `done` under a name that was used within 24 hours gives the message that came of it then.",
    ),
    delta: withDefault(
      z.string().refine((text) => Buffer.byteLength(text) <= maxDeltaBytes, 'must have at most 4 KiB'),
      '',
    ).describe('What comes next.'),
    offset: omittable(z.int().min(0)).describe(
      'Where the delta stands in the reply, in UTF-16 units; what was there from here on is replaced, so a piece may be said again. 0 begins anew; a number beyond what arrived means that something is missing, and only the whole ends it.',
    ),
    done: withDefault(z.boolean(), false).describe('This was the last piece: the whole becomes a message.'),
    content: omittable(textSchema(maxContent)).describe(
      'With `done`: the whole text, for a bot that came back and does not know which pieces arrived.',
    ),
    replyToId: idSchema.nullish(),
    threadId: idSchema.nullish(),
  })
  .refine(({ done, content }) => done || content === undefined, {
    path: ['content'],
    message: 'may be given with `done` alone',
  })
  .meta({ example: { channelId: idExample, streamId: 'reply-1', delta: 'Hello ', offset: 0 } });

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
    aborted: z.boolean().optional().describe('With `done`: nothing comes of it.'),
    messageId: idSchema.optional().describe('With `done`: the message it has become.'),
  }),
});

export const streamClientEvents = clientEvents('Agents', {
  'message:stream': {
    summary: 'Stream a reply; for bots. With `done` it becomes a message.',
    payload: streamSchema,
    ack: streamAckSchema,
    errors: [...sendErrors, 'STREAM_LIMIT', 'STREAM_BROKEN'],
    limit: 'deltas',
    lane: { by: 'channelId' },
  },
});
