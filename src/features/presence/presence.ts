import type { CustomStatusRecord } from '../../contract/custom-status.ts';
import type { StatusChange } from '../../contract/presence.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { RedisConnections } from '../../infrastructure/redis.ts';
import type { Context } from '../context.ts';
import type { Filters } from '../filters/filters.ts';
import { Activities } from './activities.ts';
import { PresenceAudience } from './audience.ts';
import { PresenceBroadcaster, type PresenceSink } from './broadcaster.ts';
import { ChannelPresence } from './channel-presence.ts';
import { CustomStatuses } from './custom-status.service.ts';
import type { PresenceDirectory } from './directory.ts';
import { LargeServers } from './large-servers.ts';
import { MemoryPresenceStore } from './memory-store.ts';
import { MissedPresence } from './missed.ts';
import { OnlineCounts } from './online-counts.ts';
import { PresenceService } from './presence.service.ts';
import type { PresenceStore } from './presence.store.ts';
import { RedisPresenceStore } from './redis-store.ts';
import { PresenceTracker } from './tracker.ts';

const soonMs = 200;

/**
 * Resynchronizes this node with Redis after something was missed. If Redis was away it may have forgotten everyone, and all
 * nodes report their users again: until they have had time for it, nobody counts as offline only because Redis does not
 * know them.
 */
export class Resync {
  private readonly store: RedisPresenceStore;
  private readonly directory: PresenceDirectory;
  private readonly settleMs: number;
  private readonly log: Log;
  private timer: NodeJS.Timeout | undefined;
  private settledAt = 0;
  private reading: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(store: RedisPresenceStore, directory: PresenceDirectory, settleMs: number, log: Log) {
    this.store = store;
    this.directory = directory;
    this.settleMs = settleMs;
    this.log = log;
  }

  /** This node starts. @param isAlone whether it has no sockets yet */
  async begin(isAlone: () => boolean): Promise<void> {
    await this.read(isAlone);
  }

  /** A message did not arrive here. */
  soon(): void {
    if (this.timer || this.closed) return;
    this.after(Math.max(soonMs, this.settledAt - performance.now()));
  }

  /** Redis is reachable again. @param settleMs how long all nodes have to report their users again */
  comeBack(settleMs = this.settleMs): void {
    this.store.loseCount();
    this.settledAt = performance.now() + settleMs;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.soon();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private after(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.read();
    }, ms);
    this.timer.unref();
  }

  /** One at a time. */
  private read(isAlone?: () => boolean): Promise<void> {
    const readAll = () => this.directory.replace((take) => this.store.readAll(take), isAlone);
    this.reading = this.reading.then(readAll).catch((error) => {
      this.log.debug({ err: error }, 'Presence could not be read just now.');
      if (this.store.ready) this.soon();
    });
    return this.reading;
  }
}

/**
 * The time to settle with a Redis that kept its data, as after a failover: at most the last moments are lost, and nodes
 * reconnect shortly after each other.
 */
const keptSettleMs = 1000;

interface Deps
  extends Pick<
    Context,
    | 'settings'
    | 'log'
    | 'nodeId'
    | 'redis'
    | 'database'
    | 'changes'
    | 'caches'
    | 'jobs'
    | 'channelAccess'
    | 'serverAccess'
    | 'ephemeral'
  > {
  filters: Filters;
  directory: PresenceDirectory;
}

/** Presence on this node: in Redis shared with the other nodes, or in memory on a single node. */
export class Presence {
  readonly service: PresenceService;
  readonly channelPresence: ChannelPresence;
  readonly largeServers: LargeServers;
  readonly counts: OnlineCounts;
  readonly customStatuses: CustomStatuses;
  private readonly missedPresence: MissedPresence;
  private readonly directory: PresenceDirectory;
  private readonly tracker: PresenceTracker;
  private readonly broadcaster: PresenceBroadcaster;
  private readonly settleMs: number;
  private readonly activities: Activities;
  private readonly shared: { redis: RedisConnections; store: RedisPresenceStore; resync: Resync } | null;

  constructor(deps: Deps) {
    const { database, changes, channelAccess, serverAccess, filters, ephemeral, directory, redis, nodeId, log } = deps;
    const settings = deps.settings.presence;
    this.directory = directory;
    const shared = redis ? new RedisPresenceStore(redis, nodeId, settings, log) : null;
    const store: PresenceStore = shared ?? new MemoryPresenceStore();
    const audience = new PresenceAudience(database);
    this.channelPresence = new ChannelPresence(database, directory);
    this.largeServers = new LargeServers(database, directory);
    this.counts = new OnlineCounts(database, directory);
    this.customStatuses = new CustomStatuses({ ...deps, audience, keptMs: directory.keptMs });
    const { channelPresence } = this;
    this.missedPresence = new MissedPresence({ database, directory, audience, channelPresence });
    this.activities = new Activities(ephemeral, redis, directory.keptMs);
    this.service = new PresenceService({
      database,
      changes,
      channelAccess,
      serverAccess,
      filters,
      ephemeral,
      store,
      directory,
      audience,
      activities: this.activities,
      publishWish: (userId, wish) => this.tracker.wished(userId, wish),
    });
    const readWishes = (userIds: string[]) => this.service.readWishes(userIds);
    this.tracker = new PresenceTracker(store, directory, readWishes, settings, log);
    this.broadcaster = new PresenceBroadcaster(directory, audience, this.counts, settings.tellMs, log);
    store.listen({
      changed: (list) => directory.apply(list),
      hurried: (userId) => this.tracker.hurry(userId),
    });
    this.settleMs = settings.settleMs;
    const resync = shared && new Resync(shared, directory, settings.settleMs, log);
    this.shared = redis && shared && resync ? { redis, store: shared, resync } : null;
  }

  /** From now on this node takes part. Until then the service accepts calls, but emits nothing here. */
  start(sink: PresenceSink): void {
    this.broadcaster.start(sink);
    this.activities.start();
    this.keepInStep();
  }

  /** A user's socket connected. @returns to be called when it disconnects */
  came(userId: string): () => void {
    this.tracker.came(userId);
    return () => this.tracker.went(userId);
  }

  /** The presence that a user's socket in these rooms, which was cut off briefly, may have missed. */
  missed(userId: string, rooms: ReadonlySet<string>): Promise<StatusChange[]> {
    return this.missedPresence.of(userId, rooms);
  }

  /** Those whom a user's socket follows whose custom status has changed lately, for one that was cut off briefly. */
  async missedStatuses(userId: string, rooms: ReadonlySet<string>): Promise<[string, CustomStatusRecord | null][]> {
    const changed = await this.customStatuses.changedLately();
    if (changed.length === 0) return [];
    const followed = await this.missedPresence.followedBy(userId, rooms);
    const ids = changed.filter((id) => followed.has(id));
    const said = await this.customStatuses.among(ids);
    return ids.map((id) => [id, said.get(id) ?? null]);
  }

  /** Someone has joined people who did not know their status. */
  joined(userId: string): void {
    this.directory.announceAgain(userId);
  }

  /** Someone has left a server. */
  left(serverId: string, userId: string): void {
    this.counts.left(serverId, userId);
  }

  async close(): Promise<void> {
    this.tracker.close();
    this.broadcaster.close();
    this.activities.close();
    this.shared?.resync.close();
    await this.shared?.store.retire();
  }

  private keepInStep(): void {
    if (!this.shared) return;
    const { redis, store, resync } = this.shared;
    const beginAnew = (settleMs: number) => {
      this.tracker.holdLeaves(settleMs / 2);
      resync.comeBack(settleMs);
      this.tracker.announceAll();
    };
    const emptied = () => beginAnew(this.settleMs);
    store.start({ forgotten: () => this.tracker.announceAll(), emptied, missed: () => resync.soon() });
    void resync.begin(() => this.tracker.isAlone).then(() => this.counts.forgetAll());
    redis.onHealth(async (healthy) => {
      if (!healthy) return;
      beginAnew(this.settleMs);
      const isKnown = await store.renew().catch(() => false);
      if (isKnown) beginAnew(Math.min(this.settleMs, keptSettleMs));
    });
  }
}
