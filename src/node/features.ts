import type { ChannelAccess } from '../access/channel.access.ts';
import type { ThreadAccess } from '../access/thread.access.ts';
import { webhookDeliveries } from '../contract/webhook.ts';
import { accountHandlers } from '../features/accounts/account.gateway.ts';
import type { Accounts } from '../features/accounts/account.services.ts';
import { accountsRoutes } from '../features/accounts/accounts.routes.ts';
import { agentHandlers } from '../features/agents/agent.gateway.ts';
import { agentProfileRoutes } from '../features/agents/agent.profile.routes.ts';
import { agentRoutes } from '../features/agents/agent.routes.ts';
import type { AgentServices } from '../features/agents/agent.services.ts';
import { botSeatRoutes } from '../features/agents/bot-seats.routes.ts';
import { policyRoutes } from '../features/agents/policies/policy.routes.ts';
import { streamHandlers } from '../features/agents/streams/stream.gateway.ts';
import { webhookRoutes } from '../features/agents/webhooks/webhook.routes.ts';
import type { WebhookService } from '../features/agents/webhooks/webhook.service.ts';
import { serverAppRoutes } from '../features/apps/app.routes.ts';
import type { AppServices } from '../features/apps/app.services.ts';
import { servingRoutes } from '../features/apps/serving.routes.ts';
import { bootstrapRoutes } from '../features/bootstrap/bootstrap.routes.ts';
import type { BootstrapService } from '../features/bootstrap/bootstrap.service.ts';
import { channelHandlers } from '../features/channels/channel.gateway.ts';
import { channelRoutes } from '../features/channels/channel.routes.ts';
import type { ChannelService } from '../features/channels/channel.service.ts';
import { channelMemberRoutes } from '../features/channels/channel-member.routes.ts';
import type { ChannelMemberService } from '../features/channels/channel-member.service.ts';
import type { ReadStateService } from '../features/channels/read-state.service.ts';
import { directRoutes } from '../features/direct/direct.routes.ts';
import type { DirectService } from '../features/direct/direct.service.ts';
import { documentRoutes } from '../features/documents/document.routes.ts';
import { referenceRoutes } from '../features/documents/reference.routes.ts';
import { roomHandlers } from '../features/events/events.gateway.ts';
import { eventsRoutes } from '../features/events/events.routes.ts';
import type { EventsService } from '../features/events/events.service.ts';
import type { BlockService } from '../features/friends/block.service.ts';
import { friendRoutes } from '../features/friends/friend.routes.ts';
import type { FriendService } from '../features/friends/friend.service.ts';
import { inviteRoutes } from '../features/invites/invite.routes.ts';
import type { InviteService } from '../features/invites/invite.service.ts';
import { joinRequestRoutes } from '../features/join-requests/join-request.routes.ts';
import type { JoinRequestService } from '../features/join-requests/join-request.service.ts';
import { mediaRoutes } from '../features/media/media.routes.ts';
import type { MediaService } from '../features/media/media.service.ts';
import { mentionRoutes } from '../features/mentions/mention.routes.ts';
import type { MentionService } from '../features/mentions/mention.service.ts';
import { messageHandlers } from '../features/messages/message.gateway.ts';
import { messageRoutes } from '../features/messages/message.routes.ts';
import type { MessageService } from '../features/messages/message.service.ts';
import type { PinService } from '../features/messages/pin.service.ts';
import { modelProxyRoutes, modelTokenRoutes } from '../features/model-proxy/model-proxy.routes.ts';
import type { ModelServices } from '../features/model-proxy/model-proxy.services.ts';
import { notificationRoutes } from '../features/notifications/notification.routes.ts';
import type { NotificationService } from '../features/notifications/notification.service.ts';
import { presenceHandlers, sendSnapshot } from '../features/presence/presence.gateway.ts';
import type { PresenceService } from '../features/presence/presence.service.ts';
import { reactionHandlers } from '../features/reactions/reaction.gateway.ts';
import { reactionRoutes } from '../features/reactions/reaction.routes.ts';
import type { ReactionService } from '../features/reactions/reaction.service.ts';
import { searchRoutes } from '../features/search/search.routes.ts';
import type { SearchService } from '../features/search/search.service.ts';
import { banRoutes } from '../features/servers/ban.routes.ts';
import type { BanService } from '../features/servers/ban.service.ts';
import { memberRoutes } from '../features/servers/member.routes.ts';
import type { MemberService } from '../features/servers/member.service.ts';
import { serverRoutes } from '../features/servers/server.routes.ts';
import type { ServerService } from '../features/servers/server.service.ts';
import { threadHandlers } from '../features/threads/thread.gateway.ts';
import { threadRoutes } from '../features/threads/thread.routes.ts';
import type { ThreadService } from '../features/threads/thread.service.ts';
import { fileRoutes } from '../features/workspace/file.routes.ts';
import { folderRoutes } from '../features/workspace/folder.routes.ts';
import { workspaceRoutes } from '../features/workspace/workspace.routes.ts';
import type { WorkspaceServices } from '../features/workspace/workspace.services.ts';
import type { TokenExpiry } from '../gateway/expiry.ts';
import type { Handler } from '../gateway/handler.ts';
import type { Membership } from '../gateway/membership.ts';
import { version } from '../infrastructure/version.ts';
import type { Route } from '../rest/route.ts';
import { appRoutes } from '../web/app.routes.ts';
import { pageRoutes } from '../web/pages.routes.ts';

/** The services behind the routes and handlers. */
export interface Services extends AgentServices, WorkspaceServices, AppServices {
  accounts: Accounts;
  models: ModelServices;
  webhooks: WebhookService;
  servers: ServerService;
  members: MemberService;
  bans: BanService;
  channels: ChannelService;
  channelMembers: ChannelMemberService;
  channelAccess: ChannelAccess;
  readStates: ReadStateService;
  bootstrap: BootstrapService;
  joinRequests: JoinRequestService;
  messages: MessageService;
  pins: PinService;
  reactions: ReactionService;
  threads: ThreadService;
  threadAccess: ThreadAccess;
  mentions: MentionService;
  media: MediaService;
  search: SearchService;
  events: EventsService;
  invites: InviteService;
  friends: FriendService;
  blocks: BlockService;
  direct: DirectService;
  notifications: NotificationService;
  presence: PresenceService;
}

/** All REST routes. */
export function allRoutes(services: Services, handlers: () => Handler[]): Route[] {
  const routes: Route[] = [
    ...documentRoutes({ routes: () => routes, handlers, deliveries: webhookDeliveries }, version),
    ...referenceRoutes(),
    ...accountsRoutes(services.accounts),
    ...pageRoutes(),
    ...appRoutes(services.appsOrigin.origin),
    ...serverRoutes(services.servers),
    ...memberRoutes(services.members),
    ...banRoutes(services.bans),
    ...channelRoutes(services.channels, services.readStates),
    ...channelMemberRoutes(services.channelMembers),
    ...bootstrapRoutes(services.bootstrap),
    ...joinRequestRoutes(services.joinRequests),
    ...messageRoutes(services.messages, services.pins),
    ...reactionRoutes(services.reactions),
    ...threadRoutes(services.threads),
    ...mentionRoutes(services.mentions),
    ...mediaRoutes(services.media),
    ...searchRoutes(services.search),
    ...eventsRoutes(services.events),
    ...inviteRoutes(services.invites),
    ...friendRoutes(services.friends, services.blocks),
    ...directRoutes(services.direct),
    ...modelProxyRoutes(services.models),
    ...modelTokenRoutes(services.models),
    ...agentRoutes(services.agents),
    ...agentProfileRoutes(services.agentProfile, services.agentMemberships),
    ...policyRoutes(services.policies, services.agentConfig),
    ...botSeatRoutes(services.botSeats),
    ...webhookRoutes(services.webhooks),
    ...notificationRoutes(services.notifications),
    ...workspaceRoutes(services.workspaces, services.nodes),
    ...folderRoutes(services.workspaces, services.nodes, services.archives),
    ...fileRoutes(services.workspaces, services.nodes, services.files),
    ...serverAppRoutes(services.apps),
    ...servingRoutes(services.appServing, services.appProxy, services.appsOrigin),
  ];
  return routes;
}

/** The handlers of all client events. */
export function allHandlers(services: Services, gateway: { membership: Membership; expiry: TokenExpiry }): Handler[] {
  return [
    ...accountHandlers(services.accounts.identity, gateway.expiry),
    ...channelHandlers(services.readStates),
    ...roomHandlers(services.channelAccess, gateway.membership, (socket, channelId) =>
      sendSnapshot(services.presence, socket, channelId),
    ),
    ...presenceHandlers(services.presence),
    ...messageHandlers(services.messages),
    ...streamHandlers(services.streams),
    ...agentHandlers(services.agents),
    ...reactionHandlers(services.reactions),
    ...threadHandlers(services.threadAccess, gateway.membership),
  ];
}
