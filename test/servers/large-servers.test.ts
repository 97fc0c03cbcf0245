import { expect } from 'chai';
import pg from 'pg';
import { loadSettings } from '../../src/settings/settings.ts';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('news of a server of more than a thousand people', () => {
  let cluster: Cluster;
  let here: World;
  let client: pg.Client;
  /** In the order of their ids, in which they are told. */
  let people: Person[];

  before(async () => {
    const secret = 'a secret of this test only';
    const { jwtSecrets } = loadSettings({ NODE_ENV: 'test', JWT_SECRET: secret });
    cluster = await startCluster({ settings: { jwtSecrets } });
    here = await world(cluster);
    const { alice, server } = here;
    const { databaseUrl } = cluster;
    client = new pg.Client(databaseUrl);
    await client.connect();
    const strangers = await crowd(2300, { databaseUrl, secret, serverId: server.id, at: () => alice.node });
    people = strangers.sort((a, b) => (a.id < b.id ? -1 : 1));
  });
  after(async () => {
    await client.end();
    here.close();
    await cluster.stop();
  });

  const isWaitedForLock = async () =>
    (await client.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
      .rowCount !== 0;
  const isAllDone = async () => (await client.query('SELECT FROM notification_jobs')).rowCount === 0;
  const logOf = async (person: Person): Promise<{ event: string; data: Loose }[]> =>
    (await client.query('SELECT event, data FROM log_entries WHERE stream_id = $1 ORDER BY seq', [person.id])).rows;
  const eventsOf = async (person: Person) => (await logOf(person)).map(({ event }) => event);
  /** Someone far beyond the first thousand. */
  const at = (index: number): Person => {
    const person = people[index];
    if (!person) throw new Error('no such person');
    return person;
  };
  const ok = async (answer: Promise<{ status: number; body: Loose }>): Promise<Loose> => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    return body;
  };

  /** `meanwhile` happens after `act`, and before those from `first` on are told of it. */
  async function beforeTold(first: Person, act: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
    await client.query('BEGIN');
    await client.query('SELECT FROM streams WHERE id = $1 FOR UPDATE', [first.id]);
    try {
      await act();
      await until(isWaitedForLock);
      await meanwhile();
    } finally {
      await client.query('COMMIT');
    }
    await until(isAllDone, { timeout: 60_000, message: 'not all is told' });
  }

  it('are never older than what was told before, and reach nobody who has left', async () => {
    const { alice, server } = here;
    const rename = (name: string) => ok(alice.patch(`/api/servers/${server.id}`, { name }));
    const gone = at(1251);
    const promoted = at(1252);
    await beforeTold(
      at(1250),
      () => rename('First'),
      async () => {
        await ok(gone.post(`/api/servers/${server.id}/leave`));
        await ok(alice.patch(`/api/servers/${server.id}/members/${promoted.id}`, { role: 'admin' }));
        await rename('Second');
      },
    );
    expect((await eventsOf(gone)).filter((event) => event.startsWith('server:'))).to.deep.equal(['server:left']);
    for (const person of [at(1250), at(1253), at(2299)]) {
      const told = (await logOf(person)).filter(({ event }) => event === 'server:updated');
      expect(told).to.have.lengthOf(2);
      expect(told.at(-1)?.data.server).to.include({ name: 'Second', role: 'member' });
    }
    const told = (await logOf(promoted)).filter(({ event }) => event === 'server:updated');
    expect(told.map(({ data }) => data.server.role)).to.deep.equal(['admin', 'admin', 'admin']);
  });

  it('say nothing of a channel to those who were put out of it, nor of one that is gone', async () => {
    const { alice, server } = here;
    const create = (name: string) => ok(alice.post(`/api/servers/${server.id}/channels`, { name }));
    const out = at(1261);
    const channel = await create('known');
    await until(isAllDone, { timeout: 60_000, message: 'not all is told' });
    let kept = channel.id;
    await beforeTold(
      at(1260),
      async () => {
        kept = (await create('kept')).id;
      },
      () => ok(alice.delete(`/api/channels/${kept}/members/${out.id}`)),
    );
    await beforeTold(
      at(1260),
      async () => {
        const { id } = await create('gone');
        await until(isWaitedForLock);
        await ok(alice.delete(`/api/channels/${id}`));
      },
      async () => {},
    );
    const created = async (person: Person) =>
      (await logOf(person)).filter(({ event }) => event === 'channel:created').map(({ data }) => data.channel.name);
    expect(await created(at(1262))).to.deep.equal(['known', 'kept']);
    expect(await created(out)).to.deep.equal(['known']);
    expect((await eventsOf(out)).at(-1)).to.equal('channel:member-removed');
  });

  it('are told in transactions of a few when a long home page is part of them', async () => {
    const { alice } = here;
    const server = await ok(alice.post('/api/servers', { name: 'Gallery' }));
    const at = () => alice.node;
    await crowd(50, { databaseUrl: cluster.databaseUrl, secret: 'unused-'.repeat(10), serverId: server.id, at });
    await ok(alice.patch(`/api/servers/${server.id}`, { homepageHtml: 'x'.repeat(256 * 1024) }));
    await until(isAllDone, { timeout: 60_000, message: 'not all is told' });
    const told = await client.query(
      `SELECT count(*)::int FROM log_entries WHERE event = 'server:updated' AND data -> 'server' ->> 'id' = $1
       GROUP BY xmin::text ORDER BY 1`,
      [server.id],
    );
    expect(told.rows.map(({ count }) => count)).to.deep.equal([3, 16, 16, 16]);
  });

  it('are told in transactions of no more than a thousand', async () => {
    const { alice, server } = here;
    await ok(alice.delete(`/api/servers/${server.id}`));
    await until(isAllDone, { timeout: 60_000, message: 'not all is told' });
    const told = await client.query(
      `SELECT count(*)::int FROM log_entries WHERE event = 'server:deleted' GROUP BY xmin::text ORDER BY 1`,
    );
    const counts = told.rows.map(({ count }) => count);
    expect(Math.max(...counts)).to.be.at.most(1000);
    // Alice, bob and the strangers, without the one who left.
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(2301);
  });
});
