import { filterCalls } from '../../contract/filter.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { FilterService } from './filter.service.ts';

export function filterRoutes(filters: FilterService): Route[] {
  return serve(filterCalls, {
    listFilters: ({ actor, params }) => filters.list(actor, params.id),
    addFilters: ({ actor, params, body }) => filters.add(actor, params.id, body),
    async removeFilter({ actor, params }) {
      await filters.remove(actor, params.id, params.filterId);
      return done;
    },
    testFilters: ({ actor, params, body }) => filters.test(actor, params.id, body.content),
  });
}
