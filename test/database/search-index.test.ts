// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import pino from 'pino';
import { Database } from '../../src/database/database.ts';
import { SearchIndex } from '../../src/features/search/search-index.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { migrated, startCluster, testSettings } from '../world/nodes.ts';

describe('the search index', () => {
  const lines: string[] = [];
  let place: TestDatabase;
  let database: Database;
  let index: SearchIndex;
  before(async () => {
    place = await createDatabase(migrated);
    // That the index is missing is told by the database as well, of whatever asks for it.
    const keep = (line: string) => void (line.includes('could not be merged') && lines.push(line));
    const log = pino({ level: 'warn' }, { write: keep });
    database = await Database.connect(place.url, testSettings(place.url, null), log);
    // Else PostgreSQL may sort them in by itself.
    await database.rows('ALTER TABLE messages SET (autovacuum_enabled = off)');
    index = new SearchIndex(database, log);
  });
  after(async () => {
    await index.close();
    await database.close();
    await place.drop();
  });

  const write = () =>
    database.rows(`INSERT INTO messages (id, channel_id, author_id, seq, content, created_at, updated_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), n, 'word' || n || ' 言葉', now(), now()
      FROM generate_series(1, 500) AS n`);
  /** How many pages of words wait for being sorted in; they no longer do then. */
  const waiting = async () => {
    const [row] = await database.rows<{ spaced: number; unspaced: number }>(
      `SELECT gin_clean_pending_list('messages_search') AS spaced,
         gin_clean_pending_list('messages_search_unspaced') AS unspaced`,
    );
    return row;
  };

  it('has what was written sorted in, beside those who write', async () => {
    await write();
    const before = await waiting();
    expect(before?.spaced).to.be.above(0);
    expect(before?.unspaced).to.be.above(0);
    await write();
    await Promise.all([index.merge(), index.merge()]);
    expect(await waiting()).to.deep.equal({ spaced: 0, unspaced: 0 });
  });

  it('says once that it cannot be sorted, and goes on when it can', async () => {
    await database.rows('ALTER INDEX messages_search_unspaced RENAME TO away');
    await index.merge();
    await index.merge();
    await database.rows('ALTER INDEX away RENAME TO messages_search_unspaced');
    expect(lines).to.have.length(1);
    await write();
    await index.merge();
    expect(lines).to.have.length(1);
    expect(await waiting()).to.deep.equal({ spaced: 0, unspaced: 0 });
  });

  it('is sorted by every node, again and again', async () => {
    const cluster = await startCluster();
    const client = new pg.Client(cluster.databaseUrl);
    await client.connect();
    try {
      const seen = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%gin_clean_pending_list%'`;
      const isSeen = async () => ((await client.query(seen)).rowCount ?? 0) > 0;
      await until(isSeen, { timeout: 40_000, message: 'Nobody sorted the index' });
    } finally {
      await client.end();
      await cluster.stop();
    }
  });
});
