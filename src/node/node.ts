import { randomBytes } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import type { ListenOptions } from 'node:net';
import type { Delivery } from '../delivery/delivery.ts';
import { limitConnections } from '../gateway/connection-limits.ts';
import type { Handler } from '../gateway/handler.ts';
import { followUnused } from '../gateway/http-server.ts';
import { sharedListening, sharePort } from '../gateway/shared-port.ts';
import { createLog, type Log } from '../infrastructure/log.ts';
import { Metrics } from '../infrastructure/metrics.ts';
import { Shutdown } from '../infrastructure/shutdown.ts';
import type { Route } from '../rest/route.ts';
import { type Settings, SettingsError, siteOf } from '../settings/settings.ts';
import { connectSockets } from './connect.ts';
import { drain } from './drain.ts';
import { createEndpoints } from './endpoints.ts';
import { openContext } from './foundation.ts';
import { Health } from './health.ts';
import { createModules } from './modules.ts';
import { watchConnections, watchDatabase, watchDelivery, watchWebhooks } from './watches.ts';
import type { WorkerLink } from './workers/worker.ts';

/** A running node. */
export interface Node {
  id: string;
  port: number;
  url: string;
  delivery: Delivery;
  /** The routes and handlers that it serves. */
  endpoints: { routes: Route[]; handlers: Handler[] };
  /** Shuts it down in order: nothing acknowledged is lost, clients are sent elsewhere. */
  stop(): Promise<void>;
}

/** For closing all parts, after the requests in progress have been answered. */
const closingMs = 1000;

/**
 * Wires up a node and starts it. This and `node/` are the only places that know all parts.
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
  for (const [name, module] of Object.entries(list)) shutdown.add(name, () => module.close?.());

  const health = new Health(database, redis);
  const metrics = new Metrics(settings.metricsToken);
  watchDelivery(metrics, delivery, () => services.writer.queued);
  watchWebhooks(metrics, services.webhookDispatcher);
  const { httpServer, bodies, gateway, ...endpoints } = await createEndpoints({ list, services }, { health, metrics });
  connectSockets({ list, services }, gateway, shutdown);
  for (const module of Object.values(list)) module.start?.();
  // An earlier version may have left something behind.
  context.chores.soon();
  watchConnections(metrics, gateway, redis);
  watchDatabase(metrics, database);
  if (link) {
    metrics.showTogether((own) => link.shareMetrics(own));
    shutdown.add('private socket', await sharePort(httpServer, gateway.io.engine, link));
  }
  bodies.watch(httpServer);
  if (settings.rateLimits) limitConnections(httpServer, settings.limits.connectionsPerAddress, settings.trustProxy);
  const closeUnused = followUnused(httpServer);
  const port = await listen(httpServer, settings, link ? sharedListening : {});
  const { appProxy } = services;
  shutdown.add('connections', () => drain({ httpServer, closeUnused, gateway, delivery, appProxy, health, settings }));
  url = siteOf({ publicUrl: null, host: settings.host }, port);
  return { id: nodeId, port, url, delivery, endpoints, stop: () => shutdown.run() };
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
