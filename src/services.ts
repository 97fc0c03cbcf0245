import { Capabilities } from './access/capabilities.ts';
import { createAccounts } from './accounts/accounts.ts';
import { AgentAccess } from './agents/agent.access.ts';
import { AgentIdentity } from './agents/agent.identity.ts';
import { agentServices } from './agents/agent.services.ts';
import { AgentTokens } from './agents/agent.tokens.ts';
import { PolicyAccess } from './agents/policies/policy.access.ts';
import { BlobCollector } from './blobs/blob.collector.ts';
import { DatabaseBlobStore } from './blobs/blob.store.ts';
import { ChannelAccess } from './channels/channel.access.ts';
import { ChannelService } from './channels/channel.service.ts';
import type { Database } from './database/database.ts';
import type { Caches } from './delivery/caches.ts';
import type { CatchUp } from './delivery/catch-up.ts';
import { Changes } from './delivery/changes.ts';
import type { Control } from './delivery/control.ts';
import type { Delivery } from './delivery/delivery.ts';
import { Writer } from './delivery/writer.ts';
import { DirectAccess } from './direct/direct.access.ts';
import { EventsService } from './events/events.service.ts';
import type { Services } from './features.ts';
import type { Log } from './infrastructure/log.ts';
import type { Mailer } from './infrastructure/mail.ts';
import type { RateLimits } from './infrastructure/rate-limits.ts';
import { SignedLinks } from './infrastructure/signed-links.ts';
import { MessageAccess } from './messages/message.access.ts';
import { MessageService } from './messages/message.service.ts';
import { messageTable } from './messages/message.table.ts';
import { NotificationQueue } from './notifications/notification.jobs.ts';
import { createPeople } from './people.ts';
import { ServerAccess } from './servers/server.access.ts';
import { ServerService } from './servers/server.service.ts';
import type { Settings } from './settings.ts';
import { createWorkspace } from './workspace/workspace.ts';

/** What the services stand on. */
export interface Ground {
  settings: Settings;
  log: Log;
  database: Database;
  delivery: Delivery;
  catchUp: CatchUp;
  control: Control;
  caches: Caches;
  limits: RateLimits;
  mailer: Mailer;
  /** Where people find this site, without a slash at its end. */
  publicUrl: () => string;
}

/** Puts the services together, each given what it needs. */
export function createServices(ground: Ground) {
  const { settings, log, database, delivery, catchUp, control, caches } = ground;
  const changes = new Changes(database, delivery);
  const writer = new Writer(database, delivery, messageTable, settings.delivery, log);
  const capabilities = new Capabilities(settings.accounts.tiers);
  const serverAccess = new ServerAccess(database, caches);
  const directAccess = new DirectAccess(database, caches);
  const policyAccess = new PolicyAccess(database, caches);
  const channelAccess = new ChannelAccess(database, caches, serverAccess, directAccess, policyAccess);
  const messageAccess = new MessageAccess(database, channelAccess);
  const channels = new ChannelService({ database, changes, channelAccess, serverAccess });
  const blobs = new DatabaseBlobStore(database);
  const links = new SignedLinks(settings.jwtSecrets);
  const blobCollector = new BlobCollector(database, settings.blobs, log);
  const agentIdentity = new AgentIdentity(database, caches);
  const servers = new ServerService({ database, changes, control, serverAccess, capabilities, channels });
  const accounts = createAccounts({
    settings,
    log,
    database,
    changes,
    caches,
    control,
    capabilities,
    limits: ground.limits,
    mailer: ground.mailer,
    publicUrl: ground.publicUrl,
    agentIdentity,
  });
  const notificationQueue = new NotificationQueue();
  const messages = new MessageService({
    database,
    changes,
    writer,
    channelAccess,
    messageAccess,
    notifications: notificationQueue,
  });
  const people = createPeople({
    settings,
    log,
    database,
    changes,
    capabilities,
    channelAccess,
    directAccess,
    messages,
    notificationQueue,
  });
  const services: Services = {
    accounts,
    servers,
    channels,
    channelAccess,
    messages,
    events: new EventsService(catchUp, channelAccess),
    ...people.services,
    ...agentServices({
      ...ground,
      changes,
      agentAccess: new AgentAccess(database.rows),
      agentIdentity,
      agentTokens: new AgentTokens(accounts.tokens, agentIdentity, settings),
      policyAccess,
      channelAccess,
      serverAccess,
      leaveAll: (change, userId) => servers.leaveAll(change, userId),
    }),
    ...createWorkspace({ settings, database, changes, serverAccess, blobs, links }),
  };
  return { services, changes, writer, serverAccess, notificationWorker: people.notificationWorker, blobCollector };
}
