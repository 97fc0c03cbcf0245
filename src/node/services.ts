import { Capabilities } from '../access/capabilities.ts';
import { ChannelAccess } from '../access/channel.access.ts';
import { DirectAccess } from '../access/direct.access.ts';
import { PolicyAccess } from '../access/policy.access.ts';
import { ServerAccess } from '../access/server.access.ts';
import { ThreadAccess } from '../access/thread.access.ts';
import { RedisBus, SoloBus } from '../cluster/bus.ts';
import { Caches } from '../cluster/caches.ts';
import { Control } from '../cluster/control.ts';
import { forgetInvalidations } from '../cluster/invalidation-watch.ts';
import { Operations } from '../cluster/operations.ts';
import type { Database } from '../database/database.ts';
import { CatchUp } from '../delivery/catch-up.ts';
import { Changes } from '../delivery/changes.ts';
import { Delivery } from '../delivery/delivery.ts';
import { Ephemeral } from '../delivery/ephemeral.ts';
import { Writer } from '../delivery/writer.ts';
import { createAccounts } from '../features/accounts/account.services.ts';
import { AgentAccess } from '../features/accounts/agent.access.ts';
import { AgentIdentity } from '../features/accounts/agent.identity.ts';
import { forgetEnded } from '../features/accounts/forget-ended.ts';
import { createAgents } from '../features/agents/agent.services.ts';
import { AgentTokens } from '../features/agents/agent.tokens.ts';
import { BotHearing } from '../features/agents/bot-hearing.ts';
import { Concerns } from '../features/agents/concerns.ts';
import { strayBots } from '../features/agents/stray-bots.ts';
import { createWebhooks } from '../features/agents/webhooks/webhook.services.ts';
import { createApps } from '../features/apps/app.services.ts';
import { StorageAllowance } from '../features/blobs/allowance.ts';
import { BlobCollector } from '../features/blobs/blob.collector.ts';
import { DatabaseBlobStore } from '../features/blobs/blob.store.ts';
import { EventsService } from '../features/events/events.service.ts';
import { CommandDirectory } from '../features/messages/command-directory.ts';
import { LogRenewal } from '../features/messages/log-renewal.ts';
import { LoopGuard } from '../features/messages/loop-guard.ts';
import { MessageAccess } from '../features/messages/message.access.ts';
import { messageTable } from '../features/messages/message.table.ts';
import { createModels } from '../features/model-proxy/model-proxy.services.ts';
import { forgetRead, forgetWithdrawn } from '../features/notifications/forget-read.ts';
import { PresenceDirectory } from '../features/presence/directory.ts';
import { createWorkspace } from '../features/workspace/workspace.services.ts';
import type { Log } from '../infrastructure/log.ts';
import { Mailer } from '../infrastructure/mail.ts';
import { Outgoing } from '../infrastructure/outgoing.ts';
import { RateLimits } from '../infrastructure/rate-limits.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import { SignedLinks } from '../infrastructure/signed-links.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import { NotificationQueue } from '../jobs/notification.jobs.ts';
import type { Settings } from '../settings/settings.ts';
import { createCommunity } from './community.services.ts';
import type { Services } from './features.ts';
import { createPeople } from './people.services.ts';

/** What the services stand on. */
export interface Foundation {
  settings: Settings;
  log: Log;
  database: Database;
  delivery: Delivery;
  catchUp: CatchUp;
  control: Control;
  caches: Caches;
  operations: Operations;
  ephemeral: Ephemeral;
  limits: RateLimits;
  tracing: Tracing;
  mailer: Mailer;
  /** The site's URL, without a trailing slash. */
  publicUrl: () => string;
  redis: RedisConnections | null;
  nodeId: string;
}

/** What has to be opened before the rest of a foundation can be created. */
type Opened = Pick<Foundation, 'settings' | 'log' | 'database' | 'redis' | 'tracing' | 'publicUrl' | 'nodeId'>;

/** The foundation of a node, or of a command. Its caller closes what it holds. */
export function createFoundation(opened: Opened): Foundation {
  const { settings, log, database, redis, nodeId } = opened;
  const bus = redis ? new RedisBus(redis, nodeId) : new SoloBus();
  const control = new Control(bus);
  const delivery = new Delivery(database, bus, settings.delivery, log);
  const operations = new Operations();
  return {
    ...opened,
    delivery,
    catchUp: new CatchUp(delivery, settings.delivery.tailEvents),
    control,
    caches: new Caches(control, operations),
    operations,
    ephemeral: new Ephemeral(),
    limits: new RateLimits(settings, redis),
    mailer: new Mailer(settings, log),
  };
}

/** The services, and the parts that a node runs or connects beside them. */
export type ServiceParts = ReturnType<typeof createServices>;

/** Wires up the services, each given what it needs. */
export function createServices(foundation: Foundation) {
  const shared = createShared(foundation);
  foundation.delivery.renewal = new LogRenewal(foundation.database, foundation.caches);
  const { settings, database, changes, writer, serverAccess, policyAccess, hearing, outgoing } = shared;
  const { audience, roster, chores, ...community } = createCommunity(shared);
  const { services: people, notificationWorker, presence } = createPeople({ ...shared, ...community, audience });
  const accounts = createAccounts({ ...shared, presence: people.presence });
  shared.links.admitOnly((userId) => accounts.identity.admits(userId));
  const workspace = createWorkspace(shared);
  const apps = createApps({ ...shared, workspaceAccess: workspace.workspaceAccess });
  const { webhooks, webhookDispatcher } = createWebhooks({ ...shared, chores });
  chores.add(strayBots({ ...community, changes, roster }));
  chores.add(...forgetEnded(settings.accounts), forgetRead(settings.notifications.readDays), forgetWithdrawn);
  chores.add(forgetInvalidations);
  const services: Services = {
    accounts,
    ...community,
    channelAccess: shared.channelAccess,
    threadAccess: shared.threadAccess,
    events: new EventsService({ ...shared, refreshed: (actor) => accounts.identity.refreshed(actor) }),
    ...people,
    models: createModels({ ...shared, identity: accounts.identity }),
    ...createAgents({
      ...shared,
      ...community,
      roster,
      agentTokens: new AgentTokens({ ...shared, tokens: accounts.tokens }),
      audience,
      presence: people.presence,
      leaveAll: (change, userId) => roster.removeFromAll(change, userId),
    }),
    webhooks,
    ...workspace.services,
    ...apps.services,
  };
  fillDashboard(services);
  const blobCollector = new BlobCollector(database, settings.blobs, foundation.log);
  const background = { notificationWorker, chores, webhookDispatcher, blobCollector, viewCounter: apps.viewCounter };
  const { blobs } = shared;
  return { services, hearing, policyAccess, changes, writer, serverAccess, presence, outgoing, blobs, ...background };
}

/** What several features use. */
function createShared(foundation: Foundation) {
  const { settings, log, database, delivery } = foundation;
  const access = createAccess(foundation);
  const commands = new CommandDirectory(database, foundation.caches);
  const { pingIntervalMs, pingTimeoutMs } = settings.sockets;
  // A stock client cut off this long ago may still be recovered as if it had never been away.
  const directory = new PresenceDirectory(settings.delivery.recoverySeconds * 1000 + pingIntervalMs + pingTimeoutMs);
  return {
    ...foundation,
    ...access,
    changes: new Changes(database, delivery, log, foundation.operations),
    writer: new Writer({ ...foundation, table: messageTable, settings: settings.delivery }),
    commands,
    hearing: new BotHearing(access.policyAccess, new Concerns(database), commands),
    loopGuard: new LoopGuard(database, settings.agents),
    notifications: new NotificationQueue(),
    directory,
    statuses: directory,
    blobs: new DatabaseBlobStore(database),
    allowance: new StorageAllowance(database, settings.storage),
    links: new SignedLinks(settings.jwtSecrets),
    outgoing: new Outgoing(settings.appProxyAllow),
  };
}

/** The only ways to get objects on behalf of someone. */
function createAccess({ settings, database, caches }: Foundation) {
  const serverAccess = new ServerAccess(database, caches);
  const directAccess = new DirectAccess(database, caches);
  const policyAccess = new PolicyAccess(database, caches);
  const channelAccess = new ChannelAccess(database, caches, serverAccess, directAccess, policyAccess);
  return {
    capabilities: new Capabilities(settings.accounts.tiers),
    serverAccess,
    directAccess,
    policyAccess,
    channelAccess,
    messageAccess: new MessageAccess(database, channelAccess),
    threadAccess: new ThreadAccess(database, caches, channelAccess),
    agentAccess: new AgentAccess(database.rows),
    agentIdentity: new AgentIdentity(database, caches),
  };
}

/** What other features contribute to a user's dashboard. */
function fillDashboard({ accounts, friends, notifications, agents }: Services): void {
  accounts.dashboard.addSource(async (actor) => ({ friends: await friends.count(actor) }));
  accounts.dashboard.addSource(async (actor) => ({ unreadNotifications: await notifications.unreadCount(actor) }));
  accounts.dashboard.addSource(async (actor) => {
    const own = await agents.own(actor);
    const seconds = own.reduce((sum, agent) => sum + agent.totalOnlineSeconds, 0);
    return { buddyCount: own.length, buddyOnlineHours: Math.round(seconds / 360) / 10 };
  });
}
