import { accountRoutes } from './accounts/account.routes.ts';
import type { AccountService } from './accounts/account.service.ts';
import type { ChannelAccess } from './channels/channel.access.ts';
import { channelRoutes } from './channels/channel.routes.ts';
import type { ChannelService } from './channels/channel.service.ts';
import { documentRoutes } from './documents/document.routes.ts';
import { roomHandlers } from './events/events.gateway.ts';
import { eventsRoutes } from './events/events.routes.ts';
import type { EventsService } from './events/events.service.ts';
import type { Handler } from './gateway/handler.ts';
import type { Membership } from './gateway/membership.ts';
import { messageHandlers } from './messages/message.gateway.ts';
import { messageRoutes } from './messages/message.routes.ts';
import type { MessageService } from './messages/message.service.ts';
import type { Route } from './rest/route.ts';
import { serverRoutes } from './servers/server.routes.ts';
import type { ServerService } from './servers/server.service.ts';
import { version } from './version.ts';

/** The services that the doors lead to. */
export interface Services {
  accounts: AccountService;
  servers: ServerService;
  channels: ChannelService;
  channelAccess: ChannelAccess;
  messages: MessageService;
  events: EventsService;
}

/** Every REST route there is. */
export function allRoutes(services: Services, handlers: () => Handler[]): Route[] {
  const routes: Route[] = [
    ...documentRoutes({ routes: () => routes, handlers }, version),
    ...accountRoutes(services.accounts),
    ...serverRoutes(services.servers),
    ...channelRoutes(services.channels),
    ...messageRoutes(services.messages),
    ...eventsRoutes(services.events),
  ];
  return routes;
}

/** Every event of clients that is understood. */
export function allHandlers(services: Services, membership: Membership): Handler[] {
  return [...roomHandlers(services.channelAccess, membership), ...messageHandlers(services.messages)];
}
