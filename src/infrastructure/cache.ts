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

/** A load under way, and when it was begun, as `performance.now()` has it. */
interface Load<V> {
  begun: number;
  value: Promise<V | undefined>;
}

/**
 * A bounded cache of things that seldom change, with one load at a time per key.
 *
 * Other nodes' changes arrive as `drop` (see control messages); the time limit is the belt for when they do not: what a
 * cache gives out was true at most `ttlMs` before it was asked. So the time counts from when a value was asked for: the
 * answer may be long under way, and as old as that when it comes.
 */
export class Cache<V extends object> {
  private readonly values: LRUCache<string, V>;
  private readonly loading = new Map<string, Load<V>>();
  private readonly ttlMs: number;

  /** @param options.size bounds all values together, in whatever unit it measures them */
  constructor({ max, ttlMs, size }: { max: number; ttlMs: number; size?: CacheSize<V> | undefined }) {
    const bounds = size ? { max, maxSize: size.max, sizeCalculation: size.of } : atMost(max);
    // Asking the clock each time costs less than the timer that would remember what it said.
    this.values = new LRUCache({ ...bounds, ttl: ttlMs, ttlResolution: 0 });
    this.ttlMs = ttlMs;
  }

  /** The value of `key`, loaded when it is not known. A missing one (undefined) is not kept. */
  get(key: string, load: () => Promise<V | undefined>): V | undefined | Promise<V | undefined> {
    return this.values.get(key) ?? this.load(key, load);
  }

  private async load(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const begun = performance.now();
    const running = this.loading.get(key);
    if (running && begun - running.begun < this.ttlMs) return running.value;
    const started: Load<V> = { begun, value: load() };
    this.loading.set(key, started);
    try {
      const value = await started.value;
      // A drop while this load was under way took it off the map: what it read may be older than the change.
      if (value && this.loading.get(key) === started) this.values.set(key, value, { start: begun });
      return value;
    } finally {
      if (this.loading.get(key) === started) this.loading.delete(key);
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
