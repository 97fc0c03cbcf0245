import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { channelRoom } from '../../src/contract/rooms.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
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

describe('a room in which nobody is', () => {
  it('is not let go of while a bot or a long poll waits in it', async () => {
    const cluster = await startCluster({ settings: { delivery: { idleStreamMs } } });
    const here = await world(cluster);
    const { alice, bob, newChannel, server } = here;
    const robot = await botIn(server, bob);
    const [ofBot, ofPoll, empty] = [await newChannel('bot'), await newChannel('poll'), await newChannel('empty')];
    await alice.post(`/api/channels/${ofBot}/members`, { userId: robot.id });
    const follower = new Follower({ url: bob.node.url, token: robot.token });
    await follower.connected(1);
    await follower.join(ofBot);
    const polled = bob.get(`/api/channels/${ofPoll}/events?wait=20`);
    const streamOf = (channelId: string) => bob.node.delivery.peek(channelRoom(channelId));
    await until(() => streamOf(ofPoll)?.isWaitedFor);
    await bob.get(`/api/channels/${empty}/events`);
    await until(() => !streamOf(empty), { message: 'the empty one is not let go of' });
    const [heard] = await Promise.all([ofBot, ofPoll].map((channelId) => alice.say(channelId, 'hello')));
    await follower.reach(ofBot, heard.seq);
    expect((await polled).body.events).to.have.length(1);
    follower.close();
    here.close();
    await cluster.stop();
  });
});
