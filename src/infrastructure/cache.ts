import { LRUCache } from 'lru-cache';

/**
 * Bounds an LRUCache to so many values. Its own `max` reserves room for all of them at once: tens of megabytes in each
 * node, which every garbage collection looks through.
 */
export const atMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

/** How much a cache may hold beside the number of its values. */
export interface CacheSize<V> {
  max: number;
  of: (value: V) => number;
}

/**
 * A bounded cache of things that seldom change, with one load at a time per key.
 *
 * Other nodes' changes arrive as `drop` (see control messages); the time limit is the belt for when they do not,
 * so what a cache holds may be stale for `ttlMs` at most.
 */
export class Cache<V extends object> {
  private readonly values: LRUCache<string, V>;
  private readonly loading = new Map<string, Promise<V | undefined>>();

  private readonly ttlMs: () => number;

  /**
   * @param options.ttlMs asked anew for each value that is put in
   * @param options.size bounds all values together, in whatever unit it measures them
   */
  constructor({ max, ttlMs, size }: { max: number; ttlMs: () => number; size?: CacheSize<V> | undefined }) {
    const bounds = size ? { max, maxSize: size.max, sizeCalculation: size.of } : atMost(max);
    // Asking the clock each time costs less than the timer that would remember what it said.
    this.values = new LRUCache({ ...bounds, ttl: 1, ttlResolution: 0 });
    this.ttlMs = ttlMs;
  }

  /** The value of `key`, loaded when it is not known. A missing one (undefined) is not kept. */
  get(key: string, load: () => Promise<V | undefined>): V | undefined | Promise<V | undefined> {
    return this.values.get(key) ?? this.load(key, load);
  }

  private async load(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const running = this.loading.get(key);
    if (running) return running;
    const promise = load().then((value) => {
      // A drop while this load was under way took it off the map: what it read may be older than the change.
      if (value && this.loading.get(key) === promise) this.values.set(key, value, { ttl: this.ttlMs() });
      return value;
    });
    this.loading.set(key, promise);
    try {
      return await promise;
    } finally {
      if (this.loading.get(key) === promise) this.loading.delete(key);
    }
  }

  /** The value if it is here already. */
  peek(key: string): V | undefined {
    return this.values.get(key);
  }

  drop(key: string): void {
    this.values.delete(key);
    this.loading.delete(key);
  }

  clear(): void {
    this.values.clear();
    this.loading.clear();
  }
}
