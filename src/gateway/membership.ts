import { setTimeout as delay } from 'node:timers/promises';
import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { followersOf, type Room, serverRoom, streamId, threadRoom, userRoom } from '../contract/rooms.ts';
import type { CatchUp, Page, PageLimits } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { FeedFilter } from '../delivery/feed-filter.ts';
import { Arrivals, isAmong } from './arrivals.ts';
import { dueRoom, noLongerDue, progressOf } from './due-rooms.ts';
import type { Feeds } from './feeds.ts';
import type { Outlet } from './outlet.ts';
import { PendingRestores } from './pending-restores.ts';
import { isRefusal } from './refusal.ts';
import { buffered } from './slow-consumers.ts';
import { type JoinedRoom, leaveWatches, type ParleyServer, type ParleySocket } from './socket.ts';

/** What may be followed, by the channels' access rules. */
export interface RoomAccess {
  /** @throws AppError CHANNEL_NOT_FOUND and the like */
  channel(actor: Actor, channelId: string): Promise<{ serverId: string | null }>;
  /** @throws AppError THREAD_NOT_FOUND */
  thread(actor: Actor, threadId: string): Promise<{ channelId: string; serverId: string | null }>;
  /** Whether an event says that its channel was deleted. */
  isEnd(entry: LogEntry): boolean;
}

/** The most that one ack of a join contains (contract §13, Delivery). */
const joinLimits = { events: 200, bytes: 1024 * 1024 };
const resumePiece = { events: 500, bytes: 512 * 1024 };
const drainCheckMs = 10;

interface Deps {
  io: ParleyServer;
  delivery: Delivery;
  catchUp: CatchUp;
  outlet: Outlet;
  feeds: Feeds;
  feedFilter: FeedFilter;
  access: RoomAccess;
}

/** Which sockets of this node are in which rooms, and from which event on. */
export class Membership {
  /** Requests to join or leave a room wait until a pending return to it is over. */
  readonly restores = new PendingRestores();
  readonly arrivals = new Arrivals();
  /** Called with the places that a socket leaves or loses, whether it was in them or not. */
  onLoss: (socket: ParleySocket, isLost: (place: Omit<JoinedRoom, 'from'>) => boolean) => void = () => {};
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Puts a socket into a channel's room, returning the events it missed since `after` before live events begin.
   * @param entered called in the turn in which it enters, unless there is more to fetch first; `again`: it was in it already
   */
  async join(
    socket: ParleySocket,
    name: string,
    place: Omit<JoinedRoom, 'from'>,
    after: number | undefined,
    entered: (page: Page, again: boolean) => void,
    limits = joinLimits,
  ): Promise<Page> {
    if (this.deps.feedFilter.isRestricted(socket.data.actor, name)) {
      return this.joinFed(socket, name, place, after, entered, limits);
    }
    const arrival = this.arrivals.begin(socket, place);
    const enter = (page: Page) => {
      if (!socket.connected || arrival.isTurnedAway) return;
      // A socket that enters again continues as before: events sent to it may still be in flight.
      const before = socket.data.joined.get(name);
      // All sockets in a room share one copy of its name: one for each of them is a good part of what a room costs a socket.
      const room = this.deps.delivery.peek(place.room)?.room ?? place.room;
      const key = name === room ? room : name;
      socket.data.joined.set(key, { ...place, room, from: before?.from ?? page.seq });
      // A socket that is only in a thread needs the log of its channel all the same.
      const followed = name === room ? [] : [followersOf(room)];
      void socket.join([key, ...followed, ...(place.serverId ? [serverRoom(place.serverId)] : [])]);
      entered(page, before !== undefined);
    };
    try {
      const page = await this.deps.catchUp.join(place.room, after, limits, enter);
      if (!page) throw new AppError('CHANNEL_NOT_FOUND');
      arrival.requireWelcome();
      return page;
    } finally {
      this.arrivals.end(socket, arrival);
    }
  }

  /** The same for a bot: it gets the events that its policy allows, and its feed continues from there. */
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
      // A client that is cut off before the page is sent resumes at the page's start.
      const from = recovered ? (after ?? seq) : seq;
      const joined = { ...place, from, cursor: from };
      socket.data.joined.set(name, joined);
      if (place.serverId) void socket.join(serverRoom(place.serverId));
      this.deps.feeds.open(socket, name, joined);
    };
    try {
      const page = await this.deps.catchUp.join(place.room, after, limits, enter);
      if (!page) throw new AppError('CHANNEL_NOT_FOUND');
      const { entries } = await this.deps.feedFilter.heard(socket.data.actor, place.room, page.entries);
      arrival.requireWelcome();
      const heard = { ...page, entries };
      if (isIn) entered(heard, before !== undefined);
      if (isIn && !before) this.deps.feeds.start(socket, name, page.seq);
      return heard;
    } catch (error) {
      if (isIn && !before) this.leave(socket, name);
      throw error;
    } finally {
      this.arrivals.end(socket, arrival);
    }
  }

  /**
   * Like `join`, but missed events are emitted as if they had just happened: in pieces, each sent when the one before it has
   * left, so that a slow line is not taken for a slow consumer.
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
      // Its client joined by itself meanwhile, and got the position from which it continues.
      if (again) return;
      const due = page.entries.filter((entry) => isFor(socket, name, entry));
      const deliveries = due.map((entry) => ({ entry, mark: this.deps.delivery.nextMark() }));
      for (const { entry, mark } of deliveries) socket.data.replayed.push({ mark, room: entry.room, seq: entry.seq });
      if (deliveries.length > 0) this.deps.outlet.emitTo(socket, deliveries);
    };
    const arrival = this.arrivals.begin(socket, place);
    const entries: LogEntry[] = [];
    try {
      for (let position = after; ; ) {
        // Events of other rooms, sent before, are in flight too.
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
   * Puts a socket into a channel's room on the server's initiative, unless it is in it already or is being brought back
   * there from a position of its own.
   * @param after events since then are emitted to it; undefined: from now on
   * @returns the events it was sent; undefined if it was in the room already
   */
  async follow(socket: ParleySocket, room: Room, after: number | undefined): Promise<Page | undefined> {
    if (socket.data.joined.has(room) || this.restores.isAwaited(socket, room)) return undefined;
    const place = { room, serverId: null };
    if (after === undefined) return this.join(socket, room, place, undefined, () => {});
    const due = dueRoom(socket, room, after);
    const page = await this.resume(socket, room, place, after, Number.POSITIVE_INFINITY, progressOf(due));
    noLongerDue(socket, room);
    return page;
  }

  leave(socket: ParleySocket, name: string): void {
    this.deps.feeds.close(socket, name);
    noLongerDue(socket, name);
    this.onLoss(socket, ({ room }) => room === name);
    const left = socket.data.joined.get(name);
    if (!left) return;
    socket.data.joined.delete(name);
    // A disconnected socket has left its rooms, and its id may be that of the one with which its client is back in them.
    if (!socket.connected) return;
    void socket.leave(name);
    const remaining = [...socket.data.joined.values()];
    if (!remaining.some(({ room }) => room === left.room)) void socket.leave(followersOf(left.room));
    const { serverId } = left;
    if (serverId && !remaining.some((joined) => joined.serverId === serverId)) void socket.leave(serverRoom(serverId));
  }

  /**
   * Removes a user's sockets on this node from rooms that they lost: the given ones with their threads, or with
   * `rooms: null` all of a server.
   */
  evict(userId: string, serverId: string | null, rooms: Room[] | null): void {
    const isLost = isAmong(serverId, rooms);
    for (const socket of this.socketsOf(userRoom(userId))) {
      for (const [name, joined] of socket.data.joined) if (isLost(joined)) this.leave(socket, name);
      this.arrivals.turnAway(socket, isLost);
      this.onLoss(socket, isLost);
      if (serverId && rooms === null) leaveWatches(socket, serverId);
    }
  }

  /** The same, except for rooms that the access rules allow by now. If it cannot check them, the client reconnects. */
  async reconsider(userId: string, serverId: string | null, rooms: Room[] | null): Promise<void> {
    const isMeant = isAmong(serverId, rooms);
    for (const socket of this.socketsOf(userRoom(userId))) {
      const places = [...socket.data.joined.values(), ...this.arrivals.placesOf(socket)].filter(isMeant);
      for (const room of new Set(places.map((place) => place.room))) {
        await this.deps.access.channel(socket.data.actor, streamId(room)).catch((error) => {
          if (isRefusal(error)) this.evict(userId, serverId, [room]);
          else socket.conn.close(true);
        });
      }
    }
  }

  /** Applies a change of a bot's policies; it is in effect for its sockets on this node when this returns. */
  async filterChanged(userId: string): Promise<void> {
    for (const socket of this.socketsOf(userRoom(userId))) await this.deps.feeds.place(socket);
  }

  /** Empties deleted rooms and their threads, once their last event was emitted. */
  async dissolve(rooms: Room[]): Promise<void> {
    const gone = new Set<string>(rooms);
    for (const room of rooms) {
      const stream = this.deps.delivery.peek(room);
      // That the log cannot be read must not keep anyone in the room.
      if (stream) await this.deps.delivery.freshen(stream).catch(() => {});
      await this.deps.feeds.settled(room);
    }
    for (const socket of this.deps.io.of('/').sockets.values()) {
      for (const [name, joined] of socket.data.joined) if (gone.has(joined.room)) this.leave(socket, name);
      this.arrivals.turnAway(socket, (place) => gone.has(place.room));
      this.onLoss(socket, (place) => gone.has(place.room));
    }
    for (const room of rooms) this.deps.delivery.peek(room)?.wakeAll();
  }

  /** The sockets in a room; in a user's own, also those that are not there yet. */
  socketsOf(room: string): Set<ParleySocket> {
    const { adapter, sockets } = this.deps.io.of('/');
    const there = [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id) ?? []);
    return new Set([...there, ...this.arrivals.incoming(room)]);
  }
}

/** Waits until everything written to a socket has left this process. */
async function drained(socket: ParleySocket): Promise<void> {
  while (socket.connected && buffered(socket).bytes > resumePiece.bytes / 2) await delay(drainCheckMs);
}

/**
 * Whether a missed event is sent on the return to a room: for a thread's room only its own events, and none that the
 * channel's room sends.
 */
function isFor(socket: ParleySocket, name: string, entry: LogEntry): boolean {
  if (name === entry.room) return true;
  return entry.threadId !== null && threadRoom(entry.threadId) === name && !socket.data.joined.has(entry.room);
}
