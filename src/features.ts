import { accountHandlers } from './accounts/account.gateway.ts';
import type { Accounts } from './accounts/account.services.ts';
import { accountsRoutes } from './accounts/accounts.routes.ts';
import { agentHandlers } from './agents/agent.gateway.ts';
import { agentProfileRoutes } from './agents/agent.profile.routes.ts';
import { agentRoutes } from './agents/agent.routes.ts';
import type { AgentServices } from './agents/agent.services.ts';
import { botSeatRoutes } from './agents/bot-seats.routes.ts';
import { policyRoutes } from './agents/policies/policy.routes.ts';
import { streamHandlers } from './agents/streams/stream.gateway.ts';
import { webhookDeliveries } from './agents/webhooks/webhook.contract.ts';
import { webhookRoutes } from './agents/webhooks/webhook.routes.ts';
import type { WebhookService } from './agents/webhooks/webhook.service.ts';
import { serverAppRoutes } from './apps/app.routes.ts';
import type { AppServices } from './apps/app.services.ts';
import { servingRoutes } from './apps/serving.routes.ts';
import { bootstrapRoutes } from './channels/bootstrap.routes.ts';
import type { BootstrapService } from './channels/bootstrap.service.ts';
import type { ChannelAccess } from './channels/channel.access.ts';
import { channelHandlers } from './channels/channel.gateway.ts';
import { channelRoutes } from './channels/channel.routes.ts';
import type { ChannelService } from './channels/channel.service.ts';
import { channelMemberRoutes } from './channels/channel-member.routes.ts';
import type { ChannelMemberService } from './channels/channel-member.service.ts';
import type { ReadStateService } from './channels/read-state.service.ts';
import { directRoutes } from './direct/direct.routes.ts';
import type { DirectService } from './direct/direct.service.ts';
import { documentRoutes } from './documents/document.routes.ts';
import { referenceRoutes } from './documents/reference.routes.ts';
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
import { joinRequestRoutes } from './join-requests/join-request.routes.ts';
import type { JoinRequestService } from './join-requests/join-request.service.ts';
import { mediaRoutes } from './media/media.routes.ts';
import type { MediaService } from './media/media.service.ts';
import { mentionRoutes } from './mentions/mention.routes.ts';
import type { MentionService } from './mentions/mention.service.ts';
import { messageHandlers } from './messages/message.gateway.ts';
import { messageRoutes } from './messages/message.routes.ts';
import type { MessageService } from './messages/message.service.ts';
import type { PinService } from './messages/pin.service.ts';
import { modelProxyRoutes, modelTokenRoutes } from './model-proxy/model-proxy.routes.ts';
import type { ModelServices } from './model-proxy/model-proxy.services.ts';
import { notificationRoutes } from './notifications/notification.routes.ts';
import type { NotificationService } from './notifications/notification.service.ts';
import { presenceHandlers, sendSnapshot } from './presence/presence.gateway.ts';
import type { PresenceService } from './presence/presence.service.ts';
import { reactionHandlers } from './reactions/reaction.gateway.ts';
import { reactionRoutes } from './reactions/reaction.routes.ts';
import type { ReactionService } from './reactions/reaction.service.ts';
import type { Route } from './rest/route.ts';
import { searchRoutes } from './search/search.routes.ts';
import type { SearchService } from './search/search.service.ts';
import { banRoutes } from './servers/ban.routes.ts';
import type { BanService } from './servers/ban.service.ts';
import { memberRoutes } from './servers/member.routes.ts';
import type { MemberService } from './servers/member.service.ts';
import { serverRoutes } from './servers/server.routes.ts';
import type { ServerService } from './servers/server.service.ts';
import type { ThreadAccess } from './threads/thread.access.ts';
import { threadHandlers } from './threads/thread.gateway.ts';
import { threadRoutes } from './threads/thread.routes.ts';
import type { ThreadService } from './threads/thread.service.ts';
import { version } from './version.ts';
import { appRoutes } from './web/app.routes.ts';
import { pageRoutes } from './web/pages.routes.ts';
import { fileRoutes } from './workspace/file.routes.ts';
import { folderRoutes } from './workspace/folder.routes.ts';
import { workspaceRoutes } from './workspace/workspace.routes.ts';
import type { WorkspaceServices } from './workspace/workspace.services.ts';

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
