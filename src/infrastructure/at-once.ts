/** Limits concurrent operations per key. */
export class AtOnce {
  private readonly max: number;
  private readonly counts = new Map<string, number>();

  constructor(max: number) {
    this.max = max;
  }

  /** Whether the key has reached its limit. */
  isFull(key: string): boolean {
    return (this.counts.get(key) ?? 0) >= this.max;
  }

  /** @returns false: the key has reached its limit, and nothing is counted */
  enter(key: string): boolean {
    if (this.isFull(key)) return false;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    return true;
  }

  /** Once for each `enter` that returned true. */
  leave(key: string): void {
    const count = this.counts.get(key) ?? 0;
    if (count > 1) this.counts.set(key, count - 1);
    else this.counts.delete(key);
  }
}
