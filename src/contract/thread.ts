import { z } from 'zod';
import { durableEvent } from './event.ts';
import { idSchema, limitSchema, nameSchema, objectOrId, omittable, record, timeSchema } from './schema.ts';

/** The summary of a thread on the message that it starts from. */
export const threadSummarySchema = record('ThreadSummary', {
  id: idSchema,
  name: z.string(),
  messageCount: z.number().int(),
  lastMessageAt: timeSchema.nullable(),
});

export const threadSchema = record('Thread', {
  id: idSchema,
  channelId: idSchema,
  name: z.string(),
  parentMessageId: idSchema,
  creatorId: idSchema,
  isArchived: z.boolean(),
  messageCount: z
    .number()
    .int()
    .describe(
      'Messages in the thread, without the one that it starts from. It grows and shrinks with the `message:new` and ' +
        '`message:deleted` that have its `threadId`; no event tells it alone.',
    ),
  lastMessageAt: timeSchema.nullable().describe('When the last message was sent, also if it was deleted since.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const createThreadSchema = z.object({ name: nameSchema(100), parentMessageId: idSchema });

export const startThreadSchema = z.object({ name: nameSchema(100).nullish() });

export const updateThreadSchema = z.object({
  name: nameSchema(100).optional(),
  isArchived: z.boolean().optional().describe('Nothing can be sent to an archived thread.'),
});

export const listThreadsSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: idSchema.optional().describe('Id of the last thread of the page before.'),
});

export const threadIdSchema = objectOrId('threadId', {
  threadId: idSchema,
  after: omittable(z.number().int().min(0)),
});

export const threadCreated = durableEvent({
  name: 'thread:created',
  summary: 'A thread was started from a message.',
  room: 'channel',
  payload: threadSchema,
});

export const threadUpdated = durableEvent({
  name: 'thread:updated',
  summary: 'A thread was renamed or archived. Its messages come as message:new and message:deleted.',
  room: 'channel',
  payload: threadSchema,
});

export const threadDeleted = durableEvent({
  name: 'thread:deleted',
  summary: 'A thread was deleted, and all messages in it.',
  room: 'channel',
  payload: z.object({ id: idSchema, channelId: idSchema, parentMessageId: idSchema }),
});
