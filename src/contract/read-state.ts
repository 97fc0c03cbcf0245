import { z } from 'zod';
import { durableEvent } from './event.ts';
import { idSchema, omittable } from './schema.ts';

/** The highest count: nobody needs a larger number, and counting all would take longer with each message. */
export const mostUnread = 1000;

export const unreadSchema = z
  .number()
  .int()
  .describe(`Messages of others after \`lastReadSeq\`, without those in threads; up to ${mostUnread} are counted.`);

export const unreadThreadsSchema = z
  .number()
  .int()
  .describe('Threads with replies after both `lastReadSeq` and what you have read in them; up to 100 are counted.');

export const markReadSchema = z
  .object({
    messageId: omittable(idSchema),
    seq: omittable(z.number().int().min(0)),
    knownSeq: omittable(z.number().int().min(0)).describe(
      '`lastReadSeq` as the device knows it. Where it is lower by now, something was marked as unread since, and stays so.',
    ),
  })
  .refine((body) => body.messageId !== undefined || body.seq !== undefined, {
    path: ['seq'],
    message: 'must be given, or messageId',
  });

export const readStateSchema = z.object({
  channelId: idSchema,
  lastReadSeq: z.number().int(),
  unreadCount: unreadSchema,
});

export const channelRead = durableEvent({
  name: 'channel:read',
  summary: 'You have read a channel up to here, on this or another device.',
  room: 'user',
  payload: readStateSchema.extend({
    back: z.boolean().optional().describe('You marked messages as unread: `lastReadSeq` has gone back.'),
  }),
});
