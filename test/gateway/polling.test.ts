import { createServer } from 'node:http';
import { expect } from 'chai';
import { Server } from 'socket.io';
import { adaptPolling } from '../../src/gateway/polling.ts';
import type { ParleyServer, ParleySocket } from '../../src/gateway/socket.ts';
import { freePort } from '../rig/free-port.ts';
import { until } from '../rig/until.ts';
import { range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { pythonQuery, RawPoller } from '../world/raw-poller.ts';
import { type World, world } from '../world/world.ts';

describe('a long-polling connection', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster();
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const unknown = { status: 400, body: { code: 1, message: 'Session ID unknown' } };
  /** What python-engineio takes for a farewell for ever. */
  const farewell = '1';

  it('brings python-socketio no more at once than it takes, and everything in order', async () => {
    const poller = await RawPoller.open(here.bob.node.url, here.bob.token, pythonQuery);
    await poller.join(here.channel.id);
    const said = await Promise.all(range(1, 100).map((i) => here.alice.say(here.channel.id, `${i}`)));
    await until(() => poller.events('message:new').length === said.length, { message: 'not all came' });
    const seqs = poller.events('message:new').map(([message]) => message.seq);
    expect(seqs).to.deep.equal(said.map(({ seq }) => seq).sort((a, b) => a - b));
    // So many in one answer it refuses (`max_decode_packets`).
    expect(poller.mostAtOnce).to.be.within(2, 16);
    await poller.close();
  });

  it('that is ended is told of a revoked session before it is unknown', async () => {
    const poller = await RawPoller.open(here.bob.node.url, here.bob.token);
    await here.bob.post('/api/auth/logout');
    await until(() => poller.end, { message: 'not ended' });
    expect(poller.event('auth:session-revoked')).to.have.lengthOf(1);
    expect(poller.packets.at(-1)).to.equal('41');
    expect(poller.end).to.deep.equal(unknown);
  });

  it('that is ended with its node is unknown, and not dismissed', async () => {
    const poller = await RawPoller.open(here.alice.node.url, here.alice.token);
    here.close();
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    await until(() => poller.end, { message: 'not ended' });
    expect(poller.event('server:draining')).to.have.lengthOf(1);
    expect(poller.packets).not.to.include(farewell);
    expect(poller.end).to.deep.equal(unknown);
  });

  it('that is ended while an answer to it is being compressed gets that answer, and is unknown then', async () => {
    const port = await freePort();
    const io: ParleyServer = new Server(createServer().listen(port, '127.0.0.1'));
    io.engine.on('connection', adaptPolling);
    const connected = new Promise<ParleySocket>((resolve) => io.once('connection', resolve));
    void connected.then((socket) => socket.emit('ready', {}));
    const poller = await RawPoller.open(`http://127.0.0.1:${port}`, here.bob.token);
    const socket = await connected;
    await until(() => socket.conn.transport.writable, { message: 'it does not poll' });
    socket.emit('large', 'x'.repeat(100_000));
    socket.conn.close(true);
    await until(() => poller.end, { message: 'not ended' });
    expect(poller.events('large')).to.have.lengthOf(1);
    expect(poller.end).to.deep.equal(unknown);
    await io.close();
  });
});
