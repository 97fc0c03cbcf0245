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

/** What is held, and when it was asked for. */
interface Held<V> {
  asked: number;
  value: V;
}

/** How long, in ms, what was asked for is given out: it may depend on what is heard meanwhile. */
export type Trust = () => number;

/** Of its time, when a value that is still used is asked for anew: who uses it all the time never waits for it. */
const renewShare = 0.7;

/** Whoever finds a value due is about to use it: asked for at once, the next one would be on its way before what it is used for. */
const renewDelayMs = 20;

/**
 * A bounded cache of things that seldom change, with one load at a time per key.
 *
 * Others' changes arrive as `drop`; the time limit is the belt for when they do not. It counts from when a value was
 * asked for: the answer may be long under way, and as old as that when it comes.
 */
export class Cache<V extends object> {
  private readonly values: LRUCache<string, Held<V>>;
  private readonly loading = new Map<string, Load<V>>();
  /** What will be asked for anew in a moment. */
  private readonly renewing = new Set<string>();
  private readonly trust: Trust;

  /** @param options.size bounds all values together, in whatever unit it measures them */
  constructor({ max, trust, size }: { max: number; trust: Trust; size?: CacheSize<V> | undefined }) {
    const bounds = size
      ? { max, maxSize: size.max, sizeCalculation: ({ value }: Held<V>) => size.of(value) }
      : atMost(max);
    this.values = new LRUCache(bounds);
    this.trust = trust;
  }

  /** The value of `key`, loaded when it is not known. A missing one (undefined) is not kept. */
  get(key: string, load: () => Promise<V | undefined>): V | undefined | Promise<V | undefined> {
    const now = performance.now();
    const held = this.holding(key, now);
    if (!held) return this.load(key, load, now);
    if (this.isDue(key, held, now)) this.renewSoon(key, load);
    return held.value;
  }

  private async load(key: string, load: () => Promise<V | undefined>, now: number): Promise<V | undefined> {
    const running = this.loading.get(key);
    if (running && now - running.begun < this.trust()) return running.value;
    const started: Load<V> = { begun: now, value: load() };
    this.loading.set(key, started);
    try {
      const value = await started.value;
      // A drop while this load was under way took it off the map: what it read may be older than the change.
      if (this.loading.get(key) === started) this.keep(key, value, now);
      return value;
    } finally {
      if (this.loading.get(key) === started) this.loading.delete(key);
    }
  }

  /** The value if it is here already, and need not be asked for anew: then it is for `get`. */
  peek(key: string): V | undefined {
    const now = performance.now();
    const held = this.holding(key, now);
    return held && !this.isDue(key, held, now) ? held.value : undefined;
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
