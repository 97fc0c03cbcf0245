import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import type { Room } from '../contract/rooms.ts';

/** The part of a piece of a room's log that an actor may get. */
export interface Heard {
  entries: LogEntry[];
  /** They get all events of the room, including those outside the log (typing, stream deltas). */
  whole: boolean;
}

/**
 * Decides which events bots get (contract §4). Everything that sends out a log asks it (socket feeds, replays, long
 * polls and webhooks), so that none of them sends an event that another withholds.
 */
export interface FeedFilter {
  /** Whether the events that the actor gets in a room may be restricted. If false, `heard` is never called for them. */
  isRestricted(actor: Actor, room: string): boolean;
  /** Whether they may get any events of a room at all; if not, requests for its log are refused. */
  passes(actor: Actor, room: Room): Promise<boolean>;
  /** Those of `entries`, all of one room, that the actor may get at the moment this returns. */
  heard(actor: Actor, room: Room, entries: LogEntry[]): Promise<Heard>;
}
