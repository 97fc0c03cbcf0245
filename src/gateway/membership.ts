import type { Actor } from '../access/actor.ts';
import type { CatchUp, Page, PageLimits } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import {
  followersOf,
  type LogEntry,
  type Room,
  serverRoom,
  streamId,
  threadRoom,
  userRoom,
  watchRoomsOf,
} from '../delivery/entry.ts';
import type { Hearing } from '../delivery/hearing.ts';
import { AppError } from '../errors.ts';
import { Arrivals } from './arrivals.ts';
import { dueRoom, noLongerDue, progressOf } from './due-rooms.ts';
import type { Feeds } from './feeds.ts';
import type { Outlet } from './outlet.ts';
import { Returns } from './returns.ts';
import { buffered } from './slow-consumers.ts';
import type { JoinedRoom, ParleyServer, ParleySocket } from './socket.ts';

/** What may be followed, as the channels' access rules say. */
export interface RoomAccess {
  /** @throws AppError CHANNEL_NOT_FOUND and the like */
  channel(actor: Actor, channelId: string): Promise<{ serverId: string | null }>;
  /** @throws AppError THREAD_NOT_FOUND */
  thread(actor: Actor, threadId: string): Promise<{ channelId: string; serverId: string | null }>;
  /** Whether an event says that its channel is gone. */
  isEnd(entry: LogEntry): boolean;
}

/** At most so much is put into one answer to a join (contract §13, Delivery). */
const joinLimits = { events: 200, bytes: 1024 * 1024 };

const resumePiece = { events: 500, bytes: 512 * 1024 };
const drainCheckMs = 10;

/** Which sockets of this node are in which rooms, and from which event on. */
export class Membership {
  /** Whoever asks to be let into a room, or out of it, waits until these are over. */
  readonly returns = new Returns();
  private readonly io: ParleyServer;
  private readonly delivery: Delivery;
  private readonly catchUp: CatchUp;
  private readonly outlet: Outlet;
  private readonly feeds: Feeds;
  private readonly hearing: Hearing;
  private readonly access: RoomAccess;
  private readonly arrivals = new Arrivals();

  constructor(parts: {
    io: ParleyServer;
    delivery: Delivery;
    catchUp: CatchUp;
    outlet: Outlet;
    feeds: Feeds;
    hearing: Hearing;
    access: RoomAccess;
  }) {
    this.io = parts.io;
    this.delivery = parts.delivery;
    this.catchUp = parts.catchUp;
    this.outlet = parts.outlet;
    this.feeds = parts.feeds;
    this.hearing = parts.hearing;
    this.access = parts.access;
  }

  /**
   * Puts a socket into a channel's room, answering what it missed since `after` before the live flow begins.
   * @param entered called in that very moment, when there is no more to fetch first; `again`: it was in there already
   */
  async join(
    socket: ParleySocket,
    name: string,
    place: Omit<JoinedRoom, 'from'>,
    after: number | undefined,
    entered: (page: Page, again: boolean) => void,
    limits = joinLimits,
  ): Promise<Page> {
    if (this.hearing.isHeld(socket.data.actor, name)) {
      return this.joinFed(socket, name, place, after, entered, limits);
    }
    const arrival = this.arrivals.begin(socket, place);
    const enter = (page: Page) => {
      if (!socket.connected || arrival.isTurnedAway) return;
      // Who enters again goes on as before: what was sent to them may still be on its way.
      const before = socket.data.joined.get(name);
      socket.data.joined.set(name, { ...place, from: before?.from ?? page.seq });
      const rooms = [name];
      // Whoever is only in a thread needs the log of its channel all the same.
      if (name !== place.room) rooms.push(followersOf(place.room));
      if (place.serverId) rooms.push(serverRoom(place.serverId));
      void socket.join(rooms);
      entered(page, before !== undefined);
    };
    try {
      const page = await this.catchUp.join(place.room, after, limits, enter);
      if (!page) throw new AppError('CHANNEL_NOT_FOUND');
      arrival.requireWelcome();
      return page;
    } finally {
      this.arrivals.end(socket, arrival);
    }
  }

  /** The same for a bot: it gets what it may hear, and then its feed goes on from there. */
  private async joinFed(
    socket: ParleySocket,
    name: string,
    place: Omit<JoinedRoom, 'from'>,
    after: number | undefined,
    entered: (page: Page, again: boolean) => void,
    limits: PageLimits,
  ): Promise<Page> {
    const before = socket.data.joined.get(name);
    let isIn = false;
    const arrival = this.arrivals.begin(socket, place);
    const enter = ({ seq, recovered }: Page) => {
      if (!socket.connected || arrival.isTurnedAway) return;
      isIn = true;
      if (before) return;
      // Whoever is cut off before the page is sent comes back to where it begins.
      const from = recovered ? (after ?? seq) : seq;
      const joined = { ...place, from, cursor: from };
      socket.data.joined.set(name, joined);
      if (place.serverId) void socket.join(serverRoom(place.serverId));
      this.feeds.open(socket, name, joined);
    };
    try {
      const page = await this.catchUp.join(place.room, after, limits, enter);
      if (!page) throw new AppError('CHANNEL_NOT_FOUND');
      const { entries } = await this.hearing.heard(socket.data.actor, place.room, page.entries);
      arrival.requireWelcome();
      const heard = { ...page, entries };
      if (isIn) entered(heard, before !== undefined);
      if (isIn && !before) this.feeds.start(socket, name, page.seq);
      return heard;
    } catch (error) {
      if (isIn && !before) this.leave(socket, name);
      throw error;
    } finally {
      this.arrivals.end(socket, arrival);
    }
  }

  /**
   * Like `join`, but what was missed is sent as the events themselves, as if they had just happened: in pieces, each
   * when the one before it has left, so that a slow line is not taken for a consumer that does not read.
   *
   * @param onPiece called with each piece but the last, once it was sent
   * @returns the position reached, and all events that were sent
   */
  async resume(
    socket: ParleySocket,
    name: string,
    place: Omit<JoinedRoom, 'from'>,
    after: number,
    maxEvents: number,
    onPiece: (piece: Page) => void = () => {},
  ): Promise<Page> {
    const send = (page: Page, again: boolean) => {
      // Its client entered by itself meanwhile, and was told from where it goes on.
      if (again) return;
      const due = page.entries.filter((entry) => isFor(socket, name, entry));
      const deliveries = due.map((entry) => ({ entry, mark: this.delivery.nextMark() }));
      for (const { entry, mark } of deliveries) socket.data.replayed.push({ mark, room: entry.room, seq: entry.seq });
      if (deliveries.length > 0) this.outlet.emitTo(socket, deliveries);
    };
    const arrival = this.arrivals.begin(socket, place);
    const entries: LogEntry[] = [];
    try {
      for (let position = after; ; ) {
        // What was sent of other rooms before is on the line too.
        await drained(socket);
        arrival.requireWelcome();
        const events = Math.min(after + maxEvents - position, resumePiece.events);
        const page = await this.join(socket, name, place, position, send, { events, bytes: resumePiece.bytes });
        entries.push(...page.entries);
        if (!page.hasMore) return { ...page, entries };
        send(page, false);
        position = page.seq;
        onPiece(page);
        if (position >= after + maxEvents || !socket.connected) return { ...page, entries };
      }
    } finally {
      this.arrivals.end(socket, arrival);
    }
  }

  /**
   * Puts a socket into a channel's room by the server's own doing, unless it is there already, or on its way back there
   * from a position of its own.
   * @param after what the channel gave out since then is sent as the events themselves; undefined: from now on
   * @returns what it was given; undefined when it was there already
   */
  async follow(socket: ParleySocket, room: Room, after: number | undefined): Promise<Page | undefined> {
    if (socket.data.joined.has(room) || this.returns.isAwaited(socket, room)) return undefined;
    const place = { room, serverId: null };
    if (after === undefined) return this.join(socket, room, place, undefined, () => {});
    const due = dueRoom(socket, room, after);
    const page = await this.resume(socket, room, place, after, Number.POSITIVE_INFINITY, progressOf(due));
    noLongerDue(socket, room);
    return page;
  }

  leave(socket: ParleySocket, name: string): void {
    this.feeds.close(socket, name);
    noLongerDue(socket, name);
    const left = socket.data.joined.get(name);
    if (!left) return;
    socket.data.joined.delete(name);
    // Its rooms are left by now, and its id may be that of the socket with which its client is back in them.
    if (!socket.connected) return;
    void socket.leave(name);
    const remaining = [...socket.data.joined.values()];
    if (!remaining.some(({ room }) => room === left.room)) void socket.leave(followersOf(left.room));
    const { serverId } = left;
    if (serverId && !remaining.some((joined) => joined.serverId === serverId)) void socket.leave(serverRoom(serverId));
  }

  /**
   * Takes a user's sockets on this node out of rooms that they lost: the given ones with their threads, or with
   * `rooms: null` all of a server.
   */
  evict(userId: string, serverId: string | null, rooms: Room[] | null): void {
    const isLost = isAmong(serverId, rooms);
    for (const socket of this.socketsOf(userRoom(userId))) {
      for (const [name, joined] of socket.data.joined) if (isLost(joined)) this.leave(socket, name);
      this.arrivals.turnAway(socket, isLost);
      if (serverId && rooms === null) leaveWatches(socket, serverId);
    }
  }

  /** The same, but for rooms into which the access rules let the user by now. Where they cannot be asked, they do not. */
  async reconsider(userId: string, serverId: string | null, rooms: Room[] | null): Promise<void> {
    const isMeant = isAmong(serverId, rooms);
    for (const socket of [...this.socketsOf(userRoom(userId))]) {
      const places = [...socket.data.joined.values(), ...this.arrivals.placesOf(socket)].filter(isMeant);
      for (const room of new Set(places.map((place) => place.room))) {
        await this.access.channel(socket.data.actor, streamId(room)).catch(() => this.evict(userId, serverId, [room]));
      }
    }
  }

  /** What a bot may hear is different from now on: here it holds when this returns. */
  async placeAnew(userId: string): Promise<void> {
    for (const socket of this.socketsOf(userRoom(userId))) await this.feeds.place(socket);
  }

  /** Empties rooms that are gone, with the threads in them, once their last event was given out. */
  async dissolve(rooms: Room[]): Promise<void> {
    const gone = new Set<string>(rooms);
    for (const room of rooms) {
      const stream = this.delivery.peek(room);
      // Where the log cannot be read, nobody may stay for that reason.
      if (stream) await this.delivery.freshen(stream).catch(() => {});
      await this.feeds.settled(room);
    }
    for (const socket of this.io.of('/').sockets.values()) {
      for (const [name, joined] of socket.data.joined) if (gone.has(joined.room)) this.leave(socket, name);
    }
    for (const room of rooms) this.delivery.peek(room)?.wakeAll();
  }

  *socketsOf(room: string): Iterable<ParleySocket> {
    for (const id of [...(this.io.of('/').adapter.rooms.get(room) ?? [])]) {
      const socket = this.io.of('/').sockets.get(id);
      if (socket) yield socket;
    }
  }
}

/** Waits until what was written to a socket has left this process. */
async function drained(socket: ParleySocket): Promise<void> {
  while (socket.connected && buffered(socket).bytes > resumePiece.bytes / 2) {
    await new Promise((resolve) => setTimeout(resolve, drainCheckMs));
  }
}

/**
 * Whether a missed event is sent on the return to a room: to a thread's only what belongs to it, and nothing that comes
 * by way of its channel's.
 */
function isFor(socket: ParleySocket, name: string, entry: LogEntry): boolean {
  if (name === entry.room) return true;
  return entry.threadId !== null && threadRoom(entry.threadId) === name && !socket.data.joined.has(entry.room);
}

/** Whether a place is one of these rooms, or with `rooms: null` of the server. */
function isAmong(serverId: string | null, rooms: Room[] | null): (place: Omit<JoinedRoom, 'from'>) => boolean {
  return (place) => (rooms ? rooms.includes(place.room) : serverId !== null && place.serverId === serverId);
}

/** Those who left a server no longer follow the people whom they know from there. */
export function leaveWatches(socket: ParleySocket, serverId: string): void {
  for (const room of [...socket.rooms]) if (room.startsWith(watchRoomsOf(serverId))) void socket.leave(room);
}
