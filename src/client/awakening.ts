import { host } from './host.ts';

const tickMs = 5000;
/** A tick that comes so much too late: the machine slept, or the page was frozen. */
const lateMs = 10_000;

interface AwakeningHandlers {
  /** The machine has slept, or the page has come to the front again. */
  woken(): void;
  online(): void;
  offline(): void;
}

/**
 * Notices that time has passed unseen, and hears what the browser says of the network. While a machine sleeps nothing
 * happens to a socket, and after it the socket may be dead without anyone saying so; timers only go on from where they
 * stood.
 */
export class Awakening {
  private readonly handlers: AwakeningHandlers;
  private watching: AbortController | undefined;
  private ticker: ReturnType<typeof setInterval> | undefined;
  private lastTick = 0;

  constructor(handlers: AwakeningHandlers) {
    this.handlers = handlers;
  }

  watch(): void {
    this.rest();
    this.lastTick = Date.now();
    this.ticker = setInterval(() => this.tick(), tickMs);
    this.watching = new AbortController();
    const { signal } = this.watching;
    host.addEventListener?.('online', () => this.handlers.online(), { signal });
    host.addEventListener?.('offline', () => this.handlers.offline(), { signal });
    const seen = () => host.document?.visibilityState === 'visible' && this.handlers.woken();
    host.document?.addEventListener('visibilitychange', seen, { signal });
  }

  rest(): void {
    clearInterval(this.ticker);
    this.watching?.abort();
  }

  private tick(): void {
    const now = Date.now();
    const late = now - this.lastTick - tickMs;
    this.lastTick = now;
    if (late > lateMs) this.handlers.woken();
  }
}
