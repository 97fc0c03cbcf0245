import { AppError } from '../contract/errors.ts';
import type { Room } from '../contract/rooms.ts';

/** What changes may want at once: a log, or a server with its members. */
export type Place = Room | `server:${string}`;

/** How many changes may be at one place: one that has locked it, and one to which PostgreSQL hands the lock at once. */
const mostAtLog = 2;
/** How long a change waits here: as long as one that waits in PostgreSQL and starts over (`Changes`). */
const longestWaitMs = 8000;
/** How many changes may wait for one log; the last of more would not be served in time. */
const longestLine = 1000;

/** The changes at a place, and those that wait for it, in the order in which they came. */
interface Line {
  here: number;
  waiting: Set<() => void>;
}

/**
 * Which changes of this node may lock which logs and servers. A change that waits for a lock in PostgreSQL occupies a
 * connection meanwhile, so that the changes of one busy room, or a crowd that joins, would occupy all of them. Only a few at a time go there; the others
 * wait here for their turn, in the order in which they came.
 *
 * No deadlocks: a change that waits here has been rolled back, so it holds neither locks nor a connection, and of turns
 * only those at logs that sort before the one that it waits for.
 */
export class Turns {
  private readonly lines = new Map<Place, Line>();
  private readonly atLog: number;

  /** @param connections how many there are for changes: one log never gets more than half of them */
  constructor(connections: number) {
    this.atLog = Math.max(1, Math.min(mostAtLog, Math.floor(connections / 2)));
  }

  isFree(room: Place): boolean {
    const line = this.lines.get(room);
    return !line || (line.here < this.atLog && line.waiting.size === 0);
  }

  /** Takes a place at a log that is free. */
  take(room: Place): void {
    const line = this.lines.get(room);
    if (line) line.here++;
    else this.lines.set(room, { here: 1, waiting: new Set() });
  }

  /** Waits for a place at a log, and takes it. @throws AppError SERVER_BUSY if that takes longer than `ms` */
  async wait(room: Place, ms: number): Promise<void> {
    if (this.isFree(room)) return this.take(room);
    const waiting = this.lines.get(room)?.waiting ?? new Set();
    if (waiting.size >= longestLine) throw new AppError('SERVER_BUSY');
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(admit);
        reject(new AppError('SERVER_BUSY'));
      }, ms);
      waiting.add(admit);
    });
  }

  /** Gives a place at a log to the next one. */
  leave(room: Place): void {
    const line = this.lines.get(room);
    if (!line) return;
    const [next] = line.waiting;
    if (next) {
      line.waiting.delete(next);
      next();
    } else if (--line.here === 0) {
      this.lines.delete(room);
    }
  }
}

/** The turns of one change. It keeps them while it starts over. */
export class Turn {
  private readonly turns: Turns;
  private readonly deadline = performance.now() + longestWaitMs;
  private readonly taken = new Set<Place>();
  private readonly needed = new Set<Place>();

  constructor(turns: Turns) {
    this.turns = turns;
  }

  /** Takes its turn at these logs. @returns false if others are there: the change has to be rolled back, then `wait` */
  take(rooms: Iterable<Place>): boolean {
    const missing = [...new Set(rooms)].filter((room) => !this.taken.has(room));
    if (!missing.every((room) => this.turns.isFree(room))) {
      for (const room of missing) this.needed.add(room);
      return false;
    }
    for (const room of missing) {
      this.turns.take(room);
      this.taken.add(room);
    }
    return true;
  }

  /** Whether the change was refused a log, and has not waited for it yet. */
  get mustWait(): boolean {
    return this.needed.size > 0;
  }

  /** Waits for all logs that the change came to so far, and takes its turn there. @throws AppError SERVER_BUSY */
  async wait(): Promise<void> {
    const rooms = [...this.taken, ...this.needed].sort();
    this.needed.clear();
    this.leave();
    for (const room of rooms) {
      await this.turns.wait(room, this.deadline - performance.now());
      this.taken.add(room);
    }
  }

  leave(): void {
    for (const room of this.taken) this.turns.leave(room);
    this.taken.clear();
  }
}
