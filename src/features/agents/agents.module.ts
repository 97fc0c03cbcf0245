import { clock } from '../../infrastructure/clock.ts';
import { SealedText } from '../../infrastructure/sealed-text.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { agentHandlers, connectBots } from './agent.gateway.ts';
import { AgentMemberships } from './agent.memberships.ts';
import { AgentOwners } from './agent.owners.ts';
import { AgentProfile } from './agent.profile.ts';
import { agentProfileRoutes, agentRoutes, botSeatRoutes } from './agent.routes.ts';
import { AgentService } from './agent.service.ts';
import { AgentTokens } from './agent.tokens.ts';
import { AgentWatch } from './agent.watch.ts';
import { AnswerService } from './answers/answer.service.ts';
import { BotFeedFilter } from './bot-feed-filter.ts';
import { BotSeats } from './bot-seats.ts';
import { Concerns } from './concerns.ts';
import { feedRoutes } from './feeds/feed.routes.ts';
import { FeedService } from './feeds/feed.service.ts';
import { lagOfAll } from './feeds/feed.table.ts';
import { PollPlaces } from './feeds/poll-places.ts';
import { AgentConfig } from './policies/agent-config.ts';
import { policyRoutes } from './policies/policy.routes.ts';
import { PolicyService } from './policies/policy.service.ts';
import { rehearsalRoutes } from './rehearsals/rehearsal.routes.ts';
import { forgetOldRehearsals, RehearsalService } from './rehearsals/rehearsal.service.ts';
import { strayBots } from './stray-bots.ts';
import { createStreams } from './streams/streams.module.ts';
import { WebhookCursors } from './webhooks/cursor.table.ts';
import { resealSecrets } from './webhooks/reseal-secrets.ts';
import { WebhookDeliverer } from './webhooks/webhook.deliverer.ts';
import { WebhookDispatcher } from './webhooks/webhook.dispatcher.ts';
import { WebhookQuestions } from './webhooks/webhook.questions.ts';
import { webhookRoutes } from './webhooks/webhook.routes.ts';
import { WebhookSender } from './webhooks/webhook.sender.ts';
import { WebhookService } from './webhooks/webhook.service.ts';
import { WebhookStops } from './webhooks/webhook.stops.ts';

export type AgentsServices = ReturnType<typeof agentsModule>['services'];

type Below = AccountsServices &
  ChannelsServices &
  FiltersServices &
  MembersServices &
  MessagesServices &
  PicturesServices &
  PresenceServices;

/** Bots: their accounts, policies and feeds, webhooks and streamed replies (contract §4). */
export function agentsModule(context: Context & Below) {
  const { policyAccess, database, settings, dashboard, roster } = context;
  const feedFilter = new BotFeedFilter(policyAccess, new Concerns(database), context.commands);
  const parts = { ...context, feedFilter };
  const agentTokens = new AgentTokens(parts);
  const agents = new AgentService({
    ...parts,
    agentTokens,
    leaveAll: (...leaving) => roster.removeFromAll(...leaving),
  });
  const policies = new PolicyService(parts);
  const memberships = new AgentMemberships(parts);
  const streams = createStreams(parts);
  const webhooks = createWebhooks(parts);
  const { dispatcher } = webhooks;
  dashboard.addSource(async (actor) => {
    const own = await agents.own(actor);
    const seconds = own.reduce((sum, agent) => sum + agent.totalOnlineSeconds, 0);
    return { buddyCount: own.length, buddyOnlineHours: Math.round(seconds / 360) / 10 };
  });
  let watch: AgentWatch | undefined;
  return {
    services: {
      feedFilter,
      webhookDispatcher: dispatcher,
      webhookQuestions: webhooks.questions,
      pollPlaces: new PollPlaces(database),
      botLag: () => lagOfAll(database.rows),
      agents,
      replyStreams: streams.service,
      streamEnds: streams.ends,
      agentOwners: new AgentOwners({ ...parts, agentTokens }),
    },
    routes: [
      ...agentRoutes(agents),
      ...agentProfileRoutes(new AgentProfile(parts), memberships),
      ...policyRoutes(policies, new AgentConfig(database, context.agentAccess)),
      ...botSeatRoutes(new BotSeats({ ...parts, policies })),
      ...webhookRoutes(webhooks.service),
      ...streams.routes,
      ...feedRoutes(new FeedService(parts), new AnswerService(parts)),
      ...rehearsalRoutes(new RehearsalService(parts)),
    ],
    handlers: () => [...streams.handlers(), ...agentHandlers(agents)],
    chores: [strayBots(parts), webhooks.reseal, streams.ends.chore, forgetOldRehearsals],
    connect({ gateway, disconnect }) {
      watch = new AgentWatch(database, settings.agents.heartbeatSeconds, context.log, (tokenId, endsAt) => {
        if (endsAt > clock.now()) gateway.shorten(tokenId, endsAt);
        else disconnect(`session:${tokenId}`, null);
      });
      streams.connect(gateway);
      connectBots(gateway, { ...context, watch, policies: policyAccess, memberships });
    },
    start() {
      streams.start();
      dispatcher.start();
    },
    async close() {
      await watch?.close();
      await dispatcher.close(settings.shutdown.graceMs / 4);
      await streams.close();
    },
  } satisfies Module;
}

type WebhookParts = Context & AccountsServices & { feedFilter: BotFeedFilter };

/** Webhooks of bots: their administration and delivery. */
function createWebhooks(parts: WebhookParts) {
  const { timeoutMs, leaseSeconds } = parts.settings.webhooks;
  const sealed = new SealedText(parts.settings.jwtSecrets);
  const cursors = new WebhookCursors(parts.database, parts.delivery, leaseSeconds);
  const sender = new WebhookSender(parts.outgoing, timeoutMs);
  const stops = new WebhookStops(parts.changes, parts.notifications);
  const deliverer = new WebhookDeliverer({ ...parts, cursors, sender, stops, sealed });
  const dispatcher = new WebhookDispatcher({ ...parts, cursors, deliverer });
  parts.control.handle({ webhook: ({ agentId }) => dispatcher.changed(agentId) });
  const questions = new WebhookQuestions({ ...parts, sealed, sender });
  const service = new WebhookService({ ...parts, sealed, sender });
  return { service, questions, dispatcher, reseal: resealSecrets(sealed) };
}
