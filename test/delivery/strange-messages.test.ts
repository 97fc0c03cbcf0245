// nodes: own

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { sharedRedis } from '../rig/redis.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

/** Failures that nobody handled: a node would log each as an error. */
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

describe('messages on Redis that no node of this version has sent', () => {
  let cluster: Cluster;
  let here: World;
  let stranger: Redis;
  before(async () => {
    process.on('unhandledRejection', note);
    stranger = new Redis(await sharedRedis());
    cluster = await startCluster({ nodes: 2, redisUrl: await sharedRedis() });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    process.off('unhandledRejection', note);
    stranger.disconnect();
  });

  it('end no node, and keep nothing from those who listen', async () => {
    const { alice, bob, channel } = here;
    const followers = cluster.nodes.map(({ url }) => new Follower({ url, token: bob.token }));
    for (const follower of followers) {
      await follower.connected(1);
      await follower.join(channel.id);
    }
    const { seq } = await alice.say(channel.id, 'before');
    const room = `parley:room:channel:${channel.id}`;
    const texts = [
      '',
      'x',
      '{',
      'null',
      '{"id":"x-1","from":"x","message":null}',
      '{"id":"x"}',
      'now\nx',
      'x\nx y z 1\n',
      'x\n1 message:new - 25',
    ];
    // What comes under a number that was given out is compared with what was.
    texts.push(`x\n${seq} message:new - 3\n{}}`);
    for (const name of ['parley:control', 'parley:presence', 'parley:socket.io#/#', room]) {
      for (const text of texts) await stranger.publish(name, text);
    }
    const last = (await alice.say(channel.id, 'after')).seq;
    for (const follower of followers) {
      await follower.reach(channel.id, last);
      expect(follower.seen(channel.id)).to.deep.equal(range(seq, last));
      follower.close();
    }
    expect(unhandled).to.deep.equal([]);
  });
});
