import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls } from './call.ts';
import { mentionSchema } from './mention.ts';
import { idExample, idSchema, record, timeSchema } from './schema.ts';

/** How many messages are asked for at once, and how much of each is shown. */
const maxPreviews = 50;
export const previewLength = 400;

export const messagePreviewSchema = record('MessagePreview', {
  id: idSchema,
  channelId: idSchema,
  threadId: idSchema.nullable(),
  channelName: z.string().nullable().describe('Null in direct messages.'),
  serverId: idSchema.nullable(),
  serverName: z.string().nullable(),
  author: smallUserSchema,
  content: z
    .string()
    .describe(`The beginning of its text, or of what it forwards; at most ${previewLength} characters.`),
  isCut: z.boolean().describe('There is more of the text.'),
  mentions: z.array(mentionSchema).describe('Those in this part of the text.'),
  attachmentCount: z.number().int(),
  isForwarded: z.boolean(),
  createdAt: timeSchema,
});

/** Ids with commas between them. */
const idsSchema = z
  .string()
  .max(maxPreviews * 37)
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(idSchema).min(1).max(maxPreviews))
  .describe(`Ids of up to ${maxPreviews} messages, with commas between them.`)
  .meta({ examples: [idExample] });

export const messagePreviewCalls = calls('Messages', {
  previewMessages: {
    method: 'GET',
    path: '/api/message-previews',
    summary:
      'The beginnings of messages and where they are, for links to them and for what is forwarded. Those that you may not read, or that do not exist, are left out.',
    query: z.object({ ids: idsSchema }),
    answer: z.object({ messages: z.array(messagePreviewSchema) }),
  },
});
