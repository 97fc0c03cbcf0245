import type { LogEntry } from '../cluster/entry.ts';
import type { Room } from '../contract/rooms.ts';
import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { FeedFilter } from '../delivery/feed-filter.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Outlet } from './outlet.ts';
import type { ParleySocket } from './socket.ts';
import { isLive, liveOf, type Subscription, subscriptionOf } from './subscription.ts';

const pageLimits = { events: 100, bytes: 1024 * 1024 };
const retryMs = 500;

/** The open feeds of a node, by the room whose log they follow. */
export type Feeds = Map<Room, Set<Feed>>;

export interface FeedDeps {
  catchUp: CatchUp;
  delivery: Delivery;
  outlet: Outlet;
  feeds: Feeds;
  feedFilter: FeedFilter;
  access: {
    /** Whether an event says that its channel was deleted. */
    isEnd(entry: LogEntry): boolean;
  };
  log: Log;
}

/**
 * How a bot's live subscription gets its log. Bots are not part of the broadcast: each follows its rooms from the position
 * of its subscription, and gets the events that its policy allows. So a policy change needs no change of rooms, and events
 * stay in order while a decision takes time.
 */
export class Feed {
  /** It was sent everything up to here in another way. */
  readonly from: number;
  private readonly deps: FeedDeps;
  private readonly subscription: Subscription;
  private state: 'idle' | 'running' | 'closed' = 'idle';
  /** Something arrived while it was running. */
  private again = false;
  /** Settles when it last stopped running. */
  private pumping: Promise<void> = Promise.resolve();

  constructor(deps: FeedDeps, subscription: Subscription) {
    this.deps = deps;
    this.subscription = subscription;
    this.from = subscription.position;
    const ofRoom = deps.feeds.get(subscription.room);
    if (ofRoom) ofRoom.add(this);
    else deps.feeds.set(subscription.room, new Set([this]));
  }

  close(): void {
    this.state = 'closed';
    const { feeds } = this.deps;
    const { room } = this.subscription;
    feeds.get(room)?.delete(this);
    if (feeds.get(room)?.size === 0) feeds.delete(room);
  }

  /** Something was emitted in the room. @returns settles when it was fed, as far as the policy can be read now */
  wake(): Promise<void> {
    if (this.state === 'running') this.again = true;
    if (this.state === 'idle') this.pumping = this.run();
    return this.pumping;
  }

  /** Adds the socket to the broadcast of events outside the log, or removes it, as its policy says now. */
  async place(): Promise<void> {
    const { socket, room } = this.subscription;
    // If the policy cannot be read the socket gets none of these; the next event of the log reads it again.
    const { whole } = await this.deps.feedFilter.heard(socket.data.actor, room, []).catch(() => ({ whole: false }));
    if (!this.isClosed) this.putIn(whole);
  }

  /** A property of its own, since it changes across awaits, which TypeScript would not see in `state`. */
  private get isClosed(): boolean {
    return this.state === 'closed';
  }

  private putIn(whole: boolean): void {
    const { socket, name } = this.subscription;
    // A socket that has disconnected meanwhile would stay in the room for ever.
    if (whole === socket.rooms.has(name) || !socket.connected) return;
    void (whole ? socket.join(name) : socket.leave(name));
  }

  private async run(): Promise<void> {
    this.state = 'running';
    try {
      do this.again = false;
      while ((await this.feedOn()) || this.again);
    } catch (error) {
      this.deps.log.debug({ err: error }, 'A bot could not be fed just now.');
      // The sweep wakes a room only if it has moved on.
      setTimeout(() => void this.wake(), retryMs).unref();
    }
    if (!this.isClosed) this.state = 'idle';
  }

  /** @returns whether there is more to feed */
  private async feedOn(): Promise<boolean> {
    const { catchUp, feedFilter } = this.deps;
    const { socket, room, position } = this.subscription;
    const page = await catchUp.read(room, position, pageLimits);
    if (!page) return false;
    if (!page.recovered) return startOver(socket);
    const { entries, whole } = await feedFilter.heard(socket.data.actor, room, page.entries);
    if (this.isClosed || !socket.connected) return false;
    this.putIn(whole);
    this.give(entries);
    this.subscription.position = page.seq;
    return page.hasMore;
  }

  private give(entries: LogEntry[]): void {
    const { outlet, access } = this.deps;
    const due = entries.filter((entry) => (access.isEnd(entry) ? this.isFirst() : this.isFor(entry)));
    // Events fed one by one have delivery numbers of their own, so recovery must know them like replays.
    outlet.replay(this.subscription.socket, due);
  }

  /** Whether this feed sends an entry: in a thread's room only the thread's entries that the channel's feed does not send. */
  private isFor(entry: LogEntry): boolean {
    const { socket, name, room } = this.subscription;
    if (!name.startsWith('thread:')) return true;
    if (entry.threadId !== name.slice('thread:'.length)) return false;
    const channel = isLive(socket, room) ? subscriptionOf(socket, room)?.feed : undefined;
    return !channel || entry.seq <= channel.from;
  }

  /** Whether this feed sends a channel's end for all of the socket's feeds there: the channel's own, if it has one. */
  private isFirst(): boolean {
    const { socket, name, room } = this.subscription;
    const names = liveOf(socket).flatMap((other) => (other.room === room ? other.name : []));
    return name === (names.find((other) => other === room) ?? names[0]);
  }
}

/** Events that a socket was not sent yet were trimmed from the log: its client learns that by reconnecting. */
export function startOver(socket: ParleySocket): false {
  socket.data.unrecoverable = true;
  socket.conn.close(true);
  return false;
}
