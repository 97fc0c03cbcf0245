// nodes: own

import { expect } from 'chai';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** So seldom that something is said between two looks at the log. */
const sweepMs = 2000;

describe('a PostgreSQL that comes back without its last commits', () => {
  let cluster: Cluster;
  let here: World;
  const followers: Follower[] = [];
  before(async () => {
    cluster = await startCluster({ nodes: 2, redisUrl: await sharedRedis(), settings: { delivery: { sweepMs } } });
    here = await world(cluster);
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.close();
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  /** Takes back the last events of a room, as a standby that never got them has it. */
  const lose = (channelId: string, count: number) =>
    withRows(cluster.databaseUrl, async (rows) => {
      const [head] = await rows<{ last_seq: string }>(
        'UPDATE streams SET last_seq = last_seq - $2 WHERE id = $1 RETURNING last_seq',
        [channelId, count],
      );
      await rows('DELETE FROM messages WHERE channel_id = $1 AND seq > $2', [channelId, head?.last_seq]);
      await rows('DELETE FROM log_entries WHERE stream_id = $1 AND seq > $2', [channelId, head?.last_seq]);
    });

  /** Someone in the room at each node. */
  async function ears(channelId: string): Promise<Follower[]> {
    for (const node of cluster.nodes) followers.push(new Follower({ url: node.url, token: here.bob.token }));
    for (const follower of followers) {
      await follower.connected(1);
      await follower.join(channelId);
    }
    return followers;
  }

  /** Everyone is told to begin anew, and hears what is said from then on. */
  async function expectAnew(channelId: string, position: number): Promise<void> {
    for (const follower of followers) {
      expect(await follower.connected(2)).to.equal(false);
      const ack = await follower.join(channelId, position);
      expect(ack).to.include({ recovered: false });
      expect(ack.seq).to.be.greaterThan(position);
    }
    const { seq } = await here.alice.say(channelId, 'and on');
    for (const follower of followers) await follower.reach(channelId, seq);
  }

  it('has those in a room begin anew, since the next events get numbers that they know', async () => {
    const channelId = await here.newChannel();
    await ears(channelId);
    for (const i of range(1, 5)) await here.alice.say(channelId, `hello ${i}`);
    for (const follower of followers) await follower.reach(channelId, 5);
    await lose(channelId, 2);
    await expectAnew(channelId, 5);
    expect((await here.bob.get(`/api/channels/${channelId}/messages`)).body.messages).to.have.lengthOf(4);
  });

  it('tells bots and long polls, too', async () => {
    const { alice, bob, server } = here;
    const robot = await botIn(server, alice);
    const channelId = await here.newChannel();
    await alice.post(`/api/channels/${channelId}/members`, { userId: robot.id });
    const { seq } = await alice.say(channelId, 'hello');
    followers.push(new Follower({ url: bob.node.url, token: robot.token }));
    await followers[0]?.connected(1);
    await followers[0]?.join(channelId);
    const poll = bob.get(`/api/channels/${channelId}/events?after=${seq}&wait=20`);
    await until(() => cluster.nodes.some((node) => node.delivery.peek(`channel:${channelId}`)?.isWaitedFor));
    await lose(channelId, 1);
    expect((await poll).body).to.include({ recovered: false });
    await expectAnew(channelId, seq);
  });

  it('does so too where as much was said again before anyone looked', async () => {
    const channelId = await here.newChannel();
    await ears(channelId);
    for (const i of range(1, 5)) await here.alice.say(channelId, `hello ${i}`);
    for (const follower of followers) await follower.reach(channelId, 5);
    await lose(channelId, 2);
    for (const i of range(1, 4)) await here.alice.say(channelId, `again ${i}`);
    await expectAnew(channelId, 7);
    expect((await here.bob.get(`/api/channels/${channelId}/messages`)).body.messages).to.have.lengthOf(8);
  });

  it('does so too where one thing was said in the place of the only one that was lost', async () => {
    const channelId = await here.newChannel();
    await ears(channelId);
    for (const i of range(1, 5)) await here.alice.say(channelId, `hello ${i}`);
    for (const follower of followers) await follower.reach(channelId, 5);
    await lose(channelId, 1);
    await here.alice.say(channelId, 'instead');
    await expectAnew(channelId, 5);
  });
});
