import { expect } from 'chai';
import pg from 'pg';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { Follower } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('a bot that is cut off again while it is found out what it may hear of what it missed', () => {
  let cluster: Cluster;
  let here: World;
  let robot: Bot;
  let hand: pg.Client;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    const { alice, server, channel } = here;
    robot = await botIn(server, alice);
    await alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'mentionOnly' });
    hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
  });
  after(async () => {
    await hand.end();
    here.close();
    await cluster.stop();
  });

  const heldUp = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%threads%'`;
  // Not by the connection with the lock: in a transaction what others do is shown as it was at the first look.
  const isHeldUp = () => withRows(cluster.databaseUrl, async (rows) => (await rows(heldUp)).length > 0);

  it('misses nothing when it is back', async () => {
    const { alice, channel } = here;
    const parentMessageId = (await alice.say(channel.id, 'root')).id;
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, { name: 'thread', parentMessageId })).body;
    const follower = new Follower({ url: robot.node.url, token: robot.token }, { reconnection: false });
    const heard: string[] = [];
    follower.socket.on('message:new', ({ id }) => heard.push(id));
    let resumed = 0;
    follower.socket.on('resumed', () => resumed++);
    await new Promise((resolve) => follower.socket.once('ready', resolve));
    const { seq } = await follower.join(channel.id);
    follower.socket.auth = { token: robot.token, resume: { [channel.id]: seq } };
    follower.socket.io.engine.close();
    const { id } = await alice.say(channel.id, `@${robot.username}, are you there?`);
    await alice.say(channel.id, 'whether it takes part in the thread has to be looked up', { threadId: thread.id });
    await hand.query('BEGIN; LOCK TABLE threads IN ACCESS EXCLUSIVE MODE');
    follower.socket.connect();
    expect(await follower.connected(2)).to.equal(true);
    await until(isHeldUp);
    follower.socket.io.engine.close();
    // By then the node has heard of that, too.
    await fetch(`${robot.node.url}/healthz`);
    follower.socket.connect();
    expect(await follower.connected(3)).to.equal(true);
    await hand.query('COMMIT');
    await until(() => heard.length > 0);
    const { id: last } = await alice.say(channel.id, `@${robot.username}, at last`);
    await until(() => heard.includes(last));
    expect(heard).to.deep.equal([id, last]);
    // The second connection ended before it was through.
    expect(resumed).to.equal(1);
    follower.close();
  });
});
