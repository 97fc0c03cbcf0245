// nodes: own
// alone

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import { type Installation, install } from '../world/installation.ts';
import { type NodeProcess, siteSecret } from '../world/node-process.ts';
import type { Listener, Person } from '../world/person.ts';

const crowdSize = 500;

/** The times of config/test.json: dead after 5 s, a grace of 0.7 s, 2 s for all to be said anew. */
describe('presence over nodes that fail', () => {
  let redis: TestRedis;
  let site: Installation;
  let first: NodeProcess;
  let second: NodeProcess;
  let people: Person<NodeProcess>[];
  let ear: Listener;

  /** User → what the ear was told of it, in order. */
  const heard = () => {
    const changes = new Map<string, string[]>();
    for (const event of ear.all('presence:change')) {
      for (const { userId, status } of event.changes) {
        changes.set(userId, [...(changes.get(userId) ?? []), status]);
      }
    }
    return changes;
  };
  const everyoneIs = (status: string, who: Person<NodeProcess>[]) =>
    until(() => who.every((person) => heard().get(person.id)?.at(-1) === status), {
      timeout: 40_000,
      message: `not everyone is ${status}`,
    });

  before(async () => {
    redis = await startRedis();
    site = await install({ nodes: 2, redisUrl: redis.url, env: { NODE_ENV: 'test' } });
    const [one, two] = site.nodes;
    if (!one || !two) throw new Error('no nodes');
    [first, second] = [one, two];
    const { databaseUrl, here } = site;
    const serverId = here.server.id;
    people = await crowd(crowdSize, { databaseUrl, secret: siteSecret, serverId, at: () => second });
    ear = await here.alice.listen(here.channel.id);
  });
  after(async () => {
    for (const person of people) person.hangUp();
    await site.stop();
    await redis.stop();
  });

  it('of five hundred who come at once is told in a few events', async () => {
    await Promise.all(people.map((person) => person.connect({ reconnection: false })));
    await everyoneIs('online', people);
    for (const person of people) expect(heard().get(person.id)).to.deep.equal(['online']);
    expect(ear.all('presence:change').length).to.be.below(crowdSize / 5);
  });

  it('goes on behind a Redis that was emptied while it ran', async () => {
    const { bob } = site.here;
    const told = () => heard().get(bob.id) ?? [];
    const voice = await bob.on(first).connect();
    await until(() => told().at(-1) === 'online', { message: 'bob is not there' });
    // So that its counting falls back by more than is told meanwhile.
    for (let i = 0; i < 40; i++) await voice.emit('presence:update', { status: i % 2 ? 'online' : 'idle' });
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await voice.emit('presence:update', { status: 'dnd' });
    await until(() => told().at(-1) === 'dnd', { timeout: 40_000, message: 'what was said is not told' });
    await voice.emit('presence:update', { status: 'online' });
    await until(() => told().at(-1) === 'online', { timeout: 40_000, message: 'nor what was said then' });
    for (const person of people) expect(heard().get(person.id)).to.deep.equal(['online']);
    voice.close();
  });

  it('tells a wish that Redis could not take when it takes writes again', async () => {
    const { bob } = site.here;
    const told = () => heard().get(bob.id)?.at(-1);
    const voice = await bob.on(first).connect();
    await until(() => told() === 'online', { message: 'bob is not there' });
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory', '1');
    expect(await voice.emit('presence:update', { status: 'dnd' })).to.include({ ok: true, status: 'dnd' });
    await client.config('SET', 'maxmemory', '0');
    await until(() => told() === 'dnd', { timeout: 40_000, message: 'it is not told' });
    await voice.emit('presence:update', { status: 'online' });
    await until(() => told() === 'online', { message: 'nor what was said then' });
    client.disconnect();
    voice.close();
  });

  it('outlives a Redis that loses everything, without a word about those who stay', async () => {
    const [leaver, ...others] = people;
    const { bob } = site.here;
    await redis.kill();
    leaver?.hangUp();
    const late = await bob.on(first).connect();
    await redis.restart();
    await until(
      () =>
        heard()
          .get(leaver?.id ?? '')
          ?.at(-1) === 'offline',
      { timeout: 40_000, message: 'not gone' },
    );
    await until(() => heard().get(bob.id)?.at(-1) === 'online', { message: 'bob is not there' });
    for (const person of others) expect(heard().get(person.id)).to.deep.equal(['online']);
    const answer = await late.emit('presence:subscribe', { userIds: others.slice(0, 200).map(({ id }) => id) });
    expect(answer.users.every(({ status }: { status: string }) => status === 'online')).to.equal(true);
    late.close();
  });

  it('of a node that is killed ends for all who were on it, once', async () => {
    const others = people.slice(1);
    const before = ear.all('presence:change').length;
    await second.kill();
    await everyoneIs('offline', others);
    for (const person of others) expect(heard().get(person.id)).to.deep.equal(['online', 'offline']);
    expect(ear.all('presence:change').length - before).to.be.below(crowdSize / 5);
  });
});
