import type { Context } from '../context.ts';
import { searchRoutes } from './search.routes.ts';
import { SearchService } from './search.service.ts';
import { SearchIndex } from './search-index.ts';

/** Finding messages (contract §6). */
export function searchModule(context: Context) {
  const index = new SearchIndex(context.database, context.log);
  return {
    routes: searchRoutes(new SearchService(context)),
    start: () => index.start(),
    close: () => index.close(),
  };
}
