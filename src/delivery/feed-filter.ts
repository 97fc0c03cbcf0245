import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import type { Room } from '../contract/rooms.ts';

/** The part of a piece of a room's log that an actor may hear. */
export interface Heard {
  entries: LogEntry[];
  /** Nothing of the room is kept from them, including what is in no log (typing, stream deltas). */
  whole: boolean;
}

/**
 * What bots may hear (contract §4). Everything that sends out a log asks it (socket feeds, replays, long polls and
 * webhooks), so that none of them lets through what another holds back.
 */
export interface FeedFilter {
  /** Whether what the actor hears in a room may be restricted. If false, `heard` is never called for them. */
  isRestricted(actor: Actor, room: string): boolean;
  /** Whether they may hear anything at all in a room; if not, asking for its log is refused. */
  passes(actor: Actor, room: Room): Promise<boolean>;
  /** Those of `entries`, all of one room, that the actor may hear at the moment this returns. */
  heard(actor: Actor, room: Room, entries: LogEntry[]): Promise<Heard>;
}
