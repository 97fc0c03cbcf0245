// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import { type Installation, install } from '../world/installation.ts';
import { siteSecret } from '../world/node-process.ts';
import type { Loose } from '../world/person.ts';

describe('people of a large server when the node dies that tells them', () => {
  let site: Installation;
  let client: pg.Client;
  let people: string[];

  before(async () => {
    site = await install({ env: { NODE_ENV: 'test' } });
    client = new pg.Client(site.databaseUrl);
    await client.connect();
    const { databaseUrl, here } = site;
    await crowd(1500, { databaseUrl, secret: siteSecret, serverId: here.server.id, at: () => here.alice.node });
    const members = 'SELECT user_id FROM server_members WHERE server_id = $1 ORDER BY user_id';
    people = (await client.query(members, [here.server.id])).rows.map(({ user_id }) => user_id);
  });
  after(async () => {
    await client.end();
    await site.stop();
  });

  /** Whose own log says so, as often as it does. */
  const toldOf = async (event: string, words: string): Promise<string[]> => {
    const entries = `SELECT stream_id FROM log_entries WHERE event = $1 AND data::text LIKE '%' || $2 || '%' ORDER BY 1`;
    return (await client.query(entries, [event, words])).rows.map(({ stream_id }) => stream_id);
  };
  const isWaitedForLock = async () =>
    (await client.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
      .rowCount === 1;

  /** Kills the node between the answer and the telling of those beyond the first thousand, in the midst of which it is. */
  async function killInTelling(act: () => Promise<{ status: number; body: Loose }>): Promise<void> {
    const [node] = site.nodes;
    if (!node) throw new Error('no node');
    await client.query('BEGIN');
    await client.query('SELECT FROM streams WHERE id = $1 FOR UPDATE', [people[1300]]);
    const { status, body } = await act();
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    await until(isWaitedForLock);
    await node.kill();
    await client.query('COMMIT');
    await until(async () => !(await isWaitedForLock()));
    await node.start();
  }

  const allTold = (event: string, words: string) =>
    until(async () => (await toldOf(event, words)).length >= people.length, {
      timeout: 60_000,
      message: 'not all were told',
    });

  /** All of them, each once, and nothing is left to be told again. */
  async function expectTold(event: string, words: string): Promise<void> {
    await allTold(event, words);
    await until(async () => (await client.query('SELECT FROM notification_jobs')).rowCount === 0);
    expect(await toldOf(event, words)).to.deep.equal(people);
  }

  it('hear that it was changed, once each', async () => {
    const { alice, server } = site.here;
    await killInTelling(() => alice.patch(`/api/servers/${server.id}`, { name: 'Renamed' }));
    await expectTold('server:updated', 'Renamed');
  });

  it('hear of its new channel, once each', async () => {
    const { alice, server } = site.here;
    await killInTelling(() => alice.post(`/api/servers/${server.id}/channels`, { name: 'novelty' }));
    await expectTold('channel:created', 'novelty');
  });

  it('hear of its end, once each', async () => {
    const { alice, server } = site.here;
    await killInTelling(() => alice.delete(`/api/servers/${server.id}`));
    await expectTold('server:deleted', server.id);
  });
});
