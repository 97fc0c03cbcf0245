import { BatchedRead } from '../database/batched-read.ts';
import type { Bus } from './bus.ts';
import { untoldMs } from './caches.ts';
import { isOwn, type Room } from './entry.ts';
import type { LiveStream } from './live-stream.ts';

/** What a node finds out by asking the database again and again. */
export interface Watch {
  /** All that was committed before this is known here, as `performance.now()` has it. */
  readonly knownUntil: number;
  /** Asks now. @throws AppError when there is no answer */
  look(): Promise<unknown>;
}

/**
 * Whether this node knows who was put out of channels, and whose session has ended. An order says so (see Control); where
 * that was lost, an event in the person's own room does, which the sweep finds, or the watch for sessions. A node that stood
 * still, or was cut off from its log, has not looked for longer than such a thing may stay unknown (contract §13,
 * Delivery): it looks before it gives out anything of channels, or those people would hear what was said after that.
 */
export class Touch {
  private readonly streams: ReadonlyMap<Room, LiveStream>;
  private readonly freshen: (stream: LiveStream) => Promise<unknown>;
  private readonly bus: Bus;
  private sessions: Watch | undefined;
  /** All that was committed in people's own rooms before this was given out, as `performance.now()` has it. */
  private ownUntil = performance.now();
  /** A look begins after those who ask for it, and one that hangs does not hold up the next. */
  private readonly looks = new BatchedRead<never>(() => this.look());

  /** @param freshen gives out all that a room has in the log by now */
  constructor(streams: ReadonlyMap<Room, LiveStream>, freshen: (stream: LiveStream) => Promise<unknown>, bus: Bus) {
    this.streams = streams;
    this.freshen = freshen;
    this.bus = bus;
  }

  /** @param sessions ends the sockets of sessions that it finds to have ended */
  alsoBy(sessions: Watch): void {
    this.sessions = sessions;
  }

  /** The sweep has given out all that was committed in people's own rooms before `time`. */
  upToDate(time: number): void {
    this.ownUntil = Math.max(this.ownUntil, time);
  }

  /** Whether orders may have been lost for so long that nothing of a room may be given out, not even what just came. */
  isLost(room: Room): boolean {
    return !isOwn(room) && this.bus.deafUntil > this.knownUntil && this.isOverdue;
  }

  /** Before something that was read from the log of a room is given out: it may be long after the orders that went with it. */
  async regain(room: Room): Promise<void> {
    if (!isOwn(room) && this.isOverdue) await this.looks.read('all');
  }

  private get knownUntil(): number {
    return this.sessions ? Math.min(this.ownUntil, this.sessions.knownUntil) : this.ownUntil;
  }

  private get isOverdue(): boolean {
    return performance.now() - this.knownUntil > untoldMs;
  }

  private async look(): Promise<Map<string, never>> {
    const started = performance.now();
    const own = [...this.streams.values()].filter(({ room }) => isOwn(room));
    await Promise.all([this.sessions?.look(), ...own.map((stream) => this.freshen(stream))]);
    this.upToDate(started);
    return new Map<string, never>();
  }
}
