// nodes: own

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

describe('presence while Redis answers and takes no writes', () => {
  let redis: TestRedis;
  let cluster: Cluster;
  let operator: Redis;
  let here: World;
  before(async () => {
    redis = await startRedis();
    operator = new Redis(redis.url);
    const presence = { graceMs: 120_000 };
    cluster = await startCluster({ nodes: 1, redisUrl: redis.url, settings: { presence } });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    operator.disconnect();
    await redis.stop();
  });

  /** Waits until what the node has to say has been refused once more. */
  async function refused(): Promise<void> {
    const times = async () =>
      Number(/errorstat_READONLY:count=(\d+)/.exec(await operator.info('errorstats'))?.[1] ?? 0);
    const before = await times();
    // The next one may have been on its way before.
    await until(async () => (await times()) >= before + 2);
  }

  it('knows of those who came then, and were away for a moment before it could be said', async () => {
    const { alice, bob, server } = here;
    const statusOfBob = async () => {
      const { body } = await alice.get(`/api/servers/${server.id}/members`);
      return body.find(({ userId }: { userId: string }) => userId === bob.id).user.status;
    };
    // As one that was the primary before a failover.
    await operator.call('REPLICAOF', '127.0.0.1', '1');
    const first = await bob.connect();
    await refused();
    first.close();
    await refused();
    await bob.connect();
    await operator.call('REPLICAOF', 'NO', 'ONE');
    await until(async () => (await statusOfBob()) === 'online');
    expect(await statusOfBob()).to.equal('online');
  });
});
