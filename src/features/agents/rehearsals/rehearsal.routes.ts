import { rehearsalCalls } from '../../../contract/rehearsal.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { RehearsalService } from './rehearsal.service.ts';

export function rehearsalRoutes(rehearsals: RehearsalService): Route[] {
  return serve(rehearsalCalls, {
    listRehearsals: ({ actor, params }) => rehearsals.list(actor, params.id),
    startRehearsal: ({ actor, params, body }) => rehearsals.start(actor, params.id, body),
    endRehearsal: ({ actor, params }) => rehearsals.end(actor, params.id, params.rehearsalId),
    listDifferences: ({ actor, params, query }) => rehearsals.differences(actor, params.id, params.rehearsalId, query),
  });
}
