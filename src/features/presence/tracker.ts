import type { Log } from '../../infrastructure/log.ts';
import type { Settings } from '../../settings/settings.ts';
import type { PresenceDirectory } from './directory.ts';
import type { Arrival, PresenceStore } from './presence.store.ts';

/** Reads the statuses that users chose: only those other than `online`. */
export type ReadWishes = (userIds: string[]) => Promise<Map<string, Arrival['wish']>>;

/**
 * Who is connected to this node. Changes are passed on in batches, a few times a second, so that a thousand people who
 * connect at once cost a few calls; a user who disconnects has a grace period to reconnect unnoticed.
 */
export class PresenceTracker {
  private readonly store: PresenceStore;
  private readonly directory: PresenceDirectory;
  private readonly readWishes: ReadWishes;
  private readonly settings: Settings['presence'];
  private readonly log: Log;
  /** User → number of sockets. */
  private readonly sockets = new Map<string, number>();
  /** User without sockets → when its grace period ends; in that order. */
  private readonly graces = new Map<string, number>();
  private arrivals = new Set<string>();
  private leaves = new Set<string>();
  /** Users whose chosen status the store does not know yet. */
  private readonly wishes = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private holdLeavesUntil = 0;
  private closed = false;

  constructor(
    store: PresenceStore,
    directory: PresenceDirectory,
    readWishes: ReadWishes,
    settings: Settings['presence'],
    log: Log,
  ) {
    this.store = store;
    this.directory = directory;
    this.readWishes = readWishes;
    this.settings = settings;
    this.log = log;
  }

  /** Whether this node has had no sockets yet, or all are long gone. */
  get isAlone(): boolean {
    return this.sockets.size + this.graces.size === 0;
  }

  came(userId: string): void {
    const count = this.sockets.get(userId) ?? 0;
    this.sockets.set(userId, count + 1);
    if (count > 0) return;
    // Within its grace period it never left, as far as others know.
    if (this.graces.delete(userId)) return;
    this.leaves.delete(userId);
    this.arrivals.add(userId);
    this.soon();
  }

  went(userId: string): void {
    const count = this.sockets.get(userId) ?? 0;
    if (count > 1) {
      this.sockets.set(userId, count - 1);
      return;
    }
    this.sockets.delete(userId);
    this.graces.set(userId, performance.now() + this.settings.graceMs);
    this.soon();
  }

  /** Ends the grace period of someone who signed off. */
  hurry(userId: string): void {
    if (!this.graces.has(userId)) return;
    this.graces.set(userId, 0);
    this.soon();
  }

  /** Reports someone's chosen status; later if the store cannot take it now. */
  async wished(userId: string, wish: Arrival['wish']): Promise<void> {
    await this.say([{ userId, wish }]).catch(() => this.wishes.add(userId));
    if (this.wishes.size > 0) this.soon();
  }

  /** Reports everyone again: the store has forgotten this node. */
  announceAll(): void {
    for (const userId of [...this.sockets.keys(), ...this.graces.keys()]) this.arrivals.add(userId);
    this.soon();
  }

  /** The store was away and is back: the new node of a user who moved meanwhile must report that user first. */
  holdLeaves(ms: number): void {
    this.holdLeavesUntil = performance.now() + ms;
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private soon(): void {
    if (this.timer || this.running || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.running = true;
      void this.pass().finally(() => {
        this.running = false;
        if (this.arrivals.size + this.leaves.size + this.graces.size + this.wishes.size > 0) this.soon();
      });
    }, this.settings.batchMs);
    this.timer.unref();
  }

  /** Reports to the store the changes since the last time. Those that fail stay for the next time. */
  private async pass(): Promise<void> {
    this.endGraces();
    if (!this.store.ready) return this.announceAlone();
    const arrivals = this.arrivals;
    const leaves = performance.now() < this.holdLeavesUntil ? new Set<string>() : this.leaves;
    if (arrivals.size + leaves.size + this.wishes.size === 0) return;
    this.arrivals = new Set();
    if (leaves === this.leaves) this.leaves = new Set();
    try {
      for (const some of parts(arrivals)) await this.store.arrive(await this.withWishes(some));
      for (const some of parts(leaves)) await this.store.leave(some);
      await this.announceWishes();
    } catch (error) {
      this.log.debug({ err: error }, 'Presence could not be reported; trying again.');
      this.keepForLater(arrivals, leaves);
    }
  }

  private async announceWishes(): Promise<void> {
    if (this.wishes.size === 0) return;
    const due = [...this.wishes];
    this.wishes.clear();
    try {
      await this.say(await this.withWishes(due));
    } catch (error) {
      for (const userId of due) this.wishes.add(userId);
      throw error;
    }
  }

  /** Choices made on two devices at once may be reported out of order, so they are read again. */
  private async say(said: Arrival[]): Promise<void> {
    for (const { userId, wish } of said) await this.store.wish(userId, wish);
    const now = await this.withWishes(said.map(({ userId }) => userId));
    for (const [index, { userId, wish }] of said.entries()) if (now[index]?.wish !== wish) this.wishes.add(userId);
  }

  /** Without the store this node's users at least see each other; others get it when everyone is reported again. */
  private async announceAlone(): Promise<void> {
    const arrivals = [...this.arrivals];
    this.arrivals.clear();
    if (arrivals.length === 0) return;
    const known = await this.withWishes(arrivals).catch(() => []);
    this.directory.apply(known.map(({ userId, wish }) => ({ userId, status: wish })));
  }

  private keepForLater(arrivals: Set<string>, leaves: Set<string>): void {
    for (const userId of arrivals) this.arrivals.add(userId);
    for (const userId of leaves) if (!this.counts(userId)) this.leaves.add(userId);
  }

  /** Whether someone counts as connected: a reconnect within the grace period is not reported again. */
  private counts(userId: string): boolean {
    return this.sockets.has(userId) || this.graces.has(userId);
  }

  private endGraces(): void {
    const now = performance.now();
    for (const [userId, end] of this.graces) {
      if (end > now) continue;
      this.graces.delete(userId);
      this.arrivals.delete(userId);
      this.leaves.add(userId);
    }
  }

  private async withWishes(userIds: string[]): Promise<Arrival[]> {
    const wishes = await this.readWishes(userIds);
    return userIds.map((userId) => ({ userId, wish: wishes.get(userId) ?? 'online' }));
  }
}

/** How many users are reported together: all of a node's at once would hold it up. */
const partSize = 500;

/** Takes the items out of a set in parts, each once the one before it was dealt with. */
function* parts(items: Set<string>): Iterable<string[]> {
  while (items.size > 0) {
    const part: string[] = [];
    for (const item of items) {
      part.push(item);
      if (part.length === partSize) break;
    }
    yield part;
    for (const item of part) items.delete(item);
  }
}
