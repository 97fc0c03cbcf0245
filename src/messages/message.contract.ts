import { z } from 'zod';
import { smallUserSchema } from '../accounts/account.contract.ts';
import { durableEvent } from '../delivery/event.ts';
import { idSchema, jsonObjectSchema, limitSchema, record, textSchema, timeSchema } from '../schema.ts';

export const maxContent = 16_000;
const maxMetadataBytes = 32 * 1024;

export const replyPreviewSchema = record('ReplyPreview', {
  id: idSchema,
  authorId: idSchema,
  content: z.string().describe('Cut at 200 characters.'),
  deleted: z.boolean(),
});

export const messageSchema = record('Message', {
  id: idSchema,
  channelId: idSchema,
  dmChannelId: idSchema.optional().describe('The channel again, in DMs only.'),
  seq: z.number().int().describe("Number of its message:new in the channel's log."),
  content: z.string(),
  authorId: idSchema,
  author: smallUserSchema,
  threadId: idSchema.nullable(),
  replyToId: idSchema.nullable(),
  replyTo: replyPreviewSchema.nullable(),
  thread: z.null(),
  attachments: z.array(z.never()),
  reactions: z.array(z.never()),
  mentions: z.array(z.never()),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  nonce: z.string().nullable().optional().describe('For the author, as sent.'),
  isEdited: z.boolean(),
  isPinned: z.boolean(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

const contentSchema = textSchema(maxContent, z.string().min(1, 'must not be empty')).refine(
  (text) => text.trim() !== '',
  'must not be white space only',
);

const metadataSchema = jsonObjectSchema(maxMetadataBytes);

/** In UTF-16 units. */
export const maxNonce = 64;
export const nonceSchema = textSchema(maxNonce, z.string().min(1));

export const sendMessageSchema = z.object({
  content: contentSchema,
  threadId: idSchema.nullish(),
  replyToId: idSchema.nullish(),
  metadata: metadataSchema.nullish(),
  nonce: nonceSchema.nullish(),
});

export const sendMessageEventSchema = sendMessageSchema.extend({ channelId: idSchema });

export const editMessageSchema = z.object({ content: contentSchema });

export const listMessagesSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: z.string().max(64).optional().describe('Id of the last message of the page before, or an ISO time.'),
  after: z.string().max(64).optional().describe('Id or seq: strictly newer messages, oldest first.'),
  around: idSchema.optional().describe('Id of a message to show with its neighbours.'),
  include: z.enum(['threads']).optional().describe('`threads`: those in threads too.'),
});

export const messagePageSchema = record('MessagePage', {
  messages: z.array(messageSchema),
  hasMore: z.boolean(),
  hasNewer: z.boolean().optional().describe('With `around` only.'),
});

const eventSeq = { eventSeq: z.number().int().optional() };

export const messageNew = durableEvent({
  name: 'message:new',
  summary: 'A message was sent.',
  room: 'channel',
  payload: messageSchema.extend(eventSeq),
});

export const messageUpdated = durableEvent({
  name: 'message:updated',
  summary: 'A message was edited.',
  room: 'channel',
  payload: messageSchema.extend(eventSeq),
});

export const messageDeleted = durableEvent({
  name: 'message:deleted',
  summary: 'A message was deleted.',
  room: 'channel',
  payload: z.object({ id: idSchema, channelId: idSchema, seq: z.number().int(), ...eventSeq }),
});
