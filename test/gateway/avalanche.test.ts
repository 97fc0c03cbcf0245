// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { loadSettings } from '../../src/settings/settings.ts';
import { type Balancer, startBalancer } from '../rig/balancer.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const secret = 'a secret of the nodes in this test alone';
const people = 60;
const sockets = 200;
/** Statements of two nodes that nobody asked for, in the seconds that a step takes here. */
const background = 60;

describe('many clients at once', () => {
  let redis: TestRedis;
  let observer: Redis;
  let cluster: Cluster;
  let balancer: Balancer;
  let home: World;
  let channels: string[];
  const everyone: Follower[] = [];

  before(async () => {
    redis = await startRedis();
    observer = new Redis(redis.url);
    const { jwtSecrets } = loadSettings({ NODE_ENV: 'test', JWT_SECRET: secret });
    cluster = await startCluster({ nodes: 2, redisUrl: redis.url, settings: { jwtSecrets } });
    balancer = await startBalancer(cluster.nodes.map(({ port }) => port));
    home = await world(cluster);
    channels = [home.channel.id];
    for (const name of ['b', 'c', 'd', 'e']) channels.push(await home.newChannel(name));
  });
  afterEach(() => {
    for (const follower of everyone.splice(0)) follower.close();
  });
  after(async () => {
    observer.disconnect();
    home.close();
    await balancer.stop();
    await cluster.stop();
    await redis.stop();
  });

  /** People whom no node has seen before. */
  async function strangers(count: number): Promise<Person[]> {
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error('no nodes');
    const at = (index: number) => (index % 2 ? first : second);
    return crowd(count, { databaseUrl: cluster.databaseUrl, secret, serverId: home.server.id, at });
  }

  const follow = ({ token }: Person): Follower => {
    const follower = new Follower({ url: balancer.url, token }, { timeout: 20_000 });
    everyone.push(follower);
    return follower;
  };

  /** Each is connected, in its own room, and in the five channels. @returns its positions there */
  async function enter(follower: Follower): Promise<Map<string, number>> {
    // A connection that is lost before has nothing to come back to.
    const ready = new Promise((resolve) => follower.socket.once('ready', resolve));
    await follower.connected(1, 60_000);
    await ready;
    const acks = await Promise.all(channels.map((channelId) => follower.join(channelId)));
    return new Map(channels.map((channelId, index) => [channelId, acks[index].seq]));
  }

  /** Statements of all nodes, and commands of Redis by name, that `work` causes. */
  async function costOf(
    work: () => Promise<unknown>,
  ): Promise<{ statements: number; commands: (name: string) => number }> {
    const before = [await statements(), await commands()] as const;
    await work();
    const [made, called] = [await statements(), await commands()];
    return {
      statements: made - before[0] - background,
      commands: (name) => (called.get(name) ?? 0) - (before[1].get(name) ?? 0),
    };
  }

  async function statements(): Promise<number> {
    const texts = await Promise.all(cluster.nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    const counts = texts.map((text) => Number(/^parley_database_statement_seconds_count (\d+)/m.exec(text)?.[1]));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async function commands(): Promise<Map<string, number>> {
    const lines = (await observer.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
    return new Map([...lines].map(([, name = '', calls]) => [name, Number(calls)]));
  }

  it('lets different people in with a share of a statement, and of a subscription, for each', async () => {
    const arriving = await strangers(people);
    const cost = await costOf(() => Promise.all(arriving.map((person) => enter(follow(person)))));
    // Session and person, the head of the own log, DMs, places in server and channels, heads: one by one, 2 and more.
    expect(cost.statements, 'statements').to.be.below(people * 1.5);
    expect(cost.commands('subscribe'), 'subscriptions').to.be.below(people / 2);
  });

  it('brings all who were cut off back with a share of a statement for each', async () => {
    const arriving = await strangers(people);
    await Promise.all(arriving.map((person) => enter(follow(person))));
    for (const channelId of channels) await home.alice.say(channelId, 'that they have an offset');
    const marks = await Promise.all(channels.map((channelId) => home.bob.say(channelId, 'and another')));
    const reached = (seqs: number[]) =>
      Promise.all(everyone.map((one) => Promise.all(channels.map((id, at) => one.reach(id, seqs[at] ?? 0, 60_000)))));
    await reached(marks.map(({ seq }) => seq));
    const cost = await costOf(async () => {
      balancer.cut();
      await Promise.all(everyone.map((one) => one.connected(2, 60_000)));
      const missed = await Promise.all(channels.map((channelId) => home.bob.say(channelId, 'welcome back')));
      await reached(missed.map(({ seq }) => seq));
    });
    expect(everyone.filter((one) => one.connections.at(-1)).length, 'recovered').to.equal(people);
    // Six rooms each, which were asked for one after the other.
    expect(cost.statements, 'statements').to.be.below(people * 1.5);
  });

  it('loses and repeats nothing in avalanches, while others go on sending over two nodes', async () => {
    const arriving = await strangers(sockets);
    const from = await Promise.all(arriving.map((person) => enter(follow(person))));
    const last = new Map<string, number>();
    let isOver = false;
    const say = async (speaker: Person, channelId: string) => {
      while (!isOver) {
        const { seq } = await speaker.say(channelId, 'something');
        last.set(channelId, Math.max(last.get(channelId) ?? 0, seq));
        await delay(100);
      }
    };
    const sending = channels.map((channelId, at) => say(at % 2 ? home.alice : home.bob, channelId));
    for (const times of [2, 3]) {
      await until(() => last.size === channels.length);
      balancer.cut();
      await Promise.all(everyone.map((one) => one.connected(times, 90_000)));
      last.clear();
    }
    await until(() => last.size === channels.length);
    isOver = true;
    await Promise.all(sending);
    // Who was not recovered joins again; the stock client says so.
    expect(everyone.filter((one) => one.connections.slice(1).includes(false)).length, 'not recovered').to.equal(0);
    await Promise.all(everyone.map((one) => Promise.all([...last].map(([id, seq]) => one.reach(id, seq, 60_000)))));
    everyone.forEach((one, index) => {
      for (const [channelId, seq] of last) {
        const after = from[index]?.get(channelId) ?? 0;
        expect(one.seen(channelId), `socket ${index}`).to.deep.equal(range(after + 1, one.seen(channelId).at(-1) ?? 0));
        expect(one.seen(channelId).at(-1)).to.be.at.least(seq);
      }
    });
  });
});
