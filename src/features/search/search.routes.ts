import { z } from 'zod';
import { messageSchema } from '../../contract/message.ts';
import { searchMessagesSchema } from '../../contract/search.ts';
import { pageReply, type Route, route } from '../../rest/route.ts';
import type { SearchService } from './search.service.ts';

export function searchRoutes(search: SearchService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/search/messages',
      summary:
        'Messages with these words, newest first, among those that you may read. X-Has-More says whether there are more.',
      tag: 'Search',
      auth: 'required',
      query: searchMessagesSchema,
      paged: true,
      answer: z.array(messageSchema),
      errors: ['SERVER_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR'],
      limit: 'search',
      handle: async ({ actor, query }) => pageReply(await search.messages(actor, query)),
    }),
  ];
}
