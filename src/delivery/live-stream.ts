import type { LogEntry, Room } from './entry.ts';

/** Entries that came too early are kept up to this many; the log has the rest. */
const maxHeld = 1000;
/** How many delivery numbers a room remembers for connection state recovery. */
const maxMarks = 8192;

interface Waiter {
  after: number;
  wake: () => void;
}

/**
 * One room on this node: how far its events were given out, the newest of them, and who waits for the next.
 *
 * Events come in any order, any number of times, or not at all (then the log is read); they leave once and in order.
 */
export class LiveStream {
  readonly room: Room;
  /** The number of the last event given out to the sockets of this node. */
  position: number;
  /** Everything up to here has left the log. */
  floor: number;
  lastUsed = performance.now();
  /** The node has let go of it, and may have another one by now: whoever held on to it has nobody enter, and nobody hears of it. */
  isClosed = false;
  /** An event came under a number that was given out for another one: the log went back (see Sweeper). */
  isContradicted = false;
  /** Delivery numbers of the node for the events up to `position`, oldest first. */
  private marks: number[] = [];
  private tail: LogEntry[] = [];
  private tailSize = 0;
  private forgets = 0;
  private readonly held = new Map<number, LogEntry>();
  private readonly waiters = new Set<Waiter>();
  private readonly limits: { tailEvents: number; tailBytes: number };
  private readonly emit: (entries: LogEntry[]) => number;

  /** @param emit gives events to the sockets of this node and answers the node's running number for the first */
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

  get isWaitedFor(): boolean {
    return this.waiters.size > 0;
  }

  /** Takes entries as they come. @returns whether one is missing before a later one that is here */
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
      else if (this.held.size < maxHeld) this.held.set(entry.seq, entry);
    }
    for (let next = this.held.get(this.position + 1); next; next = this.held.get(this.position + 1)) take(next);
    if (due.length > 0) this.giveOut(due);
    this.forgetOldHeld();
    if (entries.length > 0) this.wakeWaiters();
    return this.held.size > 0;
  }

  /** Goes on from `position` where the log no longer has what lies between. Nothing is given out for the gap. */
  skipTo(position: number): void {
    if (position <= this.position) return;
    this.position = position;
    this.isContradicted = false;
    this.tail = [];
    this.tailSize = 0;
    this.marks = [];
    this.forgetOldHeld();
    this.wakeWaiters();
  }

  /** The entries after `after` if this node still holds all of them, oldest first. */
  recent(after: number): LogEntry[] | undefined {
    if (after >= this.position) return [];
    const missing = this.position - after;
    return missing <= this.tail.length ? this.tail.slice(-missing) : undefined;
  }

  /** Changes whenever something is taken out of the log behind its head (see `forget`). */
  get revision(): number {
    return this.forgets;
  }

  /**
   * Puts older entries, just read from the log, before the tail. They must end where it begins.
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
   * Keeps no entry before `seq` in memory that mentions `text`, nor any before it: the log no longer says what it said
   * there. The tail begins behind it.
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
    const first = this.marks.findIndex((mark) => mark > since);
    if (first === -1) return [];
    if (first === 0 && this.marks.length >= maxMarks) return undefined;
    return this.marks.slice(first);
  }

  /** Resolves when an event after `after` was given out, when `ms` are over, or when `signal` aborts. */
  waitBeyond(after: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.position > after || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        this.waiters.delete(waiter);
        resolve();
      };
      const waiter: Waiter = { after, wake: finish };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish);
      this.waiters.add(waiter);
    });
  }

  /** Lets everyone who waits look again: rights may have changed, or the node is closing. */
  wakeAll(): void {
    for (const waiter of [...this.waiters]) waiter.wake();
  }

  /** What comes again comes from another road; or from another past. */
  private compare(entry: LogEntry, given: LogEntry | undefined): void {
    if (given && !isSame(entry, given)) this.isContradicted = true;
  }

  /** @param due what comes next, `position` being its last number */
  private giveOut(due: LogEntry[]): void {
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
    while (this.tail.length - excess > tailEvents || (this.tailSize > tailBytes && this.tail.length - excess > 1)) {
      this.tailSize -= this.tail[excess]?.json.length ?? 0;
      excess++;
    }
    if (excess > 0) this.tail.splice(0, excess);
  }

  private forgetOldHeld(): void {
    for (const seq of this.held.keys()) if (seq <= this.position) this.held.delete(seq);
  }

  private wakeWaiters(): void {
    for (const waiter of [...this.waiters]) if (waiter.after < this.position) waiter.wake();
  }
}

/** Whether two entries tell of one thing. Their words may differ: what was deleted is taken out of the log. */
function isSame(one: LogEntry, other: LogEntry): boolean {
  return one.json === other.json || (one.event === other.event && idOf(one) === idOf(other));
}

function idOf({ json }: LogEntry): unknown {
  const data: unknown = JSON.parse(json);
  return typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
}
