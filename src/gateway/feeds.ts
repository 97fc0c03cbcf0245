import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { LogEntry, Room } from '../delivery/entry.ts';
import type { Hearing } from '../delivery/hearing.ts';
import type { Delivered } from '../delivery/sink.ts';
import type { Log } from '../infrastructure/log.ts';
import type { RoomAccess } from './membership.ts';
import type { Outlet } from './outlet.ts';
import type { FedRoom, ParleySocket } from './socket.ts';

/** A bot's socket in one room, and how far it has been fed. */
interface Feed {
  socket: ParleySocket;
  name: string;
  joined: FedRoom;
  state: 'waiting' | 'idle' | 'running' | 'closed';
  /** Something came while it was running. */
  again: boolean;
  /** Settles when it last stopped running. */
  pumping: Promise<void>;
}

const pageLimits = { events: 100, bytes: 1024 * 1024 };
const retryMs = 500;

/**
 * The sockets of bots are not broadcast to: each follows its rooms by itself, from a position of its own, and is given
 * what its policy lets it hear. A change of policy needs no change of rooms then, and what a slow decision holds up
 * stays in order. People's rooms remain one broadcast.
 */
export class Feeds {
  private readonly catchUp: CatchUp;
  private readonly delivery: Delivery;
  private readonly outlet: Outlet;
  private readonly hearing: Hearing;
  private readonly access: Pick<RoomAccess, 'isEnd'>;
  private readonly log: Log;
  private readonly feeds = new Map<Room, Set<Feed>>();
  private readonly watched = new WeakSet<ParleySocket>();

  constructor(parts: {
    catchUp: CatchUp;
    delivery: Delivery;
    outlet: Outlet;
    hearing: Hearing;
    access: Pick<RoomAccess, 'isEnd'>;
    log: Log;
  }) {
    this.catchUp = parts.catchUp;
    this.delivery = parts.delivery;
    this.outlet = parts.outlet;
    this.hearing = parts.hearing;
    this.access = parts.access;
    this.log = parts.log;
    parts.outlet.feedWith(this);
  }

  has(room: Room): boolean {
    return this.feeds.has(room);
  }

  socketsOf(room: Room): ParleySocket[] {
    return [...(this.feeds.get(room) ?? [])].map((feed) => feed.socket);
  }

  /** Makes a place for a socket that is to be fed once `start` is called. */
  open(socket: ParleySocket, name: string, joined: FedRoom): void {
    this.close(socket, name);
    const feed: Feed = { socket, name, joined, state: 'waiting', again: false, pumping: Promise.resolve() };
    const ofRoom = this.feeds.get(joined.room);
    if (ofRoom) ofRoom.add(feed);
    else this.feeds.set(joined.room, new Set([feed]));
    if (this.watched.has(socket)) return;
    this.watched.add(socket);
    socket.once('disconnect', () => {
      for (const ended of socket.data.joined.keys()) this.close(socket, ended);
    });
  }

  /** @param from everything up to here the socket was given otherwise */
  start(socket: ParleySocket, name: string, from: number): void {
    for (const feed of this.ofSocket(socket, name)) {
      if (feed.state === 'waiting') {
        feed.state = 'idle';
        Object.assign(feed.joined, { from, cursor: from });
      }
      void this.pump(feed);
    }
  }

  close(socket: ParleySocket, name: string): void {
    for (const feed of this.ofSocket(socket, name)) this.drop(feed);
  }

  /** Something was given out in a room. */
  wake(room: Room): void {
    for (const feed of this.feeds.get(room) ?? []) void this.pump(feed);
  }

  /** Waits until all that was given out in a room has been given on, as far as that can be looked up now. */
  async settled(room: Room): Promise<void> {
    await Promise.all([...(this.feeds.get(room) ?? [])].map((feed) => this.pump(feed)));
  }

  /** Puts the sockets of a user into, or takes them out of, what is not in the log, as they may hear it now. */
  async place(socket: ParleySocket): Promise<void> {
    for (const [name, joined] of socket.data.joined) {
      if (!this.hearing.isHeld(socket.data.actor, name)) continue;
      // Where it cannot be looked up it hears nothing; with the next event of the log it is looked up again.
      const { whole } = await this.hearing.heard(socket.data.actor, joined.room, []).catch(() => ({ whole: false }));
      if (socket.data.joined.get(name) === joined) this.putIn(socket, name, whole);
    }
  }

  private putIn(socket: ParleySocket, name: string, whole: boolean): void {
    // A room would keep who has gone meanwhile for ever.
    if (whole === socket.rooms.has(name) || !socket.connected) return;
    void (whole ? socket.join(name) : socket.leave(name));
  }

  private *ofSocket(socket: ParleySocket, name: string): Iterable<Feed> {
    const joined = socket.data.joined.get(name);
    for (const feed of joined ? (this.feeds.get(joined.room) ?? []) : []) {
      if (feed.socket === socket && feed.name === name) yield feed;
    }
  }

  private drop(feed: Feed): void {
    feed.state = 'closed';
    const ofRoom = this.feeds.get(feed.joined.room);
    ofRoom?.delete(feed);
    if (ofRoom?.size === 0) this.feeds.delete(feed.joined.room);
  }

  private pump(feed: Feed): Promise<void> {
    if (feed.state === 'running') feed.again = true;
    if (feed.state === 'idle') feed.pumping = this.run(feed);
    return feed.pumping;
  }

  private async run(feed: Feed): Promise<void> {
    feed.state = 'running';
    try {
      do feed.again = false;
      while ((await this.feedOn(feed)) || feed.again);
    } catch (error) {
      this.log.debug({ err: error }, 'A bot could not be fed just now.');
      // The sweep wakes a room only when it has moved on.
      setTimeout(() => void this.pump(feed), retryMs).unref();
    }
    if (feed.state === 'running') feed.state = 'idle';
  }

  /** @returns whether there is more to give out */
  private async feedOn(feed: Feed): Promise<boolean> {
    const { socket, joined } = feed;
    const page = await this.catchUp.read(joined.room, joined.cursor, pageLimits);
    if (!page) return false;
    if (!page.recovered) return this.beginAnew(feed);
    const { entries, whole } = await this.hearing.heard(socket.data.actor, joined.room, page.entries);
    if (isClosed(feed) || !socket.connected) return false;
    this.putIn(socket, feed.name, whole);
    this.give(feed, entries);
    joined.cursor = page.seq;
    return page.hasMore;
  }

  private give(feed: Feed, entries: LogEntry[]): void {
    const { socket, joined } = feed;
    const due = entries.filter((entry) => (this.access.isEnd(entry) ? isFirst(feed) : isFor(feed, entry)));
    const deliveries: Delivered[] = due.map((entry) => ({ entry, mark: this.delivery.nextMark() }));
    // One by one they have delivery numbers of their own, so recovery has to know them like replays.
    for (const { entry, mark } of deliveries) socket.data.replayed.push({ mark, room: joined.room, seq: entry.seq });
    if (deliveries.length > 0) this.outlet.emitTo(socket, deliveries);
  }

  /** What it has not been given yet has left the log. */
  private beginAnew({ socket }: Feed): false {
    socket.data.unrecoverable = true;
    socket.conn.close(true);
    return false;
  }
}

/** Whether an entry is this feed's to give: in a thread's room only what is of the thread and not of the channel's. */
function isFor({ socket, name, joined }: Feed, entry: LogEntry): boolean {
  if (!name.startsWith('thread:')) return true;
  if (entry.threadId !== name.slice('thread:'.length)) return false;
  const channel = socket.data.joined.get(joined.room);
  return channel === undefined || entry.seq <= channel.from;
}

/** Of a socket's places in one channel one gives what is for all of them: the channel's own, behind all that was said. */
function isFirst({ socket, name, joined }: Feed): boolean {
  const names = [...socket.data.joined].flatMap(([other, { room }]) => (room === joined.room ? other : []));
  return name === (names.find((other) => other === joined.room) ?? names[0]);
}

/** A function of its own, since it changes while others are waited for. */
function isClosed(feed: Feed): boolean {
  return feed.state === 'closed';
}
