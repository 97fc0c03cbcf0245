import type { KeyValueStore } from '../store.ts';

/**
 * How far the events of one room are dealt with, when several of them are at once: up to the first that is not. That number is
 * kept, so that a bot that comes back goes on from there.
 */
export class Progress {
  private readonly store: KeyValueStore;
  private readonly key: string;
  private readonly unfinished = new Set<number>();
  private last: number | undefined;

  /** @param key that of the room in the store */
  constructor(store: KeyValueStore, key: string) {
    this.store = store;
    this.key = key;
    const kept = store.getItem(key);
    this.last = kept === null ? undefined : Number(kept);
  }

  /** Where to go on from; undefined: nothing is known of the room yet. */
  get position(): number | undefined {
    return this.unfinished.size > 0 ? Math.min(...this.unfinished) - 1 : this.last;
  }

  /** An event has come that has to be dealt with. */
  begin(seq: number): void {
    this.unfinished.add(seq);
    this.last = Math.max(this.last ?? 0, seq);
  }

  /** It is dealt with. */
  end(seq: number): void {
    if (this.unfinished.delete(seq)) this.keep();
  }

  /** Everything up to here has come. */
  reach(seq: number): void {
    if (this.last !== undefined && seq <= this.last) return;
    this.last = seq;
    this.keep();
  }

  /** The bot is not there any more. */
  forget(): void {
    this.unfinished.clear();
    this.last = undefined;
    this.store.removeItem(this.key);
  }

  private keep(): void {
    if (this.position !== undefined) this.store.setItem(this.key, String(this.position));
  }
}
