import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { JoinRequestsServices } from '../join-requests/join-requests.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { ServersServices } from '../servers/servers.module.ts';
import { bootstrapRoutes } from './bootstrap.routes.ts';
import { BootstrapService } from './bootstrap.service.ts';

type Below = ChannelsServices & JoinRequestsServices & MessagesServices & ServersServices;

/** What a client needs first, in one call (contract §12). */
export function bootstrapModule(context: Context & Below) {
  return { routes: bootstrapRoutes(new BootstrapService(context)) };
}
