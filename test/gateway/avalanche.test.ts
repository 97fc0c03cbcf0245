// nodes: own
// alone

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { loadSettings } from '../../src/settings/settings.ts';
import { type Balancer, startBalancer } from '../rig/balancer.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { countStatements, type StatementCount } from '../rig/statements.ts';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** A client that says what it is told, at the moment in which it is told. */
class Line {
  private readonly socket: WebSocket;
  private text = '';

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const packet = String(data);
      if (packet === '2') socket.send('3');
      else this.text += `${packet}\n`;
    });
  }

  static async open(port: number): Promise<Line> {
    const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`;
    const line = new Line(new WebSocket(url, { perMessageDeflate: false }));
    await line.got('0{');
    return line;
  }

  /** With what a stock client returns. */
  get returning(): { pid: string | undefined; offset: string | undefined } {
    const [, pid] = /^40\{.*"pid":"([^"]+)"/m.exec(this.text) ?? [];
    return { pid, offset: [...this.text.matchAll(/^42\[.*,"([\w-]+\.\d+)"\]$/gm)].at(-1)?.[1] };
  }

  send(packet: string): void {
    this.socket.send(packet);
  }

  async got(part: string): Promise<void> {
    await until(() => this.text.includes(part), { timeout: 30_000, message: `no ${part} in ${this.text.slice(-300)}` });
  }

  close(): void {
    this.socket.terminate();
  }
}

const secret = 'a secret of the nodes in this test alone';
const people = 60;
const sockets = 150;

describe('many clients at once', () => {
  let redis: TestRedis;
  let observer: Redis;
  let cluster: Cluster;
  let balancer: Balancer;
  let home: World;
  let channels: string[];
  let counted: StatementCount;
  const everyone: Follower[] = [];

  before(async () => {
    counted = countStatements();
    redis = await startRedis();
    observer = new Redis(redis.url);
    const { jwtSecrets } = loadSettings({ NODE_ENV: 'test', JWT_SECRET: secret });
    cluster = await startCluster({ nodes: 2, redisUrl: redis.url, settings: { jwtSecrets } });
    balancer = await startBalancer(cluster.nodes.map(({ port }) => port));
    home = await world(cluster);
    channels = [home.channel.id];
    for (const name of ['b', 'c', 'd', 'e']) channels.push(await home.newChannel(name));
    await counted.idle(() => delay(5000));
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
    counted.stop();
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
    // Such as to index what was said before.
    await counted.idle(() => delay(2000));
    const before = await commands();
    const statements = await counted.during(work);
    const called = await commands();
    return { statements, commands: (name) => (called.get(name) ?? 0) - (before.get(name) ?? 0) };
  }

  async function commands(): Promise<Map<string, number>> {
    const lines = (await observer.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
    return new Map([...lines].map(([, name = '', calls]) => [name, Number(calls)]));
  }

  /** All of them have a connection, and come in the same moment; then they join in the same moment. */
  async function enterTogether(lines: Line[], authOf: (index: number) => object): Promise<void> {
    for (const [index, line] of lines.entries()) line.send(`40${JSON.stringify(authOf(index))}`);
    await Promise.all(lines.map((line) => line.got('42["ready"')));
  }

  async function joinTogether(lines: Line[]): Promise<void> {
    for (const line of lines) {
      for (const [at, channelId] of channels.entries())
        line.send(`42${at}["channel:join",{"channelId":"${channelId}"}]`);
    }
    const ack = (at: number) => `43${at}[{"ok":true`;
    await Promise.all(lines.map((line) => Promise.all(channels.map((_, at) => line.got(ack(at))))));
  }

  const openLines = (count: number) =>
    Promise.all(range(1, count).map((index) => Line.open(cluster.nodes[index % 2]?.port ?? 0)));

  it('lets different people in with a share of a statement, and of a subscription, for each', async () => {
    const costOfEntering = async (count: number) => {
      const arriving = await strangers(count);
      const lines = await openLines(count);
      const cost = await costOf(async () => {
        await enterTogether(lines, (index) => ({ token: arriving[index]?.token }));
        await joinTogether(lines);
      });
      for (const line of lines) line.close();
      return cost;
    };
    // One by one more than 6 for each: session and account, own log, DMs, place in the server, places in channels, their logs.
    expect((await costOfEntering(1)).statements, 'statements of one').to.be.above(6);
    const together = await costOfEntering(people);
    expect(together.statements, 'statements').to.be.below(people);
    expect(together.commands('subscribe'), 'subscriptions').to.be.below(people / 2);
  });

  it('brings all who were cut off back with a share of a statement for each', async () => {
    const arriving = await strangers(people);
    const lines = await openLines(people);
    await enterTogether(lines, (index) => ({ token: arriving[index]?.token }));
    await joinTogether(lines);
    const said = await Promise.all(channels.map((channelId) => home.bob.say(channelId, 'so that they have an offset')));
    await Promise.all(lines.map((line) => Promise.all(said.map(({ id }) => line.got(id)))));
    for (const line of lines) line.close();
    const missed = await Promise.all(channels.map((channelId) => home.bob.say(channelId, 'while they were away')));
    const again = await openLines(people);
    const cost = await costOf(async () => {
      await enterTogether(again, (index) => ({ token: arriving[index]?.token, ...lines[index]?.returning }));
      await Promise.all(again.map((line) => Promise.all(missed.map(({ id }) => line.got(id)))));
    });
    for (const line of again) line.close();
    expect(again.map(({ returning }) => returning.pid)).to.deep.equal(lines.map(({ returning }) => returning.pid));
    // The heads of six rooms, its DMs, its own log: one by one more than 12.
    expect(cost.statements, 'statements').to.be.below(people);
  });

  for (const manner of ['recovered', 'with its positions']) {
    it(`brings one who returns ${manner} into many rooms with a few statements, and not with some for each`, async () => {
      const rooms = await Promise.all(range(1, 40).map((index) => home.newChannel(`${manner.slice(0, 4)}-${index}`)));
      const [person] = await strangers(1);
      const [line] = await openLines(1);
      if (!person || !line) throw new Error('nobody came');
      await enterTogether([line], () => ({ token: person.token }));
      for (const [at, channelId] of rooms.entries())
        line.send(`42${at}${JSON.stringify(['channel:join', { channelId }])}`);
      await Promise.all(rooms.map((_, at) => line.got(`43${at}[{"ok":true`)));
      line.close();
      const said = await Promise.all(rooms.map((channelId) => home.bob.say(channelId, 'while nobody was there')));
      const [again] = await openLines(1);
      if (!again) throw new Error('nobody came back');
      const resume = Object.fromEntries(said.map(({ channelId, seq }) => [channelId, seq - 1]));
      const positions = manner === 'recovered' ? line.returning : { resume };
      const cost = await costOf(async () => {
        await enterTogether([again], () => ({ token: person.token, ...positions }));
        await Promise.all(said.map(({ id }) => again.got(id)));
      });
      again.close();
      expect(cost.statements, 'statements').to.be.below(rooms.length / 2);
    });
  }

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
    const readies = new Map(everyone.map((one) => [one, 0]));
    for (const one of everyone) one.socket.on('ready', () => readies.set(one, (readies.get(one) ?? 0) + 1));
    for (const times of [2, 3]) {
      await until(() => last.size === channels.length);
      balancer.cut();
      await Promise.all(everyone.map((one) => one.connected(times, 90_000)));
      // A connection that was never ready has nothing to be recovered from.
      await until(() => [...readies.values()].every((count) => count >= times - 1), { timeout: 90_000 });
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
