// nodes: one and two

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('a client that joins its rooms on each connect, whether it is recovered or not', () => {
  let here: World;
  let wire: TcpProxy;
  let follower: Follower | undefined;

  before(async () => {
    here = await world();
    wire = await startProxy(here.bob.node.port);
  });
  afterEach(() => follower?.close());
  after(async () => {
    here.close();
    await wire.stop();
  });

  async function sayMany(channelId: string, count: number): Promise<number> {
    const said = await Promise.all(range(1, count).map((i) => here.alice.say(channelId, `${i}`)));
    return Math.max(...said.map(({ seq }) => seq));
  }

  /** Bob's client, in the channel; from here on it joins when it is connected, and does nothing else. */
  async function follow(channelId: string, resume: () => object): Promise<[Follower, number]> {
    const url = `http://127.0.0.1:${wire.port}`;
    const pace = { reconnectionDelay: 300, reconnectionDelayMax: 300, randomizationFactor: 0 };
    const made = new Follower({ url, token: here.bob.token }, pace);
    follower = made;
    made.socket.auth = (give) => give({ token: here.bob.token, ...resume() });
    // Before it is said to be ready, a connection that is lost has nothing to come back to.
    await new Promise((resolve) => made.socket.once('ready', resolve));
    const { seq } = await made.join(channelId);
    made.socket.on('connect', () => made.socket.emit('channel:join', { channelId }));
    return [made, seq];
  }

  for (const [count, words] of [
    [20, 'what it missed'],
    [700, 'more than is sent at once'],
  ] as const) {
    it(`gets ${words} when it is recovered, once and in order, and what follows`, async () => {
      const channelId = await here.newChannel();
      const [client, from] = await follow(channelId, () => ({}));
      await sayMany(channelId, 1);
      await client.reach(channelId, from + 1);
      wire.cut();
      const missed = await sayMany(channelId, count);
      expect(await client.connected(2)).to.equal(true);
      await client.reach(channelId, missed);
      const last = await sayMany(channelId, 5);
      await client.reach(channelId, last);
      expect(client.seen(channelId)).to.deep.equal(range(from + 1, last));
    });
  }

  it('gets nothing again when it is recovered, though it names a position from long before', async () => {
    const channelId = await here.newChannel();
    const [client, from] = await follow(channelId, () => ({ resume: { [channelId]: 0 } }));
    await client.reach(channelId, await sayMany(channelId, 700));
    wire.cut();
    const missed = await sayMany(channelId, 5);
    expect(await client.connected(2)).to.equal(true);
    await client.reach(channelId, missed);
    // What comes of a join comes behind all that is sent again.
    await client.join(channelId);
    expect(client.seen(channelId)).to.deep.equal(range(from + 1, missed));
  });

  it('gets what it missed since the position that it comes with, too', async () => {
    const channelId = await here.newChannel();
    let position = 0;
    const [client, from] = await follow(channelId, () => ({ resume: { [channelId]: position } }));
    position = from;
    // It forgets its connection, as a program does that is started again.
    wire.refuse(true);
    client.close();
    const missed = await sayMany(channelId, 700);
    wire.refuse(false);
    client.socket.connect();
    await client.reach(channelId, missed);
    const last = await sayMany(channelId, 5);
    await client.reach(channelId, last);
    expect(client.seen(channelId)).to.deep.equal(range(from + 1, last));
  });
});

describe('a client that joins with its position while it is being brought back', () => {
  let cluster: Cluster;
  let here: World;
  let wire: TcpProxy;
  /** From Bob's node to the database. */
  let line: TcpProxy;
  const lines: TcpProxy[] = [];
  let follower: Follower | undefined;

  before(async () => {
    cluster = await startCluster({
      nodes: 2,
      // So that what was missed has to be read from the database.
      settings: { delivery: { tailEvents: 10 } },
      async lineTo(databaseUrl) {
        const url = new URL(databaseUrl);
        line = await startProxy(Number(url.port));
        lines.push(line);
        url.port = String(line.port);
        return url.href;
      },
    });
    here = await world(cluster);
    wire = await startProxy(here.bob.node.port);
  });
  afterEach(() => {
    follower?.close();
    wire.refuse(false);
    thaw();
  });
  after(async () => {
    here.close();
    await wire.stop();
    await cluster.stop();
    for (const each of lines) await each.stop();
  });

  async function sayMany(channelId: string, count: number): Promise<number> {
    const said = await Promise.all(range(1, count).map((i) => here.alice.say(channelId, `${i}`)));
    return Math.max(...said.map(({ seq }) => seq));
  }

  function connect(auth: object = {}): Follower {
    follower = new Follower({ url: `http://127.0.0.1:${wire.port}`, token: here.bob.token }, { auth });
    return follower;
  }

  /** A private channel with Alice and Bob. */
  async function hiddenChannel(): Promise<string> {
    const { alice, bob, server } = here;
    const { id } = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    await alice.post(`/api/channels/${id}/members`, { userId: bob.id });
    return id;
  }

  /** From the moment in which the client is connected the database does not answer the node any more. */
  function frozen({ socket }: Follower): Promise<void> {
    // What the node asks right after that is still on its way then.
    line.jitter(200, 200);
    return new Promise((resolve) => {
      socket.once('connect', () => {
        line.hold();
        resolve();
      });
    });
  }

  function thaw(): void {
    line.jitter(0, 0);
    line.release();
  }

  /** What was sent before has reached the node. */
  const heard = ({ socket }: Follower) => socket.emitWithAck('no such event');

  /** Bob's client, cut off from a channel of which it has one event. */
  async function cutOff(channelId: string): Promise<[Follower, number]> {
    const client = connect();
    await new Promise((resolve) => client.socket.once('ready', resolve));
    await client.join(channelId);
    const seq = await sayMany(channelId, 1);
    await client.reach(channelId, seq);
    wire.refuse(true);
    wire.cut();
    return [client, seq];
  }

  it('gets what it missed once, by the answer, if that has not begun', async () => {
    const channelId = await here.newChannel();
    const [client, from] = await cutOff(channelId);
    const missed = await sayMany(channelId, 20);
    const connected = frozen(client);
    wire.refuse(false);
    await connected;
    const joined = client.join(channelId, from);
    await heard(client);
    thaw();
    expect(await joined).to.include({ seq: missed, hasMore: false });
    const last = await sayMany(channelId, 5);
    await client.reach(channelId, last);
    expect(client.connections).to.deep.equal([false, true]);
    expect(client.seen(channelId)).to.deep.equal(range(from, last));
  });

  it('gets what it missed first, though the answer to its join was lost with the connection', async () => {
    const channelId = await here.newChannel();
    const client = connect();
    await new Promise((resolve) => client.socket.once('ready', resolve));
    const from = await sayMany(channelId, 1);
    await sayMany(channelId, 5);
    line.hold();
    const lost = client.join(channelId, from).catch(() => {});
    await heard(client);
    wire.hold();
    thaw();
    // Long enough for the answer; if it is later, it is asked for again all the same.
    await delay(500);
    await sayMany(channelId, 5);
    wire.refuse(true);
    wire.cut();
    wire.release();
    await lost;
    const joined = new Promise((resolve) => client.socket.once('connect', () => resolve(client.join(channelId, from))));
    wire.refuse(false);
    await joined;
    const last = await sayMany(channelId, 5);
    await client.reach(channelId, last);
    expect(client.seen(channelId)).to.deep.equal(range(from + 1, last));
  });

  it('is answered when it is back, if that has begun', async () => {
    const channelId = await here.newChannel();
    const [client, from] = await cutOff(channelId);
    const missed = await sayMany(channelId, 700);
    const hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
    try {
      await hand.query('BEGIN; LOCK TABLE log_entries IN ACCESS EXCLUSIVE MODE');
      wire.refuse(false);
      // Else what it sends would wait for the connection, and others may wait for the log too.
      await client.connected(2);
      const heldUp = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%log_entries%'`;
      await until(() => withRows(cluster.databaseUrl, async (rows) => (await rows(heldUp)).length > 0));
      const seen = client.socket
        .emitWithAck('channel:join', { channelId, after: from })
        .then(() => [...client.seen(channelId)]);
      await heard(client);
      await hand.query('COMMIT');
      expect(await seen).to.deep.equal(range(from, missed));
    } finally {
      await hand.end();
    }
  });

  it('is given nothing that was said since it was put out, which it was while it waited', async () => {
    const { alice, bob } = here;
    const id = await hiddenChannel();
    const client = connect();
    await client.join(id);
    const from = await sayMany(id, 1);
    await client.reach(id, from);
    client.close();
    const words: string[] = [];
    client.socket.on('message:new', ({ content }) => words.push(content));
    client.socket.auth = { token: bob.token, resume: { [id]: from } };
    const connected = frozen(client);
    client.socket.connect();
    await connected;
    const joined = client.socket.emitWithAck('channel:join', { channelId: id, after: from });
    await heard(client);
    expect((await alice.delete(`/api/channels/${id}/members/${bob.id}`)).status).to.equal(200);
    await alice.say(id, 'without bob');
    thaw();
    expect(await joined).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
    expect(words).to.deep.equal([]);
  });

  it('is given nothing that was said since it was put out, though it was let in by an answer from before', async () => {
    const { alice, bob } = here;
    const id = await hiddenChannel();
    const client = connect();
    await new Promise((resolve) => client.socket.once('ready', resolve));
    const words: string[] = [];
    client.socket.on('message:new', ({ content }) => words.push(content));
    const hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
    await hand.query('BEGIN; LOCK TABLE channels IN ACCESS EXCLUSIVE MODE');
    const joined = client.socket.emitWithAck('channel:join', { channelId: id, after: 0 });
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await query(cluster.databaseUrl, waiting)).length > 0);
    // PostgreSQL lets him in, and the node does not know it yet.
    line.hold();
    await hand.query('COMMIT');
    await hand.end();
    await until(async () => (await query(cluster.databaseUrl, waiting)).length === 0);
    expect((await alice.delete(`/api/channels/${id}/members/${bob.id}`)).status).to.equal(200);
    await alice.say(id, 'without bob');
    thaw();
    expect(await joined).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
    expect(words).to.deep.equal([]);
  });

  it('hears by `resumed` that the log does not have what it missed, though its join was told so as well', async () => {
    const channelId = await here.newChannel();
    const head = await sayMany(channelId, 3);
    const after = head + 1000;
    const client = connect({ resume: { [channelId]: after } });
    const resumed = new Promise<Loose>((resolve) => client.socket.once('resumed', resolve));
    await frozen(client);
    const joined = client.join(channelId, after);
    await heard(client);
    thaw();
    expect(await joined).to.include({ recovered: false });
    expect((await resumed).channels[channelId]).to.deep.equal({ seq: head, recovered: false, hasMore: false });
  });
});
