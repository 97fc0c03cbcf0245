import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import { FileFinder } from './file-finder.ts';
import { FileTexts } from './file-texts.ts';
import { Indexer } from './indexer.ts';
import { OverviewService } from './overview.service.ts';
import { searchRenewal } from './renewal.ts';
import { searchRoutes } from './search.routes.ts';
import { SearchService } from './search.service.ts';
import { SearchIndex } from './search-index.ts';
import { SearchTurns } from './turns.ts';

/** Finding messages (contract §6). */
export function searchModule(context: Context & BlobsServices) {
  const index = new SearchIndex(context.database, context.log);
  const texts = new FileTexts(context.blobs);
  const indexer = new Indexer({ ...context, texts });
  const parts = { ...context, indexer, texts, files: new FileFinder({ ...context, texts }), turns: new SearchTurns() };
  return {
    services: { searchIndexer: indexer },
    routes: searchRoutes(new SearchService(parts), new OverviewService(parts)),
    jobs: [searchRenewal(context.jobs)],
    start: () => {
      index.start();
      indexer.start();
    },
    close: async () => {
      await Promise.all([index.close(), indexer.close()]);
    },
  };
}
