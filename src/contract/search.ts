import { z } from 'zod';
import { idSchema, limitSchema } from './schema.ts';

export const searchMessagesSchema = z.object({
  query: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(256)
    .describe(
      'Words, "phrases", `or`, and `-` before what must not be there; any piece of a text in Chinese, Japanese or Korean.',
    ),
  serverId: z.string().max(100).optional().describe('Id or slug of a server to look in.'),
  channelId: idSchema.optional(),
  authorId: idSchema.optional(),
  limit: limitSchema(100, 25),
  cursor: z.string().optional().describe('Id of the last message of the page before.'),
});
