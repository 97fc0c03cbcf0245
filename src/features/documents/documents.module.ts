import type { Handler } from '../../gateway/handler.ts';
import { version } from '../../infrastructure/version.ts';
import type { Route } from '../../rest/route.ts';
import { documentRoutes } from './document.routes.ts';
import { referenceRoutes } from './reference.routes.ts';

/** The API documents, of all that a node serves. */
export function documentsModule(served: { routes(): Route[]; handlers(): Handler[] }) {
  return { routes: [...documentRoutes(served, version), ...referenceRoutes()] };
}
