// nodes: own
// alone

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Status } from '../../src/contract/presence.ts';
import { RedisPresenceStore } from '../../src/features/presence/redis-store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { countMembers, crowd } from '../world/crowd.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import type { Listener, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const log = createLog('silent');
const secret = 'a secret of this test only';

const changesOf = (ear: Listener, userId: string): string[] =>
  ear
    .all('presence:change')
    .flatMap(({ changes }) => changes)
    .filter((change: Loose) => change.userId === userId)
    .map(({ status }: Loose) => status);
const becomes = (ear: Listener, userId: string, status: string) =>
  until(() => changesOf(ear, userId).at(-1) === status, { message: `not ${status}: ${changesOf(ear, userId)}` });
const snapshotOf = (ear: Listener, channelId: string): Promise<Loose> =>
  ear.next('presence:snapshot', (snapshot) => snapshot.channelId === channelId);
const hasText = (query: unknown): query is { text: string } =>
  typeof query === 'object' && query !== null && 'text' in query && typeof query.text === 'string';

const listedIn = (snapshot: Loose): string[] => snapshot.members.map(({ userId }: Loose) => userId);

describe('a large server', () => {
  let redis: TestRedis;
  let cluster: Cluster;
  let connections: RedisConnections;
  /** A node whose users have no sockets. */
  let ghosts: RedisPresenceStore;
  let here: World;
  let ids: string[];
  /** The statements that nodes have sent. */
  const sent: string[] = [];
  const { query: plainQuery } = pg.Client.prototype;

  before(async () => {
    Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]): unknown {
      if (typeof args[0] === 'string') sent.push(args[0]);
      else if (hasText(args[0])) sent.push(args[0].text);
      return Reflect.apply(plainQuery, this, args);
    });
    redis = await startRedis();
    const { jwtSecrets } = loadSettings({ NODE_ENV: 'test', JWT_SECRET: secret });
    cluster = await startCluster({ nodes: 2, redisUrl: redis.url, settings: { jwtSecrets } });
    const { redisPrefix: prefix, presence } = testSettings('', redis.url);
    connections = new RedisConnections({ url: redis.url, cluster: false, prefix }, log);
    expect(await connections.waitUntilHealthy(10_000)).to.equal(true);
    ghosts = new RedisPresenceStore(connections, randomUUID(), presence, log);
    ghosts.start({ forgotten: () => {}, emptied: () => {}, missed: () => {} });
    await ghosts.renew();
  });
  after(async () => {
    await ghosts.retire();
    connections.close();
    await cluster.stop();
    await redis.stop();
    pg.Client.prototype.query = plainQuery;
  });

  beforeEach(async () => {
    here = await world(cluster);
    ids = await grow(598);
  });
  afterEach(async () => {
    here.close();
    await ghosts.leave(ids);
  });

  /** More members, who are put into the database. */
  async function grow(count: number): Promise<string[]> {
    const { databaseUrl } = cluster;
    const site = { databaseUrl, secret, serverId: here.server.id, at: () => here.alice.node };
    const more = await crowd(count, site);
    await countMembers(databaseUrl, here.server.id);
    return more.map(({ id }) => id);
  }
  const come = (...userIds: string[]) => ghosts.arrive(userIds.map((userId) => ({ userId, wish: 'online' as const })));
  const join = (person: Person) =>
    person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
  async function befriend(one: Person, other: Person): Promise<void> {
    const { id } = (await one.post('/api/friends/request', { username: other.username })).body;
    await other.post(`/api/friends/${id}/accept`);
  }

  it('lists who matters to one who comes, with its first channel, and how many are online', async () => {
    const { alice, bob, carol, channel } = here;
    const [partner, speaker, stranger] = [await register(bob.node), await register(bob.node), await register(bob.node)];
    for (const person of [carol, partner, speaker, stranger]) expect((await join(person)).status).to.equal(200);
    const outsider = await register(bob.node);
    await befriend(alice, carol);
    await befriend(alice, outsider);
    await alice.post('/api/dm/channels', { userId: partner.id });
    await speaker.say(channel.id, 'hello');
    await come(carol.id, outsider.id, stranger.id, ...ids.slice(0, 40));
    const path = `/api/servers/${here.server.id}/members/count`;
    await until(async () => (await alice.get(path)).body.online >= 42, { message: 'they are not there' });
    const others = [await here.newChannel(), await here.newChannel()];
    const ear = await alice.listen(channel.id);
    const first = await snapshotOf(ear, channel.id);
    expect(first).to.include({ serverId: here.server.id, covers: 'listed' });
    expect(first.online).to.be.within(42, 43);
    expect(listedIn(first)).to.have.members([alice.id, carol.id, partner.id, speaker.id]);
    const online = first.members.filter(({ status }: Loose) => status === 'online');
    expect(first.members.slice(0, online.length)).to.deep.equal(online);
    expect(listedIn({ members: online }))
      .to.include(carol.id)
      .and.not.include(partner.id);
    for (const channelId of others) {
      await ear.emit('channel:join', { channelId });
      expect((await snapshotOf(ear, channelId)).members).to.deep.equal([]);
    }
    // Whoever is listed is followed, and nobody else.
    await come(partner.id, speaker.id, ...ids.slice(40, 60));
    for (const { id } of [partner, speaker]) await becomes(ear, id, 'online');
    await ghosts.wish(carol.id, 'dnd');
    await becomes(ear, carol.id, 'dnd');
    await ghosts.wish(carol.id, 'online');
    for (const id of [stranger.id, ...ids]) expect(changesOf(ear, id)).to.deep.equal([]);
    await ear.next('presence:count', ({ serverId, online: now }) => serverId === here.server.id && now === 65);
    expect((await alice.get(path)).body).to.deep.equal({ total: 604, online: 65 });
    await ghosts.leave([carol.id, outsider.id, stranger.id, partner.id, speaker.id]);
    for (const person of [partner, speaker, stranger, outsider]) person.hangUp();
  });

  it('tells of whom it listed, whatever becomes of their friendship, also after a recovery', async () => {
    const { alice, bob, carol, channel } = here;
    await join(carol);
    const { id } = (await alice.post('/api/friends/request', { username: carol.username })).body;
    await carol.post(`/api/friends/${id}/accept`);
    const second = await here.newChannel();
    const ear = await alice.listen(channel.id);
    expect(listedIn(await snapshotOf(ear, channel.id))).to.include(carol.id);
    await bob.say(channel.id, 'hello');
    await ear.next('message:new');
    ear.socket.io.engine.close();
    await until(() => ear.socket.connected && ear.socket.recovered);
    const mouth = await carol.listen(second);
    await mouth.emit('presence:activity', { channelId: second, activity: 'reading' });
    await ear.emit('channel:join', { channelId: second });
    // They matter as before; those who were listed are not listed again.
    const { members, activities } = await snapshotOf(ear, second);
    expect([members, activities]).to.deep.equal([[], [{ userId: carol.id, activity: 'reading' }]]);
    await becomes(ear, carol.id, 'online');
    expect((await alice.delete(`/api/friends/${id}`)).status).to.equal(200);
    await mouth.emit('presence:update', { status: 'idle' });
    await becomes(ear, carol.id, 'idle');
  });

  it('costs one who comes the same, however many members there are and are online', async () => {
    const { alice, channel } = here;
    const channels = [channel.id];
    for (let i = 0; i < 4; i++) channels.push(await here.newChannel());
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const site = { databaseUrl: cluster.databaseUrl, secret, serverId: here.server.id, at: () => node };
    const newcomers = await crowd(4 + 6 * 16, site);
    await countMembers(cluster.databaseUrl, here.server.id);
    const isCounted = async (online: number) =>
      (await alice.get(`/api/servers/${here.server.id}/members/count`)).body.online >= online;
    /** What nodes send by themselves. */
    const own = new Set<string>();
    /** What `some` get, and the statements that it takes, until what they cause has been told. */
    async function cost(some: Person[]): Promise<{ bytes: number; statements: Map<string, number> }> {
      const from = sent.length;
      let bytes = 0;
      for (const person of some) {
        const ear = await person.connect();
        await Promise.all(channels.map((channelId) => ear.emit('channel:join', { channelId })));
        for (const channelId of channels) await snapshotOf(ear, channelId);
        await becomes(ear, person.id, 'online');
        for (const { event, data } of ear.received)
          if (event !== 'presence:count') bytes += JSON.stringify(data).length;
        ear.close();
      }
      const statements = Map.groupBy(sent.slice(from), (text) => text);
      return { bytes, statements: new Map([...statements].map(([text, all]) => [text, all.length])) };
    }
    /** What sixteen of them cost, three times. */
    async function costs() {
      const from = sent.length;
      await delay(3000);
      for (const text of sent.slice(from)) own.add(text);
      return [
        await cost(newcomers.splice(0, 16)),
        await cost(newcomers.splice(0, 16)),
        await cost(newcomers.splice(0, 16)),
      ];
    }
    /** The least of each, since what nodes do by themselves may come between. */
    const least = (all: Awaited<ReturnType<typeof costs>>) => ({
      bytes: Math.min(...all.map(({ bytes }) => bytes)),
      statements: [...(all[0]?.statements.keys() ?? [])]
        .filter((text) => !own.has(text))
        .reduce((sum, text) => sum + Math.min(...all.map(({ statements }) => statements.get(text) ?? 0)), 0),
    });
    await come(...ids.slice(0, 100));
    await until(() => isCounted(100));
    await cost(newcomers.splice(0, 4));
    const before = await costs();
    ids.push(...(await grow(2400)));
    await come(...ids);
    await until(() => isCounted(ids.length));
    const after = await costs();
    const [few, many] = [least(before), least(after)];
    expect(few.statements).to.be.above(0);
    expect(many.bytes / few.bytes).to.be.below(1.2);
    expect(few.bytes / 16).to.be.below(8 * 1024);
    expect(many.statements / few.statements).to.be.below(1.2);
  });

  it('tells arrivals to nobody but those who follow them', async () => {
    const { alice, bob, channel } = here;
    const [ear, watcher] = [await alice.listen(channel.id), await bob.listen(channel.id)];
    for (const one of [ear, watcher]) await snapshotOf(one, channel.id);
    for (const [one, { id }] of [
      [ear, alice],
      [watcher, bob],
    ] as const) {
      await becomes(one, id, 'online');
    }
    const watched = ids.slice(0, 3);
    const answer = await watcher.emit('presence:subscribe', { userIds: watched });
    expect(answer.users).to.have.deep.members(watched.map((userId) => ({ userId, status: 'offline' })));
    for (const one of [ear, watcher]) one.received.length = 0;
    await come(...ids);
    for (const id of watched) await becomes(watcher, id, 'online');
    await ear.next('presence:count', ({ online }) => online === ids.length + 2);
    expect(ear.all('presence:change')).to.deep.equal([]);
    for (const { changes } of watcher.all('presence:change')) {
      for (const { userId } of changes) expect(watched).to.include(userId);
    }
  });

  it('has small private channels as they are in a small server', async () => {
    const { alice, bob, carol, server } = here;
    await join(carol);
    const body = { name: 'secret', isPrivate: true };
    const secretId = (await alice.post(`/api/servers/${server.id}/channels`, body)).body.id;
    const admit = (person: Person) => alice.post(`/api/channels/${secretId}/members`, { userId: person.id });
    await admit(bob);
    const ear = await alice.listen(here.channel.id, secretId);
    const snapshot = await snapshotOf(ear, secretId);
    expect(snapshot).to.have.all.keys('channelId', 'members', 'covers', 'activities', 'customStatuses');
    expect(snapshot.covers).to.equal('channel');
    expect(listedIn(snapshot)).to.have.members([alice.id, bob.id]);
    const voice = await bob.connect();
    await becomes(ear, bob.id, 'online');
    // Who comes into the channel later is told of, too.
    const late = await carol.connect();
    await admit(carol);
    await becomes(ear, carol.id, 'online');
    late.close();
    await becomes(ear, carol.id, 'offline');
    await ear.emit('channel:leave', { channelId: secretId });
    const witness = await carol.connect();
    await witness.emit('presence:subscribe', { userIds: [bob.id] });
    await voice.emit('presence:update', { status: 'idle' });
    await becomes(witness, bob.id, 'idle');
    await delay(200);
    expect(changesOf(ear, bob.id)).to.deep.equal(['online']);
  });

  it('goes on as before for those who came while it was small', async () => {
    const { alice, channel } = here;
    await query(cluster.databaseUrl, 'UPDATE servers SET member_count = 500 WHERE id = $1', [here.server.id]);
    // Until the node looks at the size again.
    const other = await alice.post('/api/servers', { name: 'Another' });
    const ear = await until(
      async () => {
        const one = await alice.listen(channel.id);
        if (!('serverId' in (await snapshotOf(one, channel.id)))) return one;
        one.close();
        return undefined;
      },
      { timeout: 15_000 },
    );
    expect(other.status).to.equal(201);
    await countMembers(cluster.databaseUrl, here.server.id);
    await until(
      async () => {
        const one = await alice.listen(channel.id);
        const { serverId } = await snapshotOf(one, channel.id);
        one.close();
        return serverId !== undefined;
      },
      { timeout: 15_000 },
    );
    const [, second] = [await ear.emit('channel:join', { channelId: channel.id }), await here.newChannel()];
    await ear.emit('channel:join', { channelId: second });
    expect(await snapshotOf(ear, second)).not.to.have.property('serverId');
    await come(...ids.slice(0, 20));
    for (const id of ids.slice(0, 20)) await becomes(ear, id, 'online');
  });

  it('tells those who are recovered of all whom they follow, however many others have changed', async () => {
    const { alice, bob, carol, channel } = here;
    await join(carol);
    await befriend(alice, carol);
    await bob.say(channel.id, 'hello');
    const ear = await alice.listen(channel.id);
    const followed = [bob.id, carol.id, ids[0] ?? '', ids[1] ?? ''];
    expect(listedIn(await snapshotOf(ear, channel.id))).to.include.members([bob.id, carol.id]);
    await ear.emit('presence:subscribe', { userIds: ids.slice(0, 2) });
    await come(...followed.slice(0, 3));
    for (const id of followed.slice(0, 3)) await becomes(ear, id, 'online');
    for (let round = 0; round < 2; round++) {
      // Socket.IO recovers only who has got something with a number.
      await bob.say(channel.id, `${round}`);
      await ear.next('message:new', ({ content }) => content === `${round}`);
      ear.socket.io.reconnection(false);
      ear.socket.io.engine.close();
      await until(() => !ear.socket.connected);
      ear.received.length = 0;
      const [gone, back] =
        round === 0 ? [followed.slice(0, 2), followed.slice(3)] : [followed.slice(3), followed.slice(0, 2)];
      await ghosts.leave(gone);
      await come(...back, ...ids.slice(2));
      const witness = await alice.on(bob.node).connect();
      const isKnown = async () => {
        const { users } = await witness.emit('presence:subscribe', { userIds: [...followed, ids.at(-1)] });
        return users.every(({ userId, status }: Loose) => (status === 'offline') === gone.includes(userId));
      };
      await until(isKnown, { message: 'the others do not know' });
      await delay(200);
      ear.socket.connect();
      await until(() => ear.socket.connected);
      expect(ear.socket.recovered).to.equal(true);
      for (const id of gone) await becomes(ear, id, 'offline');
      for (const id of back) await becomes(ear, id, 'online');
      for (const id of ids.slice(2)) expect(changesOf(ear, id)).to.deep.equal([]);
      await ghosts.leave(ids.slice(2));
      witness.close();
    }
    await ghosts.wish(ids[0] ?? '', 'dnd');
    await becomes(ear, ids[0] ?? '', 'dnd');
  });

  it('has those start afresh who were told of everyone on a node of an earlier version', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    await snapshotOf(ear, channel.id);
    await bob.say(channel.id, 'hello');
    await ear.next('message:new');
    ear.socket.io.reconnection(false);
    ear.socket.io.engine.close();
    await until(() => !ear.socket.connected);
    const saved = async () => (await connections.commands.keys(connections.named('recovery:*')))[0];
    const key = await until(saved, { message: 'nothing is saved' });
    const { crowds, ...before } = JSON.parse((await connections.commands.get(key)) ?? '');
    expect(crowds).to.deep.equal([`crowd:${here.server.id}`]);
    await connections.commands.set(key, JSON.stringify(before));
    ear.socket.io.reconnection(true);
    ear.socket.connect();
    await until(() => ear.all('ready').length >= 2 && ear.socket.connected && !ear.socket.recovered);
  });

  it('lists what those do who matter, and not all', async () => {
    const { alice, bob, carol, channel } = here;
    await join(carol);
    await befriend(alice, carol);
    const mouths = [await bob.listen(channel.id), await carol.listen(channel.id)];
    for (const mouth of mouths) await mouth.emit('presence:activity', { channelId: channel.id, activity: 'reading' });
    const { activities } = await snapshotOf(await alice.listen(channel.id), channel.id);
    expect(activities).to.deep.equal([{ userId: carol.id, activity: 'reading' }]);
    await bob.say(channel.id, 'hello');
    // Until it is looked up anew who wrote last.
    await until(
      async () => {
        const { activities: now } = await snapshotOf(await alice.listen(channel.id), channel.id);
        return now.length === 2;
      },
      { timeout: 15_000 },
    );
  });

  it('shows neither people nor their number to bots that may see no members', async () => {
    const { alice, server, channel } = here;
    const [barred, free] = [await botIn(server, alice), await botIn(server, alice)];
    const policy = `/api/channels/${channel.id}/agents/${barred.agentId}/policy`;
    expect((await alice.put(policy, { mode: 'disabled' })).status).to.equal(200);
    const [deaf, ear] = [await barred.connect(), await free.listen(channel.id)];
    await deaf.emit('channel:join', { channelId: channel.id });
    // Who comes before that is counted in it.
    await snapshotOf(ear, channel.id);
    await come(...ids.slice(0, 5));
    await ear.next('presence:count', ({ online }) => online >= 5);
    await delay(300);
    for (const event of ['presence:snapshot', 'presence:count', 'presence:change']) {
      expect(deaf.all(event).filter(({ changes = [] }) => !isOwn(changes, barred.id))).to.deep.equal([]);
    }
    expect((await barred.get(`/api/servers/${server.id}/members/count`)).body.code).to.equal('FORBIDDEN');
    for (const bot of [barred, free]) bot.hangUp();
  });

  const isOwn = (changes: Loose[], id: string) => changes.length > 0 && changes.every(({ userId }) => userId === id);

  const seed = seedOfRun();

  it(`is believed to be what it is, by all who follow someone there, on both nodes (PARLEY_SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const pick = <T>(list: readonly T[]): T => {
      const one = list[random(list.length)];
      if (one === undefined) throw new Error('nothing to pick from');
      return one;
    };
    const { alice, bob, carol } = here;
    await join(carol);
    await befriend(alice, carol);
    const channels = [here.channel.id, await here.newChannel()];
    const people = ids.slice(0, 8);
    const truth = new Map<string, Status>();
    const wishes = new Map<string, Status>();
    const ears: { ear: Listener; channels: Set<string>; asked: Map<string, string> }[] = [];
    /** What a client of any version makes of what it got: for whom was listed to it, or asked for. */
    const believed = ({ ear, asked }: (typeof ears)[number]) => {
      const belief = new Map<string, string>(asked);
      for (const { event, data } of ear.received) {
        if (event === 'presence:snapshot') for (const { userId, status } of data.members) belief.set(userId, status);
        if (event !== 'presence:change') continue;
        for (const { userId, status } of data.changes) if (belief.has(userId)) belief.set(userId, status);
      }
      return belief;
    };
    for (const person of [alice, bob, carol, alice.on(bob.node)]) {
      ears.push({ ear: await person.connect(), channels: new Set(), asked: new Map() });
    }
    const steps = [
      async () => {
        const userId = pick(people);
        await come(userId);
        truth.set(userId, wishes.get(userId) ?? 'online');
      },
      async () => {
        const userId = pick(people);
        await ghosts.leave([userId]);
        truth.delete(userId);
      },
      async () => {
        const userId = pick(people);
        if (!truth.has(userId)) return;
        const status = pick(['idle', 'dnd'] as const);
        await ghosts.wish(userId, status);
        for (const map of [truth, wishes]) map.set(userId, status);
      },
      async () => {
        const { ear, channels: joined } = pick(ears);
        const channelId = pick(channels);
        await ear.emit('channel:join', { channelId });
        joined.add(channelId);
      },
      async () => {
        const { ear, channels: joined } = pick(ears);
        const [channelId] = joined;
        if (channelId === undefined || joined.size < 2) return;
        joined.delete(channelId);
        await ear.emit('channel:leave', { channelId });
      },
      async () => {
        const one = pick(ears);
        const userId = pick(people);
        const at = one.ear.received.length;
        const { users } = await one.ear.emit('presence:subscribe', { userIds: [userId] });
        one.asked.set(userId, users[0].status);
        // The answer replaces what came before it.
        const late = one.ear.received.slice(at).flatMap(({ data }) => data.changes ?? data.members ?? []);
        one.ear.received.push({ event: 'presence:snapshot', data: { members: users } });
        one.ear.received.push({ event: 'presence:change', data: { changes: late } });
      },
      async () => {
        const userId = pick(people);
        const values = [randomUUID(), pick(channels), userId];
        await query(
          cluster.databaseUrl,
          `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
           SELECT $1, $2, 1000000 + count(*), $3, 'hello', now(), now() FROM messages`,
          values,
        );
      },
    ];
    for (let step = 0; step < 120; step++) {
      await pick(steps)();
      if (random(4) === 0) await delay(random(60));
    }
    for (const [at, one] of ears.entries()) {
      const isRight = () => {
        for (const [userId, status] of believed(one)) {
          if (people.includes(userId) && status !== (truth.get(userId) ?? 'offline')) return false;
        }
        return true;
      };
      await until(isRight, { message: `client ${at} believes something else` });
    }
    const heads = (await alice.get(`/api/servers/${here.server.id}/members/count`)).body.online;
    const isCounted = async () =>
      (await bob.get(`/api/servers/${here.server.id}/members/count`)).body.online === truth.size + 3;
    await until(isCounted, { message: `${heads} are counted, not ${truth.size + 3}` });
  });
});
