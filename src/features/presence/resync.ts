import type { Log } from '../../infrastructure/log.ts';
import type { PresenceDirectory } from './directory.ts';
import type { RedisPresenceStore } from './redis-store.ts';

const soonMs = 200;

/**
 * Resynchronizes this node with Redis after something was missed. If Redis was away it may have forgotten everyone, and all
 * nodes report their users again: until they have had time for it, nobody counts as offline only because Redis does not
 * know them.
 */
export class Resync {
  private readonly store: RedisPresenceStore;
  private readonly directory: PresenceDirectory;
  private readonly settleMs: number;
  private readonly log: Log;
  private timer: NodeJS.Timeout | undefined;
  private settledAt = 0;
  private closed = false;

  constructor(store: RedisPresenceStore, directory: PresenceDirectory, settleMs: number, log: Log) {
    this.store = store;
    this.directory = directory;
    this.settleMs = settleMs;
    this.log = log;
  }

  /** A message did not arrive here. */
  soon(): void {
    if (this.timer || this.closed) return;
    this.after(Math.max(soonMs, this.settledAt - performance.now()));
  }

  /** Redis is reachable again. @param settleMs how long all nodes have to report their users again */
  comeBack(settleMs = this.settleMs): void {
    this.store.loseCount();
    this.settledAt = performance.now() + settleMs;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.soon();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private after(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.read().catch((error) => {
        this.log.debug({ err: error }, 'Presence could not be read just now.');
        if (this.store.ready) this.soon();
      });
    }, ms);
    this.timer.unref();
  }

  private async read(): Promise<void> {
    const all = await this.store.all();
    this.directory.replace(all);
  }
}
