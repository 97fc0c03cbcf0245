// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Balancer, startBalancer } from '../rig/balancer.ts';
import { isLong } from '../rig/long.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';

const count = isLong ? 1000 : 600;

/** A client with what it was told and when it was back. */
interface Client {
  follower: Follower;
  told: number[];
  back: number[];
}

describe('a node that drains', () => {
  let site: Installation;
  let balancer: Balancer;
  const clients: Client[] = [];

  before(async () => {
    site = await install({ nodes: 2, redisUrl: await sharedRedis() });
    balancer = await startBalancer(site.nodes.map(({ port }) => port));
  });
  after(async () => {
    for (const { follower } of clients) follower.close();
    await balancer.stop();
    await site.stop();
  });

  async function dial(): Promise<Client> {
    const { alice, channel } = site.here;
    const follower = new Follower({ url: balancer.url, token: alice.token }, { timeout: 10_000 });
    const client: Client = { follower, told: [], back: [] };
    follower.socket.on('connect', () => client.back.push(Date.now()));
    follower.socket.on('server:draining', ({ reconnectInMs }) => client.told.push(reconnectInMs));
    await follower.connected(1, 30_000);
    await follower.join(channel.id);
    return client;
  }

  it(`sends half of ${count} sockets to the other one, spread, and nobody misses a message`, async () => {
    const [leaving, staying] = site.nodes;
    if (!leaving || !staying) throw new Error('no nodes');
    const { alice, channel } = site.here;
    const sender = alice.on(staying);
    for (let at = 0; at < count; at += 50) clients.push(...(await Promise.all(range(1, 50).map(dial))));
    const first = (await sender.say(channel.id, 'before')).seq;
    let ended = false;
    const talking = (async () => {
      // Each is heard a thousand times in this process, which has to have time to come back too.
      for (; !ended; await delay(100)) await sender.say(channel.id, 'meanwhile');
    })();
    const stopping = Date.now();
    const exit = await leaving.stop();
    expect(exit).to.include({ code: 0 });
    expect(exit.ms).to.be.below(10_000);
    const moved = clients.filter(({ told }) => told.length > 0);
    expect(moved.length).to.be.within(count * 0.4, count * 0.6);
    await until(() => moved.every(({ back }) => back.length === 2), { timeout: 80_000, message: 'not all came back' });
    ended = true;
    await talking;
    const last = (await sender.say(channel.id, 'after')).seq;

    await Promise.all(clients.map(({ follower }) => follower.reach(channel.id, last, 30_000)));
    for (const { follower } of clients) {
      const seen = follower.seen(channel.id);
      expect(seen.slice(seen.indexOf(first))).to.deep.equal(range(first, last));
    }
    for (const { follower } of moved) expect(follower.connections).to.deep.equal([false, true]);
    const told = moved.map(({ told: [ms] }) => ms ?? 0);
    expect(Math.max(...told)).to.be.within(1000, 1000 + moved.length * 5);
    expect(Math.min(...fifths(told)), `told: ${fifths(told)}`).to.be.above(moved.length / 10);
    // As spread as they were told to be: none is sent away before its time.
    for (const {
      told: [ms = 0],
      back: [, at = 0],
    } of moved)
      expect(at - stopping).to.be.at.least(ms);
    expect([...leaving.failures, ...staying.failures]).to.deep.equal([]);
  });
});

/** How many of some times are in each fifth of the time from the first to the last. */
function fifths(times: number[]): number[] {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const of = (ms: number) => Math.min(Math.floor(((ms - first) * 5) / (last - first)), 4);
  return range(0, 4).map((fifth) => times.filter((ms) => of(ms) === fifth).length);
}
