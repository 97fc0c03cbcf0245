import type { LogEntry } from '../cluster/entry.ts';
import type { Room } from '../contract/rooms.ts';
import type { Delivery } from './delivery.ts';
import type { LiveStream } from './live-stream.ts';

/** A piece of a room's log (contract §13, Delivery). */
export interface Page {
  entries: LogEntry[];
  /** The position reached. */
  seq: number;
  /** False: the log no longer reaches back that far; fetch the lists again and continue from `seq`. */
  recovered: boolean;
  /** There is more beyond `seq`. */
  hasMore: boolean;
}

export interface PageLimits {
  events: number;
  bytes: number;
}

/** How many events are read from the log with one query. */
const readSize = 500;

/** Replays missed events to returning clients, joined seamlessly to the live events (contract §10.4). */
export class CatchUp {
  private readonly delivery: Delivery;
  private readonly reads = new Map<string, Promise<LogEntry[]>>();
  private readonly tailEvents: number;

  constructor(delivery: Delivery, tailEvents: number) {
    this.delivery = delivery;
    this.tailEvents = tailEvents;
  }

  /**
   * Brings a client into a room: `enter` is called in the same turn in which the page ends, and must put the client into
   * the room and send the page before it returns, so that live events follow right behind it. It is not called while the
   * page has `hasMore`.
   *
   * @param after the client's position; undefined: from now on
   * @param since the page has at least everything that was committed before this time; undefined: before this call
   * @returns undefined when there is no such room
   */
  async join(
    room: Room,
    after: number | undefined,
    limits: PageLimits,
    enter: (page: Page) => void,
    since?: number,
  ): Promise<Page | undefined> {
    for (;;) {
      const stream = await this.delivery.openFresh(room, since);
      if (!stream) return undefined;
      const page = await this.readInto(stream, after, limits, enter);
      if (page) return this.counted(page);
    }
  }

  /** @returns undefined if the node closed the idle stream meanwhile; then nobody has entered */
  private async readInto(
    stream: LiveStream,
    after: number | undefined,
    limits: PageLimits,
    enter: (page: Page) => void,
  ): Promise<Page | undefined> {
    let entered: Page | undefined;
    const enterOpen = (page: Page) => {
      if (stream.isClosed) return;
      entered = page;
      enter(page);
    };
    if (after === undefined || !reaches(stream, after)) {
      enterOpen({ entries: [], seq: stream.position, recovered: after === undefined, hasMore: false });
      return entered;
    }
    const page = await this.readOn(stream, after, limits, enterOpen);
    return page.hasMore ? page : entered;
  }

  /**
   * The events after `after`, waiting up to `waitMs` for the first one (long poll).
   * @param after the client's position; undefined: from now on
   * @returns undefined when there is no such room
   */
  async poll(
    room: Room,
    after: number | undefined,
    limits: PageLimits,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Page | undefined> {
    const stream = await this.delivery.openFresh(room);
    if (!stream) return undefined;
    const from = after ?? stream.position;
    if (from === stream.position) {
      this.delivery.counters.waitingPolls++;
      await stream.wait(waitMs, signal);
      this.delivery.counters.waitingPolls--;
    }
    if (!reaches(stream, from)) {
      return this.counted({ entries: [], seq: stream.position, recovered: false, hasMore: false });
    }
    return this.counted(await this.readOn(stream, from, limits, () => {}));
  }

  /**
   * The events after `after` that this node has emitted, for those who follow a room at their own pace.
   * @returns undefined when there is no such room
   */
  async read(room: Room, after: number, limits: PageLimits): Promise<Page | undefined> {
    const stream = await this.delivery.open(room);
    if (!stream) return undefined;
    if (!reaches(stream, after)) return { entries: [], seq: stream.position, recovered: false, hasMore: false };
    return this.readOn(stream, after, limits, () => {});
  }

  /**
   * How many events after `after` a room holds, without reading them; infinitely many when some of them are gone.
   * @param since as of this time or later; undefined: of this call
   * @returns undefined when there is no such room
   */
  async missed(room: Room, after: number, since?: number): Promise<number | undefined> {
    const stream = await this.delivery.openFresh(room, since);
    if (!stream) return undefined;
    return reaches(stream, after) ? stream.position - after : Number.POSITIVE_INFINITY;
  }

  /** Reads until the limits or the live position are reached; in the latter case `enter` is called at once. */
  private async readOn(
    stream: LiveStream,
    after: number,
    limits: PageLimits,
    enter: (page: Page) => void,
  ): Promise<Page> {
    const entries: LogEntry[] = [];
    let bytes = 0;
    let seq = after;
    for (;;) {
      const found = stream.recent(seq) ?? (await this.readOlder(stream, seq, limits.events));
      if (found.length === 0 && seq >= stream.position) {
        const page = { entries, seq, recovered: true, hasMore: false };
        enter(page);
        return page;
      }
      // The log was trimmed while it was read.
      if (found[0]?.seq !== seq + 1) {
        const page = { entries: [], seq: stream.position, recovered: false, hasMore: false };
        enter(page);
        return page;
      }
      for (const entry of await this.delivery.renewal.relabel(found)) {
        bytes += Buffer.byteLength(entry.json);
        const full = entries.length >= limits.events || (bytes > limits.bytes && entries.length > 0);
        if (full) return { entries, seq, recovered: true, hasMore: true };
        entries.push(entry);
        seq = entry.seq;
      }
    }
  }

  /** A piece of the log that is not in memory; concurrent requests for the same piece share one read. */
  private async readOlder(stream: LiveStream, after: number, limit: number): Promise<LogEntry[]> {
    const gap = stream.tailStart - after;
    const count = gap <= this.tailEvents ? gap : Math.min(limit, readSize);
    const key = `${stream.room} ${after} ${count} ${stream.revision}`;
    const running = this.reads.get(key);
    if (running) return running;
    const promise = this.readAndKeep(stream, after, count).finally(() => this.reads.delete(key));
    this.reads.set(key, promise);
    return promise;
  }

  private async readAndKeep(stream: LiveStream, after: number, count: number): Promise<LogEntry[]> {
    const { revision } = stream;
    const entries = await this.delivery.read(stream, after, count);
    // The entries read may be ahead of those emitted; then the room gets them now, before anyone enters.
    if (entries[0]?.seq === after + 1) stream.offer(entries);
    stream.extendTail(entries, revision);
    return entries;
  }

  private counted(page: Page): Page {
    const { counters } = this.delivery;
    if (page.entries.length > 0) counters.replays++;
    counters.replayedEvents += page.entries.length;
    if (!page.recovered) counters.unrecoverable++;
    return page;
  }
}

function reaches(stream: LiveStream, after: number): boolean {
  return after >= stream.floor && after <= stream.position;
}
