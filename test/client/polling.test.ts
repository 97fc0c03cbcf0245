import { expect } from 'chai';
import { type Message, Parley } from '../../src/client/index.ts';
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

  it('goes over to a socket without losing or repeating anything when they are let through', async () => {
    gate.open();
    bob.disconnect();
    bob.connect();
    await here.alice.say(here.channel.id, 'four');
    await until(() => bob.state.via === 'socket');
    await here.alice.say(here.channel.id, 'five');
    await until(() => heard.length === 5);
    expect(heard.map((message) => message.content)).to.deep.equal(['one', 'two', 'three', 'four', 'five']);
  });
});
