import { z } from 'zod';
import { mostAheadDays } from './ahead.ts';
import { attachmentSchema } from './attachment.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { editScheduledShape, messageAtSchema } from './message.ts';
import { ownMessages, sendErrors } from './message-calls.ts';
import { doneSchema, idSchema, limitSchema, offsetSchema, record, timeExample, timeSchema } from './schema.ts';

/** `sending`: it is on its way, and cannot be changed any more. `failed`: it was refused, and waits for its author. */
export const scheduledStatuses = ['waiting', 'sending', 'failed'] as const;
export type ScheduledStatus = (typeof scheduledStatuses)[number];

export const scheduledSchema = record('ScheduledMessage', {
  id: idSchema,
  serverId: idSchema.nullable(),
  channelId: idSchema,
  threadId: idSchema.nullable(),
  replyToId: idSchema.nullable(),
  content: z.string(),
  attachments: z.array(attachmentSchema),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  sendAt: timeSchema,
  status: z.enum(scheduledStatuses),
  failure: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it was refused: a code of the errors, and its sentence.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export type ScheduledRecord = z.output<typeof scheduledSchema>;

const sendAt = timeSchema.describe(`In the future, and at most ${mostAheadDays} days away.`);

export const scheduleMessageSchema = messageAtSchema(sendAt);

export const editScheduledSchema = z
  .object({ ...editScheduledShape, sendAt: sendAt.optional().describe('Sends a refused one again, too.') })
  .meta({ example: { sendAt: timeExample } });

const listScheduledSchema = z.object({
  channelId: idSchema.optional(),
  limit: limitSchema(100, 50),
  offset: offsetSchema(1_000_000),
});

export const scheduledUpdated = durableEvent({
  name: 'scheduled:updated',
  summary: 'You scheduled a message, changed it, or it was refused. It has no text: devices read what they show.',
  room: 'user',
  payload: z.object({
    id: idSchema,
    channelId: idSchema,
    threadId: idSchema.nullable(),
    status: z.enum(scheduledStatuses),
    sendAt: timeSchema,
  }),
});

export const scheduledRemoved = durableEvent({
  name: 'scheduled:removed',
  summary: 'A scheduled message was sent, held for a moderator, or cancelled.',
  room: 'user',
  payload: z.object({
    id: idSchema,
    channelId: idSchema,
    reason: z.enum(['sent', 'held', 'cancelled']),
    messageId: idSchema.nullable().describe('The message that was sent.'),
  }),
});

const id = uuidParam('SCHEDULED_NOT_FOUND', 'Id of the scheduled message.');
const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel or DM.');

export const scheduledCalls = calls('Later', {
  listScheduled: {
    method: 'GET',
    path: '/api/scheduled-messages',
    summary: 'Your scheduled messages, with those that were refused, in the order in which they are due.',
    query: listScheduledSchema,
    paged: true,
    answer: z.array(scheduledSchema),
  },
  getScheduled: {
    method: 'GET',
    path: '/api/scheduled-messages/:id',
    summary: 'A scheduled message of your own.',
    params: { id },
    answer: scheduledSchema,
    errors: ['SCHEDULED_NOT_FOUND'],
  },
  scheduleMessage: {
    method: 'POST',
    path: '/api/channels/:channelId/scheduled-messages',
    summary: 'Schedule a message. It is sent with the rights that you have then.',
    params: { channelId },
    body: scheduleMessageSchema,
    status: 201,
    answer: scheduledSchema,
    errors: [...sendErrors, 'SCHEDULED_LIMIT'],
    audit: ownMessages,
  },
  editScheduled: {
    method: 'PATCH',
    path: '/api/scheduled-messages/:id',
    summary: 'Change the text, the files or the time of a scheduled message, before it is sent.',
    params: { id },
    body: editScheduledSchema,
    answer: scheduledSchema,
    errors: [...sendErrors, 'SCHEDULED_NOT_FOUND', 'SCHEDULED_SENDING'],
    audit: ownMessages,
  },
  sendScheduled: {
    method: 'POST',
    path: '/api/scheduled-messages/:id/send',
    summary: 'Send a scheduled message at once, also one that was refused.',
    params: { id },
    answer: scheduledSchema,
    errors: ['SCHEDULED_NOT_FOUND', 'SCHEDULED_SENDING'],
  },
  cancelScheduled: {
    method: 'DELETE',
    path: '/api/scheduled-messages/:id',
    summary: 'Cancel a scheduled message, or forget one that was refused. Its files are unsent uploads again.',
    params: { id },
    answer: doneSchema,
    errors: ['SCHEDULED_NOT_FOUND', 'SCHEDULED_SENDING'],
  },
});
