import { z } from 'zod';
import { calls } from './call.ts';
import { messageSchema } from './message.ts';
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

export const searchCalls = calls('Search', {
  searchMessages: {
    method: 'GET',
    path: '/api/search/messages',
    summary:
      'Messages with these words, newest first, among those that you may read. X-Has-More says whether there are more.',
    query: searchMessagesSchema,
    paged: true,
    answer: z.array(messageSchema),
    errors: ['SERVER_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR'],
    limit: 'search',
  },
});
