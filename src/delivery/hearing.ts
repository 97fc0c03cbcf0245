import type { Actor } from '../access/actor.ts';
import type { LogEntry, Room } from './entry.ts';

/** What of a piece of a room's log someone may have. */
export interface Heard {
  entries: LogEntry[];
  /** Nothing of the room is kept from them, also not what is in no log (typing, deltas of streams). */
  whole: boolean;
}

/**
 * What bots may hear (contract §4). It is asked by everything that gives out a log: the feeds of sockets, replays, long
 * polls and webhooks, so that none of them can let through what another holds back.
 */
export interface Hearing {
  /** Whether someone may be kept from hearing a whole room. Those for whom it is false are never asked about again. */
  isHeld(actor: Actor, room: string): boolean;
  /** Those of `entries`, which are of one room, that the actor may hear at the moment in which this returns. */
  heard(actor: Actor, room: Room, entries: LogEntry[]): Promise<Heard>;
}
