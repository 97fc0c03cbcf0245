import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { AppError, ErrorCode } from '../errors.ts';
import type { IncomingFile } from '../infrastructure/incoming-file.ts';
import type { LimitName } from '../infrastructure/rate-limits.ts';
import type { ListPage } from '../schema/list-page.ts';

/** How a path parameter is read; what does not fit does not exist (contract §1). */
export interface Param {
  missing: ErrorCode;
  /** `uuid`: only ids; `slug`: ids or slugs; `text`: anything; `path`: the rest of the path, which may be empty. */
  form: 'uuid' | 'slug' | 'text' | 'path';
  description: string;
}

export const uuidParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'uuid', description });
export const slugParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'slug', description });
export const textParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'text', description });
export const pathParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'path', description });

type Params = Record<string, Param>;
type Parsed<S> = unknown extends S ? unknown : S extends z.ZodType ? z.output<S> : undefined;

/**
 * Who may come in: with a valid token; with or without one; anyone, who is recognised by a valid token and is nobody with
 * any other; or anyone, and no token is looked at.
 */
export type Entrance = 'user' | 'optional' | 'recognised' | 'anyone';

/** The request as it came, for doors that pass it on. */
export interface Passage {
  method: string;
  /** As it was written. */
  path: string;
  /** What stands in the URL where the path of the route has its `*`, with the slash before it and still encoded. */
  rest: string;
  /** With its `?`, or empty. */
  search: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Readable;
}

/** What a handler is given: everything checked. */
export interface RouteRequest<P extends Params, Q, B, H = undefined, F = undefined, C = undefined> {
  params: Record<keyof P, string>;
  query: Parsed<Q>;
  body: Parsed<B>;
  headers: Parsed<H>;
  /** What the route's `file` made of the file that came. */
  file: F;
  /** Whom the route's `admit` let in. */
  caller: C;
  /** Whom the client asked, with the port: `chat.example.com`. */
  host: string;
  passage(): Passage;
  /** What the Idempotency-Key stands for at this address, if there was one: 64 characters. */
  idempotencyKey: string | null;
  ip: string;
  userAgent: string | null;
  deviceName: string | null;
  requestId: string;
  /** A signal that aborts when the client goes away; for handlers that wait. */
  leaving(): AbortSignal;
}

/** An answer that is not just the record with the usual status. */
export class Reply<A> {
  readonly body: A;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;

  constructor(body: A, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/** A bare list, whose header says whether it goes on (see `paged`). */
export function pageReply<R>({ records, hasMore }: ListPage<R>): Reply<R[]> {
  return new Reply(records, { headers: { 'X-Has-More': String(hasMore) } });
}

/** Text that is JSON already and is sent as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An answer that is no JSON: bytes that are there or that come as a stream. A stream must not begin its work before it
 * is read; it is destroyed when the client goes away.
 */
export class RawReply {
  readonly status: number;
  /** Null takes away what all answers have. */
  readonly headers: Record<string, string | string[] | null>;
  readonly body: Readable | Buffer | string | null;

  constructor(
    status: number,
    headers: Record<string, string | string[] | null>,
    body: Readable | Buffer | string | null = null,
  ) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** The `answer` of routes that give a RawReply. */
export const rawAnswer = z.string().meta({ format: 'binary' });

/**
 * The file of a multipart body. It is received as it arrives and before the handler runs, so nothing may be changed
 * there but what the handler then makes use of; the text fields beside it are the route's `body`.
 */
interface FileDoor<P extends Params, F> {
  description: string;
  receive(request: { actor: Actor; params: Record<keyof P, string> }, file: IncomingFile): Promise<F>;
}

/** The form of errors: of what a route throws, and of what its door throws before it. */
export interface ErrorForm {
  /** Below this path it is the form of errors also where there is no route. */
  base: string;
  schema(codes: ErrorCode[]): z.ZodType;
  body(error: AppError): object;
}

/** What is known of a request with a key before it is read. */
interface Repeat<P extends Params> {
  actor: Actor;
  params: Record<keyof P, string>;
  idempotencyKey: string;
}

interface RouteDescription<P extends Params, Q, B, A extends z.ZodType, H> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Other methods that it answers too: those for which OpenAPI has no name. */
  otherMethods?: string[];
  /** With `:name` for parameters, and at its end `*name` for the rest of the path, be it empty. */
  path: string;
  summary: string;
  /** The feature, by which the documents are grouped. */
  tag: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Request headers that it heeds, by their names in lower case. */
  headers?: H;
  /**
   * What it gives out is not this site's own: on the host that apps have for themselves there is nothing else, and
   * pages of any origin may ask for it.
   */
  foreign?: boolean;
  /** The media type of a raw answer. */
  produces?: string;
  /** Who asks for it in the body gets the answer as server-sent events. */
  streams?: true;
  /** 200 unless it creates a record (contract §1). */
  status?: 200 | 201 | 202 | 302;
  /** The statuses with which it may send the caller elsewhere instead. */
  redirects?: (301 | 302)[];
  /** What is to be made may be there already: then it answers 200 and what there is. */
  mayExist?: true;
  /** The answer is a bare list; the header X-Has-More says whether more is behind it. */
  paged?: true;
  answer: A;
  /** Codes of its own, beside those that every route can answer. */
  errors?: ErrorCode[];
  /** Gives errors another form than that of contract §2, for clients that were written for another service. */
  errorForm?: ErrorForm;
  /**
   * The rate limit that counts it: by user, or by client address where nobody is signed in. Where none is named the limit
   * for changes counts what a signed-in user changes, for most of it is told to many. Null: never refused, because it
   * ends what somebody else may be misusing.
   */
  limit?: LimitName | null;
  /**
   * `key`: the door answers repeats of an Idempotency-Key; `never`: doing it again is harmless, and the answer is not to
   * be kept; a function: the service knows repeats by the same key, and this finds what it answered first, for requests
   * that cannot be read.
   */
  repeats?: 'key' | 'never' | ((repeat: Repeat<P>) => Promise<Answer<A> | undefined>);
  /** Fields of the answer that are shown once: they are not kept, and null where an Idempotency-Key is repeated. */
  shownOnce?: string[];
  /** Takes JSON under any content type, and forms, for `sendBeacon`; what cannot be read counts as empty. */
  anyBody?: boolean;
}

type Answer<A extends z.ZodType> = z.input<A> | Reply<z.input<A>> | Reply<JsonText> | RawReply;

interface SignedInRoute<P extends Params, Q, B, A extends z.ZodType, H, F> extends RouteDescription<P, Q, B, A, H> {
  entrance: 'user';
  /** Makes the body `multipart/form-data` with a field `file`. */
  file?: FileDoor<P, F>;
  handle(request: RouteRequest<P, Q, B, H, F> & { actor: Actor }): Promise<Answer<A>>;
}

interface OpenRoute<P extends Params, Q, B, A extends z.ZodType, H, C> extends RouteDescription<P, Q, B, A, H> {
  entrance: Exclude<Entrance, 'user'>;
  /** For callers with tokens of their own kind: lets them in by their headers, before anything else of it is read. */
  admit?(request: { headers: Parsed<H>; ip: string }): Promise<C>;
  handle(request: RouteRequest<P, Q, B, H, undefined, C> & { actor: Actor | null }): Promise<Answer<A>>;
}

type Schema = z.ZodType | undefined;

/** A route as the mount and the documents see it, its types checked already. */
export interface Route extends RouteDescription<Params, Schema, Schema, z.ZodType, Schema> {
  entrance: Entrance;
  file?: FileDoor<Params, unknown>;
  admit?(request: { headers: unknown; ip: string }): Promise<unknown>;
  handle(
    request: RouteRequest<Params, unknown, unknown, unknown, unknown, unknown> & { actor: Actor | null },
  ): Promise<unknown>;
}

/**
 * Declares a route: this is at once its parser, its guard and its documentation. Nothing is mounted without one.
 */
export function route<
  A extends z.ZodType,
  P extends Params = Record<never, Param>,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  H extends Schema = undefined,
  F = undefined,
  C = undefined,
>(spec: SignedInRoute<P, Q, B, A, H, F> | OpenRoute<P, Q, B, A, H, C>): Route {
  const changes = spec.entrance === 'user' && spec.method !== 'GET';
  const limit = spec.limit === undefined && changes ? 'changes' : spec.limit;
  // The mount parses by the spec's own schemas before it calls `handle`, so the types above hold; only TypeScript
  // cannot see that once routes of all kinds lie in one list.
  return { ...spec, limit } as unknown as Route;
}
