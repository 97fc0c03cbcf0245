// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { type Balancer, startBalancer } from '../rig/balancer.ts';
import { isLong, itLong } from '../rig/long.ts';
import { type FaultyPostgres, startPostgres } from '../rig/postgres.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { trimLogs } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { persist } from '../world/persistent.ts';
import type { Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** More events than a node keeps in memory of a room (512). */
const more = isLong ? 1700 : 700;

/** Two nodes behind a load balancer, with a wire to each that can be spoiled, and one from each to the database. */
interface Site {
  here: World;
  cluster: Cluster;
  wires: [TcpProxy, TcpProxy];
  lines: TcpProxy[];
  door: Balancer;
}

async function open(settings: object = {}): Promise<Site> {
  const lines: TcpProxy[] = [];
  const lineTo = async (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    const line = await startProxy(Number(url.port));
    lines.push(line);
    url.port = String(line.port);
    return url.href;
  };
  const cluster = await startCluster({ nodes: 2, settings, lineTo });
  const [a, b] = cluster.nodes;
  const wires: [TcpProxy, TcpProxy] = [await startProxy(a?.port ?? 0), await startProxy(b?.port ?? 0)];
  const door = await startBalancer(wires.map((wire) => wire.port));
  return { here: await world(cluster), cluster, wires, lines, door };
}

async function close(site: Site): Promise<void> {
  site.here.close();
  await site.door.stop();
  for (const wire of site.wires) await wire.stop();
  await site.cluster.stop();
  for (const line of site.lines) await line.stop();
}

/** From the moment in which a client hears an event the database does not answer a node any more. */
function frozenAt(line: TcpProxy | undefined, { socket }: Follower, event: string): Promise<void> {
  // What the node asks after it has sent the event is on its way until long after the client has heard it.
  line?.jitter(200, 200);
  return new Promise((resolve) => {
    socket.once(event, () => {
      line?.hold();
      resolve();
    });
  });
}

function thaw(lines: TcpProxy[]): void {
  for (const line of lines) {
    line.jitter(0, 0);
    line.release();
  }
}

async function sayAll(person: Person, channelId: string, count: number): Promise<number> {
  let seq = 0;
  const size = 50;
  for (let done = 0; done < count; done += size) {
    const sends = Array.from({ length: Math.min(size, count - done) }, () => person.say(channelId, 'hello'));
    for (const message of await Promise.all(sends)) seq = Math.max(seq, message.seq);
  }
  return seq;
}

/** A table that nobody can read or write while it is taken. */
async function lock(cluster: Cluster, table: string) {
  const client = new pg.Client(cluster.databaseUrl);
  await client.connect();
  const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND $1::text = ANY (
    SELECT c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_stat_activity.pid AND NOT l.granted)`;
  return {
    take: () => client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`),
    end: () => client.query('ROLLBACK'),
    async waiters(count: number): Promise<void> {
      const look = async () => (await query(cluster.databaseUrl, `SELECT pid ${waiting}`, [table])).length >= count;
      await until(look, { message: `nobody waits for ${table}` });
    },
    cutWaiters: () => query(cluster.databaseUrl, `SELECT pg_terminate_backend(pid) ${waiting}`, [table]),
    close: () => client.end(),
  };
}

describe('a stock client that was cut off', () => {
  let site: Site;
  const followers: Follower[] = [];

  before(async () => {
    site = await open({ sockets: { pingIntervalMs: 250, pingTimeoutMs: 20_000 } });
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.close();
    thaw(site.lines);
    for (const wire of site.wires) {
      wire.release();
      wire.refuse(false);
    }
  });
  after(() => close(site));

  /** Bob's client, in the channel, at a node. */
  async function follow(node: number, channelId: string, token = site.here.bob.token): Promise<[Follower, number]> {
    site.door.pin(node);
    const follower = new Follower({ url: site.door.url, token });
    followers.push(follower);
    // Before it is said to be ready, a connection that is lost has nothing to come back to.
    await new Promise((resolve) => follower.socket.once('ready', resolve));
    return [follower, (await follower.join(channelId)).seq];
  }

  /** Has the client come back at a node while things are said, and checks that it misses nothing. */
  async function returns(follower: Follower, from: number, node: number, channelId: string): Promise<void> {
    const times = follower.connections.length + 1;
    site.door.pin(node);
    site.door.cut();
    const last = await sayAll(site.here.alice, channelId, 20);
    expect(await follower.connected(times)).to.equal(true);
    await follower.reach(channelId, last);
    expect(follower.seen(channelId)).to.deep.equal(range(from + 1, last));
  }

  it('goes on at the same node', async () => {
    const { channel } = site.here;
    const [follower, from] = await follow(0, channel.id);
    await returns(follower, from, 0, channel.id);
  });

  it('goes on at the other node', async () => {
    const { channel } = site.here;
    const [follower, from] = await follow(0, channel.id);
    await returns(follower, from, 1, channel.id);
  });

  it('goes on however often it moves', async () => {
    const { channel } = site.here;
    const [follower, from] = await follow(0, channel.id);
    for (const node of [1, 0, 0, 1, 0, 1, 1]) await returns(follower, from, node, channel.id);
  });

  it('goes on at the other node before its own has noticed anything', async () => {
    const { channel, alice } = site.here;
    const [follower, from] = await follow(0, channel.id);
    await sayAll(alice, channel.id, 5);
    site.wires[0].hold();
    const last = await sayAll(alice, channel.id, 20);
    site.door.pin(1);
    site.door.cut();
    expect(await follower.connected(2)).to.equal(true);
    await follower.reach(channel.id, last);
    site.wires[0].release();
    const end = await sayAll(alice, channel.id, 5);
    await follower.reach(channel.id, end);
    expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, end));
  });

  it('gets more than any node keeps in memory', async () => {
    const { alice, channel } = site.here;
    const [follower, from] = await follow(0, channel.id);
    site.wires[1].refuse(true);
    site.door.pin(1);
    site.door.cut();
    const last = await sayAll(alice, channel.id, more);
    site.wires[1].refuse(false);
    expect(await follower.connected(2)).to.equal(true);
    await follower.reach(channel.id, last);
    expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, last));
  });

  it('gets once what two of its connections were about to send it, when it was cut off again meanwhile', async () => {
    const { here, cluster, door, wires } = site;
    const channelId = await here.newChannel();
    const [follower, from] = await follow(0, channelId);
    const log = await lock(cluster, 'log_entries');
    try {
      for (const wire of wires) wire.refuse(true);
      door.cut();
      const last = await sayAll(here.alice, channelId, more);
      await log.take();
      for (const wire of wires) wire.refuse(false);
      expect(await follower.connected(2)).to.equal(true);
      await log.waiters(1);
      door.cut();
      expect(await follower.connected(3)).to.equal(true);
      await log.end();
      await follower.reach(channelId, last);
      expect(follower.seen(channelId)).to.deep.equal(range(from + 1, last));
    } finally {
      await log.close();
    }
  });

  it('is in the channel that it joined before it was ready, though only the node knows of that which was lost silently', async () => {
    const { here, cluster, door, wires } = site;
    const [before, joined] = [await here.newChannel(), await here.newChannel()];
    const [follower] = await follow(0, before);
    await follower.reach(before, await sayAll(here.alice, before, 1));
    const log = await lock(cluster, 'log_entries');
    try {
      for (const wire of wires) wire.refuse(true);
      door.cut();
      // Something in its own room, which has to be read before it is ready.
      await here.carol.post('/api/friends/request', { username: here.bob.username });
      await log.take();
      door.pin(1);
      for (const wire of wires) wire.refuse(false);
      expect(await follower.connected(2)).to.equal(true);
      await log.waiters(1);
      await follower.join(joined);
      wires[1].hold();
      door.pin(0);
      door.cut();
      expect(await follower.connected(3)).to.equal(true);
      await log.end();
      const last = await Promise.all([before, joined].map((id) => sayAll(here.alice, id, 1)));
      await follower.reach(before, last[0] ?? 0);
      await follower.reach(joined, last[1] ?? 0);
    } finally {
      await log.close();
    }
  });

  itLong(
    'gets megabytes over a slow line that breaks again and again, and is not taken for one that does not read',
    async () => {
      const { alice, channel } = site.here;
      const [follower, from] = await follow(0, channel.id);
      for (const wire of site.wires) wire.refuse(true);
      site.door.cut();
      const big = 'x'.repeat(15_000);
      let last = 0;
      for (const part of range(1, 14)) {
        const sends = range(1, 50).map((i) => alice.say(channel.id, `${part} ${i} ${big}`));
        for (const message of await Promise.all(sends)) last = Math.max(last, message.seq);
      }
      const cuts = site.cluster.nodes.map((node) => node.delivery.counters.cutOffs);
      for (const wire of site.wires) {
        wire.jitter(20, 40);
        wire.refuse(false);
      }
      site.door.pin(undefined);
      while (follower.seen(channel.id).at(-1) !== last && follower.connections.length < 30) {
        const { length } = follower.connections;
        await follower.connected(length + (follower.socket.connected ? 0 : 1));
        await new Promise((resolve) => setTimeout(resolve, 60 * length));
        if (follower.seen(channel.id).at(-1) !== last) site.door.cut();
        await until(() => !follower.socket.connected || follower.seen(channel.id).at(-1) === last, {
          message: 'the cut is not noticed',
        });
      }
      for (const wire of site.wires) wire.jitter(0, 0);
      expect(follower.connections.slice(1)).to.not.include(false);
      expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, last));
      expect(site.cluster.nodes.map((node) => node.delivery.counters.cutOffs)).to.deep.equal(cuts);
    },
  );

  it('gets megabytes of many rooms over a line that stalls, and is not taken for one that does not read', async () => {
    const { alice, server } = site.here;
    const made = range(1, 24).map((i) => alice.post(`/api/servers/${server.id}/channels`, { name: `full-${i}` }));
    const ids: string[] = (await Promise.all(made)).map((answer) => answer.body.id);
    const [follower, from] = await follow(0, ids[0] ?? '');
    for (const id of ids.slice(1)) await follower.join(id);
    for (const wire of site.wires) wire.refuse(true);
    site.door.cut();
    const big = 'x'.repeat(15_000);
    const last = new Map<string, number>();
    for (const id of ids) {
      const sends = await Promise.all(range(1, 30).map(() => alice.say(id, big)));
      last.set(id, Math.max(...sends.map((message) => message.seq)));
    }
    const cuts = site.cluster.nodes.map((node) => node.delivery.counters.cutOffs);
    const [wire] = site.wires;
    follower.socket.once('ready', () => {
      wire.hold();
      setTimeout(() => wire.release(), 1500);
    });
    wire.refuse(false);
    expect(await follower.connected(2)).to.equal(true);
    for (const [id, seq] of last) {
      await follower.reach(id, seq);
      expect(follower.seen(id)).to.deep.equal(range(from + 1, seq));
    }
    expect(follower.connections).to.deep.equal([false, true]);
    expect(site.cluster.nodes.map((node) => node.delivery.counters.cutOffs)).to.deep.equal(cuts);
  });

  it('is back in all of its rooms, though it is cut off again on the way', async () => {
    const { alice, server } = site.here;
    const names = range(1, 12).map((i) => `room-${i}`);
    const made = names.map((name) => alice.post(`/api/servers/${server.id}/channels`, { name }));
    const ids: string[] = (await Promise.all(made)).map((answer) => answer.body.id);
    const [follower, from] = await follow(0, ids[0] ?? '');
    for (const id of ids.slice(1)) await follower.join(id);
    for (let round = 0; round < 6; round++) {
      const times = follower.connections.length + 1;
      site.door.pin(round % 2);
      site.door.cut();
      for (const id of ids) await sayAll(alice, id, 3);
      await follower.connected(times);
      // At once again, most likely before all rooms were entered.
      site.door.cut();
      await follower.connected(times + 1);
    }
    for (const id of ids) {
      const last = await sayAll(alice, id, 1);
      await follower.reach(id, last);
      expect(follower.seen(id)).to.deep.equal(range(from + 1, last));
    }
    expect(follower.connections.slice(1)).to.not.include(false);
  });

  it('gets nothing twice where nobody could look whether it may still be in the room', async () => {
    const { here, cluster, door } = site;
    const channel = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'looked-at' })).body;
    const [follower, from] = await follow(0, channel.id);
    const access = await lock(cluster, 'channels');
    try {
      for (const wire of site.wires) wire.refuse(true);
      door.cut();
      const last = await sayAll(here.alice, channel.id, 20);
      await cluster.nodes[0]?.delivery.bus.control({ kind: 'drop', cache: 'channels', keys: [channel.id] }, 5000);
      await access.take();
      door.pin(1);
      for (const wire of site.wires) wire.refuse(false);
      await access.waiters(1);
      await access.cutWaiters();
      await access.end();
      await follower.reach(channel.id, last);
      const end = await sayAll(here.alice, channel.id, 1);
      await follower.reach(channel.id, end);
      expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, end));
      expect(follower.connections.slice(1)).to.deep.equal(follower.connections.slice(1).map(() => true));
    } finally {
      await access.close();
    }
  });

  it('gets all of a DM that was opened while it was away, though it is cut off as soon as it was told of it', async () => {
    const { here, door } = site;
    const { bob, carol } = here;
    const [follower] = await follow(0, here.channel.id);
    const told: string[] = [];
    follower.socket.on('dm:created', ({ id }) => told.push(id));
    const heard: number[] = [];
    follower.socket.on('message:new', ({ seq }) => heard.push(seq));
    for (const wire of site.wires) wire.refuse(true);
    door.cut();
    const { id } = (await carol.post('/api/dm/channels', { userId: bob.id })).body;
    const first = (await carol.say(id, 'hello')).seq;
    await sayAll(carol, id, 3);
    const frozen = frozenAt(site.lines[1], follower, 'dm:created');
    door.pin(1);
    for (const wire of site.wires) wire.refuse(false);
    await frozen;
    door.cut();
    await until(() => !follower.socket.connected);
    thaw(site.lines);
    await follower.connected(3);
    const last = await sayAll(carol, id, 1);
    await until(() => heard.includes(last));
    expect(told).to.include(id);
    expect(heard).to.deep.equal(range(first, last));
    expect(follower.connections).to.deep.equal([false, true, true]);
  });

  it('begins anew, and knows it, where it was cut off before it was ready', async () => {
    const { here, door } = site;
    door.pin(0);
    const follower = new Follower({ url: door.url, token: here.bob.token });
    followers.push(follower);
    await frozenAt(site.lines[0], follower, 'connect');
    door.cut();
    await until(() => !follower.socket.connected);
    thaw(site.lines);
    expect(await follower.connected(2)).to.equal(false);
  });

  it('begins anew also where it has an offset yet, of a connection before that', async () => {
    const { here, door } = site;
    const [follower] = await follow(1, here.channel.id);
    await follower.reach(here.channel.id, await sayAll(here.alice, here.channel.id, 1));
    // Nothing is known of it under this: it is let in as if it were new, and keeps the offset.
    Reflect.set(follower.socket, '_pid', 'a'.repeat(20));
    const frozen = frozenAt(site.lines[1], follower, 'connect');
    door.cut();
    await frozen;
    expect(await follower.connected(2)).to.equal(false);
    door.cut();
    await until(() => !follower.socket.connected);
    thaw(site.lines);
    expect(await follower.connected(3)).to.equal(false);
  });

  it('hears only from the node at which it is by now that it is ready, and goes on with what that one said', async () => {
    const { here, cluster, door } = site;
    const [follower] = await follow(0, here.channel.id);
    const there = cluster.nodes[1];
    if (!there) throw new Error('no node');
    const readies: string[] = [];
    follower.socket.on('ready', (_data, offset) => readies.push(offset));
    for (const [node, times] of [
      [1, 2],
      [0, 3],
    ] as const) {
      door.pin(node);
      const frozen = frozenAt(site.lines[node], follower, 'connect');
      door.cut();
      await frozen;
      await follower.connected(times);
    }
    thaw(site.lines);
    await follower.reach(here.channel.id, await sayAll(here.alice, here.channel.id, 1));
    // By way of Redis, as what the other node still had to say of it would have come before.
    let isHeard = false;
    follower.socket.on('message:typing', () => {
      isHeard = true;
    });
    const typist = await here.alice.on(there).listen(here.channel.id);
    await until(async () => {
      await typist.emit('message:typing', { channelId: here.channel.id });
      return isHeard;
    });
    expect(readies).to.have.lengthOf(1);
    door.cut();
    expect(await follower.connected(4)).to.equal(true);
  });

  it('gets nothing from rooms that it lost meanwhile, and everything from the others', async () => {
    const { alice, bob, channel } = site.here;
    const other = (await alice.post('/api/servers', { name: 'Other' })).body;
    const [lost] = (await alice.get(`/api/servers/${other.id}/channels`)).body;
    await bob.post(`/api/servers/${other.id}/join`, { inviteCode: other.inviteCode });
    const [follower, from] = await follow(0, channel.id);
    await follower.join(lost.id);
    const atLoss = await sayAll(alice, lost.id, 1);
    await follower.reach(lost.id, atLoss);
    for (const wire of site.wires) wire.refuse(true);
    site.door.cut();
    expect((await bob.post(`/api/servers/${other.id}/leave`)).status).to.equal(200);
    await sayAll(alice, lost.id, 3);
    for (const wire of site.wires) wire.refuse(false);
    await follower.connected(2);
    const last = await sayAll(alice, channel.id, 1);
    await sayAll(alice, lost.id, 1);
    await follower.reach(channel.id, last);
    expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, last));
    expect(follower.seen(lost.id).at(-1)).to.be.at.most(atLoss);
  });

  it('gets what belongs to its threads once, in the channel or only in a thread', async () => {
    const { alice, channel } = site.here;
    const say = (content: string, threadId?: string) => alice.say(channel.id, content, { threadId });
    const root = await say('root');
    const made = { name: 'thread', parentMessageId: root.id };
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, made)).body;
    const [inBoth] = await follow(0, channel.id);
    const inThread = new Follower({ url: site.door.url, token: site.here.bob.token });
    followers.push(inThread);
    await inThread.connected(1);
    for (const follower of [inBoth, inThread]) {
      const ack = await follower.socket.emitWithAck('thread:join', { threadId: thread.id });
      expect(ack.ok).to.equal(true);
    }
    const all: number[] = [];
    const ofThread: number[] = [];
    const talk = async () => {
      for (const i of range(1, 5)) {
        all.push((await say(`root ${i}`)).seq);
        const reply = await say(`reply ${i}`, thread.id);
        ofThread.push(reply.seq);
        // A thread tells of its growth as well.
        all.push(reply.seq);
      }
    };
    await talk();
    site.door.pin(1);
    site.door.cut();
    await talk();
    for (const follower of [inBoth, inThread]) expect(await follower.connected(2)).to.equal(true);
    await talk();
    for (const follower of [inBoth, inThread]) await follower.reach(channel.id, ofThread.at(-1) ?? 0);
    const seen = inBoth.seen(channel.id);
    expect(seen).to.deep.equal(range(seen[0] ?? 0, seen.at(-1) ?? 0));
    expect(seen).to.include.members(all);
    const seenInThread = inThread.seen(channel.id).filter((seq) => !ofThread.includes(seq));
    expect(inThread.seen(channel.id)).to.deep.equal([...new Set(inThread.seen(channel.id))].sort((a, b) => a - b));
    expect(inThread.seen(channel.id)).to.include.members(ofThread);
    expect(seenInThread.filter((seq) => all.includes(seq))).to.deep.equal([]);
  });

  it('hears that a thread which it was only in, or its channel, was deleted while it was away', async () => {
    const { alice, channel, newChannel } = site.here;
    const root = await alice.say(channel.id, 'root');
    const made = { name: 'thread', parentMessageId: root.id };
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, made)).body;
    const [lostId, otherId] = [await newChannel(), await newChannel()];
    const others = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const { id } = await alice.say(otherId, name);
        return (await alice.post(`/api/channels/${otherId}/threads`, { name, parentMessageId: id })).body;
      }),
    );
    const [follower] = await follow(0, lostId);
    for (const { id } of [thread, ...others]) await follower.socket.emitWithAck('thread:join', { threadId: id });
    const before = await alice.say(channel.id, 'before', { threadId: thread.id });
    await follower.reach(channel.id, before.seq);
    await follower.reach(lostId, await sayAll(alice, lostId, 1));
    const ends: string[] = [];
    for (const event of ['thread:deleted', 'channel:deleted'])
      follower.socket.on(event, ({ id }) => ends.push(`${event} ${id}`));
    for (const wire of site.wires) wire.refuse(true);
    site.door.cut();
    const missed = await alice.say(channel.id, 'missed', { threadId: thread.id });
    await sayAll(alice, lostId, 3);
    for (const path of [`/api/threads/${thread.id}`, `/api/channels/${lostId}`, `/api/channels/${otherId}`])
      expect((await alice.delete(path)).status).to.equal(200);
    for (const wire of site.wires) wire.refuse(false);
    expect(await follower.connected(2)).to.equal(true);
    const expected = [`thread:deleted ${thread.id}`, `channel:deleted ${lostId}`, `channel:deleted ${otherId}`];
    await until(() => expected.every((end) => ends.includes(end)), { message: 'not told of all' });
    // What comes of a join comes behind all that was missed.
    await follower.socket.emitWithAck('channel:join', { channelId: channel.id });
    expect(ends).to.have.members(expected);
    expect(follower.seen(channel.id)).to.include(missed.seq);
  });

  it('leaves nothing for whoever comes with its private id and another token', async () => {
    const { alice, carol, channel } = site.here;
    const [follower] = await follow(0, channel.id);
    const pid: unknown = Reflect.get(follower.socket, '_pid');
    const offset: unknown = Reflect.get(follower.socket, '_lastOffset');
    site.door.cut();
    await sayAll(alice, channel.id, 2);
    for (const token of [carol.token, 'nonsense']) {
      const thief = new Follower({ url: site.door.url, token }, { auth: { pid, offset } });
      followers.push(thief);
      await until(() => thief.errors.length > 0 || thief.connections.length > 0);
      expect(thief.connections).to.not.include(true);
      expect(thief.seen(channel.id)).to.deep.equal([]);
    }
  });

  it('begins anew with the token of somebody else, once it was told that nothing is left for them', async () => {
    const { carol, channel } = site.here;
    const [follower] = await follow(0, channel.id);
    follower.socket.auth = { token: carol.token };
    site.door.cut();
    await until(() => follower.errors.includes('Invalid token'));
    follower.socket.connect();
    expect(await follower.connected(2)).to.equal(false);
  });

  it('starts anew, and knows it, when the log no longer reaches back', async () => {
    const small = await open();
    const { alice, bob, channel } = small.here;
    small.door.pin(0);
    const follower = new Follower({ url: small.door.url, token: bob.token });
    await follower.connected(1);
    await follower.join(channel.id);
    for (const wire of small.wires) wire.refuse(true);
    small.door.cut();
    await sayAll(alice, channel.id, 60);
    await trimLogs(small.cluster.databaseUrl, 20);
    for (const wire of small.wires) wire.refuse(false);
    expect(await follower.connected(2)).to.equal(false);
    follower.close();
    await close(small);
  });
});

describe('a stock client whose node stops in order', () => {
  it('goes on at the other one', async () => {
    const site = await open();
    const { alice, bob, channel } = site.here;
    site.door.pin(1);
    const speaker = alice;
    const follower = new Follower({ url: site.door.url, token: bob.token });
    await follower.connected(1);
    const { seq: from } = await follower.join(channel.id);
    const before = await sayAll(speaker, channel.id, 20);
    await follower.reach(channel.id, before);
    site.door.pin(0);
    const stopping = site.cluster.nodes[1]?.stop();
    const last = await sayAll(speaker, channel.id, 60);
    await stopping;
    expect(await follower.connected(2)).to.equal(true);
    await follower.reach(channel.id, last);
    expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, last));
    follower.close();
    await close(site);
  });
});

describe('a stock client that comes back while the database is away', () => {
  let postgres: FaultyPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  it('has lost no room when it is back', async () => {
    const cluster = await startCluster({ nodes: 2, databaseUrl: postgres.url });
    const door = await startBalancer(cluster.nodes.map((node) => node.port));
    const { alice, bob, server, channel } = await world(cluster);
    const second = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'second' })).body;
    door.pin(0);
    const follower = new Follower({ url: door.url, token: bob.token });
    const close = persist(follower.socket, 100);
    await follower.connected(1);
    const from = { one: (await follower.join(channel.id)).seq, two: (await follower.join(second.id)).seq };
    door.pin(1);
    for (let round = 0; round < 3; round++) {
      const times = follower.connections.length + 1;
      postgres.pause();
      door.cut();
      await until(() => !follower.socket.connected);
      await new Promise((resolve) => setTimeout(resolve, 300 * round));
      postgres.resume();
      expect(await follower.connected(times)).to.equal(true);
    }
    const last = { one: await sayAll(alice, channel.id, 3), two: await sayAll(alice, second.id, 3) };
    await follower.reach(channel.id, last.one);
    await follower.reach(second.id, last.two);
    expect(follower.seen(channel.id)).to.deep.equal(range(from.one + 1, last.one));
    expect(follower.seen(second.id)).to.deep.equal(range(from.two + 1, last.two));
    close();
    await door.stop();
    await cluster.stop();
  });
});
