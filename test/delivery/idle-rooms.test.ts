import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { channelRoom } from '../../src/delivery/entry.ts';
import { Follower } from '../world/follower.ts';
import { startCluster } from '../world/nodes.ts';
import { world } from '../world/world.ts';

const idleStreamMs = 300;

describe('a room that a node lets go of, since nobody is in it', () => {
  it('is heard by those who were on the way into it just then, held up by PostgreSQL', async () => {
    const cluster = await startCluster({ settings: { delivery: { idleStreamMs } } });
    const here = await world(cluster);
    const { alice, bob, channel } = here;
    const hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
    const room = channelRoom(channel.id);
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    await follower.connected(1);
    await bob.get(`/api/channels/${channel.id}/events`);
    expect(bob.node.delivery.peek(room)).to.not.equal(undefined);
    await hand.query('BEGIN; LOCK TABLE streams IN ACCESS EXCLUSIVE MODE');
    const polled = bob.get(`/api/channels/${channel.id}/events?wait=10`);
    const joined = follower.join(channel.id);
    for (let waited = 0; bob.node.delivery.peek(room); waited += 50) {
      expect(waited).to.be.below(20 * idleStreamMs);
      await delay(50);
    }
    await hand.query('COMMIT');
    await hand.end();
    await joined;
    const { seq } = await alice.say(channel.id, 'hello');
    await follower.reach(channel.id, seq);
    expect((await polled).body.events).to.have.length(1);
    follower.close();
    here.close();
    await cluster.stop();
  });
});
