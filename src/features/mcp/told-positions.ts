import type { SubscriptionRow } from './subscription.table.ts';

/**
 * A client that is gone without a word is written to for a while: what it was told in its last half minute, it is told again
 * when it comes back.
 */
const settleMs = 30_000;

interface Told {
  seq: number;
  at: number;
}

/** The positions that a client was told of, until they are old enough to be noted. */
export class ToldPositions {
  /** By channel, the oldest first: one that settles, and the newest. */
  private readonly told = new Map<string, Told[]>();

  add(channelId: string, seq: number): void {
    const [oldest] = this.told.get(channelId) ?? [];
    const newest = { seq, at: performance.now() };
    this.told.set(channelId, oldest ? [oldest, newest] : [newest]);
  }

  /** Takes out those that have settled. */
  settled(now = performance.now()): SubscriptionRow[] {
    return [...this.told].flatMap(([channelId, told]) => {
      const settled = told.filter(({ at }) => at <= now - settleMs).at(-1);
      if (!settled) return [];
      const rest = told.filter(({ at }) => at > settled.at);
      if (rest.length > 0) this.told.set(channelId, rest);
      else this.told.delete(channelId);
      return [{ channelId, seq: settled.seq }];
    });
  }
}
