import { searchCalls } from '../../contract/search.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { SearchService } from './search.service.ts';

export function searchRoutes(search: SearchService): Route[] {
  return serve(searchCalls, {
    searchMessages: async ({ actor, query }) => pageReply(await search.messages(actor, query)),
  });
}
