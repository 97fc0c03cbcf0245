// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { MAX, NIL } from 'uuid';
import type { Rows } from '../../src/database/database.ts';
import { Finder } from '../../src/features/search/finder.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { migrated } from '../world/nodes.ts';

const channel = '00000000-0000-7000-8000-00000000000c';
const other = '00000000-0000-7000-8000-00000000000d';

/**
 * Messages of two years: some at all times, and many within a day long ago. The newest 2000 have nothing that is looked
 * for. Three quarters are in the channel.
 */
const fill = `INSERT INTO search_words (message_id, channel_id, words)
  SELECT id, CASE WHEN n % 4 = 0 THEN $2::uuid ELSE $1::uuid END,
    array_to_tsvector(array['all', 't' || n % 3, '#t' || left(time, 4), '#t' || left(time, 5), '#t' || left(time, 6),
      CASE WHEN n <= 7000 THEN 'formerly' ELSE 'lately' END, CASE WHEN n % 700 = 0 THEN 'rare' ELSE 'often' END])
  FROM (SELECT *, replace(id::text, '-', '') AS time FROM (
    SELECT n, (lpad(to_hex(1700000000000 + CASE WHEN n BETWEEN 3000 AND 6000 THEN 20000000000 + n * 20000::bigint
      ELSE n * 7000000::bigint END), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid AS id
    FROM generate_series(1, 9500) AS n) AS made) AS message`;

describe('what the index of the search finds', () => {
  let place: TestDatabase;
  let client: pg.Client;
  before(async () => {
    place = await createDatabase(migrated);
    client = new pg.Client(place.url);
    await client.connect();
    await client.query(fill, [channel, other]);
    await client.query('SET enable_seqscan = off');
  });
  after(async () => {
    await client.end();
    await place.drop();
  });

  const rows: Rows = async <R extends object>(text: string, values: unknown[] = []) =>
    (await client.query<R>(text, values)).rows;
  const ids = (found: { id: string }[]) => found.map(({ id }) => id);
  const wanted = async (query: string, from: string, before: string, limit: number) =>
    ids(
      await rows<{ id: string }>(
        `SELECT message_id AS id FROM search_words WHERE words @@ $1::tsquery AND channel_id = $2 AND message_id >= $3
           AND message_id < $4 ORDER BY message_id DESC LIMIT $5`,
        [query, channel, from, before, limit],
      ),
    );

  it('is the newest with all parts, in order, whatever it is and between whichever times', async () => {
    const all = ids(await rows<{ id: string }>('SELECT message_id AS id FROM search_words ORDER BY message_id'));
    const at = (share: number) => all[Math.floor(all.length * share)] ?? NIL;
    for (const parts of [['formerly'], ['formerly', 't1'], ['rare'], ['all', 't2'], ['formerly & !t0'], ['none']]) {
      for (const [from, before] of [
        [NIL, MAX],
        [NIL, at(0.7)],
        [at(0.2), at(0.5)],
        [at(0.35), MAX],
        [at(0.4), at(0.4001)],
      ] as const) {
        for (const limit of [1, 26, 101, 1000]) {
          const sought = { channelIds: [channel], before, from, limit, limited: null };
          const found = await new Finder(rows, { near: parts, far: parts }, sought, 60_000).run();
          const query = parts.map((part) => `(${part})`).join(' & ');
          expect(found.ids, `${query} ${from} ${before} ${limit}`).to.deep.equal(
            await wanted(query, from, before, limit),
          );
          expect(found.isCut).to.equal(false);
        }
      }
    }
  });
});
