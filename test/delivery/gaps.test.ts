// nodes: own

import { expect } from 'chai';
import { Follower, range } from '../world/follower.ts';
import { appendCopies } from '../world/log.ts';
import { startCluster } from '../world/nodes.ts';
import { world } from '../world/world.ts';

describe('what is missing before an event that a node is told of', () => {
  it('is read from the log, long before a sweep finds it', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { delivery: { sweepMs: 3_600_000 } } });
    const here = await world(cluster);
    const { alice, bob, channel } = here;
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    try {
      await follower.connected(1);
      await follower.join(channel.id);
      const first = await alice.say(channel.id, 'heard');
      await follower.reach(channel.id, first.seq);
      await appendCopies(cluster.databaseUrl, channel.id, 1);
      const last = await alice.say(channel.id, 'heard, too');
      await follower.reach(channel.id, last.seq);
      expect(follower.seen(channel.id)).to.deep.equal(range(first.seq, first.seq + 2));
    } finally {
      follower.close();
      here.close();
      await cluster.stop();
    }
  });
});
