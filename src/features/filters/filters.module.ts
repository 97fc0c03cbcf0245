import type { Context } from '../context.ts';
import { filterRoutes } from './filter.routes.ts';
import { FilterService } from './filter.service.ts';
import { Filters } from './filters.ts';

export type FiltersServices = ReturnType<typeof filtersModule>['services'];

/** Words and links that servers do not want in messages (contract §6, Filters). */
export function filtersModule(context: Context) {
  const filters = new Filters(context);
  return { services: { filters }, routes: filterRoutes(new FilterService({ ...context, filters })) };
}
