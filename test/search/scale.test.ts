// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const messages = 20_000;
/** So many of the newest messages are looked through, whatever is asked for. */
const latest = 2000;
const times = 3;

describe('the search among much that was said', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    await query(
      cluster.databaseUrl,
      `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT ('00000000-0000-7000-a000-' || lpad(to_hex(i), 12, '0'))::uuid, $1, 1000 + i, $2, 'one of many', now(), now()
       FROM generate_series(1, $3::int) AS i`,
      [here.channel.id, here.alice.id, messages],
    );
    await query(cluster.databaseUrl, 'ANALYZE messages');
    // As PostgreSQL takes it where there are millions: that a word is found soon among the newest, however rare it is.
    await query(
      cluster.databaseUrl,
      `SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'messages', 'relpages', 100, 'reltuples', 1e7::real)`,
    );
  });
  after(() => cluster.stop());

  const read = async () => {
    const [row] = await query<{ rows: number }>(
      cluster.databaseUrl,
      `SELECT (idx_tup_fetch + seq_tup_read)::int AS rows FROM pg_stat_user_tables WHERE relname = 'messages'`,
    );
    return row?.rows ?? 0;
  };

  for (const [word, where] of [
    ['abracadabra', 'everywhere'],
    ['hocuspocus', 'in one channel'],
  ] as const) {
    it(`reads no more of it for a rare word ${where}`, async () => {
      const { alice, channel } = here;
      const sent = await alice.say(channel.id, word);
      const before = await read();
      const place = where === 'everywhere' ? '' : `&channelId=${channel.id}`;
      for (let i = 0; i < times; i++) {
        const { body } = await alice.get(`/api/search/messages?query=${word}&limit=1${place}`);
        expect(body.map(({ id }: { id: string }) => id)).to.deep.equal([sent.id]);
      }
      // Counts come up to a second late, and all of a connection's at once.
      const rows = await until(async () => {
        const now = (await read()) - before;
        return now >= times * latest && now;
      });
      expect(rows).to.be.lessThan(2 * times * latest);
    });
  }
});
