// nodes: own
// alone

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { sharedRedis } from '../rig/redis.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';
import type { NodeProcess } from '../world/node-process.ts';
import type { Loose } from '../world/person.ts';

describe('a node that is told to stop', () => {
  let site: Installation;
  let node: NodeProcess;
  let other: NodeProcess;

  before(async () => {
    site = await install({ nodes: 2, redisUrl: await sharedRedis() });
    const [first, second] = site.nodes;
    if (!first || !second) throw new Error('no nodes');
    [node, other] = [first, second];
  });
  afterEach(async () => {
    site.here.close();
    if (!node.isRunning) await node.start();
  });
  after(() => site.stop());

  it('finishes what it acknowledged, with 200 sockets, requests and long polls on it, and ends in time', async () => {
    const { alice, bob, channel } = site.here;
    const sockets = await Promise.all(range(1, 200).map(() => alice.connect({ reconnection: false })));
    const told = sockets.map((socket) => socket.next('server:draining', () => true, 20_000));
    const acknowledged: string[] = [];
    let stopping = false;
    const senders = sockets.slice(0, 20).map(async (socket, i) => {
      for (let n = 0; !stopping || socket.socket.connected; n++) {
        const ack = await socket
          .emit('message:send', { channelId: channel.id, content: `${i} ${n}` })
          .catch(() => null);
        if (!ack?.ok) return;
        acknowledged.push(ack.message.id);
      }
    });
    const postOn = async () => {
      for (;;) acknowledged.push((await alice.say(channel.id, 'by REST')).id);
    };
    const posting = range(1, 5).map(() => postOn().catch(() => {}));
    const head = (await alice.get('/api/events?after=99999')).body.seq;
    const polls = range(1, 20).map(() => alice.get(`/api/events?after=${head}&wait=25`));
    await until(() => acknowledged.length > 50);
    // What is still on its way to a node that stops is refused, and so it should be.
    await until(async () => (await waitingPolls(node)) === polls.length);
    stopping = true;
    const exit = await node.stop();
    expect(exit).to.include({ code: 0 });
    expect(exit.ms).to.be.below(10_000);
    await Promise.all([...told, ...senders, ...posting]);
    for (const answer of await Promise.all(polls)) expect(answer.status).to.equal(200);
    expect(node.failures).to.deep.equal([]);
    const there = new Set<string>();
    for (let after = 0; ; ) {
      const page: Loose = (await bob.get(`/api/channels/${channel.id}/messages?limit=100&after=${after}`)).body;
      for (const message of page.messages) there.add(message.id);
      after = page.messages.at(-1)?.seq;
      if (!page.hasMore) break;
    }
    expect(acknowledged.filter((id) => !there.has(id))).to.deep.equal([]);
  });

  it('does not wait for clients that are gone without a word, or never said who they are', async () => {
    const { alice, channel } = site.here;
    const wire = await startProxy(node.port);
    const dead = range(1, 5).map(() => new Follower({ url: `http://127.0.0.1:${wire.port}`, token: alice.token }));
    for (const follower of dead) {
      await follower.connected(1);
      await follower.join(channel.id);
    }
    const polling = new Follower(
      { url: `http://127.0.0.1:${wire.port}`, token: alice.token },
      { transports: ['polling'] },
    );
    await polling.connected(1);
    const stranger = await mute(node.port);
    wire.hold();
    const exit = await node.stop();
    expect(exit).to.include({ code: 0 });
    expect(exit.ms).to.be.below(10_000);
    for (const follower of [...dead, polling]) follower.close();
    stranger.destroy();
    await wire.stop();
  });

  it('does not wait for connections on which nothing was asked yet, as browsers open them ahead', async () => {
    const ahead = range(1, 3).map(() => connect(node.port, '127.0.0.1'));
    const ends = ahead.map((socket) => once(socket, 'close'));
    await Promise.all(ahead.map((socket) => once(socket, 'connect')));
    const exit = await node.stop();
    // Left alone, they would hold it up for the 8 s that requests may take to end.
    expect([exit.code, exit.ms < 7000]).to.deep.equal([0, true]);
    await Promise.all(ends);
  });

  it('begins no session any more on connections that it keeps, so that a proxy begins it elsewhere', async () => {
    const { alice } = site.here;
    await alice.connect({ reconnection: false });
    const polling = await kept(node.port, 'GET /socket.io/?EIO=4&transport=polling HTTP/1.1');
    const upgrading = await kept(
      node.port,
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    );
    const stopped = node.stop();
    await until(async () => (await node.health('/readyz')) !== 200);
    for (const socket of [polling, upgrading]) {
      socket.write('\r\n');
      const [answer] = await once(socket, 'data');
      expect(String(answer)).to.match(/^HTTP\/1.1 503 .*\r\nConnection: close\r\n/s);
    }
    expect((await stopped).code).to.equal(0);
  });

  it('ends at once when it is told twice', async () => {
    const { alice } = site.here;
    await Promise.all(range(1, 20).map(() => alice.connect({ reconnection: false })));
    const told = () => node.lines.filter((line) => line.includes('Got SIGTERM')).length;
    const before = told();
    const begun = Date.now();
    node.signal('SIGTERM');
    // Two signals that a process has not got yet are one.
    await until(() => told() > before, { message: 'it has not got the first' });
    node.signal('SIGTERM');
    const exit = await node.exit();
    // In order it would be 0, and take its time.
    expect(exit.code).to.equal(1);
    expect(Date.now() - begun).to.be.below(5000);
    expect(await other.health('/readyz')).to.equal(200);
  });

  it('says so at /readyz, while it still answers', async () => {
    await site.here.alice.connect({ reconnection: false });
    expect(await node.health('/readyz')).to.equal(200);
    // A request that has begun to come is waited for; new connections are no longer taken.
    const asking = connect(node.port, '127.0.0.1');
    asking.write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    await once(asking, 'connect');
    const stopped = node.stop();
    await until(async () => (await node.health('/readyz')) !== 200);
    asking.write('\r\n');
    const [answer] = await once(asking, 'data');
    expect(String(answer)).to.match(/^HTTP\/1.1 503 /);
    expect((await stopped).code).to.equal(0);
  });
});

/** A connection on which all of a request's head was sent but its end. */
async function kept(port: number, head: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}\r\nHost: x\r\n`);
  await once(socket, 'connect');
  return socket;
}

/** How many long polls wait on a node. */
async function waitingPolls(node: NodeProcess): Promise<number> {
  const metrics = await (await fetch(`${node.url}/metrics`)).text();
  return Number(/^parley_waiting_polls (\d+)$/m.exec(metrics)?.[1]);
}

/** A WebSocket that never says who it is, and does not answer the good-bye. */
async function mute(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const headers = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${headers}\r\n${key}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).to.match(/^HTTP\/1.1 101 /);
  socket.on('error', () => {});
  return socket;
}

describe('a Parley whose lines nobody reads any more', () => {
  it('ends when it is told to, also while it waits for its database', async () => {
    const main = path.resolve(import.meta.dirname, '../../src/main.ts');
    const env = { ...process.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    child.kill();
    const limit = setTimeout(() => child.kill('SIGKILL'), 10_000);
    expect(await ended).to.deep.equal([0, null]);
    clearTimeout(limit);
  });
});
