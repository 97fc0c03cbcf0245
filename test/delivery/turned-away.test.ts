import { Socket as TcpSocket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { appendCopies, sweepAnew } from '../world/log.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** The connection below a stock client. */
function wireOf(follower: Follower): TcpSocket {
  const tcp: unknown = Reflect.get(Object(Reflect.get(follower.socket.io.engine.transport, 'ws')), '_socket');
  if (!(tcp instanceof TcpSocket)) throw new Error('the client has changed inside');
  return tcp;
}

describe('who is thrown out while coming back', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('is given nothing that was said since, however slowly it reads', async () => {
    const { alice, bob, server, channel } = here;
    const big = 'x'.repeat(14_000);
    for (let i = 0; i < 22; i++) {
      await Promise.all(Array.from({ length: 40 }, () => alice.say(channel.id, big)));
    }
    const heard: string[] = [];
    const resumed: Loose[] = [];
    const follower = new Follower(
      { url: bob.node.url, token: bob.token },
      { auth: { resume: { [channel.id]: 0 } }, reconnection: false },
    );
    follower.socket.on('message:new', ({ content }) => heard.push(content));
    follower.socket.on('resumed', (answer) => resumed.push(answer));
    follower.socket.once('message:new', () => wireOf(follower).pause());
    await until(() => heard.length > 0);
    // Until as much is on its way as a line holds; the rest waits for the reader.
    await delay(300);
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    await alice.say(channel.id, 'among us');
    wireOf(follower).resume();
    await until(() => resumed.length > 0);
    expect(resumed[0].channels[channel.id]).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
    expect(heard).to.include(big);
    expect(heard).to.not.include('among us');
    follower.close();
  });

  it('is not told that it is back in a place that it lost while others were still being read', async () => {
    const { alice, bob, server, channel } = here;
    const hidden = { name: 'hidden', isPrivate: true };
    const { id } = (await alice.post(`/api/servers/${server.id}/channels`, hidden)).body;
    // A kick has renewed the code.
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    await bob.post(`/api/servers/${server.id}/join`, { inviteCode });
    await alice.post(`/api/channels/${id}/members`, { userId: bob.id });
    const resumed: Loose[] = [];
    const follower = new Follower(
      { url: bob.node.url, token: bob.token },
      { auth: { resume: { [id]: 0, [channel.id]: 0 } }, reconnection: false },
    );
    follower.socket.on('resumed', (answer) => resumed.push(answer));
    follower.socket.once('message:new', () => wireOf(follower).pause());
    await until(() => follower.seen(channel.id).length > 0);
    // Until as much is on its way as a line holds; the rest waits for the reader.
    await delay(300);
    await alice.delete(`/api/channels/${id}/members/${bob.id}`);
    await alice.say(id, 'without bob');
    wireOf(follower).resume();
    await until(() => resumed.length > 0);
    expect(resumed[0].channels[id]).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
    expect(resumed[0].channels[channel.id]).to.include({ recovered: true });
    follower.close();
  });
});

describe('who is thrown out of a place that was joined before all of the own room was read', () => {
  it('hears nothing there of what was said after that', async () => {
    const here = await world();
    const { alice, bob, carol, server } = here;
    const hidden = { name: 'hidden', isPrivate: true };
    const { id } = (await alice.post(`/api/servers/${server.id}/channels`, hidden)).body;
    await alice.post(`/api/channels/${id}/members`, { userId: bob.id });
    const { seq } = (await bob.get('/api/events')).body;
    await carol.post('/api/friends/request', { username: bob.username });
    await appendCopies(here.cluster.databaseUrl, bob.id, 300, 40_000);
    // A node that learns of them only after the connection sends them to all at once, and cuts off who does not read. On a
    // busy machine a look at so much may fail.
    const { counters } = bob.node.delivery;
    const { sweeps } = counters;
    await until(async () => {
      await sweepAnew(bob.node);
      return counters.sweeps >= sweeps + 2;
    });
    const follower = new Follower(
      { url: bob.node.url, token: bob.token },
      { auth: { resume: { user: seq } }, reconnection: false },
    );
    const heard: string[] = [];
    follower.socket.on('message:new', ({ content }) => heard.push(content));
    const ready: Loose[] = [];
    follower.socket.on('ready', (told) => ready.push(told));
    await follower.connected(1);
    await follower.join(id);
    wireOf(follower).pause();
    // Until as much is on its way as a line holds; the rest waits for the reader.
    await delay(300);
    expect((await alice.delete(`/api/channels/${id}/members/${bob.id}`)).status).to.equal(200);
    expect(ready).to.deep.equal([]);
    wireOf(follower).resume();
    await until(() => ready.length > 0);
    await alice.say(id, 'without bob');
    const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
    await alice.say(dm.id, 'to bob');
    await until(() => heard.includes('to bob'));
    expect(heard).to.deep.equal(['to bob']);
    follower.close();
    here.close();
  });
});

describe('who was thrown out while a node could neither hear the others nor read the log', () => {
  it('hears nothing there of what was said after that', async () => {
    const cluster = await startCluster({ nodes: 2, redisUrl: null, settings: { delivery: { sweepMs: 3_600_000 } } });
    const here = await world(cluster);
    const { alice, bob, server, channel } = here;
    const { url } = bob.node;
    const followers = [];
    // The channel's room is there before bob's own.
    for (const { token } of [alice, bob]) {
      const follower = new Follower({ url, token });
      followers.push(follower);
      await follower.connected(1);
      await follower.join(channel.id);
    }
    const [alices, bobs] = followers;
    const before = await alice.say(channel.id, 'with bob');
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    const { seq } = await alice.say(channel.id, 'without bob');
    await sweepAnew(bob.node);
    await alices?.reach(channel.id, seq);
    expect(alices?.seen(channel.id)).to.deep.equal(range(before.seq, seq));
    expect(bobs?.seen(channel.id)).to.not.include(seq);
    for (const follower of followers) follower.close();
    here.close();
    await cluster.stop();
  });
});
