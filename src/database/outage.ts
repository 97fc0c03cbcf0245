import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { asDatabaseError, isDisconnected } from './failures.ts';

/**
 * How long lost connections are replaced before callers are refused: after a restart or failover most are back by then.
 * Counted from the first loss, so that in a longer outage callers fail at once.
 */
const reconnectMs = 2000;
/** A break after this much quiet starts a new outage. */
const quietMs = 1000;
/** Backoff before the next connection; it grows, or a thousand waiting requests would keep the node busy. */
const firstPauseMs = 50;
const longestPauseMs = 400;

/** Whether connections to PostgreSQL break at the moment, for callers that would retry on another connection. */
export class Outage {
  private since = Number.NEGATIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  /**
   * Notes that a connection broke, and pauses if there is still time to try another one.
   * @param times how many connections broke for the caller before
   * @param begun when the caller asked for the first one: if that took the whole period, it is refused
   * @returns whether to try
   */
  async mayReconnect(times = 0, begun = performance.now()): Promise<boolean> {
    const now = performance.now();
    if (now - this.last > quietMs) this.since = now;
    this.last = now;
    if (now - Math.min(this.since, begun) >= reconnectMs) return false;
    await delay(Math.min(firstPauseMs * 2 ** times, longestPauseMs));
    return true;
  }

  /** A connection works again. */
  end(): void {
    this.last = Number.NEGATIVE_INFINITY;
  }

  /**
   * Runs a read again, as long as its connections break.
   * @param failed why it failed the first time @param begun when that was begun
   * @throws AppError DATABASE_UNAVAILABLE, or the read's own error
   */
  async readAgain<T>(failed: unknown, begun: number, read: () => Promise<T>): Promise<T> {
    for (let error = failed, times = 0; ; times++) {
      if (!isDisconnected(error) || !(await this.mayReconnect(times, begun))) throw asDatabaseError(error);
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

/**
 * Gives up on a database that hangs. A transaction may still commit later, unacknowledged: the sweep then emits its
 * events, and a sender who retries with the same nonce finds it.
 * @throws AppError DATABASE_UNAVAILABLE after `ms`, and what the promise is rejected with
 */
export async function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('DATABASE_UNAVAILABLE')), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
