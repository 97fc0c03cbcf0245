import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { withoutInviteCodes } from '../access/invite-codes.ts';
import type { Operations } from '../cluster/operations.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { protectedResourcePath } from '../contract/mcp.ts';
import { requireNoRehearsal } from '../contract/rehearsal.ts';
import { invalid, validated } from '../contract/schema/validation.ts';
import { isUuid } from '../contract/schema.ts';
import { requireScopes, scopesOfCall } from '../contract/scopes.ts';
import { bearerToken } from '../infrastructure/bearer.ts';
import type { BodyLimits, BodyReader } from './body.ts';
import { compressed, compressedPieces } from './compression.ts';
import { sendRaw } from './content.ts';
import type { Idempotency } from './idempotency.ts';
import { IncomingRequest } from './incoming-request.ts';
import { type AnyRequest, JsonPieces, JsonText, RawReply, Reply, type Route } from './route.ts';

/** The functions that routes need from the layers below. */
export interface RouteServices extends BodyLimits {
  /** @throws AppError with one of the 401 codes */
  authenticate(token: string, ip: string): Promise<Actor>;
  /** Checks that an actor's token is still valid. @throws AppError as `authenticate` */
  stillAuthentic(actor: Actor): Promise<unknown>;
  /** Someone did something: it is no call that clients make by themselves. */
  used(actor: Actor): void;
  /** @throws AppError SECOND_FACTOR_SETUP_REQUIRED */
  requireSecondFactor(actor: Actor): void;
  /** @throws AppError CONFIRMATION_REQUIRED */
  requireConfirmed(actor: Actor): Promise<void>;
  operations: Operations;
  /** Runs `work`; if it fails, the bytes that it stored are deleted again. */
  undoing<T>(work: () => Promise<T>): Promise<T>;
  idempotency: Idempotency;
  /** The id of the server with this slug, if there is one. */
  serverOf(slug: string): Promise<string | undefined>;
  /** Whether this host serves only apps (contract §8, `APPS_URL`). */
  isAppsHost(host: string): boolean;
  /** The site's URL, without a trailing slash. */
  publicUrl(): string;
  /** Extends a request's time limit to that of an upload. */
  allowUpload(request: IncomingMessage): void;
  /** @throws AppError RATE_LIMITED; sets the headers of contract §2 */
  limit(route: Route, context: Context, actor: Actor | null): Promise<void>;
}

/** Answers a request by its route: authentication, rate limit, validation, handler. @throws AppError */
export async function answer(
  route: Route,
  context: Context,
  services: RouteServices,
  bodies: BodyReader,
): Promise<void> {
  context.state.errorForm = route.errorForm;
  if (!route.userContent && services.isAppsHost(context.host)) throw new AppError('ROUTE_NOT_FOUND');
  const actor = await authenticated(route, context, services).catch((error) => {
    throw route.challenged ? challenged(error, services) : error;
  });
  await services.limit(route, context, actor);
  // Forwarded bodies may be as large as uploads.
  if (route.file || route.userContent || route.orText) services.allowUpload(context.req);
  // What is for everyone is for those too.
  if (actor && !route.unprotected && route.auth !== 'ignore-invalid') services.requireSecondFactor(actor);
  if (actor?.scopes) requireScopes(actor.scopes, scopesOfCall(route));
  if (actor && route.method !== 'GET' && !route.rehearsed) requireNoRehearsal(actor);
  if (actor && route.confirmed) await services.requireConfirmed(actor);
  if (!actor || route.method === 'GET') return answerTo(route, context, services, bodies, actor);
  if (!route.byItself) services.used(actor);
  const authentic = () => services.stillAuthentic(actor);
  await services.operations.run(authentic, () =>
    services.undoing(() => answerTo(route, context, services, bodies, actor)),
  );
}

/** Reads the request, handles it and sends the response. */
async function answerTo(
  route: Route,
  context: Context,
  services: RouteServices,
  bodies: BodyReader,
  actor: Actor | null,
): Promise<void> {
  const params = readParams(route, context.params);
  const keys = actor && route.method === 'POST' ? await readKeys(route, context, params, services) : [];
  const [idempotencyKey = null] = keys;
  const reading = read(route, context, bodies, { actor, params, idempotencyKey });
  if (actor && idempotencyKey && route.repeats !== 'never') {
    return send(context, await answerOnce(route, services, reading, { actor, params, idempotencyKey, keys }));
  }
  const result = await route.handle(await reading);
  if (result instanceof RawReply) await sendRaw(context, result);
  else if (result instanceof JsonPieces) sendPieces(context, result);
  else await send(context, toReply(route, result, actor));
}

/**
 * Repeats of a key get the first response, even if they differ (contract §13): an invalid request is reported only if
 * it is the first with its key. It is read before the transaction begins, since a body may take long to arrive.
 */
async function answerOnce(
  route: Route,
  services: RouteServices,
  reading: Promise<AnyRequest>,
  asked: { actor: Actor; params: AnyRequest['params']; idempotencyKey: string; keys: string[] },
): Promise<SentReply> {
  const [{ status }] = await Promise.allSettled([reading]);
  const run = async () => toReply(route, await route.handle(await reading), asked.actor);
  if (route.recognise) {
    const first = status === 'rejected' ? await route.recognise(asked) : undefined;
    return first === undefined ? run() : toReply(route, first, asked.actor);
  }
  const keep = (reply: SentReply) => toKeep(route, reply);
  const claim = { userId: asked.actor.userId, route: `${route.method} ${route.path}`, keys: asked.keys };
  return services.idempotency.once(claim, run, keep);
}

/** The validated request. @throws AppError */
async function read(
  route: Route,
  context: Context,
  bodies: BodyReader,
  known: Pick<AnyRequest, 'actor' | 'params' | 'idempotencyKey'>,
): Promise<AnyRequest> {
  const headers = route.headers ? validated(route.headers, headersOf(context)) : undefined;
  const caller = await route.admit?.({ headers, ip: context.ip });
  const query = route.query ? validated(route.query, context.query) : undefined;
  const isKnown = known.actor !== null || route.admit !== undefined;
  const { body, file } = await readBody(route, context, bodies, { ...known, isKnown });
  return new IncomingRequest(route, context, { ...known, query, body, headers, file, caller });
}

/** Ranges are for GET alone (RFC 9110 §14.2). */
function headersOf(context: Context): Context['headers'] {
  return context.method === 'HEAD' ? { ...context.headers, range: undefined } : context.headers;
}

async function authenticated(route: Route, context: Context, services: RouteServices): Promise<Actor | null> {
  if (route.auth === 'none') return null;
  const token = bearerToken(context.headers.authorization);
  if (token && route.auth === 'ignore-invalid') return services.authenticate(token, context.ip).catch(asAnonymous);
  if (token) return services.authenticate(token, context.ip);
  if (route.auth === 'required') throw new AppError('AUTH_TOKEN_MISSING');
  return null;
}

/** A refusal of a token, with the address where its client learns how to get one (RFC 9728 §5.1). */
function challenged(error: unknown, services: RouteServices): unknown {
  if (error instanceof AppError && error.status === 401) {
    const address = `${services.publicUrl()}${protectedResourcePath}`;
    error.headers['WWW-Authenticate'] = `Bearer resource_metadata="${address}"`;
  }
  return error;
}

function asAnonymous(error: unknown): null {
  if (error instanceof AppError && error.status < 500) return null;
  throw error;
}

export function readParams(route: Route, given: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, param] of Object.entries(route.params ?? {})) {
    const value = given[name] ?? '';
    if (!fits(value, param.form)) throw new AppError(param.missing);
    params[name] = param.form === 'uuid' ? value.toLowerCase() : value;
  }
  return params;
}

function fits(value: string, form: 'uuid' | 'slug' | 'text' | 'path'): boolean {
  if (form === 'uuid') return isUuid(value);
  if (form === 'slug') return isUuid(value) || /^[a-z0-9-]{1,100}$/i.test(value) || value === '_';
  const long = form === 'path' ? value.length <= 4096 : value.length > 0 && value.length <= 1024;
  return long && !value.includes('\0') && value.isWellFormed();
}

async function readBody(
  route: Route,
  context: Context,
  bodies: BodyReader,
  { actor, params, isKnown }: { actor: Actor | null; params: Record<string, string>; isKnown: boolean },
): Promise<{ body: unknown; file: unknown }> {
  if (!route.receive || !actor) {
    const { body, anyBody } = route;
    if (!body || (route.orText && context.is('text/plain'))) return { body: undefined, file: undefined };
    const json = await (anyBody ? bodies.any(context, isKnown) : bodies.json(context, isKnown));
    return { body: anyBody ? validOrEmpty(body, json) : validated(body, json), file: undefined };
  }
  const { fields, file } = await bodies.form(context, route.receive, { actor, params });
  return { body: route.body ? validated(route.body, fields) : undefined, file };
}

/** Accepts anything: an invalid value counts as empty. */
function validOrEmpty(schema: NonNullable<Route['body']>, value: unknown): unknown {
  try {
    return validated(schema, value);
  } catch (error) {
    if (error instanceof AppError) return validated(schema, {});
    throw error;
  }
}

/**
 * The key for this address, hashed to a length that any index takes. First with slugs resolved to ids; then, if
 * different, with the address as written: by the time of a repeat the slug may belong to another, or to nobody.
 */
async function readKeys(
  route: Route,
  context: Context,
  params: Record<string, string>,
  services: RouteServices,
): Promise<string[]> {
  const key = context.get('idempotency-key');
  if (key === '') return [];
  if (key.length > 255) {
    throw invalid([{ path: 'Idempotency-Key', message: 'must have at most 255 characters', code: 'too_big' }]);
  }
  const written = { ...params };
  const ids = { ...params };
  for (const [name, { form }] of Object.entries(route.params ?? {})) {
    const value = params[name] ?? '';
    if (form !== 'slug') continue;
    written[name] = value.toLowerCase();
    // In calls that create something, only servers are addressed by slugs.
    ids[name] = isUuid(value) ? value.toLowerCase() : ((await services.serverOf(value)) ?? value.toLowerCase());
  }
  const addresses = [ids, written].map((known) => route.path.replace(/[:*](\w+)/g, (_, name) => known[name] ?? ''));
  return [...new Set(addresses)].map((path) => createHash('sha256').update(`${path} ${key}`).digest('hex'));
}

/** A response as it is sent, and stored for repeats. */
export interface SentReply {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Set if the handler returned JSON text. */
  json?: JsonText | undefined;
}

export function toReply(route: Route, result: unknown, actor: Actor | null): SentReply {
  const reply = result instanceof Reply ? result : new Reply(result);
  const json = reply.body instanceof JsonText ? reply.body : undefined;
  const text = json?.text ?? JSON.stringify(actor?.personalTokenId ? withoutInviteCodes(reply.body) : reply.body);
  return { status: reply.status ?? route.status ?? 200, headers: reply.headers, text, json };
}

/** A response without the fields that are shown only once. */
function toKeep(route: Route, reply: SentReply): SentReply {
  if (!route.shownOnce) return reply;
  const hidden = Object.fromEntries(route.shownOnce.map((field) => [field, null]));
  return { ...reply, text: JSON.stringify({ ...JSON.parse(reply.text), ...hidden }) };
}

async function send(context: Context, reply: SentReply): Promise<void> {
  context.status = reply.status;
  // One caller's records, some of them secret: neither browsers nor proxies may cache them.
  context.set('Cache-Control', 'no-store');
  context.set(reply.headers);
  context.type = 'application/json';
  context.body = await compressed(context, reply.text, reply.json);
}

function sendPieces(context: Context, { pieces, closed }: JsonPieces): void {
  context.status = 200;
  context.set('Cache-Control', 'no-store');
  context.type = 'application/json';
  const text = Readable.from(pieces, { objectMode: false }).once('close', closed);
  context.body = compressedPieces(context, text);
}
