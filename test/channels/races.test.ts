import { expect } from 'chai';
import pg from 'pg';
import { until } from '../bench/until.ts';
import { type World, world } from '../world/world.ts';

describe('a channel that is made while something else happens to its server', () => {
  let here: World;
  let client: pg.Client;
  beforeEach(async () => {
    here = await world();
    client = new pg.Client(here.cluster.databaseUrl);
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    here.close();
  });

  /** Makes one while a transaction that did `sql` to the server is under way; that is committed when it is waited for. */
  async function createDuring(sql: string, values: string[]) {
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let isAnswered = false;
    await client.query('BEGIN');
    await client.query(sql, values);
    const creating = here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'novelty' }).finally(() => {
      isAnswered = true;
    });
    await until(async () => isAnswered || ((await client.query(waiting)).rowCount ?? 0) > 0);
    await client.query('COMMIT');
    return creating;
  }

  it('is told to those who join, unless they find it', async () => {
    const { carol, server } = here;
    const join = `WITH joined AS (INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES ($1, $2, 'member', now()))
      UPDATE servers SET member_count = member_count + 1 WHERE id = $1`;
    expect((await createDuring(join, [server.id, carol.id])).status).to.equal(201);
    const told = (await carol.get('/api/events?after=0')).body.events;
    expect(told.map(({ event }: { event: string }) => event)).to.include('channel:created');
  });

  it('is not made in one that is deleted', async () => {
    const { status, body } = await createDuring('DELETE FROM servers WHERE id = $1', [here.server.id]);
    expect([status, body.code]).to.deep.equal([404, 'SERVER_NOT_FOUND']);
  });
});
