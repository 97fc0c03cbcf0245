// nodes: own

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { itLong } from '../rig/long.ts';
import { startRedis } from '../rig/redis.ts';
import { startReplicas, startSentinels } from '../rig/redis-replicas.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import type { Listener, Loose } from '../world/person.ts';

/** From when a primary can be reached until all goes on with it. */
const promisedMs = 5000;

/** Two nodes whose Redis is replaced by another one while their connections to it stay open. */
describe('a failover of Redis', () => {
  const closing: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function open(env: Record<string, string>): Promise<Installation> {
    const site = await install({ nodes: 2, env: { RATE_LIMITS: 'on', ...env } });
    closing.push(() => site.stop());
    await until(async () => (await readiness(site)).every(({ ok }) => ok), { message: 'not ready' });
    return site;
  }

  async function readiness(site: Installation): Promise<Loose[]> {
    return Promise.all(site.nodes.map(async (node) => (await fetch(`${node.url}/readyz`)).json()));
  }

  /**
   * Each of the two people, on two nodes, hears the other in all ways that Redis carries.
   * @param timeout in ms; undefined: nothing is promised, since nothing has failed yet
   */
  async function becomesWhole(site: Installation, ears: Listener[], timeout?: number): Promise<void> {
    const { alice, bob, channel } = site.here;
    const heard = ears.map(({ received }) => received.length);
    const isTold = (index: number, event: string, fits: (data: Loose) => boolean) =>
      ears[index]?.received.slice(heard[index]).some((one) => one.event === event && fits(one.data));
    const people = [alice, bob];
    let round = 0;
    await until(
      async () => {
        const status = ++round % 2 ? 'dnd' : 'idle';
        for (const ear of ears) {
          ear.socket.emit('message:typing', { channelId: channel.id, typing: true });
          ear.socket.emit('presence:update', { status });
        }
        await new Promise((resolve) => setTimeout(resolve, 400));
        const isReady = (await readiness(site)).every(({ ok }) => ok);
        const areHeard = people.every(({ id }, index) => {
          const of = 1 - index;
          const isSeen = ({ userId, status }: Loose) => userId === id && status !== 'online';
          return (
            isTold(of, 'message:typing', ({ userId }) => userId === id) &&
            isTold(of, 'presence:change', ({ changes }) => changes.some(isSeen))
          );
        });
        return isReady && areHeard;
      },
      { timeout, message: 'not whole' },
    );
  }

  /** Limits are counted there, and not by each node alone. */
  async function isCountedAt(port: number, site: Installation, password?: string): Promise<void> {
    const client = new Redis(port, '127.0.0.1', password ? { password } : {});
    closing.push(() => client.disconnect());
    await client.del(...(await client.keys('parley:limit:*')), 'none');
    // The first few of a limit are counted by each node alone.
    const isCounted = async () => {
      await site.here.alice.say(site.here.channel.id, 'counted');
      return (await client.keys('parley:limit:*')).length > 0;
    };
    await until(isCounted, { message: 'not counted' });
  }

  const ears = async (site: Installation) => {
    const { alice, bob, channel } = site.here;
    return [await alice.listen(channel.id), await bob.listen(channel.id)];
  };

  it('to a replica: nodes say so, and leave the old primary with all connections', async () => {
    const redis = await startReplicas();
    const wire = await startProxy(redis.ports[0]);
    closing.push(
      () => redis.stop(),
      () => wire.stop(),
    );
    const site = await open({ REDIS_URL: `redis://:secret@127.0.0.1:${wire.port}` });
    const both = await ears(site);
    await becomesWhole(site, both);
    await redis.failOver();
    const saySo = async () =>
      (await readiness(site)).every(({ problems }) => problems?.[0] === 'Redis takes no writes.');
    await until(saySo, { message: 'nodes do not say so' });
    wire.moveTo(redis.ports[1]);
    await becomesWhole(site, both, promisedMs);
    await isCountedAt(redis.ports[1], site, 'secret');
    for (const node of site.nodes) expect(node.failures).to.deep.equal([]);
  });

  it('to another server, while the old primary goes on, isolated, taking writes and passing messages on', async () => {
    const [old, other] = [await startRedis(), await startRedis()];
    const wire = await startProxy(old.port);
    closing.push(
      () => old.stop(),
      () => other.stop(),
      () => wire.stop(),
    );
    const site = await open({ REDIS_URL: `redis://127.0.0.1:${wire.port}` });
    const both = await ears(site);
    wire.moveTo(other.port);
    const count = async (port: number) => {
      const client = new Redis(port, '127.0.0.1');
      const list = String(await client.call('CLIENT', 'LIST'));
      client.disconnect();
      return list.split('\n').filter((line) => line.includes('sub=') && !/ sub=0 psub=0 /.test(line)).length;
    };
    await until(async () => (await count(old.port)) === 0 && (await count(other.port)) === 4, {
      timeout: promisedMs,
      message: 'nodes stay with the old one',
    });
    await becomesWhole(site, both, promisedMs);
    await isCountedAt(other.port, site);
  });

  itLong('found by Sentinels, when the primary dies', async () => {
    const redis = await startReplicas();
    const sentinels = await startSentinels(redis.ports[0]);
    closing.push(
      () => redis.stop(),
      () => sentinels.stop(),
    );
    const site = await open({
      REDIS_SENTINELS: sentinels.hosts.join(','),
      REDIS_SENTINEL_PASSWORD: 'told',
      REDIS_URL: 'redis://:secret@mymaster',
    });
    const both = await ears(site);
    await becomesWhole(site, both);
    await redis.kill(0);
    await until(async () => (await readiness(site)).every(({ ok }) => !ok), { message: 'not noticed' });
    await until(() => redis.isReplaced(), { timeout: 30_000, message: 'no failover' });
    await becomesWhole(site, both, promisedMs);
    await isCountedAt(redis.ports[1], site, 'secret');
    for (const node of site.nodes) expect(node.failures).to.deep.equal([]);
  });
});
