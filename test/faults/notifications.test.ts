// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import type { NodeProcess } from '../world/node-process.ts';
import type { Loose, Person } from '../world/person.ts';

describe('notifications when a node dies between a message and its notification', () => {
  let site: Installation;
  let client: pg.Client;
  let dm: Loose;

  const jobs = async () => Number((await client.query('SELECT count(*) FROM notification_jobs')).rows[0].count);
  const list = async (person: Person<NodeProcess>) => (await person.get('/api/notifications')).body;

  before(async () => {
    site = await install({ env: { NODE_ENV: 'test' } });
    client = new pg.Client(site.databaseUrl);
    await client.connect();
    const { alice, bob } = site.here;
    dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    // Alice is told that Bob came.
    await until(async () => (await list(alice)).length === 1 && (await jobs()) === 0);
  });
  after(async () => {
    await client.end();
    await site.stop();
  });

  it('are made after its next start, once each, and no message waits for them', async () => {
    const { alice, bob } = site.here;
    const [node] = site.nodes;
    if (!node) throw new Error('no node');
    // Whoever makes a notification now hangs in the midst of it.
    await client.query('BEGIN');
    await client.query('LOCK TABLE notifications IN ACCESS EXCLUSIVE MODE');
    for (let i = 1; i <= 20; i++) await alice.say(dm.id, `${i}`);
    expect(await jobs()).to.equal(20);
    await node.kill();
    await client.query('COMMIT');
    await until(async () => (await jobs()) === 20);
    expect((await client.query('SELECT FROM notifications')).rowCount).to.equal(1);
    await node.start();
    await until(async () => (await jobs()) === 0, { timeout: 40_000, message: 'the work is not done' });
    const [told, ...others] = (await list(bob)).filter(({ kind }: Loose) => kind === 'dm.message');
    expect(others).to.deep.equal([]);
    expect(told).to.include({ aggregatedCount: 20, body: '20', isRead: false });
    const log = (await bob.get('/api/events?after=0&limit=500')).body.events;
    const events = log.filter(({ data }: Loose) => data.kind === 'dm.message');
    expect(events[0].event).to.equal('notification:new');
    expect(events.at(-1).data.aggregatedCount).to.equal(20);
    expect(new Set(events.map(({ data }: Loose) => data.id)).size).to.equal(1);
    expect((await list(alice)).filter(({ kind }: Loose) => kind === 'dm.message')).to.deep.equal([]);
  });
});
