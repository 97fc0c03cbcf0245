import { host } from './host.ts';

const tickMs = 5000;
/** A tick this late means that the machine slept, or the page was frozen. */
const lateMs = 10_000;

interface AwakeningHandlers {
  /** The machine has woken up, or the page is in the foreground again. */
  woken(): void;
  online(): void;
  offline(): void;
}

/**
 * Detects suspended time, and follows the browser's network state. While a machine sleeps nothing happens on a socket,
 * which may be dead afterwards without notice; timers just continue where they stopped.
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
