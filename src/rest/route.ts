import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Actor } from '../contract/actor.ts';
import type { AppError, ErrorCode } from '../contract/errors.ts';
import type { ListPage } from '../contract/schema/list-page.ts';
import type { IncomingFile } from '../infrastructure/incoming-file.ts';
import type { LimitName } from '../infrastructure/rate-limits.ts';

/** The form of a path parameter; a value that does not fit is answered as not existing (contract §1). */
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
 * Whether a caller needs a token: `required`; `optional`, but an invalid one is refused; `ignore-invalid`, an invalid one
 * counts as none; `none`, no token is looked at.
 */
export type Auth = 'required' | 'optional' | 'ignore-invalid' | 'none';

/** The raw request, for routes that forward it. */
export interface RawRequest {
  method: string;
  /** As it was written. */
  path: string;
  /** The part of the URL that matches the route's `*`, with its leading slash and still encoded. */
  rest: string;
  /** Including the `?`, or empty. */
  search: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Readable;
}

/** What a handler is given, all of it validated. */
export interface RouteRequest<P extends Params, Q, B, H = undefined, F = undefined, C = undefined> {
  params: Record<keyof P, string>;
  query: Parsed<Q>;
  body: Parsed<B>;
  headers: Parsed<H>;
  /** What the route's `file` returned for the uploaded file. */
  file: F;
  /** What the route's `admit` returned. */
  caller: C;
  /** The host that the client asked, with a port if it named one: `chat.example.com`. */
  host: string;
  raw(): RawRequest;
  /** What the Idempotency-Key stands for at this address, if there was one: 64 characters. */
  idempotencyKey: string | null;
  ip: string;
  userAgent: string | null;
  deviceName: string | null;
  requestId: string;
  /** A signal that aborts when the client goes away; for handlers that wait. */
  signal(): AbortSignal;
}

/** A response that is not just the record with the usual status. */
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

/** A bare list, whose header says whether there is more (see `paged`). */
export function pageReply<R>({ records, hasMore }: ListPage<R>): Reply<R[]> {
  return new Reply(records, { headers: { 'X-Has-More': String(hasMore) } });
}

/** JSON text that is sent as it is; one that is sent again and again is compressed once. */
export class JsonText {
  readonly text: string;
  compressed: Promise<Buffer> | undefined;
  private encoded: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Encoded once: all who are sent it share these bytes. */
  get bytes(): Buffer {
    this.encoded ??= Buffer.from(this.text);
    return this.encoded;
  }
}

/** JSON text that is too long to be made at once: it is made as it is sent, and no further once the client is gone. */
export class JsonPieces {
  readonly pieces: AsyncIterable<string>;
  readonly closed: () => void;

  /** @param closed called once it has been sent, or given up */
  constructor(pieces: AsyncIterable<string>, closed: () => void) {
    this.pieces = pieces;
    this.closed = closed;
  }
}

/**
 * A response that is not JSON: bytes in memory or a stream. A stream must not start its work before it is read; it is
 * destroyed when the client goes away.
 */
export class RawReply {
  readonly status: number;
  /** Null removes a header that all responses have. */
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
 * The file of a multipart body. `receive` runs as the file arrives and before the handler, so it may change nothing except
 * what the handler then uses; the text fields beside the file are the route's `body`.
 */
interface FileField<P extends Params, F> {
  description: string;
  receive(request: FileRequest<P>, file: IncomingFile): Promise<F>;
}

/** What is known of a request while its file arrives. */
export interface FileRequest<P extends Params = Params> {
  actor: Actor;
  params: Record<keyof P, string>;
  /** The text fields that came before the file. */
  fields: Record<string, string>;
  /** How many bytes the file has at least, by the length of the whole. */
  atLeast: number;
}

/** The format of error responses, for what a route throws and what is refused before it is called. */
export interface ErrorForm {
  /** Below this path it also applies where there is no route. */
  base: string;
  schema(codes: ErrorCode[]): z.ZodType;
  body(error: AppError): object;
}

/** What is known of a request with an Idempotency-Key before it is read. */
interface Repeat<P extends Params> {
  actor: Actor;
  params: Record<keyof P, string>;
  idempotencyKey: string;
}

interface RouteDescription<P extends Params, Q, B, A extends z.ZodType, H> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Further methods that it answers: those that OpenAPI does not know. */
  otherMethods?: string[];
  /** With `:name` for parameters, and at its end `*name` for the rest of the path, which may be empty. */
  path: string;
  summary: string;
  /** The feature, by which the API documents are grouped. */
  tag: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Request headers that it uses, by their lower-case names. */
  headers?: H;
  /**
   * It serves user content, not this site's own: the separate host for apps (`APPS_URL`) serves nothing else, and pages of
   * any origin may request it.
   */
  userContent?: boolean;
  /** The media type of a raw response. */
  produces?: string;
  /** A caller that asks for it in the body gets the response as server-sent events. */
  streams?: true;
  /** 200 unless it creates a record (contract §1). */
  status?: 200 | 201 | 202 | 302;
  /** The redirect statuses it may answer with instead. */
  redirects?: (301 | 302 | 307 | 308)[];
  /** What is to be created may exist already: then it answers 200 with the existing one. */
  mayExist?: true;
  /** The response is a bare list; the header X-Has-More says whether there is more. */
  paged?: true;
  answer: A;
  /** Its own error codes, beside those that every route can answer. */
  errors?: ErrorCode[];
  /** An error format other than that of contract §2, for clients that were written for another service. */
  errorForm?: ErrorForm;
  /**
   * The rate limit that counts it beside that of its group, which counts every request (`limitRequest`): per user, or per
   * client address if nobody is signed in. Unless one is named, changes of a signed-in user count against the limit for
   * changes, since most of them are announced to many, and those of others against one of their own. Null: only the group's,
   * because it ends something that someone else may be abusing.
   */
  limit?: LimitName | null;
  /**
   * `key`: repeats of an Idempotency-Key are answered from the stored response; `never`: repeating it is harmless, and the
   * response must not be stored; a function: the service itself recognises repeats by the key, and this finds the first
   * response for repeats that are invalid.
   */
  repeats?: 'key' | 'never' | ((repeat: Repeat<P>) => Promise<Answer<A> | undefined>);
  /** Response fields that are shown only once: they are not stored, and null when an Idempotency-Key is repeated. */
  shownOnce?: string[];
  /** Accepts JSON under any content type, and forms, for `sendBeacon`; an invalid body counts as empty. */
  anyBody?: boolean;
}

type Answer<A extends z.ZodType> = z.input<A> | Reply<z.input<A>> | Reply<JsonText> | JsonPieces | RawReply;

interface SignedInRoute<P extends Params, Q, B, A extends z.ZodType, H, F> extends RouteDescription<P, Q, B, A, H> {
  auth: 'required';
  /** Makes the body `multipart/form-data` with a field `file`. */
  file?: FileField<P, F>;
  handle(request: RouteRequest<P, Q, B, H, F> & { actor: Actor }): Promise<Answer<A>>;
}

interface OpenRoute<P extends Params, Q, B, A extends z.ZodType, H, C> extends RouteDescription<P, Q, B, A, H> {
  auth: Exclude<Auth, 'required'>;
  /** For callers with tokens of another kind: admits them by their headers, before anything else is read. */
  admit?(request: { headers: Parsed<H>; ip: string }): Promise<C>;
  handle(request: RouteRequest<P, Q, B, H, undefined, C> & { actor: Actor | null }): Promise<Answer<A>>;
}

type Schema = z.ZodType | undefined;

/** A route as the mount and the API documents see it, with its types erased. */
export interface Route extends RouteDescription<Params, Schema, Schema, z.ZodType, Schema> {
  auth: Auth;
  file?: FileField<Params, unknown>;
  admit?(request: { headers: unknown; ip: string }): Promise<unknown>;
  handle(
    request: RouteRequest<Params, unknown, unknown, unknown, unknown, unknown> & { actor: Actor | null },
  ): Promise<unknown>;
}

/** Declares a route: at once its parser, its guard and its documentation. Nothing is mounted without one. */
export function route<
  A extends z.ZodType,
  P extends Params = Record<never, Param>,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  H extends Schema = undefined,
  F = undefined,
  C = undefined,
>(spec: SignedInRoute<P, Q, B, A, H, F> | OpenRoute<P, Q, B, A, H, C>): Route {
  const limit = spec.limit === undefined ? usualLimit(spec) : spec.limit;
  // The mount validates by the spec's own schemas before it calls `handle`, so the types above hold; TypeScript just
  // cannot see that once all kinds of routes are in one list.
  return { ...spec, limit } as unknown as Route;
}

/** User content is read, whatever the method; callers with tokens of another kind are counted by these. */
function usualLimit(spec: Pick<Route, 'auth' | 'method' | 'userContent'> & { admit?: unknown }): LimitName | undefined {
  if (spec.method === 'GET' || spec.userContent || spec.admit) return undefined;
  return spec.auth === 'required' ? 'changes' : 'openChanges';
}
