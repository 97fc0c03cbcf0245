import { joinRequestCalls } from '../../contract/join-request.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { JoinRequestService } from './join-request.service.ts';
import type { ManyDecisions } from './many-decisions.ts';

export function joinRequestRoutes(requests: JoinRequestService, many: ManyDecisions): Route[] {
  return serve(joinRequestCalls, {
    getServerAccess: ({ actor, params }) => requests.serverAccess(actor, params.id),
    getChannelAccess: ({ actor, params }) => requests.channelAccess(actor, params.id),
    requestToJoinServer: async ({ actor, params }) => ({
      ok: true as const,
      ...(await requests.askServer(actor, params.id)),
    }),
    requestToJoinChannel: async ({ actor, params }) => ({
      ok: true as const,
      ...(await requests.askChannel(actor, params.id)),
    }),
    listJoinRequests: ({ actor, params }) => requests.pending(actor, params.id),
    decideServerJoinRequests: ({ actor, params, body }) => many.decide(actor, params.id, body),
    decideServerJoinRequest: ({ actor, params, body }) =>
      requests.decide(actor, params.requestId, body.status, 'server'),
    decideChannelJoinRequest: ({ actor, params, body }) =>
      requests.decide(actor, params.requestId, body.status, 'channel'),
  });
}
