import { LRUCache } from 'lru-cache';

/**
 * Bounds an LRUCache to `count` values. Its own `max` allocates room for all of them at once: tens of megabytes in each node,
 * which every full garbage collection scans.
 */
export const atMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

/** A bound on the size of a cache, beside the number of its values. */
export interface CacheSize<V> {
  max: number;
  of: (value: V) => number;
}

/** A load in progress, and when it was started, as `performance.now()` has it. */
interface Load<V> {
  begun: number;
  value: Promise<V | undefined>;
}

/** A cached value, and when its load was started. */
interface Held<V> {
  asked: number;
  value: V;
}

/** How long, in ms, a value is served after its load was started; may change over time. */
export type Trust = () => number;

/** The share of its time after which a value in use is refreshed, so that frequent users never wait for it. */
const renewShare = 0.7;

/** The caller that finds a value due is about to use it: an immediate refresh would delay that work in the database. */
const renewDelayMs = 20;

/**
 * A bounded cache of things that seldom change, with one load at a time per key.
 *
 * Changes by others arrive as `drop`; the time limit is the safety net when they do not. It counts from the start of
 * the load, since a slow answer is already old when it arrives.
 */
export class Cache<V extends object> {
  private readonly values: LRUCache<string, Held<V>>;
  private readonly loading = new Map<string, Load<V>>();
  /** Keys that are about to be refreshed. */
  private readonly renewing = new Set<string>();
  private readonly trust: Trust;
  private readonly used: ((key: string, value: V) => void) | undefined;

  /**
   * @param options.size bounds all values together, in the unit of `of`
   * @param options.used gets each value that is returned
   */
  constructor(options: {
    max: number;
    trust: Trust;
    size?: CacheSize<V> | undefined;
    used?: ((key: string, value: V) => void) | undefined;
  }) {
    const { max, trust, size } = options;
    const bounds = size
      ? { max, maxSize: size.max, sizeCalculation: ({ value }: Held<V>) => size.of(value) }
      : atMost(max);
    this.values = new LRUCache(bounds);
    this.trust = trust;
    this.used = options.used;
  }

  /** The value of `key`, loaded if it is not cached. A missing one (undefined) is not cached. */
  get(key: string, load: () => Promise<V | undefined>): V | undefined | Promise<V | undefined> {
    const now = performance.now();
    const held = this.holding(key, now);
    if (!held) return this.loaded(key, load, now);
    if (this.isDue(key, held, now)) this.renewSoon(key, load);
    this.used?.(key, held.value);
    return held.value;
  }

  private async loaded(key: string, load: () => Promise<V | undefined>, now: number): Promise<V | undefined> {
    const value = await this.load(key, load, now);
    if (value) this.used?.(key, value);
    return value;
  }

  private async load(key: string, load: () => Promise<V | undefined>, now: number): Promise<V | undefined> {
    const running = this.loading.get(key);
    if (running && now - running.begun < this.trust()) return running.value;
    const started: Load<V> = { begun: now, value: load() };
    this.loading.set(key, started);
    try {
      const value = await started.value;
      // A drop during this load removed it from the map: its value may be older than the change.
      if (this.loading.get(key) === started) this.keep(key, value, now);
      return value;
    } finally {
      if (this.loading.get(key) === started) this.loading.delete(key);
    }
  }

  /** The value if it is cached and not due for a refresh; otherwise call `get`. */
  peek(key: string): V | undefined {
    const now = performance.now();
    const held = this.holding(key, now);
    if (!held || this.isDue(key, held, now)) return undefined;
    this.used?.(key, held.value);
    return held.value;
  }

  drop(key: string): void {
    this.values.delete(key);
    this.loading.delete(key);
  }

  clear(): void {
    this.values.clear();
    this.loading.clear();
  }

  private renewSoon(key: string, load: () => Promise<V | undefined>): void {
    this.renewing.add(key);
    setTimeout(() => {
      this.renewing.delete(key);
      const now = performance.now();
      const held = this.holding(key, now);
      if (held && this.isDue(key, held, now)) void this.load(key, load, now).catch(() => {});
    }, renewDelayMs).unref();
  }

  private keep(key: string, value: V | undefined, asked: number): void {
    if (value) this.values.set(key, { asked, value });
    else this.values.delete(key);
  }

  private holding(key: string, now: number): Held<V> | undefined {
    const held = this.values.get(key);
    return held && now - held.asked < this.trust() ? held : undefined;
  }

  private isDue(key: string, { asked }: Held<V>, now: number): boolean {
    return now - asked >= this.trust() * renewShare && !this.renewing.has(key) && !this.loading.has(key);
  }
}
