// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const tables = ['channels', 'messages', 'streams', 'users'];
const messages = 150;
const pages = 30;

interface Reads {
  table: string;
  /** How often it was looked into by an index. */
  looks: number;
  /** Rows that were read one after the other. */
  rows: number;
}

describe('what was planned while there was little', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  after(() => cluster.stop());

  const reads = () =>
    withRows(cluster.databaseUrl, (rows) =>
      rows<Reads>(
        `SELECT relname AS table, idx_scan::int AS looks, seq_tup_read::int AS rows FROM pg_stat_user_tables
         WHERE relname = ANY($1::text[]) ORDER BY relname`,
        [tables],
      ),
    );

  it('goes by indexes when there is much', async () => {
    // PostgreSQL counts the tables while they are next to empty; it plans by these numbers until it counts again.
    await withRows(cluster.databaseUrl, (rows) => rows('VACUUM ANALYZE'));
    const page = async (after: number) => {
      const { status } = await here.alice.get(`/api/channels/${here.channel.id}/messages?after=${after}`);
      expect(status).to.equal(200);
    };
    for (let i = 0; i < 10; i++) await page(1000 + i);
    for (let i = 0; i < messages; i++) await here.bob.say(here.channel.id, `message ${i}`);
    const before = await reads();
    for (let i = 0; i < pages; i++) await page(i);
    const work = (of: Reads[]) => {
      const { looks, rows } = of.find(({ table }) => table === 'messages') ?? { looks: 0, rows: 0 };
      return looks + rows;
    };
    // Counts come up to a second late, and all of a connection's at once.
    const after = await until(
      async () => {
        const now = await reads();
        return work(now) - work(before) >= pages && now;
      },
      { timeout: 30_000 },
    );
    for (const [at, { table, rows }] of after.entries()) {
      expect(rows - (before[at]?.rows ?? 0), `rows of ${table}, one after the other`).to.be.lessThan(messages);
    }
  });
});
