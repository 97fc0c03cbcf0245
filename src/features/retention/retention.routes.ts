import { historyCalls, retentionCalls } from '../../contract/retention.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { RetentionService } from './retention.service.ts';

export function retentionRoutes(retention: RetentionService): Route[] {
  const counts = serve(retentionCalls, {
    countExpiringInServer: ({ actor, params, query }) => retention.countInServer(actor, params.id, query.days),
    countExpiringInChannel: ({ actor, params, query }) => retention.countInChannel(actor, params.id, query.days),
  });
  const history = serve(historyCalls, {
    getMessageHistory: ({ actor, params }) => retention.history(actor, params.id),
  });
  return [...counts, ...history];
}
