import type { Chore } from '../cluster/chores.ts';
import { byRoom, type LogEntry, ownFirst } from '../cluster/entry.ts';
import { follows } from '../cluster/invalidation-watch.ts';
import { channelRoom, type Room, streamId, userRoom } from '../contract/rooms.ts';
import type { Database } from '../database/database.ts';
import { clock } from '../infrastructure/clock.ts';
import type { Log } from '../infrastructure/log.ts';
import type { DeliveryCounters } from './counters.ts';
import type { LiveStream } from './live-stream.ts';
import { leapOver, readLogs, readMoved } from './log.ts';
import { deleteOldMoves, readMovedSince } from './moved.table.ts';
import type { StalenessGuard } from './staleness.ts';

/** How many rooms are read with one query, and how many events of each. */
const roomsAtOnce = 200;
const eventsOfEach = 100;
/** How many of the rooms that the database notes are asked about in turn with each sweep. */
const askedInTurn = 200;
/** No change runs this long. A node that has not swept for half of it asks about all of its rooms. */
const keptSeconds = 3600;
const gapMs = (keptSeconds * 1000) / 2;
const notesAtOnce = 1000;

interface Deps {
  streams: ReadonlyMap<Room, LiveStream>;
  pull: (stream: LiveStream) => Promise<void>;
  complete: (entries: LogEntry[]) => Promise<LogEntry[]>;
  database: Pick<Database, 'committedRows' | 'quickRows'>;
  gapWaitMs: number;
  staleness: StalenessGuard;
  counters: DeliveryCounters;
  log: Log;
}

/**
 * Asks the log which rooms have events that this node missed, and catches up: after lost publishes, while Redis is
 * away, and for nodes that died between commit and publish (contract §10.3).
 */
export class Sweeper {
  private readonly deps: Deps;
  private sweeping = false;
  private failed = false;
  private closed = false;
  /** Rooms that it asks about each time. */
  private readonly shared = new Set<LiveStream>();
  /** Rooms of which the database notes when they move, until they were asked about once. */
  private readonly unasked = new Set<LiveStream>();
  private walk: Iterator<LiveStream, undefined>;
  /** What the last sweep could see; null: there was none. */
  private snapshot: string | null = null;
  /** In ms since 1970, so that time in which the machine was suspended counts too. */
  private lastSweep = clock.now();

  /**
   * @param parts.pull emits everything that a room has in the log beyond its position
   * @param parts.complete as `Renewal.complete`
   */
  constructor(deps: Deps) {
    this.deps = deps;
    this.walk = deps.streams.values();
  }

  /**
   * A room was opened on this node.
   * @param isNoted the database notes when its log moves: there are as many of these as people, and asking about each of
   *   them every time would cost the more the more people are connected and silent
   */
  follow(stream: LiveStream, isNoted: boolean): void {
    (isNoted ? this.unasked : this.shared).add(stream);
  }

  unfollow(stream: LiveStream): void {
    this.shared.delete(stream);
    this.unasked.delete(stream);
  }

  async sweep(): Promise<void> {
    if (this.sweeping || this.closed) return;
    const started = performance.now();
    if (this.deps.streams.size === 0) return this.deps.staleness.upToDate(started);
    this.sweeping = true;
    try {
      await this.sweepOnce();
      this.deps.staleness.upToDate(started);
      this.deps.counters.sweeps++;
      if (this.failed) this.deps.log.info('The log can be read again.');
      this.failed = false;
    } catch (error) {
      this.deps.counters.failedSweeps++;
      if (!this.failed && !this.closed) this.deps.log.warn({ err: error }, 'The log cannot be read just now.');
      this.failed = true;
    } finally {
      this.sweeping = false;
    }
  }

  close(): void {
    this.closed = true;
  }

  private async sweepOnce(): Promise<void> {
    const { streams, database } = this.deps;
    const { snapshot, ids } = await readMovedSince(database.committedRows, this.snapshot);
    const whole = this.mustAskAll(snapshot);
    // Those that are opened while the heads are read are asked about the next time.
    const unasked = new Set(this.unasked);
    const asked = whole
      ? new Set(streams.values())
      : new Set([...this.shared, ...unasked, ...this.named(ids), ...this.some()]);
    const known = ownFirst([...asked]).map((stream) => ({ id: streamId(stream.room), stream }));
    const positions = known.map(({ id, stream }) => ({ id, seq: stream.position }));
    const moved = await readMoved(database.committedRows, positions);
    this.deps.counters.lag = 0;
    const back = known.filter(({ id, stream }, at) => stream.isContradicted || isBehind(moved.get(id), positions[at]));
    if (back.length > 0) await this.turnBack(back.map(({ stream }) => stream));
    if (moved.size > 0) await this.catchUp(known, moved);
    this.snapshot = snapshot;
    this.lastSweep = clock.now();
    for (const stream of unasked) this.unasked.delete(stream);
  }

  /** Whether it cannot rely on what was noted since the last time. */
  private mustAskAll(snapshot: string): boolean {
    // A standby that took over may be behind; a node that was frozen for long, or its machine suspended, may be late.
    if (this.failed || this.snapshot === null) return true;
    return !follows(snapshot, this.snapshot) || clock.now() - this.lastSweep > gapMs;
  }

  private named(ids: string[]): LiveStream[] {
    const { streams } = this.deps;
    return ids.flatMap((id) => [userRoom(id), channelRoom(id)].flatMap((room) => streams.get(room) ?? []));
  }

  /** The next few of all, so that each comes up now and then, whatever the database has noted. */
  private some(): LiveStream[] {
    const some: LiveStream[] = [];
    while (some.length < askedInTurn) {
      const next = this.walk.next();
      if (next.done) {
        this.walk = this.deps.streams.values();
        break;
      }
      some.push(next.value);
    }
    return some;
  }

  private async catchUp(known: { id: string; stream: LiveStream }[], moved: Map<string, number>): Promise<void> {
    // Entries committed a moment ago are most likely still in flight; only those that do not arrive are read.
    await new Promise((resolve) => setTimeout(resolve, this.deps.gapWaitMs));
    const behind = known.flatMap(({ id, stream }) => (stream.position < (moved.get(id) ?? 0) ? [stream] : []));
    this.deps.counters.swept += behind.length;
    for (const stream of behind) this.deps.counters.lag += (moved.get(streamId(stream.room)) ?? 0) - stream.position;
    for (let at = 0; at < behind.length; at += roomsAtOnce) await this.catchUpAll(behind.slice(at, at + roomsAtOnce));
  }

  /**
   * PostgreSQL has lost commits whose events were emitted, as a standby may when it takes over, and their numbers would go
   * to other events. The log jumps ahead, so that everyone starts afresh; other nodes find it there.
   */
  private async turnBack(streams: LiveStream[]): Promise<void> {
    this.deps.log.warn(
      { rooms: streams.length },
      'PostgreSQL has lost events that were emitted; their rooms start afresh.',
    );
    for (const stream of streams) {
      await leapOver(this.deps.database.quickRows, stream.room, stream.position);
      await this.deps.pull(stream);
    }
  }

  /** Catches up many rooms with one query; those that are far behind are pulled one by one. */
  private async catchUpAll(streams: LiveStream[]): Promise<void> {
    const known = streams.map(({ room, position }) => ({ room, seq: position }));
    const pages = byRoom(
      await this.deps.complete(await readLogs(this.deps.database.committedRows, known, eventsOfEach)),
    );
    for (const stream of streams) {
      const page = pages.get(stream.room);
      // Users' own rooms among them are first, but sessions may have ended too.
      await this.deps.staleness.refresh(stream.room);
      const first = page?.[0];
      const isWhole = page && page.length < eventsOfEach && first && first.seq <= stream.position + 1;
      if (isWhole) stream.offer(page);
      else await this.deps.pull(stream);
    }
  }
}

/** Whether a head is behind a position that was known before it was read. */
function isBehind(head: number | undefined, known: { seq: number } | undefined): boolean {
  return head !== undefined && known !== undefined && head < known.seq;
}

/** Removes notes of moved logs that all nodes have seen long since. */
export const forgetMoves: Chore = {
  name: 'forget moves',
  step: (rows) => deleteOldMoves(rows, keptSeconds, notesAtOnce),
};
