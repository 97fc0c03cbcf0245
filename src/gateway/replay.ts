import { setTimeout as delay } from 'node:timers/promises';
import type { LogEntry } from '../cluster/entry.ts';
import { AppError } from '../contract/errors.ts';
import { threadRoom } from '../contract/rooms.ts';
import type { Page, PageLimits } from '../delivery/catch-up.ts';
import { Feed, type FeedDeps } from './feed.ts';
import { buffered } from './slow-consumers.ts';
import type { ParleySocket } from './socket.ts';
import { isLive, type Subscription } from './subscription.ts';

const pieceLimits = { events: 500, bytes: 512 * 1024 };
const drainCheckMs = 10;

export interface ReplayOptions {
  /** How many events are sent at most. */
  maxEvents?: number;
  /** Called with the events of each piece, in the turn in which they were sent. */
  sent?: (entries: LogEntry[]) => void;
  /** It reaches at least what was committed before this time, as `performance.now()` has it; undefined: before the call. */
  since?: number | undefined;
}

/** How a subscription that is catching up gets what it missed, up to the turn in which it becomes live. */
export class Replay {
  private readonly deps: FeedDeps;

  constructor(deps: FeedDeps) {
    this.deps = deps;
  }

  /**
   * Emits what a socket missed since its position as if it had just happened: in pieces, each sent when the one before it
   * has left, so that a slow line is not taken for a slow consumer. A client that is cut off midway resumes after the pieces
   * that were sent; those are recorded as replays.
   */
  async toEnd(subscription: Subscription, options: ReplayOptions): Promise<Page> {
    const { socket } = subscription;
    const { maxEvents = Number.POSITIVE_INFINITY, sent, since } = options;
    const end = subscription.position + maxEvents;
    const send = (page: Page) => {
      this.deps.outlet.replay(
        socket,
        page.entries.filter((entry) => isFor(subscription, entry)),
      );
      sent?.(page.entries);
    };
    for (;;) {
      // Events of other rooms, sent before, are in flight too.
      await drained(socket);
      subscription.requireHeld();
      const { position } = subscription;
      const limits = { events: Math.min(end - position, pieceLimits.events), bytes: pieceLimits.bytes };
      const page = await this.read(subscription, position, limits, send, since);
      if (!page.hasMore) return page;
      subscription.position = page.seq;
      send(page);
      if (page.seq >= end || !socket.connected) return page;
    }
  }

  /**
   * The next piece of a room's log; at its end the socket enters, in the same turn. A bot gets the events that its policy
   * allows, and its feed continues from there.
   * @param entered sends the last piece
   * @param since as in `ReplayOptions`
   */
  async read(
    subscription: Subscription,
    after: number | undefined,
    limits: PageLimits,
    entered: (page: Page) => void,
    since?: number,
  ): Promise<Page> {
    const { catchUp, feedFilter } = this.deps;
    const { socket, name, room } = subscription;
    const isFiltered = feedFilter.isRestricted(socket.data.actor, name);
    const enter = (page: Page) => this.enter(subscription, page, isFiltered, entered);
    const page = await catchUp.join(room, after, limits, isFiltered ? () => {} : enter, since);
    if (!page) throw new AppError('CHANNEL_NOT_FOUND');
    subscription.requireHeld();
    if (!isFiltered) return page;
    const { entries } = await feedFilter.heard(socket.data.actor, room, page.entries);
    subscription.requireHeld();
    const heard = upToFeed(subscription, { ...page, entries });
    if (!heard.hasMore) enter(heard);
    return heard;
  }

  private enter(subscription: Subscription, page: Page, isFiltered: boolean, entered: (page: Page) => void): void {
    // What follows it to the client counts from the room's position.
    this.deps.outlet.bringUpToDate(subscription.socket);
    const copy = this.deps.delivery.peek(subscription.room)?.room ?? subscription.room;
    if (!subscription.enter(page.seq, copy, isFiltered)) return;
    // Before anything is written: what is written first is the broadcasts that wait for the socket, and a bot without a feed
    // would be among them.
    if (isFiltered) subscription.feed ??= new Feed(this.deps, subscription);
    entered(page);
    void subscription.feed?.wake();
  }
}

/**
 * A page for a bot that is in the room already and joins again: what is after the position of its feed is about to be fed
 * to it, and would come twice.
 */
function upToFeed({ phase, feed, position }: Subscription, page: Page): Page {
  if (phase !== 'live' || !feed || page.seq <= position) return page;
  const entries = page.entries.filter(({ seq }) => seq <= position);
  return { ...page, entries, seq: position, hasMore: false };
}

/** Waits until everything written to a socket has left this process. */
async function drained(socket: ParleySocket): Promise<void> {
  while (socket.connected && buffered(socket).bytes > pieceLimits.bytes / 2) await delay(drainCheckMs);
}

/**
 * Whether a missed event is sent on the return to a room: for a thread's room only its own events, and none that the
 * channel's room sends.
 */
function isFor({ socket, name }: Subscription, entry: LogEntry): boolean {
  if (name === entry.room) return true;
  return entry.threadId !== null && threadRoom(entry.threadId) === name && !isLive(socket, entry.room);
}
