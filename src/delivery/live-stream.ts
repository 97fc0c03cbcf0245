import type { LogEntry } from '../cluster/entry.ts';
import type { Room } from '../contract/rooms.ts';

/** At most this many early entries are held; the log has the rest. */
const maxHeld = 1000;
/** How many delivery numbers a room remembers for connection state recovery. */
const maxMarks = 8192;

/**
 * One room on this node: the last event emitted, the tail of the log, and who waits for the next event.
 *
 * Entries arrive in any order, any number of times, or not at all (then the log is read); they leave once and in order.
 */
export class LiveStream {
  readonly room: Room;
  /** The number of the last event emitted to the sockets of this node. */
  position: number;
  /** Everything up to and including this number has been trimmed from the log. */
  floor: number;
  lastUsed = performance.now();
  /** Everything that was committed before this time, as `performance.now()` has it, was emitted. */
  freshAt = Number.NEGATIVE_INFINITY;
  /**
   * The node dropped this stream, and may have a new one by now: nobody may enter through it, it emits nothing, and
   * reports no loss.
   */
  isClosed = false;
  /** An entry arrived with a number that was emitted for a different one: the log lost commits (see Sweeper). */
  isContradicted = false;
  /** Delivery numbers of the node for the events up to `position`, oldest first. */
  private marks: number[] = [];
  private tail: LogEntry[] = [];
  private tailSize = 0;
  private forgets = 0;
  /** Made when it is needed: there are as many streams as people. */
  private held: Map<number, LogEntry> | null = null;
  private waiters: Set<() => void> | null = null;
  private readonly limits: { tailEvents: number; tailBytes: number };
  private readonly emit: (entries: LogEntry[]) => number;

  /** @param emit sends events to the sockets of this node and returns the node's running number of the first */
  constructor(
    room: Room,
    head: { seq: number; floor: number },
    limits: { tailEvents: number; tailBytes: number },
    emit: (entries: LogEntry[]) => number,
  ) {
    this.room = room;
    this.position = head.seq;
    this.floor = head.floor;
    this.limits = limits;
    this.emit = emit;
  }

  get tailBytes(): number {
    return this.tailSize;
  }

  /** Whether nobody has needed it for `ms`. @param isInUse somebody does now */
  isIdle(isInUse: boolean, now: number, ms: number): boolean {
    if (isInUse || this.isWaitedFor) this.lastUsed = now;
    return now - this.lastUsed > ms;
  }

  get isWaitedFor(): boolean {
    return this.waiters !== null;
  }

  /** Takes entries as they arrive. @returns whether there is a gap before an entry that is held */
  offer(entries: LogEntry[]): boolean {
    const due: LogEntry[] = [];
    const start = this.tailStart;
    const take = (entry: LogEntry) => {
      this.position = entry.seq;
      due.push(entry);
    };
    for (const entry of entries) {
      if (entry.seq <= this.position) this.compare(entry, this.tail[entry.seq - start - 1]);
      else if (entry.seq === this.position + 1) take(entry);
      else this.hold(entry);
    }
    for (let next = this.nextHeld(); next; next = this.nextHeld()) take(next);
    if (due.length > 0) this.emitDue(due);
    this.forgetOldHeld();
    if (due.length > 0) this.wakeAll();
    return this.held !== null;
  }

  /** Skips ahead to `position` when the log no longer has the entries before it. Emits nothing for the gap. */
  skipTo(position: number): void {
    this.position = position;
    this.isContradicted = false;
    this.tail = [];
    this.tailSize = 0;
    this.marks = [];
    this.wakeAll();
  }

  /** The entries after `after`, oldest first, if all of them are in the tail. */
  recent(after: number): LogEntry[] | undefined {
    if (after >= this.position) return [];
    const missing = this.position - after;
    return missing <= this.tail.length ? this.tail.slice(-missing) : undefined;
  }

  /** Changes whenever something in the log is erased (see `forget`). */
  get revision(): number {
    return this.forgets;
  }

  /**
   * Prepends older entries, just read from the log, to the tail. They must end where it begins.
   * @param revision as it was before they were read
   */
  extendTail(older: LogEntry[], revision: number): void {
    const first = this.position - this.tail.length;
    if (older.at(-1)?.seq !== first || revision !== this.forgets) return;
    const room = this.limits.tailEvents - this.tail.length;
    for (const entry of older.slice(-Math.max(room, 0)).reverse()) {
      if (room <= 0 || this.tailSize + entry.json.length > this.limits.tailBytes) break;
      this.tail.unshift(entry);
      this.tailSize += entry.json.length;
    }
  }

  /** The number of the oldest entry this node holds, minus one. */
  get tailStart(): number {
    return this.position - this.tail.length;
  }

  dropTail(): void {
    this.tail = [];
    this.tailSize = 0;
  }

  /**
   * Drops from the tail the last entry before `seq` that contains `text`, and everything before it: that text has been
   * erased from the log.
   */
  forget(text: string, seq: number): void {
    this.forgets++;
    const last = this.tail.findLastIndex((entry) => entry.seq < seq && entry.json.includes(text));
    for (const entry of this.tail.splice(0, last + 1)) this.tailSize -= entry.json.length;
  }

  /**
   * The delivery numbers of the last events, for those with a number above `since`: element i from the end belongs to
   * the event `position - i`. Undefined when the room remembers too few of them.
   */
  marksSince(since: number): number[] | undefined {
    // By halves: everyone in the room asks, in one turn when all of them are cut off at once.
    let first = 0;
    for (let end = this.marks.length; first < end; ) {
      const middle = (first + end) >> 1;
      if ((this.marks[middle] ?? 0) > since) end = middle;
      else first = middle + 1;
    }
    if (first === this.marks.length) return [];
    if (first === 0 && this.marks.length >= maxMarks) return undefined;
    return this.marks.slice(first);
  }

  /** Resolves when the position advances, when `ms` are over, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        this.waiters?.delete(finish);
        if (this.waiters?.size === 0) this.waiters = null;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish);
      this.waiters ??= new Set();
      this.waiters.add(finish);
    });
  }

  /** Wakes all waiters to check again: an event arrived, permissions may have changed, or the node is closing. */
  wakeAll(): void {
    for (const wake of [...(this.waiters ?? [])]) wake();
  }

  /** A repeated entry normally arrives from another source; if it differs, the log lost commits. */
  private compare(entry: LogEntry, given: LogEntry | undefined): void {
    if (given && !isSame(entry, given)) this.isContradicted = true;
  }

  /** @param due the next entries; `position` is already the number of the last */
  private emitDue(due: LogEntry[]): void {
    for (const entry of due) {
      this.tail.push(entry);
      this.tailSize += entry.json.length;
    }
    this.trimTail();
    if (this.isClosed) return;
    const first = this.emit(due);
    for (let i = 0; i < due.length; i++) this.marks.push(first + i);
    if (this.marks.length > 2 * maxMarks) this.marks = this.marks.slice(-maxMarks);
  }

  private trimTail(): void {
    let excess = 0;
    const { tailEvents, tailBytes } = this.limits;
    while (this.tail.length - excess > tailEvents || this.tailSize > tailBytes) {
      this.tailSize -= this.tail[excess]?.json.length ?? 0;
      excess++;
    }
    if (excess > 0) this.tail.splice(0, excess);
  }

  private hold(entry: LogEntry): void {
    this.held ??= new Map();
    if (this.held.size < maxHeld) this.held.set(entry.seq, entry);
  }

  private nextHeld(): LogEntry | undefined {
    return this.held?.get(this.position + 1);
  }

  private forgetOldHeld(): void {
    for (const seq of this.held?.keys() ?? []) if (seq <= this.position) this.held?.delete(seq);
    if (this.held?.size === 0) this.held = null;
  }
}

/** Whether two entries are the same event. Their text may differ: deleted content is erased from the log. */
function isSame(one: LogEntry, other: LogEntry): boolean {
  return one.event === other.event && (one.json === other.json || idOf(one) === idOf(other));
}

function idOf({ json }: LogEntry): unknown {
  const data: unknown = JSON.parse(json);
  return typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
}

/** An event with the node's running number for its delivery. */
export interface Delivered {
  entry: LogEntry;
  mark: number;
}

/** The sockets of this node, as the delivery sees them. */
export interface Sink {
  /** Sends events, in this order, to the sockets of their room on this node: from now on, and in their order to each. */
  emit(deliveries: Delivered[]): void;
  hasSockets(room: Room): boolean;
  /** The last delivery number up to which each socket was sent its events. @param last the node's last one */
  sentMark(last: number): number;
}
