import type { z } from 'zod';
import type { Draft, Room } from './rooms.ts';

/** The audience of an event: the room of a channel or of a user, or one socket only. */
export type EventRoom = 'channel' | 'user' | 'socket';
type LoggedRoom = 'channel' | 'user';

/** An event of the catalogue (contract §9): described once, typed and documented from here. */
export interface EventSpec<
  S extends z.ZodType = z.ZodType,
  N extends string = string,
  R extends EventRoom = EventRoom,
> {
  name: N;
  summary: string;
  room: R;
  /** Durable events have a number in their room's log; others are lost if missed. */
  durable: boolean;
  /** Stale within seconds: skipped for a socket that cannot take it at once, instead of being buffered. */
  volatile?: boolean;
  /** Also replayed to sockets that connect, without a number then. */
  retold?: boolean;
  payload: S;
}

export interface DurableEvent<S extends z.ZodType, N extends string = string, R extends LoggedRoom = LoggedRoom>
  extends EventSpec<S, N, R> {
  durable: true;
  /** The event for a room, ready to be published by a change. */
  in(room: Room, data: z.input<S>, threadId?: string | null): Draft;
}

/** A payload is an object, or one of several that a field tells apart. */
type Payload = z.ZodObject | z.ZodDiscriminatedUnion<z.ZodObject[]>;

/** Declares an event that is kept in its room's log; contract/catalogue.ts lists it. */
export function durableEvent<S extends Payload, const N extends string, const R extends LoggedRoom>(
  spec: Omit<EventSpec<S, N, R>, 'durable'>,
): DurableEvent<S, N, R> {
  return {
    ...spec,
    durable: true,
    in: (room, data, threadId = null) => ({ room, event: spec.name, threadId, data }),
  };
}

/** Declares an event that is in no log; contract/catalogue.ts lists it. */
export function ephemeralEvent<S extends z.ZodType, const N extends string, const R extends EventRoom>(
  spec: Omit<EventSpec<S, N, R>, 'durable'>,
): EventSpec<S, N, R> & { durable: false } {
  return { ...spec, durable: false };
}
