import type { Scope } from './scope.ts';

/** Messages within this time are shown together: faster than that nobody reads. */
export const gatherMs = 100;

/** Hands on the first of many things at once, and those that follow within some time together. */
export class Burst<T> {
  private readonly scope: Pick<Scope, 'after'>;
  private readonly gatherMs: number;
  private readonly take: (all: readonly T[]) => void;
  private waiting: T[] = [];
  private cancel: (() => void) | null = null;

  constructor(scope: Pick<Scope, 'after'>, gatherMs: number, take: (all: readonly T[]) => void) {
    this.scope = scope;
    this.gatherMs = gatherMs;
    this.take = take;
  }

  add(one: T): void {
    this.waiting.push(one);
    if (!this.cancel) this.flush();
  }

  /** Hands on what waits, now. */
  flush(): void {
    if (this.waiting.length === 0) return;
    this.cancel?.();
    this.cancel = this.scope.after(this.gatherMs, () => {
      this.cancel = null;
      this.flush();
    });
    this.take(this.waiting.splice(0));
  }

  /** Nobody wants what waits any more. */
  drop(): void {
    this.waiting = [];
    this.cancel?.();
    this.cancel = null;
  }
}
