import { setImmediate as turn } from 'node:timers/promises';
import type { Status, StatusChange } from '../../contract/presence.ts';

/** Reads everyone who is not offline, a part at a time. */
export type ReadAll = (take: (part: StatusChange[]) => void) => Promise<void>;

/** How many users are looked at in one turn of the event loop. */
const perTurn = 5000;

/**
 * The statuses of everyone who is not offline, as known here. All nodes get the same changes in the same order, so each
 * answers without asking another.
 */
export class PresenceDirectory {
  /** Changes whenever someone's status does. */
  revision = 0;
  /** Whether it has once had everyone who is not offline. */
  private isFilled = false;
  /** Users whose status was reported while everyone is being read: it is newer than what is read. */
  private newer: Set<string> | null = null;
  private readonly statuses = new Map<string, Status>();
  /**
   * User → status that this node's sockets got last, for those that changed since; null: not all got the same, since some
   * were shown the later one, or never knew this user.
   */
  private readonly pending = new Map<string, Status | null>();
  /** User → when its status changed, for changes within `keptMs`; in that order. */
  private readonly changed = new Map<string, number>();
  /** How long it remembers changes: a client cut off for no longer may still be recovered as if it had never been away. */
  readonly keptMs: number;

  constructor(keptMs: number) {
    this.keptMs = keptMs;
  }

  /** To be shown to someone: every later one is emitted, even if it is what the others got last. */
  statusOf(userId: string): Status {
    if (this.pending.has(userId)) this.pending.set(userId, null);
    return this.known(userId);
  }

  isOnline(userId: string): boolean {
    return this.statuses.has(userId);
  }

  /** Everyone who is not offline. */
  present(): Iterable<string> {
    return this.statuses.keys();
  }

  get size(): number {
    return this.statuses.size;
  }

  /** Those of the users whose status has changed within `keptMs`. */
  changedAmong(userIds: Iterable<string>): StatusChange[] {
    this.forgetOld();
    const found: StatusChange[] = [];
    for (const userId of userIds) {
      if (this.changed.has(userId)) found.push({ userId, status: this.statusOf(userId) });
    }
    return found;
  }

  /** Whether anyone's has. */
  get hasChangedLately(): boolean {
    this.forgetOld();
    return this.changed.size > 0;
  }

  get hasPending(): boolean {
    return this.pending.size > 0;
  }

  apply(changes: StatusChange[]): void {
    for (const { userId, status } of changes) {
      this.newer?.add(userId);
      this.set(userId, status);
    }
  }

  /**
   * Replaces everything by the store's list of users who are not offline. It is read and taken in parts: tens of
   * thousands at once would hold up the node. Calls must not overlap.
   * @param isAlone whether this node has no sockets yet, so that nobody has to be told of those who were online before it
   */
  async replace(read: ReadAll, isAlone: () => boolean = () => false): Promise<void> {
    const listed = new Set<string>();
    const newer = new Set<string>();
    this.newer = newer;
    try {
      await read((part) => {
        const isUnseen = !this.isFilled && isAlone();
        for (const { userId, status } of part) {
          listed.add(userId);
          if (newer.has(userId) || this.known(userId) === status) continue;
          if (isUnseen) this.put(userId, status);
          else this.set(userId, status);
          // They were online before this node was.
          if (!this.isFilled) this.changed.delete(userId);
        }
      });
      let seen = 0;
      for (const userId of this.statuses.keys()) {
        if (!listed.has(userId) && !newer.has(userId)) this.set(userId, 'offline');
        if (++seen % perTurn === 0) await turn();
      }
      this.isFilled = true;
    } finally {
      this.newer = null;
    }
  }

  /** Emits the status of someone online again, to people who may not have it. */
  announceAgain(userId: string): void {
    if (this.isOnline(userId)) this.pending.set(userId, null);
  }

  /** Takes up to `max` users whose status differs from the one last emitted. Changing back unseen is no change. */
  takePending(max: number): StatusChange[] {
    const changes: StatusChange[] = [];
    for (const [userId, told] of this.pending) {
      if (changes.length >= max) break;
      this.pending.delete(userId);
      const status = this.known(userId);
      if (status !== told) changes.push({ userId, status });
    }
    return changes;
  }

  /** Puts back taken changes that could not be emitted, or not to everyone. */
  putBack(changes: StatusChange[]): void {
    for (const { userId } of changes) this.pending.set(userId, null);
  }

  private known(userId: string): Status {
    return this.statuses.get(userId) ?? 'offline';
  }

  private set(userId: string, status: Status): void {
    const before = this.known(userId);
    if (before === status) return;
    this.changed.delete(userId);
    this.changed.set(userId, performance.now());
    this.forgetOld();
    if (!this.pending.has(userId)) this.pending.set(userId, before);
    this.put(userId, status);
  }

  private put(userId: string, status: Status): void {
    this.revision++;
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
