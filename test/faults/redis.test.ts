// nodes: own
// alone

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startBalancer } from '../rig/balancer.ts';
import { freePort } from '../rig/free-port.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';
import { register } from '../world/world.ts';

/** Two nodes that reach Redis over a wire. */
describe('Redis', () => {
  let redis: TestRedis;
  let wire: TcpProxy;
  let site: Installation;
  const followers: Follower[] = [];
  const closing: (() => unknown)[] = [];

  before(async () => {
    redis = await startRedis();
    wire = await startProxy(redis.port);
    // It is not there when the nodes start.
    wire.refuse(true);
    site = await install({ nodes: 2, redisUrl: `redis://127.0.0.1:${wire.port}` });
  });
  afterEach(async () => {
    for (const follower of followers.splice(0)) follower.close();
    for (const close of closing.splice(0)) await close();
  });
  after(async () => {
    await site.stop();
    await wire.stop();
    await redis.stop();
  });

  async function follow(): Promise<Follower[]> {
    const { alice, bob, channel } = site.here;
    for (const { node, token } of [alice, bob]) followers.push(new Follower({ url: node.url, token }));
    for (const follower of followers) {
      await follower.connected(1);
      await follower.join(channel.id);
    }
    return followers;
  }

  /** Sends on both nodes; the other one's sockets have it within `ms`. */
  async function talk(ms: number): Promise<void> {
    const { alice, bob, channel } = site.here;
    const listeners = await follow();
    for (const person of [alice, bob, alice, bob]) {
      const { seq } = await person.say(channel.id, 'hello');
      for (const listener of listeners) await listener.reach(channel.id, seq, ms);
    }
    for (const listener of listeners) {
      const seen = listener.seen(channel.id);
      expect(seen).to.deep.equal(range(seen[0] ?? 0, (seen[0] ?? 0) + seen.length - 1));
    }
  }

  async function readiness(): Promise<number[]> {
    return Promise.all(site.nodes.map((node) => node.health('/readyz')));
  }

  const becomes = (status: number) =>
    until(async () => (await readiness()).every((got) => got === status), { message: `not ${status} on all nodes` });

  it('may be missing at the start: /readyz says so, and everything durable works', async () => {
    await becomes(503);
    await talk(2000);
  });

  it('is used when it comes', async () => {
    wire.refuse(false);
    await becomes(200);
    await talk(2000);
  });

  it('may hang: /readyz answers within 2 s, sends and joins go on', async () => {
    wire.hold();
    await talk(2000);
    await becomes(503);
    const begun = Date.now();
    expect(await readiness()).to.deep.equal([503, 503]);
    expect(Date.now() - begun).to.be.below(2000);
    await talk(2000);
    wire.release();
    await becomes(200);
    await talk(2000);
  });

  it('may hang while a client is away for a moment: what it hears of that too late leads nobody back there', async () => {
    wire.refuse(false);
    await becomes(200);
    const { alice, bob, channel } = site.here;
    const [first, second] = site.nodes.map((node) => node.port);
    const line = await startProxy(first ?? 0);
    const door = await startBalancer([line.port, second ?? 0]);
    closing.push(() => Promise.all([line.stop(), door.stop()]));
    door.pin(0);
    const bobs = new Follower({ url: door.url, token: bob.token });
    followers.push(bobs);
    await bobs.connected(1);
    await bobs.join(channel.id);
    const { seq: from } = await alice.say(channel.id, 'hello');
    await bobs.reach(channel.id, from);
    wire.hold();
    door.cut();
    expect(await bobs.connected(2)).to.equal(true);
    await becomes(503);
    wire.release();
    await becomes(200);
    await bobs.reach(channel.id, (await alice.say(channel.id, 'back')).seq);
    // Its node does not notice that it goes to the other one.
    line.hold();
    door.pin(1);
    door.cut();
    expect(await bobs.connected(3)).to.equal(true);
    const { seq: last } = await alice.say(channel.id, 'here');
    await bobs.reach(channel.id, last);
    expect(bobs.seen(channel.id)).to.deep.equal(range(from, last));
  });

  it('may die and come back empty', async () => {
    await redis.kill();
    await becomes(503);
    await talk(2000);
    await redis.restart();
    await becomes(200);
    await talk(2000);
  });

  it('may vanish while someone is sent away: access ends on all nodes within 2 s all the same', async () => {
    const { alice, bob, carol } = site.here;
    const cutOff = () => {
      wire.refuse(true);
      wire.cut();
    };
    for (const spoil of [() => wire.hold(), cutOff]) {
      const server = (await alice.post('/api/servers', { name: 'Short' })).body;
      const [{ id }] = (await alice.get(`/api/servers/${server.id}/channels`)).body;
      const elsewhere = carol.on(bob.node);
      await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      const ear = new Follower({ url: elsewhere.node.url, token: carol.token });
      followers.push(ear);
      await ear.connected(1);
      await ear.join(id);
      expect((await elsewhere.get(`/api/channels/${id}/messages`)).status).to.equal(200);
      spoil();
      expect((await carol.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
      const left = Date.now();
      const gone = async () => (await elsewhere.get(`/api/channels/${id}/messages`)).status === 404;
      await until(gone, { timeout: 4000 });
      expect(Date.now() - left).to.be.below(2200);
      const { seq } = await alice.say(id, 'without carol');
      await new Promise((resolve) => setTimeout(resolve, 800));
      expect(ear.seen(id)).to.not.include(seq);
      wire.release();
      wire.refuse(false);
      await becomes(200);
    }
  });

  for (const when of ['before', 'after'] as const)
    it(`may hang while someone is put out and let in again, who came ${when} that: the order to go that comes late puts nobody out`, async () => {
      const { alice, bob, server } = site.here;
      const dora = await register(bob.node);
      await dora.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      const hidden = { name: `hidden-${when}`, isPrivate: true };
      const { id } = (await alice.post(`/api/servers/${server.id}/channels`, hidden)).body;
      const seat = `/api/channels/${id}/members`;
      await alice.post(seat, { userId: dora.id });
      const heard: string[] = [];
      const come = async () => {
        const ear = new Follower({ url: bob.node.url, token: dora.token });
        followers.push(ear);
        ear.socket.on('message:new', ({ content }) => heard.push(content));
        await ear.connected(1);
        await until(() =>
          ear.join(id).then(
            () => true,
            () => false,
          ),
        );
        return ear;
      };
      const early = when === 'before' ? await come() : null;
      wire.hold();
      await alice.delete(`${seat}/${dora.id}`);
      await until(async () => (await dora.get(`/api/channels/${id}/messages`)).status === 404);
      await alice.post(seat, { userId: dora.id });
      if (early) await until(() => early.join(id).then(Boolean, () => false));
      else await come();
      wire.release();
      await becomes(200);
      await alice.say(id, 'welcome back');
      await until(() => heard.includes('welcome back'), { message: 'dora was put out again' });
    });

  it('may lose only the connections that listen: what was said meanwhile takes hold within 2 s', async () => {
    const { alice, bob, carol } = site.here;
    wire.refuse(false);
    const client = new Redis(redis.url);
    closing.push(() => client.disconnect());
    for (let round = 0; round < 5; round++) {
      await becomes(200);
      const server = (await alice.post('/api/servers', { name: 'Short' })).body;
      const [{ id }] = (await alice.get(`/api/servers/${server.id}/channels`)).body;
      const elsewhere = carol.on(bob.node);
      await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      const read = async () => (await elsewhere.get(`/api/channels/${id}/messages`)).status;
      expect(await read()).to.equal(200);
      wire.refuse(true);
      await client.client('KILL', 'TYPE', 'pubsub');
      expect((await carol.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
      const left = Date.now();
      await until(async () => (await read()) === 404, { timeout: 7000 });
      expect(Date.now() - left).to.be.below(2200);
      wire.refuse(false);
    }
    await becomes(200);
    await talk(2000);
  });

  it('never makes a node fail', async () => {
    for (const node of site.nodes) {
      expect(node.isRunning).to.equal(true);
      expect(node.failures).to.deep.equal([]);
    }
    wire.refuse(true);
    wire.cut();
    await becomes(503);
    const [node] = site.nodes;
    expect(await node?.stop()).to.include({ code: 0 });
    expect(node?.failures).to.deep.equal([]);
  });

  it('that is not there at all does not keep a node from starting', async () => {
    const lonely = await install({ redisUrl: `redis://127.0.0.1:${await freePort()}` });
    expect(await lonely.nodes[0]?.health('/readyz')).to.equal(503);
    await lonely.here.alice.say(lonely.here.channel.id, 'hello');
    await lonely.stop();
  });
});
