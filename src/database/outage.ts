import { setTimeout as delay } from 'node:timers/promises';
import { asDatabaseError, isDisconnected } from './failures.ts';

/**
 * How long lost connections are replaced before anyone is refused: most are back by then, after a restart or a takeover.
 * Counted from the first loss, so that in a longer outage everyone is answered at once.
 */
const reconnectMs = 2000;
/** What is lost after so much quiet is another outage. */
const quietMs = 1000;
/** Before another connection is tried. */
export const reconnectPauseMs = 50;

/** Whether connections to PostgreSQL break at the moment, as those see it who would try again on another one. */
export class Outage {
  private since = Number.NEGATIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  /** Notes that a connection broke. @returns whether it is early enough to try another one */
  mayReconnect(): boolean {
    const now = performance.now();
    if (now - this.last > quietMs) this.since = now;
    this.last = now;
    return now - this.since < reconnectMs;
  }

  /** A connection works again. */
  end(): void {
    this.last = Number.NEGATIVE_INFINITY;
  }

  /**
   * Runs a read again, as long as its connections break.
   * @param failed why it failed the first time @param begun when that was begun
   * @throws AppError DATABASE_UNAVAILABLE, or what is wrong with the read
   */
  async readAgain<T>(failed: unknown, begun: number, read: () => Promise<T>): Promise<T> {
    for (let error = failed; ; ) {
      // Who waited for a connection for that long has waited enough.
      const isLate = performance.now() - begun > reconnectMs;
      if (!isDisconnected(error) || !this.mayReconnect() || isLate) throw asDatabaseError(error);
      await delay(reconnectPauseMs);
      try {
        const found = await read();
        this.end();
        return found;
      } catch (thrown) {
        error = thrown;
      }
    }
  }
}
