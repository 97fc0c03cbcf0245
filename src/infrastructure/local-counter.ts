import { LRUCache } from 'lru-cache';
import { atMost } from './cache.ts';

/** The known state of a key's window. */
interface Window {
  /** Counted here and, as far as known, on other nodes. */
  count: number;
  /** Counted here and not yet added to the shared count. */
  unsynced: number;
  endsAt: number;
}

interface CounterOptions {
  points: number;
  seconds: number;
  /** Adds to the count shared by all nodes. @returns the new count, or null while Redis is unreachable; absent: each node counts alone */
  add?(key: string, more: number): Promise<{ count: number; resetMs: number } | null>;
}

const syncMs = 100;
/** A key that has used less than this part of its limit on a node is not reported to the others. */
const quietShare = 8;
const maxKeys = 100_000;

/**
 * Counts per key in windows that start with the first use. It never waits: this node counts locally and, ten times a
 * second, adds its count to the shared one and adopts the sum. So a key used on several nodes at once exceeds its limit by
 * no more than its use on the others in a tenth of a second, and an eighth of it on each, and on a single node never.
 */
export class LocalCounter {
  private readonly options: CounterOptions;
  private readonly windows = new LRUCache<string, Window>(atMost(maxKeys));
  private dirty = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: CounterOptions) {
    this.options = options;
  }

  /** Counts one more. Attempts beyond the limit are not counted, so that retrying does not make it worse. */
  add(key: string, points = this.options.points): { count: number; resetMs: number } {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { count: 0, unsynced: 0, endsAt: now + this.options.seconds * 1000 };
      this.windows.set(key, window);
    }
    const resetMs = window.endsAt - now;
    if (window.count >= points) return { count: window.count + 1, resetMs };
    window.count++;
    if (!this.options.add) return { count: window.count, resetMs };
    window.unsynced++;
    // Most never come near their limit: they cost Redis nothing.
    if (window.count * quietShare < points) return { count: window.count, resetMs };
    this.dirty.add(key);
    this.timer ??= setTimeout(() => void this.sync(), syncMs).unref();
    return { count: window.count, resetMs };
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** The rest of a key's window once its limit is used up; null while it is not. Counts nothing. */
  spent(key: string, points: number): { count: number; resetMs: number } | null {
    const window = this.windows.get(key);
    const resetMs = (window?.endsAt ?? 0) - performance.now();
    return window && resetMs > 0 && window.count >= points ? { count: window.count + 1, resetMs } : null;
  }

  private async sync(): Promise<void> {
    const keys = this.dirty;
    this.dirty = new Set();
    // In one turn of the event loop, so that they are sent as one batch.
    await Promise.all([...keys].map((key) => this.syncKey(key)));
    this.timer = undefined;
    if (this.dirty.size > 0 && !this.closed) this.timer = setTimeout(() => void this.sync(), syncMs).unref();
  }

  private async syncKey(key: string): Promise<void> {
    const window = this.windows.get(key);
    if (!window) return;
    const sent = window.unsynced;
    window.unsynced = 0;
    const shared = await this.options.add?.(key, sent).catch(() => null);
    // A new window may have started meanwhile.
    if (this.windows.get(key) !== window) return;
    if (!shared) {
      window.unsynced += sent;
      return;
    }
    window.count = shared.count + window.unsynced;
    window.endsAt = performance.now() + shared.resetMs;
  }
}
