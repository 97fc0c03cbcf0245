import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { attachmentSchema } from './attachment.ts';
import { type MentionRecord, mentionSchema } from './mention.ts';
import { idSchema, record, timeSchema } from './schema.ts';

/** What a message says of another that it forwards (contract §6). */
export const forwardedSchema = record('Forwarded', {
  messageId: idSchema.describe(
    'What was forwarded: `GET /api/message-previews` says where it is, to those who may read it. It may be gone.',
  ),
  author: smallUserSchema,
  content: z.string().describe('As it was when it was forwarded.'),
  attachments: z.array(attachmentSchema).describe('Its files: of this message from here on, beside `attachments`.'),
  mentions: z.array(mentionSchema).describe('The people whom it names; nobody is notified.'),
  createdAt: timeSchema.describe('When it was sent.'),
  isWithdrawn: z
    .literal(true)
    .optional()
    .describe('Its author had all of their messages erased: nothing is left of it.'),
});

/** What is kept of a message that is forwarded. */
export interface KeptForward {
  sourceId: string;
  authorId: string;
  content: string;
  mentions: MentionRecord[];
  /** The files of the copy that came with it. */
  attachmentIds: string[];
  sentAt: string;
}
