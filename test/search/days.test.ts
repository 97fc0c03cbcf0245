// nodes: own

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { firstIdOf } from '../../src/features/search/times.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('the days of a search', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  /** Has something said at a moment. */
  async function said(at: string, content: string): Promise<string> {
    const id = `${firstIdOf(Date.parse(at)).slice(0, 24)}${randomBytes(6).toString('hex')}`;
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows(
        `WITH head AS (UPDATE streams SET last_seq = last_seq + 1 WHERE id = $2 RETURNING last_seq)
         INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
         SELECT $1, $2, last_seq, $3, $4, $5, $5 FROM head`,
        [id, here.channel.id, here.alice.id, content, at],
      );
    });
    return id;
  }
  const found = async (who: Person, query: Record<string, string>): Promise<string[]> => {
    const { status, body } = await who.get(`/api/search/messages?${new URLSearchParams(query)}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.map(({ id }: Loose) => id);
  };

  it('are those of the account, else of the device, else of UTC', async () => {
    const { alice, bob } = here;
    // 23:30 in New York, where the 10th has not ended.
    const late = await said('2025-06-11T03:30:00Z', 'late in New York');
    await until(async () => (await found(bob, { query: 'late' })).includes(late));
    const queries = (day: string, next: string): [Record<string, string>, boolean][] => [
      [{ on: day }, true],
      [{ on: next }, false],
      [{ before: next }, true],
      [{ before: day }, false],
      [{ after: day }, false],
      [{ after: '2025-06-09', before: next }, true],
    ];
    const check = async (who: Person, more: Record<string, string>, day: string, next: string) => {
      for (const [times, isFound] of queries(day, next)) {
        const typed = Object.entries(times).map(([name, value]) => `${name}:${value}`);
        const ways = [{ query: 'late', ...times }, { query: `late ${typed.join(' ')}` }];
        for (const way of ways) {
          const ids = await found(who, { ...way, ...more });
          expect(ids, `${JSON.stringify({ ...way, ...more })}`).to.deep.equal(isFound ? [late] : []);
        }
      }
    };
    await check(bob, {}, '2025-06-11', '2025-06-12');
    // A device may know zones that this server does not.
    await check(bob, { timeZone: 'Nowhere/City' }, '2025-06-11', '2025-06-12');
    await check(bob, { timeZone: '+05:00' }, '2025-06-11', '2025-06-12');
    await check(bob, { timeZone: 'america/new_york' }, '2025-06-10', '2025-06-11');
    expect((await alice.patch('/api/auth/me', { timeZone: 'America/New_York' })).status).to.equal(200);
    await check(alice, {}, '2025-06-10', '2025-06-11');
    await check(alice, { timeZone: 'Asia/Tokyo' }, '2025-06-10', '2025-06-11');
  });

  it('may be those that nothing is looked for in', async () => {
    const { bob } = here;
    const [first, second, third] = [
      await said('2024-03-01T12:00:00Z', 'kettle'),
      await said('2024-03-02T12:00:00Z', 'kettle'),
      await said('2024-03-03T12:00:00Z', 'kettle'),
    ];
    await until(async () => (await found(bob, { query: 'kettle' })).length === 3);
    expect(await found(bob, { query: 'kettle -before:2024-03-02' })).to.deep.equal([third, second]);
    expect(await found(bob, { query: 'kettle -after:2024-03-02' })).to.deep.equal([second, first]);
    expect(await found(bob, { query: 'kettle -before:2024-03-02 -after:2024-03-02' })).to.deep.equal([second]);
  });
});
