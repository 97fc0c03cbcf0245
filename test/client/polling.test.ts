import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { type Message, Parley } from '../../src/client/index.ts';
import { freePort } from '../rig/free-port.ts';
import { until } from '../rig/until.ts';
import { type World, world } from '../world/world.ts';
import { type Gate, startGate } from './gate.ts';

describe('the client library where sockets are blocked', () => {
  let here: World;
  let gate: Gate;
  let bob: Parley;
  const heard: Message[] = [];

  before(async () => {
    here = await world();
    gate = await startGate(here.bob.node.port);
    bob = new Parley({ url: gate.url, token: here.bob.token });
    bob.channel(here.channel.id).on('message:new', (message) => heard.push(message));
    bob.connect();
    await until(() => bob.state.status === 'live', { timeout: 40_000, message: 'not live' });
  });
  after(async () => {
    bob.disconnect();
    await gate.stop();
    here.close();
  });

  it('polls the log, and says so', () => {
    expect(bob.state).to.deep.equal({ status: 'live', via: 'polling' });
  });

  it('hears and sends everything once and in order', async () => {
    const channel = bob.channel(here.channel.id);
    await here.alice.say(here.channel.id, 'one');
    await until(() => heard.length === 1);
    const two = await channel.send('two');
    await here.alice.say(here.channel.id, 'three');
    await until(() => heard.length === 3);
    expect(heard.map((message) => message.content)).to.deep.equal(['one', 'two', 'three']);
    expect(heard[1]?.id).to.equal(two.id);
  });

  it('hears of its own affairs too', async () => {
    const joined = new Promise((resolve) => bob.on('server:joined', ({ server }) => resolve(server.id)));
    const other = (await here.carol.post('/api/servers', { name: 'Other', isPublic: true })).body;
    await bob.rest('POST /api/servers/:id/join', { id: other.id, body: {} });
    expect(await joined).to.equal(other.id);
  });

  it('hears of them however long the polls of many channels take', async () => {
    let ownPolls = 0;
    const server = createServer((incoming, outgoing) => {
      if (incoming.url?.startsWith('/api/channels/')) return;
      // Enough have come: this one waits as the others do.
      if (incoming.url?.startsWith('/api/events') && ++ownPolls > 3) return;
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify({ events: [], seq: 0, recovered: true, hasMore: false }));
    });
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const socketsRefused = await startGate(port);
    const parley = new Parley({ url: socketsRefused.url, token: 'any' });
    for (let number = 0; number < 10; number++) parley.channel(`channel-${number}`).open();
    parley.connect();
    await until(() => ownPolls > 3, { timeout: 40_000, message: 'its own room waits for the channels' });
    parley.disconnect();
    await socketsRefused.stop();
    server.closeAllConnections();
    server.close();
  });

  it('hears nothing of a channel that is closed while its next event is waited for', async () => {
    const channel = bob.channel(await here.newChannel('closed'));
    const said: string[] = [];
    channel.on('message:new', ({ content }) => said.push(content));
    await until(() => channel.live);
    await here.alice.say(channel.id, 'first');
    await until(() => said.length === 1);
    channel.close();
    await here.alice.say(channel.id, 'none of its business');
    await here.alice.say(here.channel.id, 'four');
    await until(() => heard.length === 4);
    expect(said).to.deep.equal(['first']);
    expect(channel.live).to.equal(false);
  });

  it('goes on where it is told to with a channel that is closed and opened again', async () => {
    const channel = bob.channel(await here.newChannel('reopened'));
    const said: string[] = [];
    channel.listen('message:new', ({ content }) => said.push(content));
    channel.open(0);
    for (const content of ['one', 'two']) await here.alice.say(channel.id, content);
    await until(() => said.length === 2);
    channel.close();
    channel.open(1);
    await until(() => channel.live, { timeout: 5000, message: 'still waits as it did before' });
    expect(said).to.deep.equal(['one', 'two', 'two']);
    const further = bob.channel(await here.newChannel('further'));
    further.open();
    await until(() => further.live, { timeout: 5000, message: 'is kept waiting by those that wait' });
    for (const open of [channel, further]) open.close();
  });

  it('goes over to a socket without losing or repeating anything when they are let through', async () => {
    gate.open();
    bob.disconnect();
    bob.connect();
    await here.alice.say(here.channel.id, 'five');
    await until(() => bob.state.via === 'socket');
    await here.alice.say(here.channel.id, 'six');
    await until(() => heard.length === 6);
    expect(heard.map((message) => message.content)).to.deep.equal(['one', 'two', 'three', 'four', 'five', 'six']);
  });
});
