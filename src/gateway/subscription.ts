import { AppError } from '../contract/errors.ts';
import { circleRoom, crowdRoom, followersOf, type Room, serverRoom, streamId } from '../contract/rooms.ts';
import type { Feed } from './feed.ts';
import type { ParleySocket } from './socket.ts';

/**
 * The life of a subscription. Each arrow is one function of this file; nothing else changes the phase.
 *
 *      recovered, own room,                     channel:join,
 *      named in `auth.resume`                   thread:join
 *              │ open                                │ open
 *              ▼               begin                 ▼   a piece was sent:
 *          entering ─────────────────────────► catching up ─┐ `position` moves on
 *           ▲   ▲                                │  │  │ ▲──┘
 *           │   └──────────── giveBack ──────────┘  │  │
 *           │                                 enter │  │ lose, release: turned away, failed,
 *           │                                       ▼  │ or more to join
 *           ├──────────────── recovered ◄───────── live│
 *           │  (also one that is owed,              │  │
 *           │   before it is live)             lose │  │
 *           │                                       ▼  ▼
 *      the next socket of its client                lost
 *
 * - **entering**: the socket is to be in the room, from `position` on, and nothing has begun. Evictions leave it alone,
 *   since access is checked when it begins. A join with which the client names a position of its own takes it over, and
 *   gives it back on failure.
 * - **catching up**: access is checked, and missed events are read and sent, at the client's pace. Evictions find it.
 * - **live**: it is in the room. People share the room's broadcast; a bot has a feed of its own.
 * - **lost**: nothing of the room is sent to it any more.
 * - Recovered ones are new objects, made of what was saved of the old (see recovery): the position of a live one, or that
 *   from which one that is owed was to continue.
 */
export type Phase = 'entering' | 'catching up' | 'live' | 'lost';

/** The log that a subscription follows (the channel's, for a thread too), and the server that it belongs to. */
export interface Place {
  room: Room;
  serverId: string | null;
}

/** For those who wait until a subscription is settled: hardly any is waited for, and there are very many. */
const waiting = new WeakMap<Subscription, PromiseWithResolvers<void>>();

/** A socket's place in a room, from the first moment to the last. There are very many: it must stay small. */
export class Subscription implements Place {
  readonly socket: ParleySocket;
  name: string;
  room: Room;
  serverId: string | null;
  /** Everything up to here was sent, or reached the client in another way; for people who are live: when they entered. */
  position: number;
  phase: Phase = 'entering';
  /** While it is live, of people: everything up to here was written to it, or is not meant for it (see Broadcasts). */
  reached = 0;
  /** The client was promised everything after `position`: if it is cut off before it is live, it returns to this one too. */
  readonly isOwed: boolean;
  /** The client named it in `auth.resume`, where its outcome is reported: a join must not take it over. */
  isNamed = false;
  feed: Feed | null = null;

  private constructor(socket: ParleySocket, name: string, { room, serverId }: Place, position: number, owed: boolean) {
    this.socket = socket;
    this.name = name;
    this.room = room;
    this.serverId = serverId;
    this.position = position;
    this.isOwed = owed;
  }

  static open(socket: ParleySocket, name: string, place: Place, position: number, isOwed: boolean): Subscription {
    const made = new Subscription(socket, name, place, position, isOwed);
    socket.data.subscriptions.set(name, made);
    return made;
  }

  /** entering → catching up. A live one stays live while its client joins again. */
  begin(): void {
    if (this.phase === 'entering') this.phase = 'catching up';
  }

  /** Evictions find it by its place, so it has to be known before access is checked. That of a live one is known. */
  belongTo({ room, serverId }: Place): void {
    if (this.phase === 'live') return;
    this.room = room;
    this.serverId = serverId;
  }

  /**
   * catching up → live, in the turn of the event loop in which the last page ends. A live one continues as before: events
   * sent to it may still be in flight.
   * @param copy the room's name. All sockets in a room share one: one for each is a good part of what a room costs a socket
   * @param isFiltered the log is fed to it, so it is not part of the broadcast
   * @returns whether it is in the room
   */
  enter(position: number, copy: Room, isFiltered: boolean): boolean {
    const { socket, serverId } = this;
    if (!socket.connected || this.phase === 'lost') return false;
    if (this.phase === 'live') return true;
    const { subscriptions } = socket.data;
    subscriptions.delete(this.name);
    if (this.name === this.room) this.name = copy;
    this.room = copy;
    subscriptions.set(this.name, this);
    this.phase = 'live';
    this.position = position;
    this.reached = position;
    // A socket that is only in a thread needs the log of its channel all the same.
    const followed = this.name === copy ? [this.name] : [this.name, followersOf(copy)];
    // Whether a bot may know of the members is looked up first (see Snapshots).
    const isNew = serverId !== null && !isFiltered && !socket.rooms.has(crowdRoom(serverId));
    void socket.join([...(isFiltered ? [] : followed), ...(isNew ? [serverRoom(serverId)] : [])]);
    this.settle();
    return true;
  }

  /** → lost: left, evicted, or the room was deleted. One that is being brought in stays until whoever does so releases it. */
  lose(): void {
    const wasLive = this.phase === 'live';
    this.phase = 'lost';
    if (!wasLive) return;
    this.remove();
    this.feed?.close();
    // A disconnected socket has left its rooms, and its id may be that of the one with which its client is back in them.
    if (this.socket.connected) this.leaveRooms();
  }

  /** Whoever brought it in is done. One that is not live is lost: it was turned away, it failed, or there is more to join. */
  release(): void {
    if (this.phase === 'live') return;
    this.phase = 'lost';
    this.remove();
  }

  /** catching up → entering: a join that took over one that is owed has failed, and the promise still holds. */
  giveBack(): void {
    const isThere = subscriptionOf(this.socket, this.name) === this;
    if (!isThere || !this.isOwed || this.phase === 'live') {
      this.release();
      return;
    }
    this.phase = 'entering';
    this.settle();
  }

  /** @throws AppError CHANNEL_NOT_FOUND when it was lost meanwhile */
  requireHeld(): void {
    if (this.phase === 'lost') throw new AppError('CHANNEL_NOT_FOUND');
  }

  /** Resolves when it is live, given back, or gone. */
  settled(): Promise<void> {
    const known = waiting.get(this) ?? Promise.withResolvers<void>();
    waiting.set(this, known);
    return known.promise;
  }

  private settle(): void {
    waiting.get(this)?.resolve();
    waiting.delete(this);
  }

  private remove(): void {
    if (subscriptionOf(this.socket, this.name) === this) this.socket.data.subscriptions.delete(this.name);
    this.settle();
  }

  private leaveRooms(): void {
    const { socket, name, room, serverId } = this;
    void socket.leave(name);
    const others = liveOf(socket);
    if (!others.some((other) => other.room === room)) {
      for (const one of [followersOf(room), circleRoom(streamId(room))]) void socket.leave(one);
    }
    if (!serverId || others.some((other) => other.serverId === serverId)) return;
    for (const one of [serverRoom(serverId), crowdRoom(serverId)]) void socket.leave(one);
  }
}

export function subscriptionOf({ data }: ParleySocket, name: string): Subscription | undefined {
  return data.subscriptions.get(name);
}

/** Whether a socket is in a room. */
export function isLive(socket: ParleySocket, name: string): boolean {
  return subscriptionOf(socket, name)?.phase === 'live';
}

/** The rooms that a socket is in. */
export function liveOf({ data }: ParleySocket): Subscription[] {
  return [...data.subscriptions.values()].filter(({ phase }) => phase === 'live');
}

/** A socket has disconnected: nothing more is brought in for it. */
export function closeAll({ data }: ParleySocket): void {
  for (const one of [...data.subscriptions.values()]) {
    one.feed?.close();
    one.release();
  }
}

/**
 * Begins what brings a socket into a room, once nobody else is at it.
 * @param mayTake whether one of which nothing has begun yet is free for the caller
 * @param open makes one where there is none
 * @returns one that has begun, for the caller to go on with, or that is live
 */
export async function claim<Made extends Subscription | undefined>(
  socket: ParleySocket,
  name: string,
  mayTake: (found: Subscription) => boolean,
  open: () => Made,
): Promise<Subscription | Made> {
  for (;;) {
    const found = subscriptionOf(socket, name);
    if (!found || found.phase === 'live' || (found.phase === 'entering' && mayTake(found))) {
      const claimed = found ?? open();
      claimed?.begin();
      return claimed;
    }
    await found.settled();
  }
}
