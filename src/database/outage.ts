/**
 * How long lost connections are replaced before anyone is refused: most are back by then, after a restart or a takeover.
 * Counted from the first loss, so that in a longer outage everyone is answered at once.
 */
const reconnectMs = 2000;
/** What is lost after so much quiet is another outage. */
const quietMs = 1000;

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
}

/** Milliseconds before another connection is tried. */
export const reconnectPauseMs = 50;
