import type { z } from 'zod';
import type { Actor } from '../contract/actor.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { ParleySocket } from './socket.ts';

/** What one socket sends on a lane is handled in order of arrival (see lanes). */
interface LaneSpec {
  /** The payload field that names what the event is about, unless the payload is a bare id; null: always the same. */
  by: string | null;
  /** Whether it may start when the one before it lets the next start; otherwise when all before it are done. */
  beside?: boolean;
}

/** What a handler is given, all of it validated. */
export interface EventRequest<P> {
  actor: Actor;
  payload: P;
  socket: ParleySocket;
  requestId: string;
  /**
   * Sends the ack at once instead of after the handler, for acks that have to leave before the first event that follows
   * them. The handler's return value is then not sent.
   */
  respond(answer: object): void;
  /** Lets the next event on the lane start (if `beside`) before this one is done: from here on something else keeps the order. */
  letNext(): void;
}

interface HandlerSpec<P extends z.ZodType, A extends z.ZodObject> {
  event: string;
  summary: string;
  tag: string;
  payload: P;
  /** What the ack contains beside `ok: true`. */
  ack: A;
  errors?: ErrorCode[];
  /** The rate limit that counts it (contract §3). */
  limit: 'messages' | 'joins' | 'events' | 'deltas';
  /** Without one it never waits for earlier events. */
  lane?: LaneSpec;
  /** Whether read-only tokens may send it. */
  readOnly?: boolean;
  handle(request: EventRequest<z.output<P>>): Promise<z.input<A>>;
}

/** A handler as the gateway and the API documents see it, with its types erased. */
export interface Handler extends Omit<HandlerSpec<z.ZodType, z.ZodObject>, 'handle'> {
  handle(request: EventRequest<unknown>): Promise<object>;
}

/** Declares what happens on a client's event: at once its parser, its guard and its documentation. */
export function handler<P extends z.ZodType, A extends z.ZodObject>(spec: HandlerSpec<P, A>): Handler {
  // The gateway validates by the spec's own schema before it calls `handle`, so the types above hold.
  return spec as unknown as Handler;
}
