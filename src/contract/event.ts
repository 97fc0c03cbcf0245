import type { z } from 'zod';
import type { Draft, Room } from './rooms.ts';

/** Where an event is seen: in the room of a channel or of a user, or on one socket only. */
export type EventRoom = 'channel' | 'user' | 'socket';

/** An event of the catalogue (contract §9): described once, typed and documented from here. */
export interface EventSpec<S extends z.ZodType = z.ZodType> {
  name: string;
  summary: string;
  room: EventRoom;
  /** Durable events have a number in their room's log; others are lost if missed. */
  durable: boolean;
  /** Stale within seconds: skipped for a socket that cannot take it right now, instead of being buffered. */
  volatile?: boolean;
  /** Also repeated to sockets that connect, without a number then. */
  retold?: boolean;
  payload: S;
}

export interface DurableEvent<S extends z.ZodType> extends EventSpec<S> {
  durable: true;
  /** The event for a room, ready to be published by a change. */
  in(room: Room, data: z.input<S>, threadId?: string | null): Draft;
}

const catalogue = new Map<string, EventSpec>();

/** All events of the loaded features. */
export function allEvents(): EventSpec[] {
  return [...catalogue.values()];
}

/** Declares an event that is kept in its room's log, and adds it to the catalogue. */
export function durableEvent<S extends z.ZodObject>(
  spec: Omit<EventSpec<S>, 'durable' | 'room'> & { room: 'channel' | 'user' },
): DurableEvent<S> {
  const event: DurableEvent<S> = {
    ...spec,
    durable: true,
    in: (room, data, threadId = null) => ({ room, event: spec.name, threadId, data }),
  };
  catalogue.set(spec.name, event);
  return event;
}

/** Declares an event that is in no log, and adds it to the catalogue. */
export function ephemeralEvent<S extends z.ZodType>(spec: Omit<EventSpec<S>, 'durable'>): EventSpec<S> {
  const event: EventSpec<S> = { ...spec, durable: false };
  catalogue.set(spec.name, event);
  return event;
}
