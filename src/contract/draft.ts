import { z } from 'zod';
import { attachmentSchema, maxAttachments, sentAttachmentSchema } from './attachment.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { maxContent } from './message.ts';
import { idSchema, numberSchema, record, textSchema, timeSchema } from './schema.ts';

export const draftSchema = record('Draft', {
  channelId: idSchema,
  threadId: idSchema.nullable(),
  content: z.string().describe('Empty only with files.'),
  attachments: z.array(attachmentSchema).describe('The files to be sent with it, as far as they are not sent yet.'),
  replyToId: idSchema.nullable(),
  revision: z.number().int().describe('Grows with each change, also across drafts of the same place.'),
  updatedAt: timeSchema,
});

export type DraftRecord = z.output<typeof draftSchema>;

const draftStateSchema = z.object({ draft: draftSchema.nullable().describe('Null: there is none.') });

const revisionSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const putDraftSchema = z
  .object({
    threadId: idSchema.nullish(),
    content: textSchema(maxContent).describe('Without text and files the draft ends.'),
    attachments: z
      .array(sentAttachmentSchema)
      .max(maxAttachments)
      .nullish()
      .describe('Its files: unsent uploads of your own, others are left out. Without this field they stay.'),
    replyToId: idSchema.nullish(),
    revision: revisionSchema
      .nullable()
      .describe('That of the draft from which this one was made; null: there was none. Another one is 409.'),
  })
  .meta({ example: { content: 'Dear all,', revision: null } });

const placeQuery = { threadId: idSchema.optional().describe('For the draft of a thread of the channel.') };

export const draftQuerySchema = z.object(placeQuery);

export const endDraftSchema = z.object({
  ...placeQuery,
  revision: numberSchema(revisionSchema).describe('That of the draft to end; another one is 409.'),
});

export const draftUpdated = durableEvent({
  name: 'draft:updated',
  summary: 'A draft of yours was changed, or ended, on any device. It has no text: devices read what they show.',
  room: 'user',
  payload: z.object({
    channelId: idSchema,
    threadId: idSchema.nullable(),
    revision: z.number().int().nullable().describe('Null: there is no draft any more.'),
  }),
});

const channelId = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel or DM.');
const place = { path: '/api/channels/:channelId/draft', params: { channelId } } as const;
const errors = ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'THREAD_NOT_FOUND', 'FORBIDDEN'] as const;

export const draftCalls = calls('Later', {
  listDrafts: {
    method: 'GET',
    path: '/api/drafts',
    summary: 'Your drafts where you may still read, those changed last first.',
    answer: z.array(draftSchema),
  },
  getDraft: {
    ...place,
    method: 'GET',
    summary: 'Your draft in a channel, DM or thread.',
    query: draftQuerySchema,
    answer: draftStateSchema,
    errors,
  },
  putDraft: {
    ...place,
    method: 'PUT',
    summary: 'Keep what you have begun to write in a channel, DM or thread.',
    body: putDraftSchema,
    answer: draftStateSchema,
    errors: [...errors, 'DRAFT_CHANGED', 'DRAFT_LIMIT'],
  },
  endDraft: {
    ...place,
    method: 'DELETE',
    summary: 'End a draft: it was sent or discarded. Without one nothing changes.',
    query: endDraftSchema,
    answer: draftStateSchema,
    errors: [...errors, 'DRAFT_CHANGED'],
  },
});
