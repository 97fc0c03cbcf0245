import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Actor } from '../contract/actor.ts';
import type { Auth, Call, CallSpec } from '../contract/call.ts';
import type { Language } from '../contract/languages.ts';
import type { ListPage } from '../contract/schema/list-page.ts';
import type { IncomingFile } from '../infrastructure/incoming-file.ts';
import type { LimitName } from '../infrastructure/rate-limits.ts';

/** The raw request, for routes that forward it. */
export interface RawRequest {
  method: string;
  /** As the client wrote it. */
  path: string;
  /** The part of the URL that matches the route's `*`, with its leading slash and still encoded. */
  rest: string;
  /** Including the `?`, or empty. */
  search: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Readable;
}

/** What a handler gets besides its call's declared inputs. */
export interface Surroundings {
  /** The host that the client addressed, with a port if it named one: `chat.example.com`. */
  host: string;
  raw(): RawRequest;
  /** The hash of the Idempotency-Key at this address, if there was one: 64 characters. */
  idempotencyKey: string | null;
  ip: string;
  userAgent: string | null;
  deviceName: string | null;
  /** The best of those that the client reads and there are texts in; null: it says none. */
  language: Language | null;
  requestId: string;
  /** A signal that aborts when the client disconnects; for handlers that wait. */
  signal(): AbortSignal;
}

type Parsed<C, Part extends string> = C extends { [P in Part]: infer S extends z.ZodType } ? z.output<S> : undefined;
type ParamsOf<C> = C extends { params: infer P } ? Record<keyof P, string> : Record<never, string>;
type ActorOf<C> = C extends { auth: Exclude<Auth, 'required'> } ? Actor | null : Actor;

/** What the handler of a call gets, all of it validated. */
export interface RouteRequest<C extends CallSpec, F = undefined, K = undefined> extends Surroundings {
  actor: ActorOf<C>;
  params: ParamsOf<C>;
  query: Parsed<C, 'query'>;
  body: Parsed<C, 'body'>;
  headers: Parsed<C, 'headers'>;
  /** The result of `receive` for the uploaded file. */
  file: F;
  /** The result of `admit`. */
  caller: K;
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

/** A bare list, whose header shows whether there is more (see `paged`). */
export function pageReply<R>({ records, hasMore }: ListPage<R>): Reply<R[]> {
  return new Reply(records, { headers: { 'X-Has-More': String(hasMore) } });
}

/** JSON text that is sent unchanged; a text that is sent repeatedly is compressed once. */
export class JsonText {
  readonly text: string;
  compressed: Promise<Buffer> | undefined;
  private encoded: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Encoded once: all responses share these bytes. */
  get bytes(): Buffer {
    this.encoded ??= Buffer.from(this.text);
    return this.encoded;
  }
}

/** JSON text that is too long to be made at once: it is streamed, and stops when the client disconnects. */
export class JsonPieces {
  readonly pieces: AsyncIterable<string>;
  readonly closed: () => void;

  /** @param closed called once it was sent or aborted */
  constructor(pieces: AsyncIterable<string>, closed: () => void) {
    this.pieces = pieces;
    this.closed = closed;
  }
}

/**
 * A response that is not JSON: bytes in memory or a stream. A stream must not start its work before it is read; it is
 * destroyed when the client disconnects.
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

/** The known parts of a request while its file arrives. */
export interface FileRequest<C extends CallSpec = CallSpec> {
  actor: Actor;
  params: ParamsOf<C>;
  /** The text fields before the file. */
  fields: Record<string, string>;
  /** The file's minimum size in bytes, by the length of the whole. */
  atLeast: number;
}

/** The known parts of a request with an Idempotency-Key before it is read. */
interface Repeat<C extends CallSpec> {
  actor: Actor;
  params: ParamsOf<C>;
  idempotencyKey: string;
}

type Answer<C extends CallSpec> =
  | z.input<C['answer']>
  | Reply<z.input<C['answer']>>
  | Reply<JsonText>
  | JsonPieces
  | RawReply;

type Handle<C extends CallSpec, F = undefined, K = undefined> = (request: RouteRequest<C, F, K>) => Promise<Answer<C>>;

/** A handler with its extras; made by `receiving`, `admitting` and `recognising`, which check the types. */
class Extended<C extends CallSpec> {
  declare readonly call: C;
  readonly parts: { handle: unknown; receive?: unknown; admit?: unknown; recognise?: unknown };

  constructor(parts: Extended<C>['parts']) {
    this.parts = parts;
  }
}

/** How a call is served. */
export type Serving<C extends CallSpec> = Handle<C> | Extended<C>;

/** What any handler gets. */
export interface AnyRequest extends Surroundings {
  actor: Actor | null;
  params: Record<string, string>;
  query: unknown;
  body: unknown;
  headers: unknown;
  file: unknown;
  caller: unknown;
}

/** A call that is served, as the mount and the API documents see it, with its types erased. */
export interface Route extends Omit<Call, 'limit'> {
  auth: Auth;
  limit: LimitName | null | undefined;
  receive?(request: FileRequest, file: IncomingFile): Promise<unknown>;
  admit?(request: { headers: unknown; ip: string }): Promise<unknown>;
  recognise?(repeat: Repeat<CallSpec>): Promise<unknown>;
  handle(request: AnyRequest): Promise<unknown>;
}

/**
 * Serves the calls of a group: the declaration is at once their parser, their guard and their documentation. Nothing is
 * mounted in any other way, and TypeScript misses a call that is declared and not served.
 */
export function serve<C extends Record<string, Call>>(
  calls: C,
  serving: { [Name in keyof C]: Serving<C[Name]> },
): Route[] {
  return Object.entries(calls).map(([name, call]) => {
    const served = serving[name];
    const { auth = 'required' } = call;
    const parts = served instanceof Extended ? served.parts : { handle: served };
    // The mount validates by the call's own schemas before it calls `handle`, so the types above hold; TypeScript just
    // cannot see that once all kinds of calls are in one list.
    return { ...call, auth, ...parts, limit: limitOf({ ...call, auth }, parts) } as unknown as Route;
  });
}

/**
 * Serves a call with a file. `receive` runs as the file arrives and before the handler, so it may only make changes
 * that the handler then uses.
 */
export function receiving<C extends CallSpec, F>(
  receive: (request: FileRequest<C>, file: IncomingFile) => Promise<F>,
  handle: Handle<C, F>,
): Extended<C> {
  return new Extended({ receive, handle });
}

/** Serves callers with tokens of another kind: `admit` checks their headers before anything else is read. */
export function admitting<C extends CallSpec, K>(
  admit: (request: { headers: Parsed<C, 'headers'>; ip: string }) => Promise<K>,
  handle: Handle<C, undefined, K>,
): Extended<C> {
  return new Extended({ admit, handle });
}

/**
 * Serves a call whose service itself recognises repeats by the Idempotency-Key; `recognise` finds the first response for
 * repeats that are invalid.
 */
export function recognising<C extends CallSpec>(
  recognise: (repeat: Repeat<C>) => Promise<Answer<C> | undefined>,
  handle: Handle<C>,
): Extended<C> {
  return new Extended({ recognise, handle });
}

/** Any method of user content counts as a read; callers with tokens of another kind are counted by these. */
function limitOf(
  call: Pick<Call, 'auth' | 'method' | 'userContent' | 'limit'>,
  { admit }: { admit?: unknown },
): Route['limit'] {
  if (call.limit !== undefined) return call.limit;
  if (call.method === 'GET' || call.userContent || admit) return undefined;
  return call.auth === 'required' ? 'changes' : 'openChanges';
}
