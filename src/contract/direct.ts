import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { channelSchema, unreadSchema } from './channel.ts';
import { durableEvent } from './event.ts';
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
