// nodes: own

import { expect } from 'chai';
import { advisoryLocks } from '../../src/database/advisory-locks.ts';
import type { Rows } from '../../src/database/database.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('the index of the search', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    // While nobody indexes, each search waits in vain.
    cluster = await startCluster({ settings: { search: { waitMs: 1000 } } });
    here = await world(cluster);
  });
  after(() => cluster.stop());

  const find = async (query: string): Promise<string[]> =>
    (await here.bob.get(`/api/search/messages?${new URLSearchParams({ query })}`)).body.map(({ id }: Loose) => id);

  /** Runs `work` while nobody indexes anything. */
  const unindexed = <T>(work: (rows: Rows) => Promise<T>): Promise<T> =>
    withRows(cluster.databaseUrl, async (rows) => {
      await rows('SELECT pg_advisory_lock($1)', [advisoryLocks.indexing]);
      return work(rows);
    });
  const words = (rows: Rows, id: string) => rows('SELECT FROM search_words WHERE message_id = $1', [id]);

  it('follows what is sent, though nobody searches', async () => {
    const sent = await here.alice.say(here.channel.id, 'unasked');
    await withRows(cluster.databaseUrl, (rows) => until(async () => (await words(rows, sent.id)).length === 1));
  });

  it('gets what was written before it, and meanwhile the former one answers', async () => {
    const old = await here.alice.say(here.channel.id, 'antique client/server');
    await withRows(cluster.databaseUrl, (rows) => until(async () => (await words(rows, old.id)).length === 1));
    await unindexed(async (rows) => {
      await rows('DELETE FROM search_words');
      await rows('UPDATE search_progress SET before_seq = seq + 1 WHERE channel_id = $1', [here.channel.id]);
      expect(await find('antique')).to.deep.equal([old.id]);
      expect(await find('server')).to.deep.equal([]);
    });
    await until(async () => (await find('server')).length > 0);
    expect(await find('antique')).to.deep.equal([old.id]);
    await withRows(cluster.databaseUrl, (rows) =>
      until(async () => (await rows('SELECT FROM search_progress WHERE before_seq > 0')).length === 0),
    );
  });

  it('gets what any program has written, such as an import', async () => {
    const id = '00000000-0000-7000-a000-000000000001';
    await withRows(cluster.databaseUrl, async (rows) => {
      const [head] = await rows<{ seq: number }>(
        'UPDATE streams SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq::int AS seq',
        [here.channel.id],
      );
      await rows(
        `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
         VALUES ($1, $2, $3, $4, 'brought', now(), now())`,
        [id, here.channel.id, head?.seq, here.alice.id],
      );
    });
    await until(async () => (await find('brought')).includes(id));
  });

  it('says how far it is behind, and how much it has done', async () => {
    const { alice, channel } = here;
    const metrics = async (): Promise<Map<string, number>> => {
      const texts = await Promise.all(
        cluster.nodes.map(async ({ url }) => String((await request({ url }, 'GET', '/metrics')).body)),
      );
      const found = texts.flatMap((text) => Array.from(text.matchAll(/^parley_search_(\w+) (\S+)$/gm)));
      const sums = new Map<string, number>();
      for (const [, name = '', value] of found) sums.set(name, (sums.get(name) ?? 0) + Number(value));
      return sums;
    };
    await until(async () => (await metrics()).get('lag_seconds') === 0);
    const before = (await metrics()).get('indexed_total') ?? 0;
    await unindexed(async () => {
      await alice.say(channel.id, 'left behind');
      await until(async () => ((await metrics()).get('lag_seconds') ?? 0) > 1);
    });
    await until(async () => (await metrics()).get('lag_seconds') === 0);
    const after = await metrics();
    expect(after.get('indexed_total')).to.be.greaterThan(before);
    expect(after.get('failures_total')).to.equal(0);
  });

  it('shows nothing of a text that was edited or deleted, though it is not indexed anew', async () => {
    const { alice, channel } = here;
    const [edited, deleted] = [
      await alice.say(channel.id, 'classified one'),
      await alice.say(channel.id, 'classified two'),
    ];
    await until(async () => (await find('classified')).length === 2);
    await unindexed(async () => {
      await alice.patch(`/api/messages/${edited.id}`, { content: 'nothing special' });
      await alice.delete(`/api/messages/${deleted.id}`);
      expect(await find('classified')).to.deep.equal([]);
    });
    await until(async () => (await find('special')).includes(edited.id));
    expect(await find('classified')).to.deep.equal([]);
    await withRows(cluster.databaseUrl, (rows) => until(async () => (await words(rows, deleted.id)).length === 0));
  });

  it('loses what is removed by whichever program', async () => {
    const { alice, channel } = here;
    const sent = await alice.say(channel.id, 'shortlived');
    await until(async () => (await find('shortlived')).length === 1);
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('DELETE FROM messages WHERE id = $1', [sent.id]);
      await until(async () => (await words(rows, sent.id)).length === 0);
    });
    expect(await find('shortlived')).to.deep.equal([]);
  });
});
