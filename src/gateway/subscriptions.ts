import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import { type Room, streamId, userRoom } from '../contract/rooms.ts';
import type { Page } from '../delivery/catch-up.ts';
import { type FeedDeps, startOver } from './feed.ts';
import { isRefusal } from './refusal.ts';
import { Replay, type ReplayOptions } from './replay.ts';
import { leaveWatches, type ParleyServer, type ParleySocket } from './socket.ts';
import { claim, liveOf, type Place, Subscription, subscriptionOf } from './subscription.ts';

/** What may be followed, by the channels' access rules. */
export interface RoomAccess {
  /** @throws AppError CHANNEL_NOT_FOUND and the like */
  channel(actor: Actor, channelId: string): Promise<{ serverId: string | null }>;
  /** @throws AppError THREAD_NOT_FOUND */
  thread(actor: Actor, threadId: string): Promise<{ channelId: string; serverId: string | null }>;
  /** Whether an event says that its channel was deleted. */
  isEnd(entry: LogEntry): boolean;
}

/** A room that a client asks to join. */
interface Wanted {
  name: string;
  place: Place;
  /** The client's own position; undefined: from now on. */
  after: number | undefined;
}

/** The most that one ack of a join contains (contract §13, Delivery). */
const joinLimits = { events: 200, bytes: 1024 * 1024 };
const none = () => false;

interface Deps extends FeedDeps {
  io: ParleyServer;
  access: RoomAccess;
}

/** The subscriptions of this node's sockets: how they begin, catch up with their rooms' logs, and end. */
export class Subscriptions {
  /** Called with the places that a socket leaves or loses, whether it was in them or not. */
  onLoss: (socket: ParleySocket, isLost: (place: Place) => boolean) => void = () => {};
  private readonly entryListeners: ((socket: ParleySocket, place: Place) => void)[] = [];
  private readonly deps: Deps;
  private readonly replay: Replay;
  /** Sockets that are connected but not in their own rooms yet; they may join others meanwhile. */
  private readonly newcomers = new Set<ParleySocket>();

  constructor(deps: Deps) {
    this.deps = deps;
    this.replay = new Replay(deps);
  }

  /** Calls `listener` once a socket has entered a room that its client joined. */
  onEntry(listener: (socket: ParleySocket, place: Place) => void): void {
    this.entryListeners.push(listener);
  }

  /**
   * Lets a client join a room. Many clients join their rooms on each connect, even if recovered: a join that overtook the
   * return to a room would start from now, and missed events would be lost, or arrive late. So it waits until the socket is
   * back there, unless that has not begun and the client names a position of its own.
   * @param entered called in the turn in which it enters, to send the ack before any live event
   * @param check checks access. It begins once evictions can find the subscription: it sees an earlier eviction, and a
   *   later one turns the socket away, whatever the check returns. @throws AppError
   * @returns the page; with `hasMore` the client is not in the room, unless it was before
   */
  async join(
    socket: ParleySocket,
    { name, place, after }: Wanted,
    entered: (page: Page) => void,
    check: () => Promise<unknown>,
  ): Promise<Page> {
    const mayTakeOver = (found: Subscription) => after !== undefined && found.isOwed && !found.isNamed;
    const open = () => Subscription.open(socket, name, place, 0, false);
    const subscription = await claim(socket, name, mayTakeOver, open);
    subscription.belongTo(place);
    try {
      await check();
      subscription.requireHeld();
      const page = await this.replay.read(subscription, after, joinLimits, (last) => {
        if (last.entries.length > 0) socket.data.joinMark = this.deps.delivery.nextMark();
        entered(last);
      });
      subscription.release();
      if (subscription.phase === 'live') for (const listener of this.entryListeners) listener(socket, subscription);
      return page;
    } catch (error) {
      subscription.giveBack();
      throw error;
    }
  }

  /**
   * Brings a socket into a room on the server's initiative, from the subscription's position. It is released only if that
   * succeeds: if not, it may have to be saved for recovery, or a room's end to be reported.
   * @param placeOf checks access; null: it needs no check
   * @throws AppError when the socket must not be in the room, or when that cannot be checked
   */
  async bring(
    subscription: Subscription,
    placeOf: (() => Promise<Place>) | null,
    options: ReplayOptions = {},
  ): Promise<Page> {
    subscription.begin();
    if (placeOf) {
      const place = await placeOf();
      const wasFound = subscription.room === place.room && subscription.serverId === place.serverId;
      subscription.belongTo(place);
      // Again, now that evictions can find it by its server too.
      if (!wasFound) await placeOf();
    }
    const page = await this.replay.toEnd(subscription, options);
    subscription.release();
    return page;
  }

  /**
   * Puts a socket into a channel's room on the server's initiative, unless it is in it already or is being brought there.
   * @param after events since then are emitted to it; undefined: from now on
   */
  async follow(socket: ParleySocket, room: Room, after: number | undefined): Promise<void> {
    const place = { room, serverId: null };
    const open = () => Subscription.open(socket, room, place, after ?? 0, after !== undefined);
    const due = await claim(socket, room, none, open);
    if (due.phase === 'live') return;
    if (after !== undefined) await this.bring(due, null);
    else await this.replay.read(due, undefined, joinLimits, () => {});
    due.release();
  }

  /** A client leaves a room, once a pending return to it is over. DMs are entered without joining: it stays in them. */
  async leave(socket: ParleySocket, name: string): Promise<void> {
    const found = await claim(socket, name, none, () => undefined);
    if (found?.name !== found?.room || found?.serverId !== null) this.end(socket, name);
  }

  /** Takes a socket out of a room, whether it is in it or not. */
  end(socket: ParleySocket, name: string): void {
    const found = subscriptionOf(socket, name);
    found?.lose();
    found?.release();
    // The id of a disconnected socket may be that of its client's new one.
    if (socket.connected) this.onLoss(socket, ({ room }) => room === name);
  }

  /**
   * Removes a user's sockets on this node from rooms that they lost: the given ones with their threads, or with
   * `rooms: null` all of a server.
   */
  evict(userId: string, serverId: string | null, rooms: Room[] | null): void {
    const isLost = isAmong(serverId, rooms);
    for (const socket of this.socketsOf(userRoom(userId))) {
      this.lose(socket, isLost);
      if (serverId && rooms === null) leaveWatches(socket, serverId);
    }
  }

  /** The same, except for rooms that the access rules allow by now. If it cannot check them, the client reconnects. */
  async reconsider(userId: string, serverId: string | null, rooms: Room[] | null): Promise<void> {
    const isMeant = isAmong(serverId, rooms);
    for (const socket of this.socketsOf(userRoom(userId))) {
      for (const room of new Set(begunOf(socket).flatMap((one) => (isMeant(one) ? one.room : [])))) {
        await this.deps.access.channel(socket.data.actor, streamId(room)).catch((error) => {
          if (isRefusal(error)) this.evict(userId, serverId, [room]);
          else socket.conn.close(true);
        });
      }
    }
  }

  /** The users whose sockets on this node are in some of these rooms, or in their threads. */
  usersIn(rooms: Room[]): string[] {
    const isMeant = isAmong(null, rooms);
    const there = [...this.deps.io.of('/').sockets.values()].filter((socket) => begunOf(socket).some(isMeant));
    return [...new Set(there.map(({ data }) => data.actor.userId))];
  }

  /** Applies a change of a bot's policies; it is in effect for its sockets on this node when this returns. */
  async filterChanged(userId: string): Promise<void> {
    for (const socket of this.socketsOf(userRoom(userId))) {
      for (const { feed } of liveOf(socket)) await feed?.place();
    }
  }

  /** Empties deleted rooms and their threads, once their last event was emitted. */
  async dissolve(rooms: Room[]): Promise<void> {
    const { delivery, feeds, io } = this.deps;
    const gone = new Set<string>(rooms);
    for (const room of rooms) {
      const stream = delivery.peek(room);
      // That the log cannot be read must not keep anyone in the room.
      if (stream) await delivery.freshen(stream).catch(() => {});
      await Promise.all([...(feeds.get(room) ?? [])].map((feed) => feed.wake()));
    }
    for (const room of rooms) await this.deps.outlet.settled(room);
    for (const socket of io.of('/').sockets.values()) this.lose(socket, ({ room }) => gone.has(room));
    for (const room of rooms) delivery.peek(room)?.wakeAll();
  }

  /** Events were trimmed from the room's log before this node sent them: its sockets learn that by reconnecting. */
  startOver(room: Room): void {
    for (const socket of this.deps.io.of('/').sockets.values()) {
      if (liveOf(socket).some((one) => one.room === room)) startOver(socket);
    }
  }

  /** Runs `work`, which brings a socket into its own room. Until then it is found among those of its user, too. */
  async whileNew<T>(socket: ParleySocket, work: () => Promise<T>): Promise<T> {
    this.newcomers.add(socket);
    try {
      return await work();
    } finally {
      this.newcomers.delete(socket);
    }
  }

  /** The sockets in a room; in a user's own, also those that are not there yet. */
  socketsOf(room: string): Set<ParleySocket> {
    const { adapter, sockets } = this.deps.io.of('/');
    const there = [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id) ?? []);
    return new Set([...there, ...[...this.newcomers].filter(({ data }) => userRoom(data.actor.userId) === room)]);
  }

  private lose(socket: ParleySocket, isLost: (place: Place) => boolean): void {
    for (const subscription of begunOf(socket)) if (isLost(subscription)) subscription.lose();
    this.onLoss(socket, isLost);
  }
}

/** Those that evictions concern: access to the others is checked when they begin. */
function begunOf({ data }: ParleySocket): Subscription[] {
  return [...data.subscriptions.values()].filter(({ phase }) => phase !== 'entering');
}

/** Whether a place is one of these rooms, or with `rooms: null` one of the server. */
function isAmong(serverId: string | null, rooms: Room[] | null): (place: Place) => boolean {
  return (place) => (rooms ? rooms.includes(place.room) : serverId !== null && place.serverId === serverId);
}
