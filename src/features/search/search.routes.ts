import { searchCalls } from '../../contract/search.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { OverviewService } from './overview.service.ts';
import type { SearchService } from './search.service.ts';

export function searchRoutes(search: SearchService, overview: OverviewService): Route[] {
  return serve(searchCalls, {
    searchOverview: ({ actor, query }) => overview.all(actor, query),
    searchPeople: async ({ actor, query }) => pageReply(await overview.peoplePage(actor, query)),
    searchChannels: async ({ actor, query }) => pageReply(await overview.channelsPage(actor, query)),
    searchSentFiles: async ({ actor, query }) => pageReply(await overview.filesPage(actor, query)),
    searchMessages: async ({ actor, query }) => pageReply(await search.messages(actor, query)),
  });
}
