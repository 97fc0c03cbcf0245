import { z } from 'zod';
import { mostAheadDays } from './ahead.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { messageSchema } from './message.ts';
import { doneSchema, idSchema, limitSchema, omittable, record, textSchema, timeExample, timeSchema } from './schema.ts';
import { isBlank } from './unicode/visible.ts';

const maxNote = 1000;

const savedShape = {
  id: idSchema,
  messageId: idSchema.nullable().describe('Null: a reminder of what its note says.'),
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable(),
  note: z.string().nullable(),
  remindAt: timeSchema.nullable(),
  remindedAt: timeSchema.nullable().describe('When you were last reminded of it.'),
  isDone: z.boolean(),
  doneAt: timeSchema.nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const savedItemSchema = record('SavedItem', savedShape);

export const laterEntrySchema = record('LaterEntry', {
  ...savedShape,
  message: messageSchema.nullable().describe('Null if there is none, or no longer one that you may read.'),
  isGone: z.boolean().describe('Its message was deleted, or is where you may no longer read.'),
});

export type LaterEntry = z.output<typeof laterEntrySchema>;

const noteSchema = textSchema(maxNote, z.string().trim()).transform((note) => (isBlank(note) ? null : note));
const remindSchema = timeSchema.describe(`In the future, and at most ${mostAheadDays} days away.`);

export const saveForLaterSchema = z
  .object({
    messageId: omittable(idSchema).describe('The message to save.'),
    note: omittable(noteSchema),
    remindAt: omittable(remindSchema),
  })
  .refine(({ messageId, note }) => messageId !== undefined || typeof note === 'string', {
    path: ['messageId'],
    message: 'must be given, or a note',
  })
  .refine(({ messageId, remindAt }) => messageId !== undefined || remindAt !== undefined, {
    path: ['remindAt'],
    message: 'must be given where there is no message',
  })
  .meta({ example: { note: 'Water the plants', remindAt: timeExample } });

export const changeLaterSchema = z
  .object({
    note: noteSchema.nullable().optional(),
    remindAt: remindSchema.nullable().optional().describe('Null: no reminder.'),
    isDone: z.boolean().optional().describe('Done ends its reminder.'),
  })
  .meta({ example: { isDone: true } });

const statuses = ['open', 'due', 'done'] as const;
export type LaterStatus = (typeof statuses)[number];

export const listLaterSchema = z.object({
  status: z
    .enum(statuses)
    .default('open')
    .describe('`due`: of those that are open, what you were reminded of and have no new reminder for.'),
  limit: limitSchema(100, 50),
  cursor: z.string().max(64).optional().describe('`id` of the last one of the page before.'),
});

export const laterUpdated = durableEvent({
  name: 'later:updated',
  summary: 'You saved something for later, changed it, or were reminded of it; on any device.',
  room: 'user',
  payload: z.object({ item: savedItemSchema }),
});

export const laterRemoved = durableEvent({
  name: 'later:removed',
  summary: 'You removed something from what you saved for later.',
  room: 'user',
  payload: z.object({ id: idSchema, messageId: idSchema.nullable() }),
});

const id = uuidParam('LATER_NOT_FOUND', 'Id of what was saved.');

export const laterCalls = calls('Later', {
  listLater: {
    method: 'GET',
    path: '/api/later',
    summary: 'What you saved for later, newest first.',
    query: listLaterSchema,
    paged: true,
    answer: z.array(laterEntrySchema),
    errors: ['INVALID_CURSOR'],
  },
  listSavedIn: {
    method: 'GET',
    path: '/api/channels/:channelId/saved',
    summary: 'Which messages of a channel and its threads you saved for later and have not done, newest first.',
    params: { channelId: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel or DM.') },
    answer: z.array(savedItemSchema),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  getLater: {
    method: 'GET',
    path: '/api/later/:id',
    summary: 'Something that you saved for later.',
    params: { id },
    answer: laterEntrySchema,
    errors: ['LATER_NOT_FOUND'],
  },
  saveForLater: {
    method: 'POST',
    path: '/api/later',
    summary:
      'Save a message for later, or set a reminder. Of a message that is saved already note and reminder are changed, if they are given.',
    body: saveForLaterSchema,
    status: 201,
    mayExist: true,
    answer: laterEntrySchema,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'LATER_LIMIT', 'FORBIDDEN'],
  },
  changeLater: {
    method: 'PATCH',
    path: '/api/later/:id',
    summary: 'Change the note or the reminder of something saved, or mark it as done.',
    params: { id },
    body: changeLaterSchema,
    answer: laterEntrySchema,
    errors: ['LATER_NOT_FOUND'],
  },
  removeLater: {
    method: 'DELETE',
    path: '/api/later/:id',
    summary: 'Remove something from what you saved for later.',
    params: { id },
    answer: doneSchema,
    errors: ['LATER_NOT_FOUND'],
  },
});
