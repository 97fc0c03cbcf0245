import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { ErrorCode } from '../errors.ts';
import type { ParleySocket } from './socket.ts';

/** What of one socket is done in the order in which it came (see lanes). */
interface LaneSpec {
  /** The field of the payload that says what it is about, where a bare id does not; null: it is always the same. */
  by: string | null;
  /** Whether it may begin when the one before it lets the next begin; otherwise when all before it are done. */
  beside?: boolean;
}

/** What a handler is given: everything checked. */
export interface EventRequest<P> {
  actor: Actor;
  payload: P;
  socket: ParleySocket;
  requestId: string;
  /**
   * Sends the ack at once instead of after the handler: for answers that have to leave before the first event that
   * follows them. What the handler returns is not sent then.
   */
  respond(answer: object): void;
  /** Lets the next on its lane that may run beside begin before this is done: from here on something else keeps the order. */
  letNext(): void;
}

interface HandlerSpec<P extends z.ZodType, A extends z.ZodObject> {
  event: string;
  summary: string;
  tag: string;
  payload: P;
  /** What the ack holds beside `ok: true`. */
  ack: A;
  errors?: ErrorCode[];
  /** Which of the limits counts it (contract §3). */
  limit: 'messages' | 'joins' | 'events' | 'deltas';
  /** Without one it waits for nothing that came before it. */
  lane?: LaneSpec;
  /** Whether a token that may only read may send it. */
  readOnly?: boolean;
  handle(request: EventRequest<z.output<P>>): Promise<z.input<A>>;
}

/** A handler as the gateway and the documents see it, its types checked already. */
export interface Handler extends Omit<HandlerSpec<z.ZodType, z.ZodObject>, 'handle'> {
  handle(request: EventRequest<unknown>): Promise<object>;
}

/** Declares what happens on an event of a client: its parser, its guard and its documentation at once. */
export function handler<P extends z.ZodType, A extends z.ZodObject>(spec: HandlerSpec<P, A>): Handler {
  // The gateway parses by the spec's own schema before it calls `handle`, so the types above hold.
  return spec as unknown as Handler;
}
