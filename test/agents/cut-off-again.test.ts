// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { Follower } from '../world/follower.ts';
import { sweepAnew } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** The last event of a room once more, of which a node hears by the log. */
const sayAgain = `WITH moved AS (UPDATE streams SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq - 1 AS head)
  INSERT INTO log_entries (stream_id, seq, event, thread_id, data)
  SELECT stream_id, head + 1, event, thread_id, (data::jsonb || jsonb_build_object('seq', head + 1, 'eventSeq', head + 1))::json
  FROM log_entries JOIN moved ON seq = head WHERE stream_id = $1`;

const cutHeldUp = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%threads%'`;

const heldUp = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%threads%'`;
/** Not by the connection with the lock: in a transaction what others do is shown as it was at the first look. */
const isHeldUp = ({ databaseUrl }: Cluster) => withRows(databaseUrl, async (rows) => (await rows(heldUp)).length > 0);

const trim = [
  'UPDATE streams SET floor_seq = last_seq - 1 WHERE id = $1',
  'DELETE FROM log_entries USING streams WHERE stream_id = streams.id AND stream_id = $1 AND seq <= floor_seq',
];

describe('a bot, of which is looked up what it may hear,', () => {
  let cluster: Cluster;
  let here: World;
  let robot: Bot;
  let hand: pg.Client;
  let follower: Follower | undefined;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    const { alice, server, channel } = here;
    robot = await botIn(server, alice);
    await alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'mentionOnly' });
    hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
  });
  afterEach(() => follower?.close());
  after(async () => {
    await hand.end();
    here.close();
    await cluster.stop();
  });

  it('misses nothing when it was cut off again while that was looked up for what it missed', async () => {
    const { alice, channel } = here;
    const parentMessageId = (await alice.say(channel.id, 'root')).id;
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, { name: 'thread', parentMessageId })).body;
    const client = new Follower({ url: robot.node.url, token: robot.token }, { reconnection: false });
    follower = client;
    const heard: string[] = [];
    client.socket.on('message:new', ({ id }) => heard.push(id));
    let resumed = 0;
    client.socket.on('resumed', () => resumed++);
    await new Promise((resolve) => client.socket.once('ready', resolve));
    const { seq } = await client.join(channel.id);
    client.socket.auth = { token: robot.token, resume: { [channel.id]: seq } };
    client.socket.io.engine.close();
    const { id } = await alice.say(channel.id, `@${robot.username}, are you there?`);
    await alice.say(channel.id, 'whether it takes part in the thread has to be looked up', { threadId: thread.id });
    await hand.query('BEGIN; LOCK TABLE threads IN ACCESS EXCLUSIVE MODE');
    client.socket.connect();
    expect(await client.connected(2)).to.equal(true);
    await until(() => isHeldUp(cluster));
    client.socket.io.engine.close();
    // By then the node has heard of that, too.
    await fetch(`${robot.node.url}/healthz`);
    client.socket.connect();
    expect(await client.connected(3)).to.equal(true);
    await hand.query('COMMIT');
    await until(() => heard.length > 0);
    const { id: last } = await alice.say(channel.id, `@${robot.username}, at last`);
    await until(() => heard.includes(last));
    expect(heard).to.deep.equal([id, last]);
    // The second connection ended before it was through.
    expect(resumed).to.equal(1);
  });

  it('misses nothing that was under way to it when it was cut off', async () => {
    const { alice, channel } = here;
    const wire = await startProxy(robot.node.port);
    const client = new Follower({ url: `http://127.0.0.1:${wire.port}`, token: robot.token });
    follower = client;
    const heard: string[] = [];
    client.socket.on('message:new', ({ id }) => heard.push(id));
    await new Promise((resolve) => client.socket.once('ready', resolve));
    await client.join(channel.id);
    const say = async (content: string) => (await alice.say(channel.id, `@${robot.username}, ${content}`)).id;
    const first = await say('one');
    await until(() => heard.includes(first));
    wire.hold();
    const missed = [await say('two'), await say('three')];
    wire.cut();
    wire.release();
    expect(await client.connected(2)).to.equal(true);
    const last = await say('four');
    await until(() => heard.includes(last));
    expect(heard).to.deep.equal([first, ...missed, last]);
    client.close();
    await wire.stop();
  });

  for (const [words, ends] of [
    ['as soon as that is known', async () => {}],
    ['also where that could not be looked up at first', () => query(cluster.databaseUrl, cutHeldUp)],
  ] as const) {
    it(`hears what was said while that was looked up for something else, ${words}`, async () => {
      const { alice, newChannel } = here;
      const id = await newChannel();
      await alice.post(`/api/channels/${id}/members`, { userId: robot.id });
      await alice.put(`/api/channels/${id}/agents/${robot.agentId}/policy`, { mode: 'mentionOnly' });
      const parentMessageId = (await alice.say(id, 'root')).id;
      const thread = (await alice.post(`/api/channels/${id}/threads`, { name: 'thread', parentMessageId })).body;
      await alice.say(id, 'to be said again', { threadId: thread.id });
      follower = new Follower({ url: robot.node.url, token: robot.token });
      const heard: string[] = [];
      follower.socket.on('message:new', (message) => heard.push(message.id));
      await follower.connected(1);
      await follower.join(id);
      await hand.query('BEGIN; LOCK TABLE threads IN ACCESS EXCLUSIVE MODE');
      await query(cluster.databaseUrl, sayAgain, [id]);
      await sweepAnew(robot.node);
      await until(() => isHeldUp(cluster));
      const said = await alice.say(id, `@${robot.username}, are you there?`);
      await ends();
      await hand.query('COMMIT');
      await until(() => heard.includes(said.id));
    });
  }
});

describe('a bot for which the log is read', () => {
  let cluster: Cluster;
  let here: World;
  let hand: pg.Client;
  before(async () => {
    cluster = await startCluster({ nodes: 1, settings: { delivery: { tailEvents: 1 } } });
    here = await world(cluster);
    hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
  });
  after(async () => {
    await hand.end();
    here.close();
    await cluster.stop();
  });

  it('begins anew where it was trimmed meanwhile, instead of missing something without a word', async () => {
    const { alice, server, channel } = here;
    const robot = await botIn(server, alice);
    await alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'mentionOnly' });
    const parentMessageId = (await alice.say(channel.id, 'root')).id;
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, { name: 'thread', parentMessageId })).body;
    await alice.say(channel.id, 'to be said again', { threadId: thread.id });
    const client = new Follower({ url: robot.node.url, token: robot.token });
    try {
      await client.connected(1);
      await client.join(channel.id);
      await hand.query('BEGIN; LOCK TABLE threads IN ACCESS EXCLUSIVE MODE');
      await query(cluster.databaseUrl, sayAgain, [channel.id]);
      await sweepAnew(robot.node);
      await until(() => isHeldUp(cluster));
      await alice.say(channel.id, `@${robot.username}, this is gone before it comes to you`);
      await alice.say(channel.id, 'and this was the last one');
      for (const statement of trim) await query(cluster.databaseUrl, statement, [channel.id]);
      await hand.query('COMMIT');
      expect(await client.connected(2)).to.equal(false);
      const { seq } = await client.join(channel.id);
      await alice.say(channel.id, `@${robot.username}, are you there?`);
      await client.reach(channel.id, seq + 1);
    } finally {
      client.close();
      robot.hangUp();
    }
  });
});
