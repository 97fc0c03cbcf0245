import { accountHandlers } from './accounts/account.gateway.ts';
import { accountsRoutes } from './accounts/accounts.routes.ts';
import type { Accounts } from './accounts/accounts.ts';
import { agentRoutes } from './agents/agent.routes.ts';
import type { AgentServices } from './agents/agent.services.ts';
import { policyRoutes } from './agents/policies/policy.routes.ts';
import type { ChannelAccess } from './channels/channel.access.ts';
import { channelRoutes } from './channels/channel.routes.ts';
import type { ChannelService } from './channels/channel.service.ts';
import { directRoutes } from './direct/direct.routes.ts';
import type { DirectService } from './direct/direct.service.ts';
import { documentRoutes } from './documents/document.routes.ts';
import { roomHandlers } from './events/events.gateway.ts';
import { eventsRoutes } from './events/events.routes.ts';
import type { EventsService } from './events/events.service.ts';
import type { BlockService } from './friends/block.service.ts';
import { friendRoutes } from './friends/friend.routes.ts';
import type { FriendService } from './friends/friend.service.ts';
import type { TokenExpiry } from './gateway/expiry.ts';
import type { Handler } from './gateway/handler.ts';
import type { Membership } from './gateway/membership.ts';
import { inviteRoutes } from './invites/invite.routes.ts';
import type { InviteService } from './invites/invite.service.ts';
import { messageHandlers } from './messages/message.gateway.ts';
import { messageRoutes } from './messages/message.routes.ts';
import type { MessageService } from './messages/message.service.ts';
import { notificationRoutes } from './notifications/notification.routes.ts';
import type { NotificationService } from './notifications/notification.service.ts';
import type { Route } from './rest/route.ts';
import { serverRoutes } from './servers/server.routes.ts';
import type { ServerService } from './servers/server.service.ts';
import { version } from './version.ts';
import { pageRoutes } from './web/pages.routes.ts';
import type { ArchiveService } from './workspace/archive.ts';
import { fileRoutes } from './workspace/file.routes.ts';
import type { FileService } from './workspace/file.service.ts';
import { folderRoutes } from './workspace/folder.routes.ts';
import type { NodeService } from './workspace/node.service.ts';
import { workspaceRoutes } from './workspace/workspace.routes.ts';
import type { WorkspaceService } from './workspace/workspace.service.ts';

/** The services that the doors lead to. */
export interface Services extends AgentServices {
  accounts: Accounts;
  servers: ServerService;
  channels: ChannelService;
  channelAccess: ChannelAccess;
  messages: MessageService;
  events: EventsService;
  invites: InviteService;
  friends: FriendService;
  blocks: BlockService;
  direct: DirectService;
  notifications: NotificationService;
  workspaces: WorkspaceService;
  nodes: NodeService;
  files: FileService;
  archives: ArchiveService;
}

/** Every REST route there is. */
export function allRoutes(services: Services, handlers: () => Handler[]): Route[] {
  const routes: Route[] = [
    ...documentRoutes({ routes: () => routes, handlers }, version),
    ...accountsRoutes(services.accounts),
    ...pageRoutes(),
    ...serverRoutes(services.servers),
    ...channelRoutes(services.channels),
    ...messageRoutes(services.messages),
    ...eventsRoutes(services.events),
    ...inviteRoutes(services.invites),
    ...friendRoutes(services.friends, services.blocks),
    ...directRoutes(services.direct),
    ...agentRoutes(services.agents),
    ...policyRoutes(services.policies, services.agentConfig),
    ...notificationRoutes(services.notifications),
    ...workspaceRoutes(services.workspaces, services.nodes),
    ...folderRoutes(services.workspaces, services.nodes, services.archives),
    ...fileRoutes(services.workspaces, services.nodes, services.files),
  ];
  return routes;
}

/** Every event of clients that is understood. */
export function allHandlers(services: Services, gateway: { membership: Membership; expiry: TokenExpiry }): Handler[] {
  return [
    ...accountHandlers(services.accounts.identity, gateway.expiry),
    ...roomHandlers(services.channelAccess, gateway.membership),
    ...messageHandlers(services.messages),
  ];
}
