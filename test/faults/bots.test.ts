// nodes: own

import { expect } from 'chai';
import { type Receiver, receiver } from '../agents/receiver.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import type { NodeProcess } from '../world/node-process.ts';
import { type Loose, Person } from '../world/person.ts';

describe('bots when nodes and Redis fail', () => {
  let redis: TestRedis;
  let site: Installation;
  let ear: Receiver;
  let agent: Loose;

  before(async () => {
    [redis, ear] = await Promise.all([startRedis(), receiver()]);
    site = await install({ nodes: 2, redisUrl: redis.url, env: { APP_PROXY_ALLOW: '127.0.0.1' } });
    const { alice, server } = site.here;
    agent = (await alice.post('/api/agents', { name: 'listener' })).body;
    await alice.post(`/api/servers/${server.id}/agents`, { agentIds: [agent.id] });
    ear.secret = (await alice.put(`/api/agents/${agent.id}/webhook`, { url: ear.url })).body.secret;
    await until(async () => (await alice.get(`/api/agents/${agent.id}/webhook`)).body.pending === 0);
  });
  after(async () => {
    await site?.stop();
    await ear?.close();
    await redis?.stop();
  });

  const robot = (node: NodeProcess) =>
    new Person(node, { id: agent.userId, username: agent.name, token: agent.token, refreshToken: '' });
  const contents = () => ear.accepted('message:new').map((event) => event.data.content);

  it('get their events at least once, and in order, at a webhook whose node is killed', async () => {
    const { alice, channel } = site.here;
    const [first, second] = site.nodes;
    if (!first || !second) throw new Error('no nodes');
    // The node that takes a message is the one that is woken by it.
    let isFirst = true;
    ear.behave(() => {
      if (!isFirst) return 200;
      isFirst = false;
      return undefined;
    });
    await alice.say(channel.id, 'one');
    const lost = await ear.next(({ event }) => event.data.content === 'one');
    await first.kill();
    const there = new Person(second, alice);
    await there.say(channel.id, 'two');
    await until(() => contents().length === 2, { timeout: 60_000, message: 'the other node does not go on' });
    expect(contents()).to.deep.equal(['one', 'two']);
    const tries = ear.arrived.filter(({ event }) => event.data.content === 'one');
    expect(tries.map(({ id, verified }) => [id, verified])).to.deep.equal([
      [lost.id, true],
      [lost.id, true],
    ]);
    await first.start();
  });

  it('have their streams ended for everyone when their node is killed', async () => {
    const { alice, bob, channel } = site.here;
    const [first, second] = site.nodes;
    if (!first || !second) throw new Error('no nodes');
    const ears = [await alice.on(second).listen(channel.id), await bob.on(second).listen(channel.id)];
    const mouth = await robot(first).connect();
    await mouth.emit('message:stream', { channelId: channel.id, streamId: 'cut', delta: 'I was about to' });
    for (const ear of ears) await ear.next('message:stream', (piece) => piece.delta === 'I was about to');
    await first.kill();
    mouth.close();
    for (const ear of ears) {
      const end = await ear.next('message:stream', (piece) => piece.done, 30_000);
      expect(end).to.include({ streamId: 'cut', aborted: true, userId: agent.userId });
      expect(ear.all('message:stream').filter((piece) => piece.done)).to.have.lengthOf(1);
      ear.close();
    }
    // The bot knows nothing of that and goes on elsewhere: what comes of it is not the whole.
    const elsewhere = await robot(second).connect();
    const rest = { channelId: channel.id, streamId: 'cut', delta: ' say this', done: true };
    expect((await elsewhere.emit('message:stream', rest)).code).to.equal('STREAM_BROKEN');
    elsewhere.close();
    await first.start();
  });

  it('go on with a stream at another node, with all that was said, when theirs is killed', async () => {
    const { bob, channel } = site.here;
    const [first, second] = site.nodes;
    if (!first || !second) throw new Error('no nodes');
    const ear = await bob.on(second).listen(channel.id);
    const mouth = await robot(first).connect();
    const stream = { channelId: channel.id, streamId: 'handed on' };
    expect(await mouth.emit('message:stream', { ...stream, delta: 'As I ', offset: 0 })).to.include({ ok: true });
    await first.kill();
    mouth.close();
    const elsewhere = await robot(second).connect();
    await elsewhere.emit('message:stream', { ...stream, delta: 'was saying', offset: 5 });
    const late = await bob.on(second).listen(channel.id);
    expect(await late.next('message:stream', ({ soFar }) => soFar)).to.include({ delta: 'As I was saying' });
    const { message } = await elsewhere.emit('message:stream', { ...stream, done: true });
    expect(message).to.include({ content: 'As I was saying', isEdited: false });
    await ear.next('message:stream', ({ messageId }) => messageId === message.id);
    for (const one of [ear, late, elsewhere]) one.close();
    await first.start();
  });

  it('get them once, and in order, while Redis is away', async () => {
    const { alice, bob, channel } = site.here;
    await redis.kill();
    const heard = () => contents().filter((content) => content.startsWith('without Redis'));
    const told = Array.from({ length: 20 }, (_, index) => `without Redis ${index}`);
    for (const [index, content] of told.entries()) await (index % 2 ? alice : bob).say(channel.id, content);
    await until(() => heard().length === 20, { timeout: 30_000, message: 'not all came' });
    expect(heard()).to.deep.equal(told);
    await redis.restart();
    expect(site.nodes.flatMap((node) => node.failures)).to.deep.equal([]);
  });

  it('get what was under way to the end, or later, when a node is stopped', async () => {
    const { bob, channel } = site.here;
    const [first, second] = site.nodes;
    if (!first || !second) throw new Error('no nodes');
    ear.behave(() => new Promise((resolve) => setTimeout(resolve, 300, 200)));
    await new Person(first, bob).say(channel.id, 'slowly');
    await ear.next(({ event }) => event.data.content === 'slowly');
    const { code, ms } = await first.stop();
    expect([code, ms < 10_000]).to.deep.equal([0, true]);
    ear.behave(() => 200);
    await new Person(second, bob).say(channel.id, 'at the end');
    await until(() => contents().includes('at the end'), { timeout: 30_000 });
    expect(contents().slice(-2)).to.deep.equal(['slowly', 'at the end']);
    expect(ear.arrived.filter(({ event }) => event.data.content === 'slowly')).to.have.lengthOf(1);
  });
});
