import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from '@koa/cors';
import helmet from 'helmet';
import Koa, { type Context, type Middleware } from 'koa';
import type { ErrorForm } from '../contract/call.ts';
import { asAppError } from '../contract/errors.ts';
import { clientAddress, clientHost } from '../infrastructure/client-address.ts';
import { drainRequest } from '../infrastructure/drain-request.ts';
import type { Log } from '../infrastructure/log.ts';
import { matchedRoute } from '../infrastructure/matched-route.ts';
import { SparseLog } from '../infrastructure/sparse-log.ts';
import type { Settings } from '../settings/settings.ts';
import type { RouteServices } from './answer.ts';
import { MountedRoutes, refuseRest } from './mount.ts';
import type { Route } from './route.ts';

const slowRequestMs = 1000;

/**
 * The Koa application with all routes: the middleware that every request passes, outermost first.
 * @param outer middleware before error handling: metrics and health
 */
export function createApp(
  routes: Route[],
  services: RouteServices,
  outer: Middleware[],
  settings: Settings,
  log: Log,
): Koa {
  const app = new Koa({ proxy: settings.trustProxy > 0 });
  // Errors are answered and logged below; only disconnected clients get here.
  app.on('error', (error) => log.debug({ err: error }, 'A connection broke.'));
  app.use((context, next) => {
    identify(context);
    // Replaces Koa's own, which mistakes an entry with a port for an address.
    // Koa takes the first entry of X-Forwarded-Host, which is the client's own where a proxy appends.
    context.req.headers['x-forwarded-host'] = clientHost(context.headers, settings.trustProxy);
    context.request.ip = clientAddress(context.headers, context.socket.remoteAddress ?? '', settings.trustProxy);
    return next();
  });
  for (const middleware of outer) app.use(middleware);
  const logs = { log, sparse: new SparseLog(log) };
  app.use((context, next) => withErrors(context, next, logs));
  const headers = securityHeaders();
  app.use((context, next) => {
    for (const [name, value] of headers) context.res.setHeader(name, value);
    return next();
  });
  const mounted = new MountedRoutes(routes, services);
  // Pages of apps request their own data from opaque origins, which cannot be listed.
  const allowed = (context: Context) => (mounted.isUserContent(context.path) ? [] : settings.corsOrigins);
  const origin = (context: Context) => allowedOrigin(context, allowed(context));
  app.use(cors({ origin, exposeHeaders: exposed, maxAge: preflightSeconds }));
  app.use(mounted.middleware);
  app.use(refuseRest(mounted));
  return app;
}

/** Response headers that scripts of other sites may read. */
const exposed = [
  ...['X-Request-Id', 'X-Has-More', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotency-Replayed'],
  ...['ETag', 'Content-Disposition', 'Content-Range', 'Mcp-Session-Id', 'WWW-Authenticate'],
];
/** How long browsers may cache a preflight; some have a lower limit of their own. */
const preflightSeconds = 3600;

/** The origin to allow, or none (contract §11: an empty list allows any). */
function allowedOrigin(context: Context, allowed: string[]): string {
  const origin = context.get('origin');
  return allowed.length === 0 || allowed.includes(origin) ? origin : '';
}

/** Helmet's headers. They are the same for every response, so they are computed once. */
function securityHeaders(): [string, string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet()(request, response, () => {});
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/** Gives a request its id for the log: the client's own, or a new one. */
function identify(context: Context): void {
  const given = context.get('x-request-id');
  context.state.requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  context.set('X-Request-Id', context.state.requestId);
}

interface Logs {
  log: Log;
  /** For failures that may hit all requests at once. */
  sparse: SparseLog;
}

async function withErrors(context: Context, next: () => Promise<unknown>, logs: Logs): Promise<void> {
  const started = performance.now();
  try {
    await next();
  } catch (error) {
    sendError(context, error, logs);
  }
  const { req, res } = context;
  if (!req.complete || req.readableLength > 0) res.once('finish', () => drainRequest(req));
  const ms = Math.round(performance.now() - started);
  const isSlow = ms > slowRequestMs && !context.query.wait;
  if (!isSlow && !logs.log.isLevelEnabled('debug')) return;
  const { method, path, status } = context;
  // The address of an incoming webhook lets whoever knows it write.
  const shown = path.replace(/^(\/hooks\/)[^/]+/, '$1…');
  const record = { requestId: context.state.requestId, path: shown, ms, status };
  if (isSlow) logs.sparse.warn({ method, route: matchedRoute(context) }, record, 'A slow request.');
  else logs.log.debug({ method, ...record }, 'A request.');
}

function sendError(context: Context, error: unknown, { log, sparse }: Logs): void {
  const { requestId } = context.state;
  const known = asAppError(error);
  if (known.code === 'INTERNAL_ERROR') log.error({ requestId, err: error }, 'A request failed.');
  else if (known.status >= 500) sparse.warn({ reason: known.code }, { requestId }, 'A request could not be served.');
  context.status = known.status;
  // A missing object may exist a moment later.
  context.set('Cache-Control', 'no-store');
  if (known.retryAfter !== undefined) context.set('Retry-After', String(Math.ceil(known.retryAfter)));
  context.set(known.headers);
  const form: ErrorForm | undefined = context.state.errorForm;
  context.body = form ? form.body(known) : known.body(requestId);
}
