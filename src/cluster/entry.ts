import { type Draft, isOwn, type Room } from '../contract/rooms.ts';

/** One durable event as it is in the log. */
export interface LogEntry {
  room: Room;
  /** Its number in the room's log: 1, 2, 3, … without gaps. */
  seq: number;
  event: string;
  /** Set when it belongs to a thread, for sockets that follow only that thread. */
  threadId: string | null;
  /** The payload as JSON text, ready to send: built once and never parsed on the way. */
  json: string;
  /** It was published with text that has changed or gone since: readers get the present one (see `Renewal`). */
  isOutdated?: true;
}

/** Brings entries up to date as they are read, by what features know and the log does not. */
export interface Renewal {
  /** The same entries, outdated ones in their current form. */
  complete<Entry extends LogEntry>(entries: Entry[]): Promise<Entry[]>;
  /** The same entries with the current names of everyone and everything that they mention. */
  relabel(entries: LogEntry[]): Promise<LogEntry[]>;
}

/** For logs that repeat nothing that may change. */
export const noRenewal: Renewal = { complete: async (entries) => entries, relabel: async (entries) => entries };

/** Gives a draft its number. */
export function numbered(draft: Draft, seq: number): LogEntry {
  const data = typeof draft.data === 'function' ? draft.data(seq) : draft.data;
  return {
    room: draft.room,
    seq,
    event: draft.event,
    threadId: draft.threadId ?? null,
    json: JSON.stringify({ ...data, eventSeq: seq }),
  };
}

/** The JSON text of a non-empty object with its number added as `seq` and `eventSeq`; log.ts does the same in SQL. */
export function sequenced(json: string, seq: number): string {
  return `${json.slice(0, -1)},"seq":${seq},"eventSeq":${seq}}`;
}

/** Entries grouped by room, in the given order. */
export function byRoom(entries: LogEntry[]): Map<Room, LogEntry[]> {
  const rooms = new Map<Room, LogEntry[]>();
  for (const entry of entries) {
    const known = rooms.get(entry.room);
    if (known) known.push(entry);
    else rooms.set(entry.room, [entry]);
  }
  return rooms;
}

/**
 * Users' own rooms before all others: they announce evictions, and an evicted user must not get anything sent after
 * that.
 */
export function ownFirst<T extends { room: Room }>(things: T[]): T[] {
  return [...things.filter(({ room }) => isOwn(room)), ...things.filter(({ room }) => !isOwn(room))];
}
