import { randomBytes } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import type { ListenOptions } from 'node:net';
import { authenticity } from './accounts/account.gateway.ts';
import { goodbye, holdsSessions } from './accounts/sessions/revocation.ts';
import { attendBots } from './agents/agent.gateway.ts';
import { AgentWatch } from './agents/agent.watch.ts';
import { channelDeleted } from './channels/channel.contract.ts';
import { Database } from './database/database.ts';
import { migrate } from './database/migrations.ts';
import { openDatabaseUrl } from './database/open.ts';
import { RedisBus, SoloBus } from './delivery/bus.ts';
import { Caches } from './delivery/caches.ts';
import { CatchUp } from './delivery/catch-up.ts';
import { Control } from './delivery/control.ts';
import { Delivery } from './delivery/delivery.ts';
import { streamId } from './delivery/entry.ts';
import { Ephemeral } from './delivery/ephemeral.ts';
import { InvalidationWatch } from './delivery/invalidation-watch.ts';
import { trimming } from './delivery/trimming.ts';
import { ifMissing } from './errors.ts';
import { allHandlers, allRoutes } from './features.ts';
import { openAdmin } from './gateway/admin.ts';
import { Gateway } from './gateway/gateway.ts';
import type { Handler } from './gateway/handler.ts';
import { createHttpServer } from './gateway/http-server.ts';
import { SocketLimits } from './gateway/limits.ts';
import { sharedListening, sharePort } from './gateway/shared-port.ts';
import { Health } from './health/health.ts';
import { watchConnections, watchDatabase, watchDelivery, watchEvents, watchWebhooks } from './health/watches.ts';
import { addressKey, clientAddress } from './infrastructure/client-address.ts';
import { createLog, type Log } from './infrastructure/log.ts';
import { Mailer } from './infrastructure/mail.ts';
import { Metrics } from './infrastructure/metrics.ts';
import { RateLimits } from './infrastructure/rate-limits.ts';
import { RedisConnections } from './infrastructure/redis.ts';
import { Shutdown } from './infrastructure/shutdown.ts';
import { openTracing, traceRequests } from './infrastructure/tracing.ts';
import { bootstrapInvite } from './invites/bootstrap.ts';
import { drain } from './node/drain.ts';
import { followErasures } from './node/erasures.ts';
import { followLostAccess } from './node/lost-access.ts';
import { attendPresence } from './presence/presence.gateway.ts';
import { createApp } from './rest/app.ts';
import { forgetKeys, Idempotency } from './rest/idempotency.ts';
import { limitRequest } from './rest/limits.ts';
import type { Route } from './rest/route.ts';
import { SearchIndex } from './search/search-index.ts';
import { createServices } from './services.ts';
import { type Settings, SettingsError, siteOf } from './settings.ts';
import type { WorkerLink } from './workers/worker.ts';

/** A running node. */
export interface Node {
  id: string;
  port: number;
  url: string;
  delivery: Delivery;
  /** The routes and handlers that it serves. */
  doors: { routes: Route[]; handlers: Handler[] };
  /** Shuts it down in order: nothing acknowledged is lost, clients are sent elsewhere. */
  stop(): Promise<void>;
}

const redisWaitMs = 1000;
/** For closing all parts, after the requests in progress have been answered. */
const closingMs = 1000;

/**
 * Wires up a node and starts it: the only place that knows all parts.
 * @param link to the primary process, if it is one of several workers behind one port
 */
export async function startNode(
  settings: Settings,
  log: Log = createLog(settings.logLevel),
  link: WorkerLink | null = null,
): Promise<Node> {
  const shutdown = new Shutdown(log, settings.shutdown.graceMs + closingMs);
  try {
    return await assemble(settings, log, shutdown, link);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function assemble(settings: Settings, log: Log, shutdown: Shutdown, link: WorkerLink | null): Promise<Node> {
  const nodeId = randomBytes(6).toString('hex');
  let url = '';
  const place = await openDatabaseUrl(settings, log);
  shutdown.add('embedded PostgreSQL', () => place.stop(), 'to its end');
  await migrate(place.url, log);
  const database = await Database.connect(place.url, settings, log, true);
  shutdown.add('database', () => database.close());
  const tracing = await openTracing(settings, nodeId, log);
  shutdown.add('tracing', () => tracing.close());
  if (tracing.statements) database.watch(tracing.statements);
  await bootstrapInvite(database, settings, log);
  const redis = await connectRedis(settings, log, shutdown);

  const bus = redis ? new RedisBus(redis, nodeId) : new SoloBus();
  const control = new Control(bus);
  const caches = new Caches(control);
  const delivery = new Delivery(database, bus, settings.delivery, log);
  const catchUp = new CatchUp(delivery, database, settings.delivery.tailEvents);
  redis?.onHealth(() => void delivery.sweep());
  const limits = new RateLimits(settings, redis);
  const mailer = new Mailer(settings, log);
  shutdown.add('mail', () => mailer.close(settings.shutdown.graceMs / 2));
  shutdown.add('rate limits', () => limits.close());
  const searchIndex = new SearchIndex(database, log);
  shutdown.add('search index', () => searchIndex.close());
  const ephemeral = new Ephemeral();
  const {
    services,
    hearing,
    policyAccess,
    changes,
    writer,
    serverAccess,
    presence,
    notificationWorker,
    chores,
    ...background
  } = createServices({
    settings,
    log,
    database,
    delivery,
    catchUp,
    control,
    caches,
    ephemeral,
    limits,
    tracing,
    mailer,
    publicUrl: () => settings.publicUrl ?? url,
    redis,
    nodeId,
  });
  chores.add(trimming(settings.delivery, delivery.counters), forgetKeys);
  shutdown.add('blobs', () => background.blobCollector.close());
  shutdown.add('views of apps', () => background.viewCounter.close());
  shutdown.add('outgoing connections', () => background.outgoing.close());
  shutdown.add('chores', () => chores.close());
  shutdown.add('streams of replies', () => services.streams.close());
  shutdown.add('models', () => services.models.upstream.close());
  shutdown.add('accounts', () => services.accounts.close());
  shutdown.add('delivery', () => {
    writer.close();
    delivery.close();
  });
  notificationWorker.start();
  shutdown.add('notifications', () => notificationWorker.close());
  background.webhookDispatcher.start();
  shutdown.add('webhooks', () => background.webhookDispatcher.close(settings.shutdown.graceMs / 4));
  shutdown.add('presence', () => presence.close());

  const health = new Health(database, redis);
  const metrics = new Metrics(settings.metricsToken);
  watchDelivery(metrics, delivery, () => writer.queued);
  watchWebhooks(metrics, background.webhookDispatcher);
  const handlers = () => allHandlers(services, gateway);
  const routes = allRoutes(services, handlers);
  const isAppsHost = (host: string) => services.appsOrigin.isAppsHost(host);
  const app = createApp(
    routes,
    {
      authenticate: (token, ip) => services.accounts.identity.authenticate(token, ip),
      idempotency: new Idempotency(changes),
      serverOf: async (slug) => (await serverAccess.find(slug).catch(ifMissing))?.id,
      limit: (name, context, actor) => limitRequest(limits, name, context, actor),
      isAppsHost,
      jsonBodyBytes: settings.limits.jsonBodyBytes,
      uploadBytes: settings.limits.uploadBytes,
    },
    [metrics.middleware, health.middleware, traceRequests(tracing)],
    settings,
    log,
  );
  const httpServer = createHttpServer(app.callback(), settings.limits.uploadBytes);
  const socketLimits = new SocketLimits(limits, settings);
  const gateway = new Gateway({
    isAppsHost,
    httpServer,
    settings,
    log,
    nodeId,
    delivery,
    catchUp,
    redis,
    access: {
      channel: (actor, channelId) => services.channelAccess.entered(actor, channelId),
      thread: (actor, threadId) => services.threadAccess.place(actor, threadId),
      isEnd: ({ event }) => event === channelDeleted.name,
    },
    hearing,
    ownRooms: services.direct,
    authenticate: (token, ip) => services.accounts.identity.authenticate(token, ip),
    stillAuthentic: authenticity(services.accounts.identity),
    limit: (name, socket) => socketLimits.take(name, socket),
    watched: watchEvents(metrics, tracing),
  });
  const doors = { routes, handlers: handlers() };
  gateway.setHandlers(doors.handlers);
  if (settings.socketAdmin) {
    await openAdmin(gateway.io, settings.socketAdmin, nodeId, async ({ headers, address }) => {
      const quota = await limits.take('auth', addressKey(clientAddress(headers, address, settings.trustProxy)));
      return quota?.exceeded === true;
    });
  }
  ephemeral.connect((rooms, event, data, except) => gateway.tell(rooms, event, data, except));
  services.streams.start();
  const disconnect: Gateway['disconnect'] = (room, event) => {
    gateway.disconnect(room, event);
    services.events.end(room);
  };
  connectControl(control, gateway, disconnect);
  const evict = followLostAccess(
    delivery,
    gateway.membership,
    (room) => services.events.end(room),
    serverAccess,
    services.channelAccess,
  );
  control.handle({ evict });
  followErasures(delivery);
  attendPresence(gateway, delivery, presence, services.presence);
  const invalidations = new InvalidationWatch(database, caches, log, (cache, keys) => {
    if (holdsSessions(cache)) for (const id of keys) disconnect(`session:${id}`, goodbye(id));
  });
  shutdown.add('invalidations', () => invalidations.close());
  watchConnections(metrics, gateway, redis);
  watchDatabase(metrics, database);
  delivery.observe((entry) => {
    const opened = services.direct.opened(entry);
    if (opened) gateway.followHere(streamId(entry.room), opened.room, opened.after);
  });
  const agentWatch = new AgentWatch(database, settings.agents.heartbeatSeconds, log, (tokenId, endsAt) => {
    if (endsAt > Date.now()) gateway.shorten(tokenId, endsAt);
    else disconnect(`session:${tokenId}`, null);
  });
  shutdown.add('agents', () => agentWatch.close());
  attendBots(gateway, { control, delivery, watch: agentWatch, policies: policyAccess, seats: services.agentSeats });
  if (link) {
    metrics.showTogether((own) => link.shareMetrics(own));
    shutdown.add('own door', await sharePort(httpServer, gateway.io.engine, link));
  }
  const port = await listen(httpServer, settings, link ? sharedListening : {});
  shutdown.add('connections', () => drain({ httpServer, gateway, delivery, health, settings }));
  url = siteOf({ publicUrl: null, host: settings.host }, port);
  return { id: nodeId, port, url, delivery, doors, stop: () => shutdown.run() };
}

async function connectRedis(settings: Settings, log: Log, shutdown: Shutdown): Promise<RedisConnections | null> {
  const redis = RedisConnections.of(settings, log);
  if (!redis) return null;
  shutdown.add('Redis', () => redis.close());
  await redis.waitUntilHealthy(redisWaitMs);
  return redis;
}

/** Control messages from this and other nodes. */
function connectControl(control: Control, gateway: Gateway, disconnect: Gateway['disconnect']): void {
  control.handle({
    disconnect: ({ sessionId, userId, event }) => {
      disconnect(sessionId ? `session:${sessionId}` : `user:${userId}`, event);
    },
    dissolve: ({ rooms }) => gateway.membership.dissolve(rooms),
    'hand-over': ({ pid }) => gateway.handOver(pid),
  });
}

function listen(httpServer: HttpServer, settings: Settings, manner: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    httpServer.once('error', (error) => reject(asListenError(error, settings)));
    httpServer.listen({ port: settings.port, host: settings.host, ...manner }, () => {
      const address = httpServer.address();
      resolve(address !== null && typeof address === 'object' ? address.port : settings.port);
    });
  });
}

function asListenError(error: Error, { host, port }: Settings): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new SettingsError(`Port ${port} is in use by another program; set PORT to a free one.`);
  }
  const message = `HOST "${host}" and PORT ${port} cannot be listened on (${code}); set them to what this machine has.`;
  return typeof code === 'string' ? new SettingsError(message) : error;
}
