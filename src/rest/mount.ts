import Router from '@koa/router';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import type { Actor } from '../access/actor.ts';
import { AppError, errorCodes } from '../errors.ts';
import { isUuid } from '../schema.ts';
import { invalid, validated } from '../validation.ts';
import type { Idempotency } from './idempotency.ts';
import { JsonText, Reply, type Route, type RouteRequest } from './route.ts';

/** What the doors need from below. */
export interface DoorServices {
  /** @throws AppError with one of the 401 codes */
  authenticate(token: string): Promise<Actor>;
  idempotency: Idempotency;
  /** @throws AppError RATE_LIMITED; sets the headers of contract §2 */
  limit(name: string, context: Context, actor: Actor | null): Promise<void>;
  jsonBodyBytes: number;
}

/** Mounts routes; fixed paths come before those with parameters, so `/servers/discover` is never an id. */
export function mount(routes: Route[], services: DoorServices): Router {
  const router = new Router();
  const readJson = koaBody({
    jsonLimit: services.jsonBodyBytes,
    urlencoded: false,
    text: false,
    multipart: false,
    patchNode: false,
  });
  for (const route of [...routes].sort(bySpecificity)) {
    router.register(route.path, [route.method], (context) => answer(route, context, services, readJson));
  }
  return router;
}

function bySpecificity(a: Route, b: Route): number {
  const key = (route: Route) =>
    route.path
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '1' : '0'))
      .join('');
  return key(a) < key(b) ? -1 : 1;
}

async function answer(
  route: Route,
  context: Context,
  services: DoorServices,
  readJson: ReturnType<typeof koaBody>,
): Promise<void> {
  const actor = await enter(route, context, services);
  if (route.limit) await services.limit(route.limit, context, actor);
  if (actor?.scope === 'read' && route.method !== 'GET') throw new AppError('INSUFFICIENT_PAT_SCOPE');
  const params = readParams(route, context.params);
  const query = route.query ? validated(route.query, context.query) : undefined;
  const body = route.body ? validated(route.body, await readBody(context, readJson)) : undefined;
  const idempotencyKey = route.method === 'POST' ? readKey(context) : null;
  const request = { actor, params, query, body, idempotencyKey, ...surroundings(context) };
  const run = async () => toReply(route, await route.handle(request));
  const keyed = actor && idempotencyKey && route.repeats !== 'nonce';
  const reply = keyed
    ? await services.idempotency.once(actor.userId, `${route.method} ${context.path}`, idempotencyKey, run)
    : await run();
  send(context, reply);
}

async function enter(route: Route, context: Context, services: DoorServices): Promise<Actor | null> {
  if (route.entrance === 'anyone') return null;
  const token = bearerToken(context);
  if (token) return services.authenticate(token);
  if (route.entrance === 'user') throw new AppError('AUTH_TOKEN_MISSING');
  return null;
}

/** The token of `Authorization: Bearer …`, if there is one. */
export function bearerToken(context: Context): string | null {
  const match = /^Bearer +(\S+)$/i.exec(context.get('authorization'));
  return match?.[1] ?? null;
}

function readParams(route: Route, given: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, param] of Object.entries(route.params ?? {})) {
    const value = given[name] ?? '';
    if (!fits(value, param.form)) throw new AppError(param.missing);
    params[name] = param.form === 'uuid' ? value.toLowerCase() : value;
  }
  return params;
}

function fits(value: string, form: 'uuid' | 'slug' | 'text'): boolean {
  if (form === 'uuid') return isUuid(value);
  if (form === 'slug') return isUuid(value) || /^[a-z0-9-]{1,100}$/i.test(value) || value === '_';
  return value.length > 0 && value.length <= 1024 && !value.includes('\0') && value.isWellFormed();
}

async function readBody(context: Context, readJson: ReturnType<typeof koaBody>): Promise<unknown> {
  const hasBody = Number(context.get('content-length') || 0) > 0 || context.get('transfer-encoding') !== '';
  if (!hasBody) return {};
  if (!context.is('json', '+json')) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  try {
    await readJson(context, async () => {});
  } catch (error) {
    throw asBodyError(error);
  }
  return context.request.body ?? {};
}

function asBodyError(error: unknown): unknown {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new AppError('BODY_TOO_LARGE', { cause: error });
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', { cause: error });
  if (status === 400 || error instanceof SyntaxError) return new AppError('MALFORMED_JSON', { cause: error });
  return error;
}

function readKey(context: Context): string | null {
  const key = context.get('idempotency-key');
  if (key === '') return null;
  if (key.length <= 255) return key;
  const issue = { path: 'Idempotency-Key', message: 'must have at most 255 characters', code: 'too_big' };
  throw invalid([issue]);
}

type Surroundings = Pick<
  RouteRequest<Record<never, never>, unknown, unknown>,
  'ip' | 'userAgent' | 'deviceName' | 'requestId' | 'leaving'
>;

function surroundings(context: Context): Surroundings {
  return {
    ip: context.ip,
    userAgent: context.get('user-agent').slice(0, 500) || null,
    deviceName: context.get('x-device-name').slice(0, 100) || null,
    requestId: context.state.requestId,
    leaving: () => {
      const controller = new AbortController();
      context.res.once('close', () => controller.abort());
      return controller.signal;
    },
  };
}

/** An answer in the form in which it is sent, and kept for repeats. */
export interface SentReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function toReply(route: Route, result: unknown): SentReply {
  const reply = result instanceof Reply ? result : new Reply(result);
  const text = reply.body instanceof JsonText ? reply.body.text : JSON.stringify(reply.body);
  return { status: reply.status ?? route.status ?? 200, headers: reply.headers, text };
}

function send(context: Context, reply: SentReply): void {
  context.status = reply.status;
  context.set(reply.headers);
  context.type = 'application/json';
  context.body = reply.text;
}

/** For addresses that exist, but not with this method. */
export function methodNotAllowed(router: Router): (context: Context, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    await next();
    if (context.status !== 404 || context.body) return;
    const { path } = router.match(context.path, context.method);
    const methods = [...new Set(path.flatMap((layer) => layer.methods))];
    if (methods.length === 0) throw new AppError('ROUTE_NOT_FOUND');
    context.set('Allow', methods.join(', '));
    throw new AppError('METHOD_NOT_ALLOWED', { message: `${errorCodes.METHOD_NOT_ALLOWED[1]}` });
  };
}
