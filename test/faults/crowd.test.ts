// nodes: own
// alone

import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';
import { sweepAnew, trimLogs } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Answer } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('a node with many who wait', () => {
  let site: Installation;
  let wire: TcpProxy;

  before(async () => {
    // With patience for pings: who does not read is to be cut off for that.
    site = await install({ env: { NODE_ENV: 'test' } });
    wire = await startProxy(site.nodes[0]?.port ?? 0);
  });
  after(async () => {
    await wire.stop();
    await site.stop();
  });

  it('keeps 2000 long polls at little cost, and wakes them all at once', async () => {
    const { alice, bob, channel } = site.here;
    const [node] = site.nodes;
    const { seq } = await alice.say(channel.id, 'first');
    const before = node?.memory ?? 0;
    const polls = range(1, 2000).map((i) =>
      (i % 2 ? alice : bob).get(`/api/channels/${channel.id}/events?after=${seq}&wait=25`),
    );
    const answered = { count: 0 };
    for (const poll of polls) void poll.then(() => answered.count++);
    // All of them have to be there; only then is what they cost known.
    await until(async () => (await established(node?.port ?? 0)) >= 2000, {
      timeout: 20_000,
      message: 'not all polls came',
    });
    expect(answered.count).to.equal(0);
    const cost = (((node?.memory ?? 0) - before) * 1024) / 2000;
    expect(cost, 'KiB a poll').to.be.below(60);
    const begun = Date.now();
    await bob.say(channel.id, 'wake up');
    for (const answer of await Promise.all(polls)) expect(answer.body.events).to.have.lengthOf(1);
    // Left alone the first of them would be answered after 25 s.
    expect(Date.now() - begun).to.be.below(20_000);
  });

  it('cuts off those who do not read, and they miss nothing', async () => {
    const { alice, bob, channel } = site.here;
    const [node] = site.nodes;
    const slow = range(1, 5).map(
      () => new Follower({ url: `http://127.0.0.1:${wire.port}`, token: bob.token }, { timeout: 3000 }),
    );
    // Of another person: on a busy machine it may be cut off as well, and that is not what is counted.
    const quick = new Follower({ url: node?.url ?? '', token: alice.token });
    let from = 0;
    for (const follower of [...slow, quick]) {
      await follower.connected(1);
      from = (await follower.join(channel.id)).seq;
    }
    const before = node?.memory ?? 0;
    wire.hold();
    const cutsOf = (id: string) =>
      node?.lines.filter((line) => line.includes('reads too slowly') && line.includes(id)).length ?? 0;
    const isCutOff = () => cutsOf(bob.id) >= slow.length;
    let last = 0;
    let most = before;
    for (let sent = 0; !isCutOff() && sent < 4000; sent += 100) {
      const sends = range(1, 100).map(() => alice.say(channel.id, 'x'.repeat(15_900)));
      for (const message of await Promise.all(sends)) last = Math.max(last, message.seq);
      most = Math.max(most, node?.memory ?? 0);
    }
    expect(isCutOff()).to.equal(true);
    expect(most - before).to.be.below(300);
    await quick.reach(channel.id, last);
    wire.release();
    wire.cut();
    for (const follower of slow) {
      await follower.connected(2, 40_000);
      await follower.reach(channel.id, last, 40_000);
      expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, last));
      follower.close();
    }
    expect(quick.seen(channel.id)).to.deep.equal(range(from + 1, last));
    quick.close();
  });
});

describe('a node that closes rooms in which nobody is', () => {
  it('keeps those open that are followed by way of a thread', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { delivery: { idleStreamMs: 200 } } });
    const here = await world(cluster);
    const { alice, bob, channel } = here;
    const parentMessageId = (await alice.say(channel.id, 'root')).id;
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, { name: 'thread', parentMessageId })).body;
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    await follower.connected(1);
    await follower.socket.emitWithAck('thread:join', { threadId: thread.id });
    const [node] = cluster.nodes;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { seq } = await alice.say(channel.id, 'reply', { threadId: thread.id });
    await follower.reach(channel.id, seq);
    await follower.socket.emitWithAck('thread:leave', { threadId: thread.id });
    await until(() => !node?.delivery.peek(`channel:${channel.id}`));
    follower.close();
    here.close();
    await cluster.stop();
  });
});

describe('nodes that cannot hear each other', () => {
  let alone: Cluster;
  let here: World;
  const worlds: World[] = [];
  before(async () => {
    alone = await startCluster({ nodes: 2, redisUrl: null });
    here = await world(alone);
    worlds.push(here);
  });
  after(async () => {
    for (const { close } of worlds) close();
    await alone.stop();
  });

  it('deliver everything within 2 s from the log alone', async () => {
    const follower = new Follower({ url: here.bob.node.url, token: here.bob.token });
    await follower.connected(1);
    const { seq } = await follower.join(here.channel.id);
    for (const i of range(1, 5)) {
      await here.alice.say(here.channel.id, `hello ${i}`);
      await follower.reach(here.channel.id, seq + i, 2000);
    }
    expect(follower.seen(here.channel.id)).to.deep.equal(range(seq + 1, seq + 5));
    follower.close();
  });

  const losses: Record<string, (people: World) => Promise<Answer>> = {
    'a deleted server': ({ alice, server }) => alice.delete(`/api/servers/${server.id}`),
    'a deleted channel': ({ alice, channel }) => alice.delete(`/api/channels/${channel.id}`),
    'a server that put them out': ({ alice, bob, server }) =>
      alice.delete(`/api/servers/${server.id}/members/${bob.id}`),
    'a channel that put them out': ({ alice, bob, channel }) =>
      alice.delete(`/api/channels/${channel.id}/members/${bob.id}`),
  };
  for (const [place, lose] of Object.entries(losses)) {
    it(`let nobody into ${place} as soon as they read of it, and end what waits there`, async () => {
      const people = await world(alone);
      worlds.push(people);
      const { bob, channel } = people;
      const ear = await bob.listen(channel.id);
      const { seq } = (await bob.get(`/api/channels/${channel.id}/events?wait=0`)).body;
      const begun = Date.now();
      const poll = bob.get(`/api/channels/${channel.id}/events?after=${seq}&wait=25`);
      await until(() => bob.node.delivery.peek(`channel:${channel.id}`)?.isWaitedFor);
      expect((await lose(people)).status).to.equal(200);
      // Sooner than what is cached of the place is looked up in the database.
      await sweepAnew(bob.node);
      const { ok } = await ear.emit('channel:join', { channelId: channel.id });
      expect(ok).to.equal(false);
      await poll;
      // Left alone it would be answered after 25 s.
      expect(Date.now() - begun).to.be.below(20_000);
    });
  }

  it('tell those in a room whose log was trimmed before it came here, by a new connection', async () => {
    const cluster = await startCluster({ nodes: 2, redisUrl: null, settings: { delivery: { sweepMs: 3_600_000 } } });
    const here = await world(cluster);
    const { channel } = here;
    const follower = new Follower({ url: here.bob.node.url, token: here.bob.token });
    await follower.connected(1);
    const { seq } = await follower.join(channel.id);
    await Promise.all(range(1, 60).map((i) => here.alice.say(channel.id, `hello ${i}`)));
    await trimLogs(cluster.databaseUrl, 10);
    await sweepAnew(here.bob.node);
    expect(await follower.connected(2, 40_000)).to.equal(false);
    expect(follower.seen(channel.id)).to.deep.equal([]);
    const ack = await follower.join(channel.id, seq);
    expect(ack).to.include({ recovered: false, seq: seq + 60 });
    follower.close();
    here.close();
    await cluster.stop();
  });
});

/** How many connections a port of this machine holds (Linux). */
async function established(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const table = await readFile('/proc/net/tcp', 'utf8');
  const tables = table + (await readFile('/proc/net/tcp6', 'utf8').catch(() => ''));
  return tables.split('\n').filter((line) => line.trim().split(/\s+/)[1]?.endsWith(`:${hex}`) && line.includes(' 01 '))
    .length;
}
