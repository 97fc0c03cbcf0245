import type { LogEntry } from '../cluster/entry.ts';
import type { Room } from '../contract/rooms.ts';
import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { FeedFilter } from '../delivery/feed-filter.ts';
import type { Delivered } from '../delivery/live-stream.ts';
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
  /** Something arrived while it was running. */
  again: boolean;
  /** Settles when it last stopped running. */
  pumping: Promise<void>;
}

const pageLimits = { events: 100, bytes: 1024 * 1024 };
const retryMs = 500;

interface Deps {
  catchUp: CatchUp;
  delivery: Delivery;
  outlet: Outlet;
  feedFilter: FeedFilter;
  access: Pick<RoomAccess, 'isEnd'>;
  log: Log;
}

/**
 * The sockets of bots are not part of the broadcast: each follows its rooms from a position of its own, and gets the
 * events that its policy allows. So a policy change needs no change of rooms, and events stay in order while a decision
 * takes time. People's sockets share one broadcast.
 */
export class Feeds {
  private readonly deps: Deps;
  private readonly feeds = new Map<Room, Set<Feed>>();
  private readonly watched = new WeakSet<ParleySocket>();

  constructor(deps: Deps) {
    this.deps = deps;
    deps.outlet.feedWith(this);
  }

  has(room: Room): boolean {
    return this.feeds.has(room);
  }

  socketsOf(room: Room): ParleySocket[] {
    return [...(this.feeds.get(room) ?? [])].map((feed) => feed.socket);
  }

  /** Registers a socket, to be fed once `start` is called. */
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

  /** @param from the socket was sent everything up to here in another way */
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

  /** Something was emitted in a room. */
  wake(room: Room): void {
    for (const feed of this.feeds.get(room) ?? []) void this.pump(feed);
  }

  /** Waits until everything emitted in a room has been fed to its sockets, as far as the policy can be read now. */
  async settled(room: Room): Promise<void> {
    await Promise.all([...(this.feeds.get(room) ?? [])].map((feed) => this.pump(feed)));
  }

  /** Adds the socket to the broadcast of events outside the log, or removes it, as its policy says now. */
  async place(socket: ParleySocket): Promise<void> {
    for (const [name, joined] of socket.data.joined) {
      if (!this.deps.feedFilter.isRestricted(socket.data.actor, name)) continue;
      // If the policy cannot be read the socket gets none of these; the next event of the log reads it again.
      const { whole } = await this.deps.feedFilter
        .heard(socket.data.actor, joined.room, [])
        .catch(() => ({ whole: false }));
      if (socket.data.joined.get(name) === joined) this.putIn(socket, name, whole);
    }
  }

  private putIn(socket: ParleySocket, name: string, whole: boolean): void {
    // A socket that has disconnected meanwhile would stay in the room for ever.
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
      this.deps.log.debug({ err: error }, 'A bot could not be fed just now.');
      // The sweep wakes a room only if it has moved on.
      setTimeout(() => void this.pump(feed), retryMs).unref();
    }
    if (feed.state === 'running') feed.state = 'idle';
  }

  /** @returns whether there is more to feed */
  private async feedOn(feed: Feed): Promise<boolean> {
    const { socket, joined } = feed;
    const page = await this.deps.catchUp.read(joined.room, joined.cursor, pageLimits);
    if (!page) return false;
    if (!page.recovered) return this.beginAnew(feed);
    const { entries, whole } = await this.deps.feedFilter.heard(socket.data.actor, joined.room, page.entries);
    if (isClosed(feed) || !socket.connected) return false;
    this.putIn(socket, feed.name, whole);
    this.give(feed, entries);
    joined.cursor = page.seq;
    return page.hasMore;
  }

  private give(feed: Feed, entries: LogEntry[]): void {
    const { socket, joined } = feed;
    const due = entries.filter((entry) => (this.deps.access.isEnd(entry) ? isFirst(feed) : isFor(feed, entry)));
    const deliveries: Delivered[] = due.map((entry) => ({ entry, mark: this.deps.delivery.nextMark() }));
    // Events fed one by one have delivery numbers of their own, so recovery must know them like replays.
    for (const { entry, mark } of deliveries) socket.data.replayed.push({ mark, room: joined.room, seq: entry.seq });
    if (deliveries.length > 0) this.deps.outlet.emitTo(socket, deliveries);
  }

  /** Events that it was not fed yet were trimmed from the log. */
  private beginAnew({ socket }: Feed): false {
    socket.data.unrecoverable = true;
    socket.conn.close(true);
    return false;
  }
}

/** Whether this feed sends an entry: in a thread's room only the thread's entries that the channel's feed does not send. */
function isFor({ socket, name, joined }: Feed, entry: LogEntry): boolean {
  if (!name.startsWith('thread:')) return true;
  if (entry.threadId !== name.slice('thread:'.length)) return false;
  const channel = socket.data.joined.get(joined.room);
  return channel === undefined || entry.seq <= channel.from;
}

/** Whether this feed sends a channel's end for all of the socket's feeds there: the channel's own, if it has one. */
function isFirst({ socket, name, joined }: Feed): boolean {
  const names = [...socket.data.joined].flatMap(([other, { room }]) => (room === joined.room ? other : []));
  return name === (names.find((other) => other === joined.room) ?? names[0]);
}

/** A function of its own, since the value changes across awaits, which TypeScript would not see. */
function isClosed(feed: Feed): boolean {
  return feed.state === 'closed';
}
