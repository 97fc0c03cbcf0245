import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { ServerInvitesServices } from '../server-invites/server-invites.module.ts';
import { joinRequestRoutes } from './join-request.routes.ts';
import { JoinRequestService } from './join-request.service.ts';
import { ManyDecisions } from './many-decisions.ts';

export type JoinRequestsServices = ReturnType<typeof joinRequestsModule>['services'];

/** Asking to be let in, and deciding (contract §5). */
export function joinRequestsModule(context: Context & MembersServices & ChannelsServices & ServerInvitesServices) {
  const joinRequests = new JoinRequestService(context);
  return {
    services: { joinRequests },
    routes: joinRequestRoutes(joinRequests, new ManyDecisions({ ...context, joinRequests })),
  };
}
