import type { Status, StatusChange } from './status.ts';

/** A change, and what was told before it. */
export interface Untold extends StatusChange {
  told: Status;
}

/** As many as a list of the people of a channel has: where more have changed, whoever needs all of them asks. */
const maxLately = 500;

/**
 * What this node knows of everyone who is not offline. It hears the same as all other nodes, in the same order, so
 * statuses are answered without asking anyone.
 */
export class PresenceDirectory {
  /** Another number says that someone's status changed. */
  revision = 0;
  private readonly statuses = new Map<string, Status>();
  /** User → what was told here last, for those whose status changed since. */
  private readonly pending = new Map<string, Status>();
  /** User → when its status changed, of those of the last `keptMs`; in that order. */
  private readonly changed = new Map<string, number>();
  private readonly keptMs: number;

  /** @param keptMs how long it remembers who changed */
  constructor(keptMs: number) {
    this.keptMs = keptMs;
  }

  statusOf(userId: string): Status {
    return this.statuses.get(userId) ?? 'offline';
  }

  isOnline(userId: string): boolean {
    return this.statuses.has(userId);
  }

  /** Everyone who is not offline. */
  present(): Iterable<string> {
    return this.statuses.keys();
  }

  /** Whose status changed of late; of many those who did so last. */
  changedLately(): string[] {
    this.forgetOld();
    return [...this.changed.keys()].slice(-maxLately);
  }

  get hasPending(): boolean {
    return this.pending.size > 0;
  }

  apply(changes: StatusChange[]): void {
    for (const { userId, status } of changes) this.set(userId, status);
  }

  /** Everyone who is not offline, as the store has it; all others are offline. */
  replace(all: StatusChange[]): void {
    const isFirst = this.revision === 0;
    this.apply(all);
    // They were so before this node was there.
    if (isFirst) this.changed.clear();
    const known = new Set(all.map((change) => change.userId));
    for (const userId of [...this.statuses.keys()]) if (!known.has(userId)) this.set(userId, 'offline');
  }

  /** Has someone who is present told again, to those who may not have been told of it before. */
  tellAgain(userId: string): void {
    if (this.isOnline(userId)) this.pending.set(userId, 'offline');
  }

  /** Takes up to `max` of those who are something else now than what was told last. What came and went is no change. */
  takePending(max: number): Untold[] {
    const changes: Untold[] = [];
    for (const [userId, told] of this.pending) {
      if (changes.length >= max) break;
      this.pending.delete(userId);
      const status = this.statusOf(userId);
      if (status !== told) changes.push({ userId, status, told });
    }
    return changes;
  }

  /** What was taken could not be told. */
  putBack(changes: Untold[]): void {
    for (const { userId, told } of changes) this.pending.set(userId, told);
  }

  private set(userId: string, status: Status): void {
    const before = this.statusOf(userId);
    if (before === status) return;
    this.revision++;
    this.changed.delete(userId);
    this.changed.set(userId, performance.now());
    this.forgetOld();
    if (!this.pending.has(userId)) this.pending.set(userId, before);
    if (status === 'offline') this.statuses.delete(userId);
    else this.statuses.set(userId, status);
  }

  private forgetOld(): void {
    const since = performance.now() - this.keptMs;
    for (const [userId, at] of this.changed) {
      if (at > since) return;
      this.changed.delete(userId);
    }
  }
}
