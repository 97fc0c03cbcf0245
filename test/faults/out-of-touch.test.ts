// nodes: own

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type Cluster, migrated, type SettingsChange, startCluster } from '../world/nodes.ts';
import type { Listener, Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, worldOn } from '../world/world.ts';

/** Losing access takes hold within so many milliseconds (contract §13, Delivery). */
const promisedMs = 2000;

/** How many wait to read what has changed. */
const lookers = `SELECT count(*) FROM pg_locks WHERE relation = 'invalidations'::regclass AND NOT granted`;

/** Two nodes, of which bob's reaches PostgreSQL and Redis over wires. */
describe('a node that hears of no order for a while, when somebody loses access meanwhile', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let wires: { postgres: TcpProxy; redis: TcpProxy };
  let clusters: Cluster[] = [];
  let here: World;
  let ear: Listener;
  let hand: Redis;

  async function start(far: SettingsChange = {}): Promise<void> {
    redis = await startRedis();
    hand = new Redis(redis.url);
    database = await createDatabase(migrated);
    const { url } = database;
    wires = { postgres: await startProxy(Number(new URL(url).port)), redis: await startProxy(redis.port) };
    const through = (address: string, { port }: TcpProxy) =>
      Object.assign(new URL(address), { host: `127.0.0.1:${port}` }).href;
    const [postgresUrl, redisUrl] = [through(url, wires.postgres), through(redis.url, wires.redis)];
    clusters = [
      await startCluster({ nodes: 1, redisUrl: redis.url, databaseUrl: url }),
      await startCluster({ nodes: 1, redisUrl, databaseUrl: postgresUrl, settings: far }),
    ];
    here = await worldOn({ nodes: clusters.flatMap(({ nodes }) => nodes), databaseUrl: url, stop: async () => {} });
    ear = await here.bob.listen(here.channel.id);
  }

  afterEach(async () => {
    here.close();
    hand.disconnect();
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    await Promise.all([wires.postgres.stop(), wires.redis.stop(), redis.stop()]);
    await database.drop();
  });

  /** Takes access from bob, and comes back when that is to hold everywhere. */
  async function lost(taken: Promise<{ status: number }>): Promise<void> {
    expect((await taken).status).to.equal(200);
    const answered = performance.now();
    await until(() => performance.now() - answered > promisedMs);
  }

  const putOut = () => lost(here.alice.delete(`/api/servers/${here.server.id}/members/${here.bob.id}`));

  const heard = (listener: Listener) => listener.all('message:new').map(({ content }: Loose) => content);

  async function bobHearsOnlyThatHeIsOut(): Promise<void> {
    await ear.next('server:left');
    expect(heard(ear)).to.deep.equal(['before']);
  }

  it('says nothing to them of what others read from the log', async () => {
    // As if it had stood still: nothing is swept.
    await start({ delivery: { sweepMs: 3_600_000 } });
    const { alice, bob, channel } = here;
    const { seq } = await alice.say(channel.id, 'before');
    await ear.next('message:new');
    wires.redis.refuse(true);
    wires.redis.cut();
    await putOut();
    await alice.say(channel.id, 'late');
    const other = await alice.on(bob.node).connect();
    const ack = await other.emit('channel:join', { channelId: channel.id, after: seq });
    expect(ack.events.map(({ data }: Loose) => data.content)).to.include('late');
    await bobHearsOnlyThatHeIsOut();
  });

  it('says nothing to them of what it hears again before it can read the log', async () => {
    await start();
    const { alice, bob, channel } = here;
    const other = await alice.on(bob.node).listen(channel.id);
    await alice.say(channel.id, 'before');
    for (const listener of [ear, other]) await listener.next('message:new');
    wires.postgres.hold();
    wires.redis.refuse(true);
    wires.redis.cut();
    await putOut();
    wires.redis.refuse(false);
    await until(async () => Number((await hand.pubsub('NUMSUB', `parley:room:channel:${channel.id}`))[1]) === 1);
    await alice.say(channel.id, 'late');
    const mouth = await alice.listen(channel.id);
    // What is not in the log comes by the same Redis, and nobody has to ask for it.
    await until(async () => {
      await mouth.emit('message:typing', { channelId: channel.id });
      return other.all('message:typing').length > 0;
    });
    wires.postgres.release();
    await other.next('message:new', ({ content }) => content === 'late');
    await bobHearsOnlyThatHeIsOut();
  });

  it('says nothing to the sockets of a session that has ended before it knows of that', async () => {
    await start();
    const { alice, bob, channel } = here;
    const { seq } = await alice.say(channel.id, 'before');
    await ear.next('message:new');
    const other = await alice.on(bob.node).connect();
    wires.postgres.hold();
    wires.redis.refuse(true);
    wires.redis.cut();
    await lost(bob.on(alice.node).post('/api/auth/logout'));
    await alice.say(channel.id, 'late');
    await withRows(database.url, async (rows) => {
      // What has ended cannot be read; everything else can.
      await rows('BEGIN');
      await rows('LOCK TABLE invalidations IN ACCESS EXCLUSIVE MODE');
      wires.postgres.release();
      let isIn = false;
      const joined = other.emit('channel:join', { channelId: channel.id, after: seq }).finally(() => {
        isIn = true;
      });
      await until(async () => isIn || Number((await rows<{ count: string }>(lookers))[0]?.count) > 1);
      await rows('COMMIT');
      expect((await joined).events.map(({ data }: Loose) => data.content)).to.deep.equal(['late']);
    });
    await ear.next('auth:session-revoked');
    expect(heard(ear)).to.deep.equal(['before']);
  });
});
