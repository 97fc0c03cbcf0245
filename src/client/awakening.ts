import { host } from './host.ts';

const tickMs = 5000;
/** A tick that comes so much too late: the machine slept, or the page was frozen. */
const lateMs = 10_000;

/**
 * Notices that time has passed unseen. While a machine sleeps nothing happens to a socket, and after it the socket may be
 * dead without anyone saying so; timers only go on from where they stood.
 */
export class Awakening {
  private readonly woken: () => void;
  private ticker: ReturnType<typeof setInterval> | undefined;
  private lastTick = 0;

  /** @param woken called when the machine has slept, and when the page comes to the front again */
  constructor(woken: () => void) {
    this.woken = woken;
    host.document?.addEventListener('visibilitychange', () => {
      if (this.ticker !== undefined && host.document?.visibilityState === 'visible') this.woken();
    });
  }

  watch(): void {
    this.rest();
    this.lastTick = Date.now();
    this.ticker = setInterval(() => this.tick(), tickMs);
  }

  rest(): void {
    clearInterval(this.ticker);
    this.ticker = undefined;
  }

  private tick(): void {
    const now = Date.now();
    const late = now - this.lastTick - tickMs;
    this.lastTick = now;
    if (late > lateMs) this.woken();
  }
}
