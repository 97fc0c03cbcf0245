import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { attachmentSchema, maxAttachments, sentAttachmentSchema } from './attachment.ts';
import { componentsSchema, sentComponentsSchema } from './component.ts';
import { durableEvent, ephemeralEvent } from './event.ts';
import { forwardedSchema } from './forwarded.ts';
import { linkPreviewSchema, maxPreviews } from './link-preview.ts';
import { maxMentions, mentionSchema } from './mention.ts';
import { newPollSchema, pollSchema } from './poll.ts';
import { reactionSchema } from './reaction.ts';
import {
  idExample,
  idSchema,
  jsonObjectSchema,
  limitSchema,
  record,
  textSchema,
  timeExample,
  timeSchema,
  withDefault,
} from './schema.ts';
import { threadSummarySchema } from './thread-summary.ts';
import { isBlank } from './unicode/visible.ts';

export const maxContent = 16_000;
export const maxMetadataBytes = 32 * 1024;
/** Most pins of a channel (contract §6). */
export const maxPins = 50;

const replyPreviewSchema = record('ReplyPreview', {
  id: idSchema,
  authorId: idSchema,
  content: z.string().describe('Cut at 200 characters.'),
  deleted: z.boolean(),
});

export const messageSchema = record('Message', {
  id: idSchema,
  channelId: idSchema,
  dmChannelId: idSchema.optional().describe('The same as `channelId`, in direct messages only.'),
  seq: z.number().int().describe("Number of its message:new in the channel's log."),
  content: z.string(),
  authorId: idSchema,
  author: smallUserSchema,
  threadId: idSchema.nullable(),
  replyToId: idSchema.nullable(),
  replyTo: replyPreviewSchema.nullable(),
  thread: threadSummarySchema.nullable().describe('The thread that starts from it.'),
  attachments: z.array(attachmentSchema),
  reactions: z.array(reactionSchema),
  mentions: z
    .array(mentionSchema)
    .describe(
      `All that the text mentions, at most ${maxMentions}; clients show these places as mentions, and no others.`,
    ),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  nonce: z.string().nullable().optional().describe('For the author, as sent.'),
  isEdited: z.boolean(),
  isPinned: z.boolean(),
  isDeleted: z
    .boolean()
    .optional()
    .describe(
      'Only where a deleted message is told of: it was sent before with the same nonce or Idempotency-Key, or its entry in the log is read. Nothing is left of its content; do not show it.',
    ),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  previews: z
    .array(linkPreviewSchema)
    .describe(
      `Of the pages that it links to, at most ${maxPreviews}. They come after the message, by a message:updated that is no edit.`,
    ),
  poll: pollSchema.optional().describe('Only of a message with a poll. Its counts are at most about a second behind.'),
  forwarded: forwardedSchema.optional().describe('What it forwards; `content` is a comment on that.'),
  components: componentsSchema
    .optional()
    .describe('Buttons, selects, forms and links of a bot; only of a message that has some.'),
  answersTo: z
    .number()
    .int()
    .optional()
    .describe('Of messages of bots that say so: up to which number of the log the bot had read when it wrote this.'),
});

export const contentSchema = textSchema(maxContent).refine(
  (text) => text === '' || !isBlank(text),
  'must not be white space only, nor other characters that nobody sees',
);

const metadataSchema = jsonObjectSchema(maxMetadataBytes);

/** In UTF-16 units. */
export const nonceSchema = textSchema(64, z.string().min(1));

export const attachmentsShape = {
  attachments: z
    .array(sentAttachmentSchema)
    .max(maxAttachments)
    .refine((ids) => new Set(ids).size === ids.length, 'must not name a file twice')
    .nullish()
    .describe('Uploads of your own: `{ id }`, or `{ url }` from the answer of the upload.'),
};

const newMessageSchema = z.object({
  content: withDefault(contentSchema, ''),
  ...attachmentsShape,
  threadId: idSchema.nullish(),
  replyToId: idSchema.nullish(),
  metadata: metadataSchema.nullish(),
  nonce: nonceSchema.nullish(),
  poll: newPollSchema.nullish().describe('A poll to send with it; it cannot be edited.'),
  forwardId: idSchema
    .nullish()
    .describe(
      'Id of a message that you may read, to forward with its files; `content` may then be empty, or a comment.',
    ),
  components: sentComponentsSchema.nullish().describe('Of bots alone: what people can press, choose, fill in, follow.'),
  ifHead: z
    .int()
    .min(0)
    .nullish()
    .describe(
      'Send it only if nobody has written in this conversation, the channel itself or the thread, after this number of the log; else HEAD_MOVED.',
    ),
  answersTo: z
    .int()
    .min(1)
    .nullish()
    .describe('For bots: up to which number of the log they had read what this was made from.'),
});

interface Substance {
  content: string;
  attachments?: string[] | null;
  poll?: object | null;
  forwardId?: string | null;
  components?: object | null;
}

/** A message has text, attachments, a poll or components, or forwards another. */
const isSubstantial = ({ content, attachments, poll, forwardId, components }: Substance) =>
  content !== '' || (attachments?.length ?? 0) > 0 || [poll, forwardId, components].some((part) => part != null);
const substance = { path: ['content'], message: 'must not be empty' };

/** A minimal one: the server would refuse an example with ids of other records if it is tried out unchanged. */
const example = { content: 'Hello @bob!', nonce: '5f2a9c7e' };

export const sendMessageSchema = newMessageSchema.refine(isSubstantial, substance).meta({ example });

export const sendMessageEventSchema = newMessageSchema
  .extend({ channelId: idSchema })
  .refine(isSubstantial, substance)
  .meta({ example: { channelId: idExample, ...example } });

/** A message that is to be sent at another time. What is forwarded is so at once, as its author reads it. */
export const messageAtSchema = (sendAt: typeof timeSchema) =>
  newMessageSchema
    .omit({ nonce: true, poll: true, forwardId: true, components: true, ifHead: true, answersTo: true })
    .extend({ sendAt })
    .refine(isSubstantial, substance)
    .meta({ example: { content: 'Good morning!', sendAt: timeExample } });

/** What may be changed of it until then. */
export const editScheduledShape = {
  content: contentSchema.optional(),
  attachments: newMessageSchema.shape.attachments.describe('All of its files, in place of those that it has.'),
};

export const threadMessageSchema = newMessageSchema
  .omit({ threadId: true })
  .refine(isSubstantial, substance)
  .meta({ example });

const editedShape = {
  content: contentSchema
    .optional()
    .describe('Empty only where the message carries attachments, a poll or components, or forwards another.'),
  components: sentComponentsSchema
    .nullish()
    .describe('Of bots alone: in place of those that it has; null: none any more.'),
};

const saysSomething = ({ content, components }: { content?: string; components?: object | null }) =>
  content !== undefined || components !== undefined;
const missing = { path: ['content'], message: 'must be given, or `components`' };

export const editMessageSchema = z
  .object(editedShape)
  .refine(saysSomething, missing)
  .meta({ example: { content: 'Hello @bob!' } });

export const editMessageEventSchema = z
  .object({ ...editedShape, messageId: idSchema })
  .refine(saysSomething, missing)
  .meta({ example: { messageId: idExample, content: 'Hello @bob!' } });

export type MessageEdit = z.output<typeof editMessageSchema>;

export const typingSchema = z.object({
  channelId: idSchema,
  threadId: idSchema.nullish(),
  typing: withDefault(z.boolean(), true),
});

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

export const messageNew = durableEvent({
  name: 'message:new',
  summary: 'A message was sent.',
  room: 'channel',
  payload: messageSchema,
});

export const messageUpdated = durableEvent({
  name: 'message:updated',
  summary: 'A message was edited, or got or lost link previews or a thumbnail, which is no edit.',
  room: 'channel',
  payload: messageSchema,
});

export const messageDeleted = durableEvent({
  name: 'message:deleted',
  summary: 'A message was deleted.',
  room: 'channel',
  payload: z.object({
    id: idSchema,
    channelId: idSchema,
    seq: z.number().int(),
    threadId: idSchema.nullable(),
    // Logs may contain events of earlier versions.
    authorId: idSchema
      .optional()
      .describe('Who wrote it: those who count what they have not read leave out their own.'),
  }),
});

export const messagePinned = durableEvent({
  name: 'message:pinned',
  summary: 'A message was pinned.',
  room: 'channel',
  payload: messageSchema,
});

export const messageUnpinned = durableEvent({
  name: 'message:unpinned',
  summary: 'A message is no longer pinned.',
  room: 'channel',
  payload: messageSchema,
});

export const messageTyping = ephemeralEvent({
  name: 'message:typing',
  summary: 'Someone is typing, or has stopped. After 6 seconds without a repeat, or a message, they have stopped too.',
  room: 'channel',
  volatile: true,
  payload: z.object({
    channelId: idSchema,
    threadId: idSchema.nullable(),
    userId: idSchema,
    username: z.string(),
    displayName: z.string(),
    typing: z.boolean(),
  }),
});
