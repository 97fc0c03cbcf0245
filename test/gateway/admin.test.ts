// nodes: one and two

import { expect } from 'chai';
import { io, type Socket } from 'socket.io-client';
import { until } from '../rig/until.ts';
import { type Cluster, sharedCluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const password = 'open sesame';
const passwordHash = '$2a$04$Sjb/rIIyCfgfyx/6Z.3JfOIc.13/Sf1Pn904jb/1gj2T/93YbQum2';

describe('the admin UI of Socket.IO', () => {
  let cluster: Cluster;
  let here: World;
  const sockets: Socket[] = [];
  before(async () => {
    const socketAdmin = { username: 'admin', passwordHash };
    cluster = await startCluster({ settings: { socketAdmin, rateLimits: true, trustProxy: 1 } });
    here = await world(cluster);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect();
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const dial = (auth: object, url = cluster.nodes[0]?.url ?? '', from = '203.0.113.7'): Socket => {
    const extraHeaders = { 'x-forwarded-for': from };
    const options = { auth, extraHeaders, transports: ['websocket'], forceNew: true, reconnection: false };
    const socket = io(`${url}/admin`, options);
    sockets.push(socket);
    return socket;
  };
  const refused = async (auth: object, url?: string, from?: string): Promise<string> => {
    const socket = dial(auth, url, from);
    return new Promise((resolve) => {
      socket.once('connect_error', ({ message }) => resolve(message));
      socket.once('connect', () => resolve('let in'));
    });
  };

  it('is not there unless it is turned on', async () => {
    const [node] = (await sharedCluster()).nodes;
    expect(await refused({ username: 'admin', password }, node?.url)).to.equal('Invalid namespace');
  });

  it('shows numbers to who knows the password, while everything goes on as ever', async () => {
    const { alice, bob, channel } = here;
    const [speaker, listener] = [await alice.listen(channel.id), await bob.listen(channel.id)];
    const admin = dial({ username: 'admin', password });
    const received: { event: string; data: Loose }[] = [];
    admin.onAny((event: string, data: Loose) => received.push({ event, data }));
    const all = (name: string) => received.filter(({ event }) => event === name).map(({ data }) => data);
    const stats = await until(() => all('server_stats').find(({ clientsCount }) => clientsCount >= 2));
    expect(stats.serverId).to.equal(cluster.nodes.find(({ id }) => id === stats.serverId)?.id);
    expect(all('config')).to.deep.equal([{ supportedFeatures: ['AGGREGATED_EVENTS'] }]);
    const { ok, message } = await speaker.emit('message:send', { channelId: channel.id, content: 'between us' });
    expect(ok).to.equal(true);
    await listener.next('message:new', ({ id }) => id === message.id);
    await until(() => all('server_stats').length >= 3, { timeout: 40_000 });
    const seen = JSON.stringify(received);
    for (const secret of ['between us', alice.token, alice.username, channel.id]) expect(seen).not.to.contain(secret);
    admin.emit('_disconnect', '/', true);
    admin.emit('emit', '/', undefined, 'message:new', { content: 'forged' });
    admin.emit('join', '/', `channel:${channel.id}`);
    const next = await speaker.emit('message:send', { channelId: channel.id, content: 'still here' });
    await listener.next('message:new', ({ id }) => id === next.message.id);
    expect(listener.all('message:new').map(({ content }) => content)).not.to.include('forged');
    expect(listener.socket.connected && speaker.socket.connected).to.equal(true);
  });

  it('refuses everyone else, and those who try too often', async () => {
    expect(await refused({ username: 'admin', password: 'guess' })).to.equal('invalid credentials');
    for (const auth of [
      {},
      { username: 'admin' },
      { username: 'admin', password: {} },
      { sessionId: [] },
      { token: here.alice.token },
    ])
      expect(await refused(auth), JSON.stringify(auth)).to.equal('invalid credentials');
    const tries: string[] = [];
    for (let i = 0; i < 40; i++) tries.push(await refused({ username: 'admin', password: `guess ${i}` }));
    expect(new Set(tries)).to.deep.equal(new Set(['invalid credentials', 'too many tries']));
    expect(await refused({ username: 'admin', password })).to.equal('too many tries');
    // The operator comes through the same proxy, from another address.
    expect(await refused({ username: 'admin', password }, undefined, '203.0.113.8')).to.equal('let in');
  });
});
