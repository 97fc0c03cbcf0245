import { forgetInvalidations } from '../cluster/invalidation-watch.ts';
import { forgetMoves } from '../delivery/sweeper.ts';
import { trimming } from '../delivery/trimming.ts';
import { accountDeletionModule } from '../features/account-deletion/account-deletion.module.ts';
import { accountExportModule } from '../features/account-export/account-export.module.ts';
import { accountsModule } from '../features/accounts/accounts.module.ts';
import { agentsModule } from '../features/agents/agents.module.ts';
import { appsModule } from '../features/apps/apps.module.ts';
import { auditModule } from '../features/audit/audit.module.ts';
import { blobsModule } from '../features/blobs/blobs.module.ts';
import { bootstrapModule } from '../features/bootstrap/bootstrap.module.ts';
import { channelsModule } from '../features/channels/channels.module.ts';
import { commandsModule } from '../features/commands/commands.module.ts';
import type { Context } from '../features/context.ts';
import { digestModule } from '../features/digest/digest.module.ts';
import { directModule } from '../features/direct/direct.module.ts';
import { eventsModule } from '../features/events/events.module.ts';
import { filtersModule } from '../features/filters/filters.module.ts';
import { followsModule } from '../features/follows/follows.module.ts';
import { friendsModule } from '../features/friends/friends.module.ts';
import { handoversModule } from '../features/handovers/handovers.module.ts';
import { heldModule } from '../features/held/held.module.ts';
import { hooksModule } from '../features/hooks/hooks.module.ts';
import { interactionsModule } from '../features/interactions/interactions.module.ts';
import { invitesModule } from '../features/invites/invites.module.ts';
import { joinRequestsModule } from '../features/join-requests/join-requests.module.ts';
import { laterModule } from '../features/later/later.module.ts';
import { mcpModule } from '../features/mcp/mcp.module.ts';
import { mediaModule } from '../features/media/media.module.ts';
import { memberErasureModule } from '../features/member-erasure/member-erasure.module.ts';
import { membersModule } from '../features/members/members.module.ts';
import { mentionsModule } from '../features/mentions/mentions.module.ts';
import { messagePreviewsModule } from '../features/message-previews/message-previews.module.ts';
import { messagesModule } from '../features/messages/messages.module.ts';
import { modelProxyModule } from '../features/model-proxy/model-proxy.module.ts';
import type { Module } from '../features/module.ts';
import { notificationsModule } from '../features/notifications/notifications.module.ts';
import { oauthAppsModule } from '../features/oauth-apps/oauth-apps.module.ts';
import { operatorsModule } from '../features/operators/operators.module.ts';
import { picturesModule } from '../features/pictures/pictures.module.ts';
import { pollsModule } from '../features/polls/polls.module.ts';
import { presenceModule } from '../features/presence/presence.module.ts';
import { previewsModule } from '../features/previews/previews.module.ts';
import { pushModule } from '../features/push/push.module.ts';
import { raidsModule } from '../features/raids/raids.module.ts';
import { reactionsModule } from '../features/reactions/reactions.module.ts';
import { receiptsModule } from '../features/receipts/receipts.module.ts';
import { reportsModule } from '../features/reports/reports.module.ts';
import { retentionModule } from '../features/retention/retention.module.ts';
import { rolesModule } from '../features/roles/roles.module.ts';
import { searchModule } from '../features/search/search.module.ts';
import { serverEmojiModule } from '../features/server-emoji/server-emoji.module.ts';
import { serverInvitesModule } from '../features/server-invites/server-invites.module.ts';
import { serversModule } from '../features/servers/servers.module.ts';
import { threadsModule } from '../features/threads/threads.module.ts';
import { workspaceModule } from '../features/workspace/workspace.module.ts';
import { forgetDeadJobs } from '../jobs/jobs.ts';
import { forgetKeys } from '../rest/idempotency.ts';

export type Modules = ReturnType<typeof createModules>;

/**
 * All features in order, each built from the context and the services of those below it.
 * @returns `list` in this order, and all their services by name
 */
export function createModules(context: Context) {
  const audit = auditModule(context);
  const filters = filtersModule(context);
  const presence = presenceModule({ ...context, ...filters.services });
  const blobs = blobsModule(context);
  const pictures = picturesModule({ ...context, ...blobs.services });
  const base = { ...context, ...filters.services, ...presence.services, ...blobs.services, ...pictures.services };
  const accounts = accountsModule(base);
  const people = { ...base, ...accounts.services };
  const invites = invitesModule(people);
  const oauthApps = oauthAppsModule(people);
  const friends = friendsModule(people);
  const members = membersModule(people);
  const receipts = receiptsModule(context);
  const seats = { ...people, ...members.services, ...receipts.services };
  const channels = channelsModule(seats);
  const places = { ...seats, ...channels.services };
  const serverInvites = serverInvitesModule(places);
  const raids = raidsModule(places);
  const joinRequests = joinRequestsModule({ ...places, ...serverInvites.services });
  const doors = { ...places, ...serverInvites.services, ...raids.services, ...joinRequests.services };
  const servers = serversModule(doors);
  const roles = rolesModule(places);
  const serverEmoji = serverEmojiModule(places);
  const mentions = mentionsModule(places);
  const messages = messagesModule({ ...places, ...mentions.services });
  const talk = { ...places, ...joinRequests.services, ...servers.services, ...messages.services };
  const messagePreviews = messagePreviewsModule(talk);
  const held = heldModule(talk);
  const media = mediaModule(talk);
  const hooks = hooksModule({ ...talk, ...media.services });
  const previews = previewsModule(talk);
  const memberErasure = memberErasureModule(talk);
  const reactions = reactionsModule(talk);
  const polls = pollsModule(talk);
  const interactions = interactionsModule(talk);
  const search = searchModule(talk);
  const bootstrap = bootstrapModule(talk);
  const agents = agentsModule(talk);
  const commands = commandsModule({ ...talk, ...agents.services, ...interactions.services });
  const modelProxy = modelProxyModule({ ...talk, ...agents.services });
  const events = eventsModule({ ...talk, ...agents.services });
  const threads = threadsModule(talk);
  const follows = followsModule(talk);
  const retention = retentionModule(talk);
  const workspace = workspaceModule(talk);
  const apps = appsModule({ ...talk, ...workspace.services });
  const direct = directModule(talk);
  const reports = reportsModule({ ...talk, ...apps.services });
  const notifications = notificationsModule({ ...talk, ...direct.services });
  const digest = digestModule({ ...context, ...presence.services, ...notifications.services });
  const push = pushModule(talk);
  const operators = operatorsModule({ ...talk, ...audit.services, ...reports.services, ...push.services });
  const later = laterModule(talk);
  const accountExport = accountExportModule(talk);
  const handovers = handoversModule({ ...talk, ...agents.services });
  const parting = { ...talk, ...friends.services, ...agents.services, ...handovers.services };
  const accountDeletion = accountDeletionModule(parting);
  const list: Record<string, Module> = {
    ...{
      audit,
      filters,
      presence,
      blobs,
      pictures,
      accounts,
      invites,
      oauthApps,
      friends,
      members,
      receipts,
      channels,
      serverInvites,
      raids,
      joinRequests,
      servers,
      roles,
      serverEmoji,
      mentions,
    },
    ...{
      messages,
      messagePreviews,
      held,
      media,
      hooks,
      previews,
      memberErasure,
      reactions,
      polls,
      interactions,
      search,
      bootstrap,
      agents,
      commands,
      modelProxy,
      events,
      threads,
      follows,
      retention,
      workspace,
      apps,
      direct,
    },
    ...{ notifications, digest, push, later, reports, operators, accountExport, handovers, accountDeletion },
  };
  const called = Object.values(list).flatMap((module) => module.routes ?? []);
  const mcp = mcpModule({ ...talk, ...events.services, called });
  list.mcp = mcp;
  const { chores, delivery, settings } = context;
  chores.add(
    trimming(settings.delivery, delivery.counters),
    forgetKeys,
    forgetInvalidations,
    forgetMoves,
    forgetDeadJobs,
  );
  for (const module of Object.values(list)) {
    chores.add(...(module.chores ?? []));
    context.jobs.register(...(module.jobs ?? []));
  }
  const services = {
    ...talk,
    ...audit.services,
    ...invites.services,
    ...agents.services,
    ...events.services,
    ...apps.services,
  };
  return {
    list,
    services: {
      ...services,
      ...direct.services,
      ...operators.services,
      ...accountDeletion.services,
      ...later.services,
      ...push.services,
      ...previews.services,
      ...search.services,
      ...mcp.services,
    },
  };
}
