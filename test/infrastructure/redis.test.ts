import { once } from 'node:events';
import { expect } from 'chai';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { sharedRedis } from '../bench/redis.ts';
import { keptLog } from '../world/kept-log.ts';

describe('the connections to Redis', () => {
  it('are closed without a word: a node that ends has not lost its Redis', async () => {
    const { log, messages } = keptLog();
    const redis = new RedisConnections({ url: await sharedRedis(), cluster: false }, log);
    expect(await redis.waitUntilHealthy(10_000)).to.equal(true);
    const ended = [redis.commands, redis.subscriber].map((client) => once(client, 'end'));
    await redis.close();
    await Promise.all(ended);
    expect(messages).to.deep.equal(['Redis is reachable.']);
  });
});
