import { Cache, type CacheSize } from '../infrastructure/cache.ts';
import type { Control } from './control.ts';
import type { Operations } from './operations.ts';

/** How long values are trusted while unannounced changes are being found (see `InvalidationWatch`). */
const trustedMs = 60_000;
/** And while they are not: losing access takes effect everywhere within this time (contract §13, Delivery). */
export const maxStaleMs = 2000;

/** Values that decide what someone may do. */
interface Facts<V> {
  load(key: string): Promise<V | undefined>;
  /** Whether `now` allows less than `before`; a value that is gone always does. */
  lessened(before: V, now: V): boolean;
}

/**
 * The node's caches of things that seldom change. Code that changes such a thing calls `forget`; when that returns, no
 * node serves the old value any more. A node that cannot be reached finds the change in the database; one that cannot
 * read that either trusts values only for the short time in which a change may stay unnoticed.
 */
export class Caches {
  private readonly control: Control;
  private readonly operations: Operations;
  private readonly caches = new Map<string, { clear(): void; drop(key: string): void }>();
  /** By the name of a cache, the caches whose values are derived from its values. */
  private readonly dependents = new Map<string, { clear(): void }[]>();
  /** Everything committed before this time is known here; as `performance.now()` has it. */
  private knownUntil = Number.NEGATIVE_INFINITY;

  constructor(control: Control, operations: Operations) {
    this.control = control;
    this.operations = operations;
    control.handle({
      drop: ({ cache, keys }) => {
        this.dropHere(cache, keys);
        return operations.settled();
      },
    });
  }

  /**
   * @param options.clearedWith the names of caches whose values are part of these: a drop there clears this one
   * @param options.facts access checks rely on these values: operations check again at their commit that they still hold
   */
  create<V extends object>(
    name: string,
    max: number,
    options: { size?: CacheSize<V>; clearedWith?: string[]; facts?: Facts<V> } = {},
  ): Cache<V> {
    const { size, clearedWith = [], facts } = options;
    const trust = () => (performance.now() - this.knownUntil <= maxStaleMs ? trustedMs : maxStaleMs);
    const used = facts && ((key: string, value: V) => this.rely(cache, facts, key, value));
    const cache: Cache<V> = new Cache<V>({ max, trust, size, used });
    this.caches.set(name, cache);
    for (const one of clearedWith) this.dependents.set(one, [...(this.dependents.get(one) ?? []), cache]);
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
    this.operations.noteChange();
  }

  private rely<V extends object>(cache: Cache<V>, { load, lessened }: Facts<V>, key: string, value: V): void {
    this.operations.current?.rely({
      stillHolds: async () => {
        const now = await cache.get(key, () => load(key));
        return now === value || (now !== undefined && !lessened(value, now));
      },
    });
  }

  /** For when the node no longer knows what has changed. */
  clearAll(): void {
    for (const cache of this.caches.values()) cache.clear();
    this.operations.noteChange();
  }

  /** Everything that others committed before `time` (as `performance.now()` has it) was dropped. */
  upToDate(time: number): void {
    this.knownUntil = time;
  }
}
