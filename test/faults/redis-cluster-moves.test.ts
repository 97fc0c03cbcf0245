// nodes: own
// long

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Cluster as RedisCluster } from 'ioredis';
import { createLog } from '../../src/infrastructure/log.ts';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { type RedisClient, redisClient } from '../../src/infrastructure/redis-clients.ts';
import { startRedisCluster, type TestRedisCluster } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { range } from '../world/follower.ts';

/** Where orders between nodes go. */
const controlChannel = 'parley:control';

describe('a node that listens to a Redis Cluster', () => {
  let redis: TestRedisCluster;
  const clients: RedisClient[] = [];

  before(async () => {
    redis = await startRedisCluster();
  });
  after(async () => {
    for (const client of clients) client.disconnect();
    await redis.stop();
  });

  function client(): RedisClient {
    const made = redisClient({ url: redis.url, cluster: true }, 'wait');
    made.on('error', () => {});
    clients.push(made);
    return made;
  }

  it('hears what has moved to another server, without being told that it did', async () => {
    const ear = client();
    await ear.ssubscribe('a room');
    const listening = async () => (await redis.listeners('a room')) === 1;
    await until(listening);
    await redis.moveSlot('a room');
    await until(listening, { message: 'it listens where nothing is said any more' });
  });

  it('hears again what it listens to when its connections have died without a word', async () => {
    const node = new RedisConnections({ url: redis.url, cluster: true, prefix: 'test' }, createLog('silent'));
    const heard = new Set<string>();
    const hear = (channel: string) => heard.add(channel);
    node.onMessage(hear);
    node.subscriber.on('message', hear);
    // Some of each server.
    const rooms = range(1, 12).map((i) => `room ${i}`);
    for (const room of rooms) await node.subscribe(room);
    await node.subscriber.subscribe('what concerns all');
    const allHear = async (speaker: RedisClient) => {
      await Promise.all([...rooms.map((room) => speaker.spublish(room, '')), speaker.publish('what concerns all', '')]);
      return rooms.every((room) => heard.has(room)) && heard.has('what concerns all');
    };
    const before = client();
    await until(() => allHear(before));
    redis.silence();
    heard.clear();
    const after = client();
    await until(() => allHear(after), { timeout: 40_000, message: `of ${rooms.length} it hears only some again` });
    await node.close();
  });

  it('looks for where its channels are no longer once it is closed, though it was just looking', async () => {
    const closed = client();
    if (!(closed instanceof RedisCluster)) throw new Error('no cluster');
    await until(() => closed.status === 'ready');
    const ended = once(closed, 'end');
    // In the middle of the first look that it takes by itself.
    closed.once('refresh', () => closed.disconnect());
    await ended;
    let looks = 0;
    closed.refreshSlotsCache = () => void looks++;
    // It looks every 2 s.
    await delay(3000);
    expect(looks).to.equal(0);
  });

  it('lives on when all that it listens to at one server moves, and hears it at another', async () => {
    const [ear, mouth] = [client(), client()];
    // So many that they are not told at once that they have moved.
    const channels = range(1, 40_000).map((i) => `{${controlChannel}}:${i}`);
    while (channels.length > 0) await ear.ssubscribe(...channels.splice(-500));
    const heard: string[] = [];
    ear.on('smessage', (channel: string) => heard.push(channel));
    ear.on('nodeError', () => ear instanceof RedisCluster && ear.refreshSlotsCache());
    await redis.moveAllSlots(controlChannel);
    await until(
      async () => {
        await mouth.spublish(`{${controlChannel}}:1`, 'still there?').catch(() => 0);
        return heard.length > 0;
      },
      { timeout: 60_000, message: 'it hears nothing any more' },
    );
  });
});
