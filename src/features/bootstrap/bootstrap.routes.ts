import { bootstrapCalls } from '../../contract/bootstrap.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { BootstrapService } from './bootstrap.service.ts';

export function bootstrapRoutes(bootstrap: BootstrapService): Route[] {
  return serve(bootstrapCalls, {
    getChannelBootstrap: ({ actor, params, query }) => bootstrap.open(actor, params.id, query.messagesLimit),
  });
}
