import type { z } from 'zod';
import type { Actor } from '../contract/actor.ts';
import type { ClientEvent, ClientEventSpec } from '../contract/call.ts';
import type { ParleySocket } from './socket.ts';

/** The input of a handler, all of it validated. */
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

type Handle<E extends ClientEventSpec> = (request: EventRequest<z.output<E['payload']>>) => Promise<z.input<E['ack']>>;

/** A client's event that is handled, as the gateway and the API documents see it, with its types erased. */
export interface Handler extends ClientEvent {
  event: string;
  handle(request: EventRequest<unknown>): Promise<object>;
}

/**
 * Handles the events of a group: the declaration is at once their parser, their guard and their documentation. TypeScript
 * misses an event that is declared and not handled.
 */
export function handlers<E extends Record<string, ClientEvent>>(
  events: E,
  handles: { [Name in keyof E]: Handle<E[Name]> },
): Handler[] {
  return Object.entries(events).map(([event, declared]) => {
    // The gateway validates by the event's own schema before it calls `handle`, so the types above hold.
    return { ...declared, event, handle: handles[event] } as unknown as Handler;
  });
}
