import { previewCalls } from '../../contract/link-preview-calls.ts';
import { serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { PageFetcher } from './page-fetcher.ts';
import { PreviewService } from './preview.service.ts';
import { pageTable } from './preview.table.ts';
import { linksWork, pageWork } from './preview.work.ts';

export type PreviewsServices = ReturnType<typeof previewsModule>['services'];

/** Previews of the pages that messages link to (contract §6, Link previews). */
export function previewsModule(context: Context & FiltersServices & MessagesServices) {
  const counters = { hits: 0, found: 0, empty: 0, failed: 0, refused: 0 };
  const deps = { ...context, fetcher: new PageFetcher(context), counters };
  const previews = new PreviewService(context);
  return {
    services: { previewCounters: counters },
    routes: serve(previewCalls, {
      removePreviews: ({ actor, params, query }) => previews.remove(actor, params.id, query.url),
    }),
    jobs: [linksWork(deps), pageWork(deps)],
    chores: [{ name: 'forget link previews', step: pageTable.forget }],
  } satisfies Module;
}
