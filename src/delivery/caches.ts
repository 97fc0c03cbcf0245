import { Cache, type CacheSize } from '../infrastructure/cache.ts';
import type { Control } from './control.ts';

/** While changes that nobody told this node of are found (see `InvalidationWatch`). */
const trustedMs = 60_000;
/** Losing access takes hold everywhere within this, also on nodes that cannot be told (contract §13, Delivery). */
const untoldMs = 2000;

/**
 * The node's caches of things that seldom change. Who changes such a thing says `forget`, and no node serves the old
 * one any more when that returns. A node that cannot be told finds the change in the database; where it cannot look
 * there either, it trusts nothing for longer than such a change may stay unknown.
 */
export class Caches {
  private readonly control: Control;
  private readonly caches = new Map<string, { clear(): void; drop(key: string): void }>();
  /** By the name of a cache, those that hold something of what it holds. */
  private readonly dependents = new Map<string, { clear(): void }[]>();
  /** All that was committed before this is known here, as `performance.now()` has it. */
  private knownUntil = Number.NEGATIVE_INFINITY;

  constructor(control: Control) {
    this.control = control;
    control.handle({ drop: ({ cache, keys }) => this.dropHere(cache, keys) });
  }

  /** @param options.clearedWith the name of a cache whose things are part of these: what is dropped there empties this one */
  create<V extends object>(
    name: string,
    max: number,
    options: { size?: CacheSize<V>; clearedWith?: string } = {},
  ): Cache<V> {
    const { size, clearedWith } = options;
    const trust = () => (performance.now() - this.knownUntil <= untoldMs ? trustedMs : untoldMs);
    const cache = new Cache<V>({ max, trust, size });
    this.caches.set(name, cache);
    if (clearedWith) this.dependents.set(clearedWith, [...(this.dependents.get(clearedWith) ?? []), cache]);
    return cache;
  }

  /** Drops keys here and on every node. */
  async forget(cache: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.control.send({ kind: 'drop', cache, keys });
  }

  /** @param keys null: all */
  dropHere(name: string, keys: string[] | null): void {
    const cache = this.caches.get(name);
    if (keys === null) cache?.clear();
    else for (const key of keys) cache?.drop(key);
    for (const dependent of this.dependents.get(name) ?? []) dependent.clear();
  }

  /** For when nobody can say any more what has changed. */
  clearAll(): void {
    for (const cache of this.caches.values()) cache.clear();
  }

  /** Everything that others committed before `time` (as `performance.now()` has it) was dropped. */
  upToDate(time: number): void {
    this.knownUntil = time;
  }
}
