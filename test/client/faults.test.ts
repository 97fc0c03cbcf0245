// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Parley } from '../../src/client/index.ts';
import { startNode } from '../../src/node/node.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { nodeCount, startCluster, testSettings } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';
import { type Talker, talker } from './talker.ts';

const contents = (messages: { content?: string | null }[]) => messages.map(({ content }) => content ?? '');

describe('the client library on a bad line', () => {
  let here: World;
  let alice: Talker;
  let bob: Talker;

  beforeEach(async () => {
    here = await world();
    [alice, bob] = [await talker(here.alice, here.channel.id), await talker(here.bob, here.channel.id)];
    await live(alice, bob);
  });
  afterEach(async () => {
    await Promise.all([alice.stop(), bob.stop()]);
    here.close();
  });

  const live = (...talkers: Talker[]) =>
    until(() => talkers.every((one) => one.parley.state.status === 'live'), { timeout: 40_000, message: 'not live' });

  /** Everything that is in the channel, oldest first. */
  async function all(): Promise<string[]> {
    const { body } = await here.alice.get(`/api/channels/${here.channel.id}/messages?after=0&limit=100`);
    return contents(body.messages);
  }

  async function expectTheSame(count: number): Promise<void> {
    await until(() => [alice, bob].every((one) => one.heard.length >= count), { timeout: 40_000, message: 'lost' });
    const truth = await all();
    expect(truth).to.have.length(count);
    expect(contents(alice.heard)).to.deep.equal(truth);
    expect(contents(bob.heard)).to.deep.equal(truth);
    expect([alice.reloads, bob.reloads]).to.deep.equal([0, 0]);
  }

  it('says of a message that is too long for the server that it is, and goes on with the next', async () => {
    const channel = alice.parley.channel(here.channel.id);
    const [long, next] = [channel.send('x'.repeat(3_000_000)), channel.send('short')];
    const refused = await long.catch((error: unknown) => error);
    expect(refused).to.include({ code: 'BODY_TOO_LARGE' });
    expect((await next).content).to.equal('short');
    expect(alice.parley.state.status).to.equal('live');
  });

  it('sends everything once and in order while connections are cut again and again', async () => {
    const names = Array.from({ length: 40 }, (_, i) => String(i));
    const sends = [alice, bob].flatMap((one, who) =>
      names.map((name) => one.parley.channel(here.channel.id).send(`${who}-${name}`)),
    );
    let over = false;
    const cutting = (async () => {
      for (let i = 0; i < 6 && !over; i++) {
        await delay(150 + 100 * Math.random());
        (i % 2 === 0 ? alice : bob).line.cut();
      }
    })();
    await Promise.all(sends);
    over = true;
    await cutting;
    await expectTheSame(80);
    for (const who of [0, 1]) {
      const own = contents(alice.heard).filter((text) => text.startsWith(`${who}-`));
      expect(own).to.deep.equal(names.map((name) => `${who}-${name}`));
    }
  });

  it('says that it is offline, queues what is said, and catches up', async () => {
    bob.line.refuse(true);
    bob.line.cut();
    await until(() => bob.parley.state.status === 'offline');
    const channel = bob.parley.channel(here.channel.id);
    const sends = ['b1', 'b2', 'b3'].map((text) => channel.send(text));
    expect(contents(channel.pending.map((pending) => pending.input))).to.deep.equal(['b1', 'b2', 'b3']);
    await Promise.all(['a1', 'a2'].map((text) => alice.parley.channel(here.channel.id).send(text)));
    bob.line.refuse(false);
    bob.parley.retryNow();
    await Promise.all(sends);
    expect(channel.pending).to.deep.equal([]);
    await expectTheSame(5);
    expect(contents(bob.heard)).to.deep.equal(['a1', 'a2', 'b1', 'b2', 'b3']);
  });

  it('notices a black hole by the answer that does not come, and sends once all the same', async () => {
    bob.line.hold();
    const channel = bob.parley.channel(here.channel.id);
    const sent = Promise.all([channel.send('into the hole'), channel.send('and after it')]);
    await until(() => bob.parley.state.status === 'offline', { timeout: 40_000 });
    await here.alice.say(here.channel.id, 'meanwhile');
    bob.line.release();
    await sent;
    await live(bob);
    await expectTheSame(3);
  });
});

describe('the client library when its node is restarted', () => {
  it('loses nothing, repeats nothing, and goes on by itself', async () => {
    const cluster = await startCluster();
    const here = await world(cluster);
    const [first] = cluster.nodes;
    const redisUrl = nodeCount > 1 ? await sharedRedis() : null;
    const bob = await talker(here.bob.on(first ?? here.bob.node), here.channel.id);
    await until(() => bob.parley.state.status === 'live');
    await bob.parley.channel(here.channel.id).send('before');
    const settings = testSettings(cluster.databaseUrl, redisUrl, { port: first?.port ?? 0 });
    await first?.stop();
    await until(() => bob.parley.state.status === 'offline');
    const sent = bob.parley.channel(here.channel.id).send('while it is away');
    const second = await startNode(settings);
    await sent;
    await here.bob.on(second).say(here.channel.id, 'after');
    await until(() => bob.heard.length === 3);
    expect(contents(bob.heard)).to.deep.equal(['before', 'while it is away', 'after']);
    // It was heard by whichever way was open first; the socket comes back by itself.
    await until(() => bob.parley.state.via === 'socket' && bob.parley.state.status === 'live');
    await bob.stop();
    await second.stop();
    here.close();
    await cluster.stop();
  });
});

describe('the client library when its token ends before it can be renewed', () => {
  it('sends what was said meanwhile with the next one', async () => {
    const accounts = { accessTokenSeconds: 3, expiryWarningSeconds: 1 };
    const cluster = await startCluster({ nodes: 1, settings: { accounts } });
    const here = await world(cluster);
    const parley = new Parley({ url: here.alice.node.url });
    const { fetch } = globalThis;
    const isHeldUp = (input: unknown) => String(input).endsWith('/auth/refresh') && parley.state.via === 'socket';
    globalThis.fetch = (input, init) => (isHeldUp(input) ? Promise.reject(new Error('held up')) : fetch(input, init));
    try {
      await parley.signIn({ email: here.alice.username, password: 'correct horse' });
      const channel = parley.channel(await here.newChannel());
      channel.open();
      parley.connect();
      await until(() => channel.live);
      const sends: Promise<unknown>[] = [];
      await until(() => {
        sends.push(channel.send(`${sends.length}`).catch(({ code }) => code));
        return parley.state.via === null;
      });
      const refused = (await Promise.all(sends)).filter((outcome) => typeof outcome === 'string');
      expect(refused).to.deep.equal([]);
    } finally {
      globalThis.fetch = fetch;
      parley.disconnect();
      here.close();
      await cluster.stop();
    }
  });
});
