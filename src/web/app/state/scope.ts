import type { KeyValueStore } from '../../../client/index.ts';
import type { Surroundings } from './surroundings.ts';

type Stores = Pick<Surroundings, 'local' | 'tab' | 'onStored'>;

/**
 * A session's access to its surroundings, which ends with the session. Requests that are still under way then find no
 * token, store nothing, and start no timer.
 */
export class Scope {
  readonly local: KeyValueStore;
  readonly tab: KeyValueStore;
  private readonly surroundings: Stores;
  private readonly stops = new Set<() => void>();
  private over = false;

  constructor(surroundings: Stores) {
    this.surroundings = surroundings;
    this.local = new ScopedStore(surroundings.local, this);
    this.tab = new ScopedStore(surroundings.tab, this);
  }

  get isOver(): boolean {
    return this.over;
  }

  /** Registers something to be stopped at the end. @returns stops it now */
  add(stop: () => void): () => void {
    const once = () => {
      if (this.stops.delete(once)) stop();
    };
    this.stops.add(once);
    if (this.over) once();
    return once;
  }

  /** Runs something later. @returns cancels it */
  after(ms: number, work: () => void): () => void {
    const timer = setTimeout(() => {
      cancel();
      work();
    }, ms);
    const cancel = this.add(() => clearTimeout(timer));
    return cancel;
  }

  /** Reports what other tabs store. @returns stops it */
  onStored(listener: (key: string, value: string | null) => void): () => void {
    return this.add(this.surroundings.onStored(listener));
  }

  end(): void {
    this.over = true;
    for (const stop of [...this.stops]) stop();
  }
}

/** A store that is empty after the end of its scope. */
class ScopedStore implements KeyValueStore {
  private readonly store: KeyValueStore;
  private readonly scope: Scope;

  constructor(store: KeyValueStore, scope: Scope) {
    this.store = store;
    this.scope = scope;
  }

  get length(): number {
    return this.scope.isOver ? 0 : this.store.length;
  }

  key(index: number): string | null {
    return this.scope.isOver ? null : this.store.key(index);
  }

  getItem(key: string): string | null {
    return this.scope.isOver ? null : this.store.getItem(key);
  }

  setItem(key: string, value: string): void {
    if (!this.scope.isOver) this.store.setItem(key, value);
  }

  removeItem(key: string): void {
    if (!this.scope.isOver) this.store.removeItem(key);
  }
}
