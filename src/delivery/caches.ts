import { Cache, type CacheSize } from '../infrastructure/cache.ts';
import type { Control } from './control.ts';

/**
 * The node's caches of things that seldom change. Who changes such a thing says `forget`, and no node serves the old
 * one any more when that returns.
 */
export class Caches {
  private readonly control: Control;
  private readonly caches = new Map<string, { clear(): void; drop(key: string): void }>();
  /** By the name of a cache, those that hold something of what it holds. */
  private readonly dependents = new Map<string, { clear(): void }[]>();
  private readonly ttlMs: number;

  /** @param ttlMs how long things are trusted when nobody says to drop them, be it because a node cannot be heard */
  constructor(control: Control, ttlMs: number) {
    this.control = control;
    this.ttlMs = ttlMs;
    control.handle({ drop: ({ cache, keys }) => this.dropHere(cache, keys) });
  }

  /** @param options.clearedWith the name of a cache whose things are part of these: what is dropped there empties this one */
  create<V extends object>(
    name: string,
    max: number,
    options: { size?: CacheSize<V>; clearedWith?: string } = {},
  ): Cache<V> {
    const { size, clearedWith } = options;
    const cache = new Cache<V>({ max, ttlMs: this.ttlMs, size });
    this.caches.set(name, cache);
    if (clearedWith) this.dependents.set(clearedWith, [...(this.dependents.get(clearedWith) ?? []), cache]);
    return cache;
  }

  /** Drops keys here and on every node. */
  async forget(cache: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.control.send({ kind: 'drop', cache, keys });
  }

  dropHere(name: string, keys: string[]): void {
    const cache = this.caches.get(name);
    for (const key of keys) cache?.drop(key);
    for (const dependent of this.dependents.get(name) ?? []) dependent.clear();
  }

  /** For when messages of other nodes may have been missed. */
  clearAll(): void {
    for (const cache of this.caches.values()) cache.clear();
  }
}
