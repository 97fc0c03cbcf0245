import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { ErrorCode } from '../errors.ts';

/** How a path parameter is read; what does not fit does not exist (contract §1). */
export interface Param {
  missing: ErrorCode;
  /** `uuid`: only ids; `slug`: ids or slugs; `text`: anything. */
  form: 'uuid' | 'slug' | 'text';
  description: string;
}

export const uuidParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'uuid', description });
export const slugParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'slug', description });
export const textParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'text', description });

type Params = Record<string, Param>;
type Parsed<S> = unknown extends S ? unknown : S extends z.ZodType ? z.output<S> : undefined;

/** Who may come in: with a valid token, with or without one, or only the handler decides. */
export type Entrance = 'user' | 'optional' | 'anyone';

/** What a handler is given: everything checked. */
export interface RouteRequest<P extends Params, Q, B> {
  params: Record<keyof P, string>;
  query: Parsed<Q>;
  body: Parsed<B>;
  /** Value of Idempotency-Key, if there was one. */
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

/** Text that is JSON already and is sent as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

interface RouteDescription<P extends Params, Q, B, A extends z.ZodType> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  path: string;
  summary: string;
  /** The feature, by which the documents are grouped. */
  tag: string;
  params?: P;
  query?: Q;
  body?: B;
  /** 200 unless it creates a record (contract §1). */
  status?: 200 | 201 | 202;
  answer: A;
  /** Codes of its own, beside those that every route can answer. */
  errors?: ErrorCode[];
  /** Its name among the rate limits; none: only the general one. */
  limit?: string;
  /** `key`: the door answers repeats of an Idempotency-Key; `nonce`: the service does, by the same key. */
  repeats?: 'key' | 'nonce';
}

type Answer<A extends z.ZodType> = z.input<A> | Reply<z.input<A>> | Reply<JsonText>;

interface SignedInRoute<P extends Params, Q, B, A extends z.ZodType> extends RouteDescription<P, Q, B, A> {
  entrance: 'user';
  handle(request: RouteRequest<P, Q, B> & { actor: Actor }): Promise<Answer<A>>;
}

interface OpenRoute<P extends Params, Q, B, A extends z.ZodType> extends RouteDescription<P, Q, B, A> {
  entrance: 'optional' | 'anyone';
  handle(request: RouteRequest<P, Q, B> & { actor: Actor | null }): Promise<Answer<A>>;
}

/** A route as the mount and the documents see it, its types checked already. */
export interface Route extends RouteDescription<Params, z.ZodType | undefined, z.ZodType | undefined, z.ZodType> {
  entrance: Entrance;
  handle(request: RouteRequest<Params, unknown, unknown> & { actor: Actor | null }): Promise<unknown>;
}

/**
 * Declares a route: this is at once its parser, its guard and its documentation. Nothing is mounted without one.
 */
export function route<
  A extends z.ZodType,
  P extends Params = Record<never, Param>,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: SignedInRoute<P, Q, B, A> | OpenRoute<P, Q, B, A>): Route {
  // The mount parses by the spec's own schemas before it calls `handle`, so the types above hold; only TypeScript
  // cannot see that once routes of all kinds lie in one list.
  return spec as unknown as Route;
}
