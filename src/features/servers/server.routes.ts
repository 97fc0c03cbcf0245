import { done } from '../../contract/schema.ts';
import { serverCalls } from '../../contract/server.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { ServerService } from './server.service.ts';

export function serverRoutes(servers: ServerService): Route[] {
  return serve(serverCalls, {
    createServer: ({ actor, body }) => servers.create(actor, body),
    listServers: ({ actor }) => servers.own(actor),
    discoverServers: ({ actor, query }) => servers.discover(actor, query),
    getServerByInvite: ({ actor, params }) => servers.byInvite(actor, params.code),
    getServer: ({ actor, params }) => servers.get(actor, params.id),
    updateServer: ({ actor, params, body }) => servers.update(actor, params.id, body),
    async deleteServer({ actor, params }) {
      await servers.delete(actor, params.id);
      return done;
    },
    regenerateServerInvite: ({ actor, params }) => servers.regenerateInvite(actor, params.id),
    async inviteServerMember({ actor, params, body }) {
      await servers.invite(actor, params.id, body.userId);
      return done;
    },
  });
}
