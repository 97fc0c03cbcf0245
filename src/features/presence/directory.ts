import type { Status, StatusChange } from '../../contract/presence.ts';

/** A status that this node's sockets have not got yet, and the one that they got last. */
export interface PendingChange extends StatusChange {
  toldBefore: Status;
}

/** The length of a channel's list of people: if more have changed, clients that need all of them ask. */
const maxLately = 500;

/**
 * The statuses of everyone who is not offline, as known here. All nodes get the same changes in the same order, so each
 * answers without asking another.
 */
export class PresenceDirectory {
  /** Changes whenever someone's status does. */
  revision = 0;
  private readonly statuses = new Map<string, Status>();
  /** User → status last emitted here, for those that changed since. */
  private readonly pending = new Map<string, Status>();
  /** User → when its status changed, for changes within `keptMs`; in that order. */
  private readonly changed = new Map<string, number>();
  /** How long it remembers changes: a client cut off for no longer may still be recovered as if it had never been away. */
  readonly keptMs: number;

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

  /** Users with recent changes; if there are many, the latest. */
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

  /** Replaces everything by the store's list of users who are not offline. */
  replace(all: StatusChange[]): void {
    const isFirst = this.revision === 0;
    this.apply(all);
    // They were online before this node was.
    if (isFirst) this.changed.clear();
    const known = new Set(all.map((change) => change.userId));
    for (const userId of [...this.statuses.keys()]) if (!known.has(userId)) this.set(userId, 'offline');
  }

  /** Emits the status of someone online again, to people who may not have it. */
  announceAgain(userId: string): void {
    if (this.isOnline(userId)) this.pending.set(userId, 'offline');
  }

  /** Takes up to `max` users whose status differs from the one last emitted. Changing back is no change. */
  takePending(max: number): PendingChange[] {
    const changes: PendingChange[] = [];
    for (const [userId, toldBefore] of this.pending) {
      if (changes.length >= max) break;
      this.pending.delete(userId);
      const status = this.statusOf(userId);
      if (status !== toldBefore) changes.push({ userId, status, toldBefore });
    }
    return changes;
  }

  /** Puts back taken changes that could not be emitted. */
  putBack(changes: PendingChange[]): void {
    for (const { userId, toldBefore } of changes) this.pending.set(userId, toldBefore);
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
