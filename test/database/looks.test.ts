// nodes: own

import { expect } from 'chai';
import { invalidationsSince } from '../../src/cluster/invalidation.table.ts';
import { forgetInvalidations } from '../../src/cluster/invalidation-watch.ts';
import type { Rows } from '../../src/database/database.ts';
import { movedSince } from '../../src/delivery/moved.table.ts';
import { forgetMoves } from '../../src/delivery/sweeper.ts';
import { trim } from '../../src/delivery/trimming.ts';
import { countOwn } from '../../src/features/accounts/dashboard.table.ts';
import { notificationTable } from '../../src/features/notifications/notification.table.ts';
import { forgetKeys } from '../../src/rest/idempotency.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const much = 5000;
const times = 5;
const id = "('00000000-0000-7000-a000-' || lpad(to_hex(i), 12, '0'))::uuid";
const movedSnapshot = 'SELECT pg_current_snapshot()::text AS snapshot';
const numbers = `generate_series(1, ${much}) AS i`;

describe('looks that take no longer with what there is', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  after(() => cluster.stop());

  const sql = (text: string, values: unknown[] = []) => query(cluster.databaseUrl, text, values);

  /** How many rows of a table were read by now; the counts come up to some seconds late. */
  const readOf = async (table: string) => {
    const [row] = await query<{ rows: number }>(
      cluster.databaseUrl,
      'SELECT (idx_tup_fetch + seq_tup_read)::int AS rows FROM pg_stat_user_tables WHERE relname = $1',
      [table],
    );
    return row?.rows ?? 0;
  };

  /** Does something some times. @returns how many rows of a table were read for it */
  const costOf = async (table: string, work: () => Promise<void>) => {
    const before = await readOf(table);
    for (let i = 0; i < times; i++) await work();
    return until(
      async () => {
        const rows = (await readOf(table)) - before;
        return rows >= times && rows;
      },
      { timeout: 30_000 },
    );
  };

  /** Rows of a table that are read in one transaction. */
  const readIn = (table: string, work: (rows: Rows) => Promise<unknown>) =>
    withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SET LOCAL enable_seqscan = off');
      // As it is planned where there are millions.
      await rows(
        `SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages', 100, 'reltuples', 1e7::real)`,
        [table],
      );
      await work(rows);
      const [read] = await rows<{ rows: number }>(
        `SELECT sum(idx_tup_fetch + seq_tup_read)::int AS rows FROM pg_stat_xact_user_tables
         WHERE relid = $1::regclass OR relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::regclass)`,
        [table],
      );
      await rows('ROLLBACK');
      return read?.rows ?? 0;
    });

  it('finds the invite codes of someone among those of all', async () => {
    await here.alice.post('/api/invite-codes', { count: 1 });
    await sql(
      `INSERT INTO invite_codes (id, code, created_by, created_at) SELECT ${id}, 'MUCH' || i, $1, now() FROM ${numbers}`,
      [here.bob.id],
    );
    const cost = await costOf('invite_codes', async () => {
      expect((await here.alice.get('/api/invite-codes')).body).to.have.length(1);
    });
    expect(cost).to.be.lessThan(much);
  });

  it('counts the servers of someone among those of all', async () => {
    const { alice, bob } = here;
    await sql(
      `INSERT INTO servers (id, name, owner_id, invite_code, created_at, updated_at)
       SELECT ${id}, 'much', $1, 'MUCH' || i, now(), now() FROM ${numbers}`,
      [bob.id],
    );
    const read = await readIn('servers', async (rows) => {
      const [counts] = await rows<{ serversOwned: number; serversJoined: number }>(countOwn, [alice.id]);
      expect(counts).to.include({ serversOwned: 1, serversJoined: 0 });
    });
    expect(read).to.be.lessThan(much / 10);
  });

  it('finds the notification that a repeat is added to among much that is unread', async () => {
    const { alice, bob, channel } = here;
    await bob.say(channel.id, `@${alice.username} first`);
    const [first] = await until(async () => {
      const { body } = await alice.get('/api/notifications?unread=true');
      return body.length > 0 && body;
    });
    await sql(
      `INSERT INTO notifications SELECT (json_populate_record(n, json_build_object('id', ${id},
         'created_at', now() - interval '1 day', 'updated_at', now() - interval '1 day'))).*
       FROM notifications n CROSS JOIN ${numbers} WHERE n.id = $1`,
      [first.id],
    );
    const draft = { ...first, userId: alice.id, senderId: bob.id, at: new Date(), onlyUnderAll: false };
    const rows = await readIn('notifications', async (rows) => {
      expect((await notificationTable.open(rows, [draft])).map((row) => row.id)).to.deep.equal([first.id]);
    });
    expect(rows).to.equal(1);
  });

  it('finds what was changed just now among all that was changed', async () => {
    await sql(`INSERT INTO invalidations (xid, cache, keys) SELECT '3', 'users', ARRAY['somebody'] FROM ${numbers}`);
    const snapshot = 'SELECT pg_current_snapshot()::text AS snapshot';
    const [before] = await query<{ snapshot: string }>(cluster.databaseUrl, snapshot);
    await sql('UPDATE users SET display_name = $2 WHERE id = $1', [here.alice.id, 'Alice the Changed']);
    const rows = await readIn('invalidations', async (rows) => {
      const found = await rows<{ cache: string }>(invalidationsSince, [before?.snapshot]);
      expect(found.map(({ cache }) => cache)).to.include.members(['users', 'agents']);
      await forgetInvalidations.step(rows);
    });
    expect(rows).to.be.lessThan(much / 2);
  });

  it('finds which logs of people have moved just now among all that have', async () => {
    await sql(`INSERT INTO moved_logs (xid, stream_id) SELECT '3', ${id} FROM ${numbers}`);
    const [before] = await query<{ snapshot: string }>(cluster.databaseUrl, movedSnapshot);
    await sql('UPDATE streams SET last_seq = last_seq + 1 WHERE id = $1', [here.carol.id]);
    const rows = await readIn('moved_logs', async (rows) => {
      const [found] = await rows<{ ids: string[] }>(movedSince, [before?.snapshot]);
      expect(found?.ids).to.include(here.carol.id);
      await forgetMoves.step(rows);
    });
    expect(rows).to.be.lessThan(much / 2);
  });

  it('finds what is over in the logs and among the keys without going through what is not', async () => {
    // What is written into the place of what is gone.
    const aged = "CASE WHEN i % 2 = 0 THEN now() ELSE now() - interval '30 days' END";
    await sql(`INSERT INTO log_entries (stream_id, seq, event, data, created_at)
      SELECT id, 1000000 + i, 'many', '{}', ${aged} FROM (SELECT id FROM streams LIMIT 1) AS one CROSS JOIN ${numbers}`);
    await sql(`DELETE FROM log_entries WHERE created_at < now() - interval '7 days'`);
    await sql(
      `INSERT INTO idempotency_keys (user_id, route, key, created_at) SELECT ${id}, 'many', 'key', ${aged} FROM ${numbers}`,
    );
    await sql(`DELETE FROM idempotency_keys WHERE created_at < now() - interval '2 days'`);
    expect(await readIn('idempotency_keys', (rows) => forgetKeys.step(rows))).to.be.lessThan(much / 10);
    expect(await readIn('log_entries', (rows) => trim(rows, 10_000_000, null))).to.be.lessThan(much / 10);
  });
});
