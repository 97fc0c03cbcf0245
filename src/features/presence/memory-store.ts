import type { Status, StatusChange } from '../../contract/presence.ts';
import { type Arrival, type PresenceStore, type StoreListener, wishFreshMs } from './presence.store.ts';

interface Person {
  here: boolean;
  wish: Status;
  /** When a heartbeat expires, in ms of this process. */
  beat: number;
  told: Status;
}

/** For a single node. */
export class MemoryPresenceStore implements PresenceStore {
  readonly ready = true;
  private readonly people = new Map<string, Person>();
  private readonly beats = new Map<string, NodeJS.Timeout>();
  /** Recent status choices of users, latest last. */
  private readonly wished = new Map<string, { status: Status; until: number }>();
  private listener: StoreListener = { changed: () => {}, hurried: () => {} };

  listen(listener: StoreListener): void {
    this.listener = listener;
  }

  async arrive(arrivals: Arrival[]): Promise<void> {
    for (const arrival of arrivals) this.change(arrival.userId, { here: true, wish: this.wishOf(arrival) });
    this.notify(arrivals.map(({ userId }) => userId));
  }

  async leave(userIds: string[]): Promise<void> {
    for (const userId of userIds) this.change(userId, { here: false });
    this.notify(userIds);
  }

  async wish(userId: string, status: Status): Promise<void> {
    this.forgetOldWishes();
    this.wished.delete(userId);
    this.wished.set(userId, { status, until: performance.now() + wishFreshMs });
    this.change(userId, { wish: status });
    this.notify([userId]);
  }

  async beat(arrival: Arrival, ms: number): Promise<void> {
    const { userId } = arrival;
    this.change(userId, { beat: performance.now() + ms, wish: this.wishOf(arrival) });
    clearTimeout(this.beats.get(userId));
    const timer = setTimeout(() => this.notify([userId]), ms + 1);
    timer.unref();
    this.beats.set(userId, timer);
    this.notify([userId]);
  }

  async hurry(userId: string): Promise<void> {
    this.change(userId, { beat: 0 });
    this.notify([userId]);
    this.listener.hurried(userId);
  }

  private wishOf({ userId, wish }: Arrival): Status {
    this.forgetOldWishes();
    return this.wished.get(userId)?.status ?? wish;
  }

  private forgetOldWishes(): void {
    const now = performance.now();
    for (const [userId, { until }] of this.wished) {
      if (until > now) return;
      this.wished.delete(userId);
    }
  }

  private change(userId: string, what: Partial<Person>): void {
    const before = this.people.get(userId) ?? { here: false, wish: 'online', beat: 0, told: 'offline' };
    this.people.set(userId, { ...before, ...what });
  }

  private notify(userIds: string[]): void {
    const changes: StatusChange[] = [];
    for (const userId of userIds) {
      const person = this.people.get(userId);
      if (!person) continue;
      const isLive = person.here || person.beat > performance.now();
      const status = isLive ? person.wish : 'offline';
      if (status !== person.told) changes.push({ userId, status });
      person.told = status;
      if (isLive) continue;
      this.people.delete(userId);
      clearTimeout(this.beats.get(userId));
      this.beats.delete(userId);
    }
    if (changes.length > 0) this.listener.changed(changes);
  }
}
