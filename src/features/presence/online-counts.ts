import { NIL } from 'uuid';
import type { Database } from '../../database/database.ts';
import type { PresenceDirectory } from './directory.ts';
import { membersAfter, membersAmong } from './presence.table.ts';

/** How many members are looked up together. */
const pageSize = 2000;
/** How long a count is kept up to date since it was last asked for. */
const keptMs = 10 * 60_000;
const maxServers = 1000;
/** How often a count in use is taken anew: a node does not learn of everyone who leaves. */
const recountMs = 10 * 60_000;

/** The members of a server who are online. */
interface Count {
  online: Set<string>;
  /** Those who changed while it is being taken (again); null: it is not. */
  changed: Map<string, boolean> | null;
  /** Settles when it was taken for the first time. */
  taken: Promise<void>;
  takenAt: number;
  askedAt: number;
}

/**
 * How many members of servers are online, as this node's sockets were told of it. It is taken once from the database, and
 * from then on follows the changes, so that it costs nothing however many are there.
 */
export class OnlineCounts {
  private readonly database: Database;
  private readonly directory: PresenceDirectory;
  /** By server; those asked for last are at the end. */
  private readonly counts = new Map<string, Count>();

  constructor(database: Database, directory: PresenceDirectory) {
    this.database = database;
    this.directory = directory;
  }

  async of(serverId: string): Promise<number> {
    const count = this.counts.get(serverId) ?? this.begin(serverId);
    count.askedAt = performance.now();
    this.counts.delete(serverId);
    this.counts.set(serverId, count);
    const [oldest] = this.counts.keys();
    if (oldest !== undefined && this.counts.size > maxServers) this.counts.delete(oldest);
    // One that is outdated is used until it was taken again.
    if (count.changed === null && count.askedAt - count.takenAt > recountMs)
      void this.take(serverId, count).catch(() => {});
    await count.taken;
    return count.online.size;
  }

  /** Someone in these servers came online, or went offline. */
  note(userId: string, servers: string[], isOnline: boolean): void {
    for (const serverId of servers) {
      const count = this.counts.get(serverId);
      if (!count) continue;
      count.changed?.set(userId, isOnline);
      put(count.online, userId, isOnline);
    }
  }

  /** Someone is no longer a member. */
  left(serverId: string, userId: string): void {
    this.note(userId, [serverId], false);
  }

  /** Forgets counts that nobody has asked for lately. */
  forgetUnused(): void {
    const since = performance.now() - keptMs;
    for (const [serverId, { askedAt }] of this.counts) if (askedAt < since) this.counts.delete(serverId);
  }

  /** Everyone was read anew: those who were online before this node were not told one by one. */
  forgetAll(): void {
    this.counts.clear();
  }

  private begin(serverId: string): Count {
    const now = performance.now();
    const count: Count = { online: new Set(), changed: null, taken: Promise.resolve(), takenAt: now, askedAt: now };
    count.taken = this.take(serverId, count);
    count.taken.catch(() => {
      if (this.counts.get(serverId) === count) this.counts.delete(serverId);
    });
    return count;
  }

  private async take(serverId: string, count: Count): Promise<void> {
    const changed = new Map<string, boolean>();
    count.changed = changed;
    try {
      const online = await this.read(serverId);
      for (const [userId, isOnline] of changed) put(online, userId, isOnline);
      count.online = online;
      count.takenAt = performance.now();
    } finally {
      count.changed = null;
    }
  }

  /** Looks up the members among those online, or those online among the members, whichever are fewer. */
  private async read(serverId: string): Promise<Set<string>> {
    const { rows } = this.database;
    const online = new Set<string>();
    if (this.directory.size < pageSize) {
      const present = [...this.directory.present()];
      for (const userId of await membersAmong(rows, serverId, present)) this.add(online, userId);
      return online;
    }
    for (let after: string | undefined = NIL; after !== undefined; ) {
      const page = await membersAfter(rows, serverId, after, pageSize);
      for (const userId of page) this.add(online, userId);
      after = page.length < pageSize ? undefined : page.at(-1);
    }
    return online;
  }

  /** Who changes after that is noted when it is told. */
  private add(online: Set<string>, userId: string): void {
    if (this.directory.statusOf(userId) !== 'offline') online.add(userId);
  }
}

function put(online: Set<string>, userId: string, isOnline: boolean): void {
  if (isOnline) online.add(userId);
  else online.delete(userId);
}
