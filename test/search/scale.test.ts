// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const messages = 20_000;
/** So many of the newest messages are looked through, whatever is asked for, and taken out of the index at once. */
const most = 2000 + 1500;
const times = 3;

/** Its id, which says its time: each hour has some. */
const id = (i: string) =>
  `(lpad(to_hex(1600000000000 + ${i}::bigint * 600000), 12, '0') || '70008000' || lpad(to_hex(${i}), 12, '0'))::uuid`;

describe('the search among much that was said', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    await query(
      cluster.databaseUrl,
      `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT ${id('i')}, $1, 1000 + i, $2, 'one of many' || CASE WHEN i < $3::int / 2 THEN ' formerly' ELSE '' END, now(), now()
       FROM generate_series(1, $3::int) AS i`,
      [here.channel.id, here.alice.id, messages],
    );
    await query(cluster.databaseUrl, 'UPDATE streams SET last_seq = $2 WHERE id = $1', [
      here.channel.id,
      2000 + messages,
    ]);
    await until(
      async () => {
        const [row] = await query<{ count: number }>(cluster.databaseUrl, 'SELECT count(*)::int FROM search_words');
        return (row?.count ?? 0) >= messages;
      },
      { timeout: 120_000, message: 'They are not indexed' },
    );
    await query(cluster.databaseUrl, 'VACUUM ANALYZE search_words');
    // As PostgreSQL takes it where there are millions: that a word is found soon among the newest, however rare it is.
    await query(
      cluster.databaseUrl,
      `SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'search_words', 'relpages', 100, 'reltuples', 1e7::real)`,
    );
  });
  after(() => cluster.stop());

  const read = async () => {
    const [row] = await query<{ rows: number }>(
      cluster.databaseUrl,
      `SELECT (idx_tup_fetch + seq_tup_read)::int AS rows FROM pg_stat_user_tables WHERE relname = 'search_words'`,
    );
    return row?.rows ?? 0;
  };
  const find = async (words: string, more = '') => {
    const { body, status } = await here.alice.get(`/api/search/messages?query=${words}&limit=10${more}`);
    expect(status).to.equal(200);
    return body.map(({ content }: { content: string }) => content);
  };

  for (const [word, where] of [
    ['abracadabra', 'everywhere'],
    ['hocuspocus', 'in one channel'],
  ] as const) {
    it(`reads no more of it for a rare word ${where}`, async () => {
      const { alice, channel } = here;
      await alice.say(channel.id, word);
      const before = await read();
      const place = where === 'everywhere' ? '' : `&channelId=${channel.id}`;
      for (let i = 0; i < times; i++) expect(await find(word, place)).to.deep.equal([word]);
      // Counts come up to a second late, and all of a connection's at once.
      const rows = await until(async () => {
        const now = (await read()) - before;
        return now >= times * 2000 && now;
      });
      expect(rows).to.be.lessThan(2 * times * 2000);
    });
  }

  it('finds what is common, and what was common once, without reading all of it', async () => {
    const before = await read();
    expect(await find('many')).to.deep.equal(Array(10).fill('one of many'));
    expect(await find('formerly')).to.deep.equal(Array(10).fill('one of many formerly'));
    const rows = await until(async () => {
      const now = (await read()) - before;
      return now >= 2000 && now;
    });
    expect(rows).to.be.lessThan(3 * most);
  });

  it('pages through what was common once, in order and without gaps', async () => {
    const seen: string[] = [];
    for (let cursor = ''; seen.length < 400; ) {
      const { body } = await here.alice.get(`/api/search/messages?query=formerly&limit=100${cursor}`);
      seen.push(...body.map((message: { id: string }) => message.id));
      cursor = `&cursor=${seen.at(-1)}`;
    }
    const wanted = await query<{ id: string }>(
      cluster.databaseUrl,
      `SELECT id FROM messages WHERE content LIKE '%formerly' ORDER BY id DESC LIMIT 400`,
    );
    expect(seen).to.deep.equal(wanted.map((row) => row.id));
  });
});
