// nodes: own

import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Status, type StatusChange, statuses } from '../../src/contract/presence.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { MemoryPresenceStore } from '../../src/features/presence/memory-store.ts';
import type { Arrival, PresenceStore } from '../../src/features/presence/presence.store.ts';
import { Resync } from '../../src/features/presence/presence.ts';
import { RedisPresenceStore } from '../../src/features/presence/redis-store.ts';
import { PresenceTracker } from '../../src/features/presence/tracker.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';

const log = createLog('silent');
const longMs = 1e9;
const users = ['ann', 'ben', 'cem', 'dan'];
const settings = { ...testSettings('', null).presence, batchMs: 1, renewMs: longMs, deadAfterMs: 60_000, settleMs: 1 };

/** What a node has for presence, without its endpoints. */
interface PresenceNode {
  directory: PresenceDirectory;
  tracker: PresenceTracker;
  store: PresenceStore;
  /** Changes that it heard of, in order. */
  heard: string[];
  /** User → how many sockets. */
  sockets: Map<string, number>;
  /** As its timer does. */
  renew(): Promise<unknown>;
  die(): Promise<void>;
}

/** It fails now and then, before or after it has done what it was asked for. */
class ReluctantStore extends MemoryPresenceStore {
  private readonly random = randomOf(seedOfRun());

  override arrive(arrivals: Arrival[]): Promise<void> {
    return this.reluctantly(() => super.arrive(arrivals));
  }

  override leave(userIds: string[]): Promise<void> {
    return this.reluctantly(() => super.leave(userIds));
  }

  override wish(userId: string, status: Status): Promise<void> {
    return this.reluctantly(() => super.wish(userId, status));
  }

  private async reluctantly(work: () => Promise<void>): Promise<void> {
    const mood = this.random(6);
    for (let turns = this.random(4); turns > 0; turns--) await turn();
    if (mood === 0) throw new Error('not now');
    await work();
    if (mood === 1) throw new Error('no answer');
  }
}

/** Users that come, go, wish and show signs of life on several nodes, and what they should be seen as. */
class Model {
  readonly nodes: PresenceNode[] = [];
  private readonly random: (below: number) => number;
  private readonly start: (wishes: (userIds: string[]) => Promise<Map<string, Status>>) => Promise<PresenceNode>;
  /** What PostgreSQL knows. */
  private readonly wishes = new Map<string, Status>();
  private readonly beats = new Set<string>();

  constructor(seed: number, start: Model['start']) {
    this.random = randomOf(seed);
    this.start = start;
  }

  async grow(): Promise<void> {
    this.nodes.push(
      await this.start(async (userIds) => {
        const read = new Map([...this.wishes].filter(([userId]) => userIds.includes(userId)));
        // Somebody may wish for something else by the time this comes.
        for (let turns = this.random(4); turns > 0; turns--) await turn();
        return read;
      }),
    );
  }

  statusOf(userId: string): Status {
    const isLive = this.beats.has(userId) || this.nodes.some(({ sockets }) => (sockets.get(userId) ?? 0) > 0);
    return isLive ? (this.wishes.get(userId) ?? 'online') : 'offline';
  }

  /** Does a few things at once, and waits until all nodes show what comes of it. */
  async play(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const { tracker, store, sockets } = this.pick(this.nodes);
      const userId = this.pick(users);
      const here = sockets.get(userId) ?? 0;
      const actions = [
        () => {
          tracker.came(userId);
          sockets.set(userId, here + 1);
        },
        () => {
          if (here > 0) tracker.went(userId);
          sockets.set(userId, Math.max(0, here - 1));
        },
        async () => {
          const wish = this.pick([...statuses]);
          this.wishes.set(userId, wish);
          await tracker.wished(userId, wish);
        },
        async () => {
          if (this.random(2) === 0) return;
          this.beats.add(userId);
          for (const ms of [1, longMs]) await this.beat(store, userId, ms);
        },
        () => tracker.holdLeaves(3),
        async () => {
          this.beats.delete(userId);
          await store.hurry(userId);
        },
      ];
      await this.pick([...actions.slice(0, 2), ...actions])();
      for (let turns = this.random(6); turns > 0; turns--) await turn();
    }
    await this.settle();
  }

  async goAll(): Promise<void> {
    for (const { tracker, sockets } of this.nodes) {
      for (const [userId, count] of sockets) for (let i = 0; i < count; i++) tracker.went(userId);
      sockets.clear();
    }
    this.beats.clear();
    for (const { store } of this.nodes) for (const userId of users) await this.beat(store, userId, 1);
    await delay(5);
    await this.nodes[0]?.renew();
    await this.settle();
  }

  private beat(store: PresenceStore, userId: string, ms: number): Promise<void> {
    return store.beat({ userId, wish: this.wishes.get(userId) ?? 'online' }, ms);
  }

  async settle(): Promise<void> {
    const shown = (node: PresenceNode) => users.map((userId) => `${userId} ${node.directory.statusOf(userId)}`).join();
    const due = () => users.map((userId) => `${userId} ${this.statusOf(userId)}`).join();
    for (const node of this.nodes) {
      const isDone = async () => {
        if (shown(node) !== due()) await this.nodes[0]?.renew();
        return shown(node) === due();
      };
      await until(isDone, { message: `not ${due()}` }).catch((error) => {
        throw new Error(`${shown(node)}: ${error.message}`);
      });
    }
  }

  pick<T>(list: T[]): T {
    const one = list[this.random(list.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }
}

/** Ears that note what a store tells. */
function follow(store: PresenceStore, node: Omit<PresenceNode, 'store' | 'renew' | 'die'>): void {
  store.listen({
    changed: (changes: StatusChange[]) => {
      for (const { userId, status } of changes) node.heard.push(`${userId} ${status}`);
      node.directory.apply(changes);
    },
    hurried: (userId) => node.tracker.hurry(userId),
  });
}

/** Nobody is told twice that someone is the same. */
function expectChanges(heard: string[]): void {
  const last = new Map<string, string>();
  for (const line of heard) {
    const [userId = '', status = ''] = line.split(' ');
    expect(status, userId).not.to.equal(last.get(userId) ?? 'offline');
    last.set(userId, status);
  }
}

describe('presence after whatever happened', () => {
  const seed = seedOfRun();
  let redis: TestRedis;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.stop());

  type Start = (wishes: (userIds: string[]) => Promise<Map<string, Status>>) => Promise<PresenceNode>;

  function parts(store: PresenceStore, wishes: Parameters<Start>[0], graceMs: number) {
    const directory = new PresenceDirectory(60_000);
    const tracker = new PresenceTracker(store, directory, wishes, { ...settings, graceMs }, log);
    return { directory, tracker, heard: [], sockets: new Map<string, number>() };
  }

  const inMemory: Start = async (wishes) => {
    const store = new ReluctantStore();
    const node = parts(store, wishes, 0);
    follow(store, node);
    return { ...node, store, renew: async () => {}, die: async () => node.tracker.close() };
  };

  const inRedis =
    (prefix: string): Start =>
    async (wishes) => {
      const connections = new RedisConnections({ url: redis.url, cluster: false, prefix }, log);
      expect(await connections.waitUntilHealthy(10_000)).to.equal(true);
      const nodeId = randomUUID();
      const store = new RedisPresenceStore(connections, nodeId, settings, log);
      const node = parts(store, wishes, 0);
      follow(store, node);
      const resync = new Resync(store, node.directory, settings.settleMs, log);
      const emptied = () => {
        resync.comeBack();
        node.tracker.announceAll();
      };
      store.start({ forgotten: () => node.tracker.announceAll(), emptied, missed: () => resync.soon() });
      await connections.subscriber.ping();
      await store.renew();
      await node.directory.replace((take) => store.readAll(take));
      const die = async () => {
        node.tracker.close();
        resync.close();
        await connections.commands.zadd(`{${prefix}:presence}:nodes`, 'XX', 1, nodeId);
        await store.retire();
        await connections.commands.zadd(`{${prefix}:presence}:nodes`, 'XX', 1, nodeId);
        connections.close();
      };
      return { ...node, store, renew: () => store.renew(), die };
    };

  it(`is what a plain model says, on a node alone (PARLEY_SEED=${seed})`, async () => {
    const model = new Model(seed, inMemory);
    await model.grow();
    for (let round = 0; round < 60; round++) await model.play(8);
    for (const { heard } of model.nodes) expectChanges(heard);
    await model.goAll();
    for (const { die } of model.nodes) await die();
  });

  it(`is so over nodes that die and are replaced, and leaves nothing in Redis (PARLEY_SEED=${seed})`, async () => {
    const prefix = randomUUID();
    const model = new Model(seed, inRedis(prefix));
    for (let i = 0; i < 3; i++) await model.grow();
    const [first] = model.nodes;
    for (let round = 0; round < 60; round++) {
      await model.play(8);
      const [dead] = round % 6 === 5 ? model.nodes.splice(1, 1) : [];
      await dead?.die();
      await first?.renew();
      await model.settle();
      if (dead) await model.grow();
    }
    await model.goAll();
    const all = first?.heard ?? [];
    expectChanges(all);
    for (const { heard } of model.nodes) {
      await until(() => all.slice(all.length - heard.length).join() === heard.join(), { message: 'not one order' });
    }
    const client = new Redis(redis.url);
    const keys = (await client.keys(`*${prefix}:presence*`)).map((key) => key.split('}:')[1]);
    client.disconnect();
    const known = users.map((userId) => `wished:${userId}`);
    expect(keys.filter((key) => !known.includes(key ?? '')).sort()).to.deep.equal(['nodes', 'version']);
    for (const { die } of model.nodes) await die();
  });
});
