// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { isLong } from '../rig/long.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { trimLogs } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { type KnownLog, TrackedClient } from './tracked-client.ts';

const forMs = isLong ? 150_000 : 12_000;
const stepsPerRound = 25;

/** A change of access, once it is in effect: on a node that does not confirm it within 2 s, it is 2 s later (contract §13). */
async function inEffect<T>(change: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const answer = await change();
  if (performance.now() - begun > 1500) await delay(2000);
  return answer;
}

/**
 * What happens to the clients of two nodes, in a random order: they are cut off and return in three ways, their user is
 * evicted and readmitted, channels are deleted, logs trimmed, a bot's policy changes, PostgreSQL is away. All of it can happen between the parts of a broadcast, which
 * has one socket in each.
 */
class Play {
  readonly clients: TrackedClient[] = [];
  private readonly random: (below: number) => number;
  private readonly here: World;
  private readonly robot: Bot;
  /** From the second node to PostgreSQL. */
  private readonly line: TcpProxy;
  private readonly open: KnownLog;
  private readonly hidden: KnownLog;
  private passing: KnownLog | undefined;
  /** Of bob's clients, while he is not in the hidden channel: its head when the eviction was answered. */
  private evictedAt: number | undefined;
  private bots: TrackedClient[] = [];
  private bobs: TrackedClient[] = [];
  /** While the bot gets mentions alone: the head when that was answered. */
  private restrictedAt: number | undefined;
  private ends: { client: TrackedClient; log: KnownLog; begun: number }[] = [];
  private readonly back = new Set<Promise<unknown>>();

  constructor(seed: number, here: World, robot: Bot, line: TcpProxy, hiddenId: string) {
    this.random = randomOf(seed);
    this.here = here;
    this.robot = robot;
    this.line = line;
    this.open = { id: here.channel.id, name: 'open', floor: 0, mayFloor: 0, forBots: new Set() };
    this.hidden = { id: hiddenId, name: 'hidden', floor: 0, mayFloor: 0, forBots: new Set() };
  }

  async begin(): Promise<void> {
    const { alice, bob, cluster } = this.here;
    const [one, two] = cluster.nodes;
    if (!one || !two) throw new Error('two nodes are needed');
    this.bobs = [
      await TrackedClient.open('bob 1', { node: two, token: bob.token }, 'recovered'),
      await TrackedClient.open('bob 2', { node: two, token: bob.token }, 'resumed'),
      await TrackedClient.open('bob 3', { node: one, token: bob.token }, 'joining'),
    ];
    this.bots = [
      await TrackedClient.open('bot 1', { node: two, token: this.robot.token }, 'recovered', true),
      await TrackedClient.open('bot 2', { node: one, token: this.robot.token }, 'resumed', true),
    ];
    const alices = await TrackedClient.open('alice', { node: one, token: alice.token }, 'recovered');
    this.clients.push(alices, ...this.bobs, ...this.bots);
    for (const client of this.clients) client.want(this.open, await this.headOf(this.open));
    for (const client of [alices, ...this.bobs]) client.want(this.hidden, await this.headOf(this.hidden));
    await this.settle();
  }

  async round(): Promise<void> {
    const actions = [
      ...Array.from({ length: 10 }, () => () => this.say(this.pick([this.open, this.hidden, this.open]))),
      ...Array.from({ length: 6 }, () => () => this.cut(this.pick(this.clients))),
      () => this.pick(this.clients).drop(),
      () => this.relapse(this.pick(this.clients)),
      () => this.relapse(this.pick(this.clients)),
      () => this.leave(this.pick(this.clients)),
      () => (this.evictedAt === undefined ? this.evict() : this.readmit()),
      () => (this.evictedAt === undefined ? this.evict() : this.readmit()),
      () => (this.restrictedAt === undefined ? this.restrict() : this.allow()),
      () => this.trim(),
      () => this.trim(),
      () => this.begetOrDelete(),
      () => this.loseDatabase(),
      () => this.loseDatabase(),
      () => this.line.jitter(0, this.random(3) * 40),
      () => delay(this.random(120)),
    ];
    for (let step = 0; step < stepsPerRound; step++) {
      await this.pick(actions)();
      this.requireWell();
    }
    await this.settle();
  }

  /** Everybody is let back, and has everything. */
  async settle(): Promise<void> {
    this.line.jitter(0, 0);
    await Promise.all(this.back);
    if (this.evictedAt !== undefined) await this.readmit();
    if (this.restrictedAt !== undefined) await this.allow();
    for (const log of [this.open, this.hidden]) await this.sayOnce(log, true);
    for (const log of [this.open, this.hidden]) {
      const head = await this.headOf(log);
      for (const client of this.clients) {
        if (!client.isIn(log)) continue;
        const isThere = () => client.violations.length > 0 || client.at(log) >= head;
        const message = () => `${client.name} has ${client.at(log)} of ${head} in ${log.name}`;
        await until(isThere, { timeout: 30_000 }).catch(() => client.violations.push(message()));
      }
    }
    for (const { client, log, begun } of this.ends.splice(0)) {
      const isOver = () => !client.isIn(log) || client.begun > begun;
      await until(isOver).catch(() => client.violations.push(`${client.name} is not told of the end of ${log.name}`));
    }
    for (const client of this.bots) {
      await until(() => client.missing(this.open).length === 0).catch(() => {});
      for (const seq of client.missing(this.open)) client.violations.push(`${client.name} has not got ${seq}`);
    }
    this.requireWell();
  }

  requireWell(): void {
    expect(this.clients.flatMap(({ violations }) => violations)).to.deep.equal([]);
  }

  private pick<T>(list: T[]): T {
    const one = list[this.random(list.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }

  private async headOf({ id }: KnownLog): Promise<number> {
    const [row] = await query<{ seq: number }>(
      this.here.cluster.databaseUrl,
      'SELECT last_seq::int AS seq FROM streams WHERE id = $1',
      [id],
    );
    return row?.seq ?? 0;
  }

  private async sayOnce(log: KnownLog, isMention: boolean): Promise<void> {
    const { seq } = await this.here.alice.say(log.id, isMention ? `@${this.robot.username}, listen` : 'hello');
    if (isMention) log.forBots.add(seq);
  }

  private async say(log: KnownLog, count = this.random(8) === 0 ? 60 : 1 + this.random(5)): Promise<void> {
    for (let i = 0; i < count; i += 6) {
      const some = Array.from({ length: Math.min(6, count - i) }, () => this.sayOnce(log, this.random(3) === 0));
      await Promise.all(some);
    }
  }

  /** It is cut off again while it is being brought back. */
  private async relapse(client: TrackedClient): Promise<void> {
    this.line.jitter(0, 60);
    this.cut(client, 60);
    await this.say(this.pick([this.open, this.hidden]), 30);
    await Promise.all(this.back);
    await delay(50 + this.random(300));
    client.drop();
  }

  /** Its line goes dead for a while, with what is on it, and then breaks. */
  private cut(client: TrackedClient, mostMs = 400): void {
    const [dead, away] = [this.random(60), this.random(mostMs)];
    const run = async () => {
      if (this.random(2)) client.line.hold();
      await delay(dead);
      client.line.refuse(true);
      client.line.cut();
      client.line.release();
      await delay(away);
      client.line.refuse(false);
    };
    const running = run();
    this.back.add(running);
    void running.then(() => this.back.delete(running));
  }

  private async leave(client: TrackedClient): Promise<void> {
    if (!client.isConnected || !client.isIn(this.open)) return;
    await client.leave(this.open);
    if (this.random(2)) await this.say(this.open);
    client.want(this.open);
  }

  private async evict(): Promise<void> {
    const { alice, bob } = this.here;
    // Half of the time while they are being brought back.
    if (this.random(2)) {
      this.line.jitter(0, 60);
      for (const client of this.bobs) this.cut(client, 60);
      await this.say(this.hidden, 30);
      await Promise.all(this.back);
      await delay(this.random(300));
    }
    for (const client of this.bobs) client.unwant(this.hidden);
    const removal = () => alice.delete(`/api/channels/${this.hidden.id}/members/${bob.id}`);
    expect((await inEffect(removal)).status).to.equal(200);
    this.evictedAt = await this.headOf(this.hidden);
  }

  private async readmit(): Promise<void> {
    const { alice, bob } = this.here;
    for (const client of this.bobs) {
      const at = client.at(this.hidden);
      if (at > (this.evictedAt ?? 0)) client.violations.push(`${client.name} got ${at} after it was evicted`);
    }
    this.evictedAt = undefined;
    const { status } = await alice.post(`/api/channels/${this.hidden.id}/members`, { userId: bob.id });
    expect(status).to.be.within(200, 201);
    for (const client of this.bobs) client.want(this.hidden);
  }

  private async restrict(): Promise<void> {
    await this.setPolicy('mentionOnly');
    this.restrictedAt = await this.headOf(this.open);
  }

  /** Ends the restriction. None of what it kept from the bot has come until then. */
  private async allow(): Promise<void> {
    for (const client of this.bots) {
      for (const seq of client.messagesAfter(this.open, this.restrictedAt ?? 0)) {
        if (!this.open.forBots.has(seq)) client.violations.push(`${client.name} got ${seq} against its policy`);
      }
    }
    this.restrictedAt = undefined;
    await this.setPolicy('replyAll');
  }

  private async setPolicy(mode: string): Promise<void> {
    const path = `/api/channels/${this.open.id}/agents/${this.robot.agentId}/policy`;
    expect((await inEffect(() => this.here.alice.put(path, { mode }))).status).to.equal(200);
  }

  private async trim(): Promise<void> {
    const keep = 1 + this.random(15);
    const logs = [this.open, this.hidden, ...(this.passing ? [this.passing] : [])];
    for (const log of logs) log.mayFloor = Math.max(log.mayFloor, (await this.headOf(log)) - keep);
    await trimLogs(this.here.cluster.databaseUrl, keep);
    for (const log of logs) log.floor = log.mayFloor;
  }

  private async begetOrDelete(): Promise<void> {
    if (!this.passing) {
      this.passing = { id: await this.here.newChannel(), name: 'passing', floor: 0, mayFloor: 0, forBots: new Set() };
      const head = await this.headOf(this.passing);
      for (const client of [...this.bobs, ...this.clients.slice(0, 1)]) client.want(this.passing, head);
      await this.say(this.passing);
      return;
    }
    const gone = this.passing;
    this.passing = undefined;
    // Those that are recovered from here on are told, whether they are connected or not.
    const owed = this.clients.filter((client) => client.manner === 'recovered' && client.hasJoined(gone));
    for (const client of owed) this.ends.push({ client, log: gone, begun: client.begun });
    expect((await this.here.alice.delete(`/api/channels/${gone.id}`)).status).to.equal(200);
  }

  /** The second node cannot reach PostgreSQL, while others talk and clients come and go. */
  private async loseDatabase(): Promise<void> {
    const isCut = this.random(2) === 0;
    if (isCut) this.line.refuse(true);
    if (isCut) this.line.cut();
    else this.line.hold();
    for (let i = this.random(4); i > 0; i--) {
      await this.say(this.open);
      if (this.random(2)) this.cut(this.pick(this.clients));
      await delay(this.random(100));
    }
    this.line.refuse(false);
    this.line.release();
    // An eviction that the node cannot confirm takes effect there within 2 s, and not before its answer.
    const { bob, cluster } = this.here;
    const there = bob.on(cluster.nodes[1] ?? bob.node);
    await until(async () => (await there.get(`/api/channels/${this.open.id}/messages`)).status === 200);
  }
}

describe('the subscriptions of random clients', () => {
  let cluster: Cluster;
  let here: World;
  let play: Play;
  const seed = seedOfRun();

  before(async () => {
    const lines: TcpProxy[] = [];
    cluster = await startCluster({
      nodes: 2,
      settings: {
        delivery: { tailEvents: 20 },
        sockets: { pingIntervalMs: 300, pingTimeoutMs: 20_000, writesAtOnce: 1 },
      },
      async lineTo(databaseUrl) {
        const url = new URL(databaseUrl);
        const line = await startProxy(Number(url.port));
        lines.push(line);
        url.port = String(line.port);
        return url.href;
      },
    });
    here = await world(cluster);
    const { alice, bob, server } = here;
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    const line = lines[1];
    if (!line) throw new Error('no second node');
    play = new Play(seed, here, await botIn(server, alice), line, hidden.id);
    await play.begin();
  });
  after(async () => {
    await Promise.all(play.clients.map((client) => client.close()));
    here.close();
    await cluster.stop();
  });

  it(`get each event once and in order, none after access is lost (PARLEY_SEED=${seed})`, async () => {
    const until = performance.now() + forMs;
    let rounds = 0;
    for (; performance.now() < until; rounds++) await play.round();
    const recovered = play.clients.reduce((sum, { connections }) => sum + connections.recovered, 0);
    const losses = play.clients.reduce((sum, client) => sum + client.losses, 0);
    process.stdout.write(
      `      ${rounds} rounds, ${recovered} recovered connections, ${losses} fresh starts in a channel\n`,
    );
    expect(recovered).to.be.above(0);
    // The last round may begin just before that, and has what any test has.
  }).timeout(forMs + 120_000);
});
