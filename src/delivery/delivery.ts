import type { Bus } from '../cluster/bus.ts';
import { byRoom, type LogEntry, noRenewal } from '../cluster/entry.ts';
import { type Room, streamId } from '../contract/rooms.ts';
import { BatchedRead } from '../database/batched-read.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Settings } from '../settings/settings.ts';
import { DeliveryCounters } from './counters.ts';
import { LiveStream, type Sink } from './live-stream.ts';
import { type Head, readHeads, readLog } from './log.ts';
import { Observers } from './observers.ts';
import { StalenessGuard } from './staleness.ts';
import { Sweeper } from './sweeper.ts';

type LogRows = Pick<Database, 'committedRows' | 'quickRows'>;

const pullSize = 500;
const reapMs = 5000;

/**
 * The ordered broadcast (contract §10): each socket of a room gets each event of its log once and in order, whichever
 * node wrote it and whatever is lost on the way.
 *
 * Entries arrive from three sources: this node's own commits, the bus, and the sweep, which reads the log itself.
 */
export class Delivery {
  readonly counters = new DeliveryCounters();
  readonly bus: Bus;
  /** Called with everything committed on this node, whether or not anyone is in the room. */
  onCommitted: (entries: LogEntry[]) => void = () => {};
  /** Brings entries up to date as they are read. */
  renewal = noRenewal;
  private readonly database: LogRows;
  private readonly settings: Settings['delivery'];
  private readonly heads: BatchedRead<Head>;
  private readonly streams = new Map<Room, LiveStream>();
  private readonly opening = new Map<Room, Promise<LiveStream | undefined>>();
  /** Entries that arrived while their room was being opened. */
  private readonly early = new Map<Room, LogEntry[]>();
  private readonly pulls = new Map<Room, Promise<void>>();
  private readonly gapTimers = new Map<Room, NodeJS.Timeout>();
  private readonly observers: Observers;
  private readonly lossListeners: ((room: Room) => void)[] = [];
  readonly staleness: StalenessGuard;
  private readonly sweeper: Sweeper;
  private sink: Sink = { emit: () => {}, hasSockets: () => false, sentMark: (last) => last };
  private mark = 0;
  private timers: NodeJS.Timeout[] = [];
  private closed = false;

  constructor(database: LogRows, bus: Bus, settings: Settings['delivery'], log: Log) {
    this.database = database;
    this.bus = bus;
    this.settings = settings;
    this.observers = new Observers(log);
    // Never inside a caller's transaction: what is emitted must be committed.
    this.heads = new BatchedRead((ids) => readHeads(database.committedRows, ids), 0);
    const { streams, counters } = this;
    const staleness = new StalenessGuard(streams, (stream) => this.freshen(stream), bus);
    const pull = (stream: LiveStream) => this.pull(stream);
    const complete = (entries: LogEntry[]) => this.renewal.complete(entries);
    this.staleness = staleness;
    this.sweeper = new Sweeper({ ...settings, streams, pull, complete, database, staleness, counters, log });
    bus.onEntries((room, entries) => this.offer(room, entries));
  }

  start(sink: Sink): void {
    this.sink = sink;
    const { sweepMs, idleStreamMs } = this.settings;
    const sweeping = setInterval(() => void this.sweep(), sweepMs);
    this.timers = [sweeping, setInterval(() => this.closeIdle(), Math.min(reapMs, idleStreamMs))];
  }

  /** The node's running number of the last delivery. */
  get currentMark(): number {
    return this.mark;
  }

  /** The last one that has been written to all of its sockets, as have those before it. */
  get sentMark(): number {
    return this.sink.sentMark(this.mark);
  }

  /** A running number for an event that is sent to one socket only. */
  nextMark(): number {
    return ++this.mark;
  }

  get openStreams(): number {
    return this.streams.size;
  }

  /** Calls `observer` for each event emitted on this node, before the sockets get it. */
  observe(observer: (entry: LogEntry) => void): void {
    this.observers.add(observer);
  }

  /** Calls `listener` when a room skips a part of its log that was trimmed before it was emitted here. */
  onLost(listener: (room: Room) => void): void {
    this.lossListeners.push(listener);
  }

  /** Emits entries just committed here, and publishes them to the other nodes. */
  committed(entries: LogEntry[]): void {
    this.publish(entries);
    this.emitHere(entries);
  }

  /** Publishes entries just committed here to the other nodes. */
  publish(entries: LogEntry[]): void {
    for (const [room, ofRoom] of byRoom(entries)) this.bus.publish(room, ofRoom);
  }

  /** Emits entries just committed here to this node's own sockets. */
  emitHere(entries: LogEntry[]): void {
    for (const [room, ofRoom] of byRoom(entries)) this.offer(room, ofRoom);
    this.onCommitted(entries);
  }

  /** The room's stream on this node, opened if no one was in it. Undefined if the room has no log. */
  open(room: Room): Promise<LiveStream | undefined> {
    const known = this.streams.get(room);
    if (known) {
      known.lastUsed = performance.now();
      return Promise.resolve(known);
    }
    const running = this.opening.get(room);
    if (running) return running;
    const promise = this.openNew(room).finally(() => this.opening.delete(room));
    this.opening.set(room, promise);
    return promise;
  }

  /** The same, after emitting at least everything committed before `since`, as `performance.now()` has it. */
  openFresh(room: Room, since = performance.now()): Promise<LiveStream | undefined> {
    const fresh = this.open(room).then((known) => (known && known.freshAt < since ? this.freshen(known) : known));
    // The node may have closed the stream meanwhile.
    return fresh.then((stream) => (stream?.isClosed ? this.openFresh(room, since) : stream));
  }

  /** The room's stream if it is open on this node. */
  peek(room: Room): LiveStream | undefined {
    return this.streams.get(room);
  }

  /** The head of a room's log across all nodes, as of this call or later; undefined: it has no log. */
  head(room: Room): Promise<Head | undefined> {
    return this.heads.read(streamId(room));
  }

  /** Makes sure that the room has emitted at least everything that was committed before this call. */
  async freshen(stream: LiveStream): Promise<LiveStream> {
    const asked = performance.now();
    const head = await this.heads.read(streamId(stream.room));
    if (!head) return stream;
    // Another call may have had a later answer before.
    stream.floor = Math.max(stream.floor, head.floor);
    if (head.seq > stream.position) await this.pull(stream);
    stream.freshAt = Math.max(stream.freshAt, asked);
    return stream;
  }

  /** Emits the entries of the log that this node has not emitted yet (contract §10.3). */
  sweep(): Promise<void> {
    return this.sweeper.sweep();
  }

  /** Answers all waiting long polls, so that their clients can ask another node. */
  wakeAll(): void {
    for (const stream of this.streams.values()) stream.wakeAll();
  }

  close(): void {
    this.closed = true;
    this.sweeper.close();
    for (const timer of [...this.timers, ...this.gapTimers.values()]) clearInterval(timer);
    this.wakeAll();
  }

  private async openNew(room: Room): Promise<LiveStream | undefined> {
    const early: LogEntry[] = [];
    this.early.set(room, early);
    try {
      await this.bus.subscribe(room);
      const asked = performance.now();
      const head = await this.heads.read(streamId(room));
      if (!head) {
        this.bus.unsubscribe(room);
        return undefined;
      }
      const stream = new LiveStream(room, head, this.settings, (entries) => this.emit(entries));
      stream.freshAt = asked;
      this.streams.set(room, stream);
      this.sweeper.follow(stream, head.isNoted);
      if (stream.offer(early)) this.fillGapSoon(stream);
      return stream;
    } catch (error) {
      this.bus.unsubscribe(room);
      throw error;
    } finally {
      this.early.delete(room);
    }
  }

  private offer(room: Room, entries: LogEntry[]): void {
    const take = () => this.take(room, entries);
    // Where it fails, the sweep finds them.
    if (this.staleness.isStale(room)) this.staleness.refresh(room).then(take, () => {});
    else take();
  }

  private take(room: Room, entries: LogEntry[]): void {
    const stream = this.streams.get(room);
    if (!stream) this.early.get(room)?.push(...entries);
    else if (stream.offer(entries)) this.fillGapSoon(stream);
    // The next sweep has to ask about it, whatever is noted of it.
    if (stream?.isContradicted) this.sweeper.follow(stream, true);
  }

  /** @returns the running number of the first of them; the others follow it */
  private emit(entries: LogEntry[]): number {
    const first = this.mark + 1;
    const deliveries = entries.map((entry) => ({ entry, mark: this.nextMark() }));
    this.counters.events += entries.length;
    this.observers.notify(entries);
    this.sink.emit(deliveries);
    return first;
  }

  /** Waits a moment for entries still in flight, then reads the gap from the log. */
  private fillGapSoon(stream: LiveStream): void {
    if (this.gapTimers.has(stream.room) || this.closed) return;
    const timer = setTimeout(() => {
      this.gapTimers.delete(stream.room);
      if (!stream.offer([])) return;
      this.counters.gapRepairs++;
      // A failure is not logged here: the sweep tries again, and logs it.
      this.pull(stream).catch(() => {});
    }, this.settings.gapWaitMs);
    this.gapTimers.set(stream.room, timer);
  }

  /** Reads the entries not emitted yet. A running pull may have read too early, so another one follows it. */
  private pull(stream: LiveStream): Promise<void> {
    const before = this.pulls.get(stream.room) ?? Promise.resolve();
    const promise = before
      .catch(() => {})
      .then(() => this.pullNow(stream))
      .finally(() => {
        if (this.pulls.get(stream.room) === promise) this.pulls.delete(stream.room);
      });
    this.pulls.set(stream.room, promise);
    return promise;
  }

  /** Reads the log of a room; lost access and ended sessions that this node may have missed take effect before it returns. */
  async read({ room }: LiveStream, after: number, limit: number): Promise<LogEntry[]> {
    const page = await this.renewal.complete(await readLog(this.database.committedRows, room, after, limit));
    if (page.length > 0) await this.staleness.refresh(room);
    return page;
  }

  private async pullNow(stream: LiveStream): Promise<void> {
    for (;;) {
      const page = await this.read(stream, stream.position, pullSize);
      const first = page[0];
      if (!first) return this.skipTrimmed(stream);
      if (first.seq > stream.position + 1) this.skip(stream, first.seq - 1);
      stream.offer(page);
      if (page.length < pullSize) return;
    }
  }

  /** The log is empty beyond the position: if its head is further on, the entries between were trimmed meanwhile. */
  private async skipTrimmed(stream: LiveStream): Promise<void> {
    const head = await this.heads.read(streamId(stream.room));
    if (head && head.floor > stream.position) this.skip(stream, head.floor);
  }

  private skip(stream: LiveStream, position: number): void {
    stream.skipTo(position);
    if (!stream.isClosed) for (const listener of this.lossListeners) listener(stream.room);
  }

  /** Closes rooms that nobody has been in for a while, and drops all tails when they are too large together. */
  closeIdle(now = performance.now()): void {
    let bytes = 0;
    for (const [room, stream] of this.streams) {
      bytes += stream.tailBytes;
      if (!stream.isIdle(this.sink.hasSockets(room), now, this.settings.idleStreamMs)) continue;
      stream.isClosed = true;
      this.streams.delete(room);
      this.sweeper.unfollow(stream);
      this.bus.unsubscribe(room);
    }
    // The tails only save reads of the log; everything works without them.
    if (bytes > this.settings.tailBytesPerNode) for (const stream of this.streams.values()) stream.dropTail();
  }
}
