import { randomBytes } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import { type ListenOptions, Server as TcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ClockSync } from '../database/clock-sync.ts';
import { Database } from '../database/database.ts';
import { openDatabaseUrl } from '../database/open.ts';
import { migrate } from '../database/up-to-date.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { LogPartitions } from '../delivery/log-partitions.ts';
import type { Context } from '../features/context.ts';
import { bootstrapInvite } from '../features/invites/bootstrap.ts';
import type { Module } from '../features/module.ts';
import { limitConnections } from '../gateway/connection-limits.ts';
import type { Handler } from '../gateway/handler.ts';
import { followUnused } from '../gateway/http-server.ts';
import { refuseSessions } from '../gateway/session-limits.ts';
import { sharedListening, sharePort } from '../gateway/shared-port.ts';
import { createLog, type Log } from '../infrastructure/log.ts';
import { Metrics } from '../infrastructure/metrics.ts';
import { RedisConnections } from '../infrastructure/redis.ts';
import { Shutdown } from '../infrastructure/shutdown.ts';
import { openTracing, type Tracing } from '../infrastructure/tracing.ts';
import type { Route } from '../rest/route.ts';
import { type Settings, SettingsError, siteOf } from '../settings/settings.ts';
import { watchBlobs } from './blob-watch.ts';
import { watchBotLag } from './bot-lag.ts';
import { connectSockets } from './connect.ts';
import { createContext } from './context.ts';
import { createEndpoints } from './endpoints.ts';
import { Health } from './health.ts';
import { createModules } from './modules.ts';
import {
  watchConnections,
  watchDatabase,
  watchDelivery,
  watchJobs,
  watchLimits,
  watchPictures,
  watchPreviews,
  watchPushes,
  watchReplicas,
  watchScheduled,
  watchSearch,
  watchStorage,
  watchWebhooks,
} from './watches.ts';
import type { WorkerLink } from './workers/worker.ts';

const redisWaitMs = 1000;

/** Opens the base of the features: PostgreSQL, Redis, the delivery, mail. */
async function openContext(
  nodeId: string,
  settings: Settings,
  log: Log,
  shutdown: Shutdown,
  publicUrl: () => string,
): Promise<Context> {
  const { database, tracing } = await openDatabase(nodeId, settings, log, shutdown);
  const redis = await connectRedis(settings, log, shutdown);
  const context = createContext({ nodeId, settings, log, publicUrl, database, redis, tracing });
  redis?.onHealth(() => void context.delivery.sweep());
  shutdown.add('mail', () => context.mailer.close());
  shutdown.add('rate limits', () => context.limits.close());
  shutdown.add('outgoing connections', () => context.outgoing.close());
  shutdown.add('chores', () => context.chores.close());
  shutdown.add('delivery', () => context.delivery.close());
  return context;
}

async function openDatabase(
  nodeId: string,
  settings: Settings,
  log: Log,
  shutdown: Shutdown,
): Promise<{ database: Database; tracing: Tracing }> {
  const place = await openDatabaseUrl(settings, log);
  shutdown.add('embedded PostgreSQL', () => place.stop(), 'to its end');
  await migrate(place.url, log);
  const database = await Database.connect(place.url, settings, log, true);
  shutdown.add('database', () => database.close());
  const clockSync = await ClockSync.start(database, log);
  shutdown.add('clock', () => clockSync.close());
  const tracing = await openTracing(settings, nodeId, log);
  shutdown.add('tracing', () => tracing.close());
  if (tracing.statements) database.watch(tracing.statements);
  await bootstrapInvite(database, settings, log);
  return { database, tracing };
}

async function connectRedis(settings: Settings, log: Log, shutdown: Shutdown): Promise<RedisConnections | null> {
  const redis = RedisConnections.of(settings, log);
  if (!redis) return null;
  shutdown.add('Redis', () => redis.close());
  await redis.waitUntilHealthy(redisWaitMs);
  return redis;
}

/** How many connections may be waiting to be accepted when a node starts to drain. */
const acceptTurns = 100;
const checkMs = 50;
/** How many connections may wait for it at once, as far as the system allows: after a restart thousands come back. */
const backlog = 4096;
/** How long a proxy has to use its idle connections once more: each response then announces that it is the last. */
const usingUpMs = 500;

/** Resolves when the event loop has polled all connections once. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Drains a node: it accepts no new connections, notifies sockets and sends them elsewhere, and finishes requests. */
async function drain(parts: {
  httpServer: HttpServer;
  closeUnused: () => void;
  gateway: { drain(maxSpreadMs: number): Promise<void> };
  delivery: Delivery;
  appProxy: { drain(): void };
  mcpListeners: { close(): void };
  health: Health;
  settings: Settings;
}): Promise<void> {
  const { httpServer, closeUnused, gateway, delivery, appProxy, mcpListeners, health, settings } = parts;
  health.startDraining();
  refuseSessions(httpServer);
  // Connections wait in a queue to be accepted, one per turn; closing the port would cut them off.
  for (let turn = 0; turn < acceptTurns; turn++) await nextTurn();
  // Only the listener: a proxy may be about to use an idle connection, and learns of the drain by its next response.
  const closed = Promise.withResolvers<void>();
  TcpServer.prototype.close.call(httpServer, () => closed.resolve());
  const begun = performance.now();
  // They wait for events too, and must not ask for more.
  mcpListeners.close();
  // Repeatedly: long polls still arrive on open connections, and would wait until the end cuts them off.
  delivery.wakeAll();
  const waking = setInterval(() => delivery.wakeAll(), checkMs);
  appProxy.drain();
  await gateway.drain(settings.shutdown.spreadMs);
  const limit = setTimeout(
    () => {
      httpServer.closeAllConnections();
      // Not WebSockets: one whose peer does not answer the closing handshake, whenever that was started, would be
      // waited for half a minute. They end with the process.
      setTimeout(closed.resolve, checkMs);
    },
    Math.max(settings.shutdown.graceMs - (performance.now() - begun), 0),
  );
  // A request sent on an idle connection just as that is closed is lost, and a proxy does not send it elsewhere.
  await Promise.race([closed.promise, delay(usingUpMs, undefined, { ref: false })]);
  // After all received bytes are read: then a connection with a request on it is not idle.
  const closeIdle = () => {
    httpServer.closeIdleConnections();
    closeUnused();
  };
  const idle = setInterval(() => setImmediate(closeIdle), checkMs);
  await closed.promise;
  clearInterval(idle);
  clearInterval(waking);
  clearTimeout(limit);
}

/** A running node. */
export interface Node {
  id: string;
  port: number;
  url: string;
  delivery: Delivery;
  /** The routes and handlers that it serves. */
  endpoints: { routes: Route[]; handlers: Handler[] };
  /** Shuts it down in order: nothing acknowledged is lost, clients reconnect elsewhere. */
  stop(): Promise<void>;
}

/** For closing all parts, after the requests in progress have been answered. */
const closingMs = 1000;

/**
 * Wires up a node and starts it. Only this and `node/` know all parts.
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
  const context = await openContext(nodeId, settings, log, shutdown, () => settings.publicUrl ?? url);
  const { database, delivery, redis } = context;
  const { list, services } = createModules(context);
  const { presence, ...others } = list;
  for (const [name, module] of Object.entries(others)) shutdown.add(name, () => module.close?.());
  // Before what they use.
  shutdown.add('jobs', () => context.jobs.close(settings.shutdown.graceMs / 2));
  // Closed first: other nodes learn that the people here are leaving, however long webhooks and jobs take to finish.
  shutdown.add('presence', () => presence?.close?.());

  const health = new Health(database, redis, () => services.blobMeter.problem);
  const metrics = new Metrics(settings.metricsToken);
  watchDelivery(metrics, delivery, () => services.writer.queued);
  watchWebhooks(metrics, services.webhookDispatcher);
  watchBotLag(metrics, services.botLag);
  watchScheduled(metrics, services.scheduledSender);
  watchPushes(metrics, services.pushWork);
  watchJobs(metrics, context.jobs);
  watchPictures(metrics, services.pictureWork);
  watchStorage(metrics, services);
  watchPreviews(metrics, services.previewCounters);
  watchBlobs(metrics, services.blobMeter);
  watchSearch(metrics, services.searchIndexer);
  metrics.onRequest = (ms, status) => services.nodeVitals.request(ms, status);
  const { httpServer, bodies, gateway, ...endpoints } = await createEndpoints({ list, services }, { health, metrics });
  connectSockets({ list, services }, gateway, shutdown);
  for (const module of Object.values(list)) module.start?.();
  context.jobs.start();
  const { retentionDays: keepDays } = settings.delivery;
  const partitions = new LogPartitions({ database, keepDays, counters: delivery.counters, log });
  shutdown.add('partitions of the log', () => partitions.close());
  partitions.start();
  // Cleans up data that an earlier version may have left.
  context.chores.soon();
  await addLeftBehind(context, Object.values(list));
  watchConnections(metrics, gateway, redis);
  watchLimits(metrics, context.limits, gateway);
  watchDatabase(metrics, database);
  watchReplicas(metrics, database);
  if (link) {
    metrics.showTogether((own) => link.shareMetrics(own));
    shutdown.add('private socket', await sharePort(httpServer, gateway.io.engine, link));
  }
  bodies.watch(httpServer);
  if (settings.rateLimits) limitConnections(httpServer, settings);
  const closeUnused = followUnused(httpServer);
  const port = await listen(httpServer, settings, link ? sharedListening : {});
  const { appProxy, mcpListeners } = services;
  const leaving = () => drain({ httpServer, closeUnused, gateway, delivery, appProxy, mcpListeners, health, settings });
  shutdown.add('connections', leaving, settings.shutdown.spreadMs + settings.shutdown.graceMs);
  url = siteOf({ publicUrl: null, host: settings.host }, port);
  return { id: nodeId, port, url, delivery, endpoints, stop: () => shutdown.run() };
}

async function addLeftBehind({ changes, log }: Context, modules: Module[]): Promise<void> {
  const add = changes.run(async (change) => {
    for (const { leftBehind } of modules) await leftBehind?.(change);
  });
  await add.catch((error) => log.warn({ err: error }, 'What an earlier version left behind waits for the next start.'));
}

function listen(httpServer: HttpServer, settings: Settings, manner: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    httpServer.once('error', (error) => reject(asListenError(error, settings)));
    httpServer.listen({ port: settings.port, host: settings.host, backlog, ...manner }, () => {
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
