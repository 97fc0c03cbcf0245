import type { Server as HttpServer } from 'node:http';
import type { Actor } from '../contract/actor.ts';
import { channelDeleted } from '../contract/channel.ts';
import { AppError, ifMissing } from '../contract/errors.ts';
import { authenticity } from '../features/accounts/account.gateway.ts';
import { appSockets } from '../features/apps/app.gateway.ts';
import type { Context } from '../features/context.ts';
import { documentsModule } from '../features/documents/documents.module.ts';
import { openAdmin } from '../gateway/admin.ts';
import { Gateway, type GatewayParts } from '../gateway/gateway.ts';
import type { Handler } from '../gateway/handler.ts';
import { createHttpServer } from '../gateway/http-server.ts';
import { intercept } from '../gateway/intercept.ts';
import { SocketLimits } from '../gateway/limits.ts';
import { SlowBodies } from '../gateway/slow-bodies.ts';
import { clientAddress, networksOf } from '../infrastructure/client-address.ts';
import type { Metrics } from '../infrastructure/metrics.ts';
import type { RateLimits } from '../infrastructure/rate-limits.ts';
import { traceRequests } from '../infrastructure/tracing.ts';
import type { RouteServices } from '../rest/answer.ts';
import { createApp } from '../rest/app.ts';
import { Idempotency } from '../rest/idempotency.ts';
import { limitRequest } from '../rest/limits.ts';
import type { Route } from '../rest/route.ts';
import { linkedOrigin } from '../settings/s3-settings.ts';
import { appRoutes } from '../web/app.routes.ts';
import { pageRoutes } from '../web/pages.routes.ts';
import type { Health } from './health.ts';
import { mirror } from './mirror.ts';
import type { Modules } from './modules.ts';
import { watchEvents } from './watches.ts';

/** All that a node serves: routes over HTTP, handlers on its sockets. */
interface Endpoints {
  httpServer: HttpServer;
  /** Does not watch the server yet: it must precede everything that takes requests. */
  bodies: SlowBodies;
  gateway: Gateway;
  routes: Route[];
  handlers: Handler[];
}

/** Creates the HTTP server with all routes, and the gateway with all handlers; neither listens yet. */
export async function createEndpoints(
  { list, services }: Modules,
  { health, metrics }: { health: Health; metrics: Metrics },
): Promise<Endpoints> {
  const { settings, log, tracing, limits, appProxy: proxy, appsOrigin: origin } = services;
  // A cycle: the API documents are routes that describe the handlers, these need the gateway, and the gateway needs the
  // routes' HTTP server. So the documents get the handlers as a function.
  const handlers = () => Object.values(list).flatMap((module) => module.handlers?.(gateway) ?? []);
  const routes: Route[] = [
    ...documentsModule({ routes: () => routes, handlers }).routes,
    ...pageRoutes(),
    ...appRoutes(origin.origin, linkedOrigin(settings.s3)),
    ...Object.values(list).flatMap((module) => module.routes ?? []),
  ];
  const outer = [metrics.middleware, health.middleware, mirror(settings, services.nodeId), traceRequests(tracing)];
  const bodies = new SlowBodies(settings.limits);
  const app = createApp(routes, routeServices(services, bodies), outer, settings, log);
  const httpServer = createHttpServer(app.callback(), settings.limits.uploadBytes);
  const watched = watchEvents(metrics, tracing);
  const gateway = new Gateway({ ...gatewayParts(services), httpServer, watched });
  intercept(httpServer, 'upgrade', appSockets({ proxy, origin, limits, trustProxy: settings.trustProxy }));
  const endpoints = { httpServer, bodies, gateway, routes, handlers: handlers() };
  gateway.setHandlers(endpoints.handlers);
  await admitAdmin(services, gateway);
  return endpoints;
}

function routeServices(
  {
    settings,
    limits,
    operations,
    serverAccess,
    changes,
    identity,
    attention,
    confirmations,
    appsOrigin,
    publicUrl,
    blobs,
  }: Modules['services'],
  bodies: SlowBodies,
): RouteServices {
  return {
    authenticate: authentication(limits, identity),
    stillAuthentic: (actor) => identity.refreshed(actor),
    used: (actor) => attention.used(actor),
    requireSecondFactor: (actor) => identity.requireSecondFactor(actor),
    requireConfirmed: (actor) => confirmations.require(actor),
    operations,
    undoing: (work) => blobs.undoing(work),
    idempotency: new Idempotency(changes),
    serverOf: async (slug) => (await serverAccess.find(slug).catch(ifMissing))?.id,
    limit: (route, context, actor) => limitRequest(limits, route, context, actor),
    isAppsHost: (host) => appsOrigin.isAppsHost(host),
    publicUrl,
    allowUpload: (request) => bodies.allowUpload(request),
    jsonBodyBytes: settings.limits.jsonBodyBytes,
    uploadBytes: settings.limits.uploadBytes,
  };
}

function gatewayParts(services: Modules['services']): Omit<GatewayParts, 'httpServer' | 'watched'> {
  const { settings, log, nodeId, delivery, catchUp, redis, identity, feedFilter, direct, appsOrigin } = services;
  const authenticate = authentication(services.limits, identity);
  const socketLimits = new SocketLimits(services.limits, log);
  return {
    settings,
    log,
    nodeId,
    delivery,
    catchUp,
    redis,
    feedFilter,
    isAppsHost: (host) => appsOrigin.isAppsHost(host),
    access: {
      channel: (actor, channelId) => services.channelAccess.entered(actor, channelId),
      thread: (actor, threadId) => services.threadAccess.place(actor, threadId),
      isEnd: ({ event }) => event === channelDeleted.name,
    },
    ownRooms: direct,
    async authenticate(token, ip) {
      const actor = await authenticate(token, ip);
      identity.requireSecondFactor(actor);
      // What was is played to polls; a socket would get what is.
      if (actor.agent?.rehearsalId)
        throw new AppError('FORBIDDEN', { message: 'Rehearsals poll; they have no sockets.' });
      return actor;
    },
    stillAuthentic: authenticity(identity),
    used: (actor) => services.attention.used(actor),
    operations: services.operations,
    limit: (name, socket) => socketLimits.take(name, socket),
  };
}

/** Looks tokens up. Bad ones cost a lookup too, so an address that sends far too many is refused. */
function authentication(
  limits: RateLimits,
  identity: { authenticate(token: string, ip: string): Promise<Actor> },
): (token: string, ip: string) => Promise<Actor> {
  return async (token, ip) => {
    const networks = networksOf(ip);
    limits.requireLeftHere('badTokens', networks);
    return identity.authenticate(token, ip).catch((error) => {
      if (error instanceof AppError && error.status === 401) limits.takeHere('badTokens', networks);
      throw error;
    });
  };
}

/** Socket.IO's admin UI, if configured; its sign-ins count as login attempts. */
async function admitAdmin({ settings, limits, nodeId }: Context, gateway: Gateway): Promise<void> {
  if (!settings.socketAdmin) return;
  await openAdmin(gateway.io, settings.socketAdmin, nodeId, async ({ headers, address }) => {
    const client = networksOf(clientAddress(headers, address, settings.trustProxy));
    const quota = await limits.takeOfAddress('auth', client);
    return quota?.exceeded === true;
  });
}
