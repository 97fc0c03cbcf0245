import { searchCalls } from '../../contract/search.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { OverviewService } from './overview.service.ts';
import type { SearchService } from './search.service.ts';

export function searchRoutes(search: SearchService, overview: OverviewService): Route[] {
  return serve(searchCalls, {
    searchOverview: ({ actor, query }) => overview.find(actor, query),
    searchMessages: async ({ actor, query }) => pageReply(await search.messages(actor, query)),
  });
}
