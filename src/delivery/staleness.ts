import type { Bus } from '../cluster/bus.ts';
import { maxStaleMs } from '../cluster/caches.ts';
import type { Watch } from '../cluster/invalidation-watch.ts';
import { isOwn, type Room } from '../contract/rooms.ts';
import { BatchedRead } from '../database/batched-read.ts';
import type { LiveStream } from './live-stream.ts';

/**
 * Whether this node knows who lost access to channels and whose session has ended. Control messages announce it; if one
 * was lost, the sweep finds an event in the person's own room, and the watch finds ended sessions. A node that was
 * frozen, or cut off from the log, may not have checked for longer than either may go unnoticed (contract §13,
 * Delivery): it checks before it emits anything in channels, or those people would get later messages.
 */
export class StalenessGuard {
  private readonly streams: ReadonlyMap<Room, LiveStream>;
  private readonly freshen: (stream: LiveStream) => Promise<unknown>;
  private readonly bus: Bus;
  private sessions: Watch | undefined;
  /** Everything committed in people's own rooms before this has been emitted (`performance.now()`). */
  private ownUntil = performance.now();
  /** A refresh begins after the calls that ask for it, and one that hangs does not hold up the next. */
  private readonly refreshes = new BatchedRead<never>(() => this.refreshNow());

  /** @param freshen emits everything that a room has in the log by now */
  constructor(streams: ReadonlyMap<Room, LiveStream>, freshen: (stream: LiveStream) => Promise<unknown>, bus: Bus) {
    this.streams = streams;
    this.freshen = freshen;
    this.bus = bus;
  }

  /** @param sessions closes the sockets of sessions that it finds to have ended */
  watchSessions(sessions: Watch): void {
    this.sessions = sessions;
  }

  /** The sweep has emitted everything committed in people's own rooms before `time`. */
  upToDate(time: number): void {
    this.ownUntil = Math.max(this.ownUntil, time);
  }

  /** Whether control messages may have been lost for so long that nothing of a room may be emitted, not even new events. */
  isStale(room: Room): boolean {
    return !isOwn(room) && this.bus.deafUntil > this.knownUntil && this.isOverdue;
  }

  /** Runs before entries read from a room's log are emitted: that may be long after their control messages. */
  async refresh(room: Room): Promise<void> {
    if (!isOwn(room) && this.isOverdue) await this.refreshes.read('all');
  }

  private get knownUntil(): number {
    return this.sessions ? Math.min(this.ownUntil, this.sessions.knownUntil) : this.ownUntil;
  }

  private get isOverdue(): boolean {
    return performance.now() - this.knownUntil > maxStaleMs;
  }

  private async refreshNow(): Promise<Map<string, never>> {
    const started = performance.now();
    const own = [...this.streams.values()].filter(({ room }) => isOwn(room));
    await Promise.all([this.sessions?.poll(), ...own.map((stream) => this.freshen(stream))]);
    this.upToDate(started);
    return new Map<string, never>();
  }
}
