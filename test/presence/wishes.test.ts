// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MemoryPresenceStore } from '../../src/features/presence/memory-store.ts';
import type { PresenceStore } from '../../src/features/presence/presence.store.ts';
import { RedisPresenceStore } from '../../src/features/presence/redis-store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';

describe('the wishes of those who are just coming', () => {
  /** What is told of someone who wished for something between what a node read of it and what that node said. */
  async function toldBy(store: PresenceStore): Promise<string[]> {
    const userId = randomUUID();
    const told: string[] = [];
    store.listen({
      changed: (list) => void told.push(...list.filter((one) => one.userId === userId).map(({ status }) => status)),
      hurried: () => {},
    });
    await store.wish(userId, 'dnd');
    await store.arrive([{ userId, wish: 'online' }]);
    await store.leave([userId]);
    await store.arrive([{ userId, wish: 'online' }]);
    await store.wish(userId, 'idle');
    await until(() => told.at(-1) === 'idle');
    return told;
  }
  const asWished = ['dnd', 'offline', 'dnd', 'idle'];

  it('are newer than what the node had read before, which knew nothing of them', async () => {
    expect(await toldBy(new MemoryPresenceStore())).to.deep.equal(asWished);
  });

  it('are so in Redis, too', async () => {
    const log = createLog('silent');
    const redis = new RedisConnections({ url: await sharedRedis(), cluster: false, prefix: 'parley' }, log);
    try {
      expect(await redis.waitUntilHealthy(10_000)).to.equal(true);
      const store = new RedisPresenceStore(redis, randomUUID(), testSettings('', null).presence, log);
      store.start({ forgotten: () => {}, emptied: () => {}, missed: () => {} });
      await until(async () => (await redis.commands.pubsub('NUMSUB', 'parley:presence'))[1] !== 0);
      await store.renew();
      expect(await toldBy(store)).to.deep.equal(asWished);
      await store.retire();
    } finally {
      redis.close();
    }
  });
});
