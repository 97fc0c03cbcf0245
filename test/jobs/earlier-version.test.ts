// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { migratingOrm } from '../../src/database/migrating.ts';
import { createDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { migrated, startCluster } from '../world/nodes.ts';

/** What nodes of version 0.1 do with the table of their jobs, word for word. */
const insert = 'INSERT INTO notification_jobs (id, data) SELECT * FROM unnest($1::uuid[], $2::json[])';
const note = `INSERT INTO notification_jobs (id, data)
  SELECT noted.job, json_build_object('job', 'dm', 'channelId', noted.id, 'since', noted.since)
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS noted (job, id, since) RETURNING id`;
const take = `SELECT id, data, attempts FROM notification_jobs WHERE due_at <= now() ORDER BY id LIMIT $1
  FOR UPDATE SKIP LOCKED`;
const remove = 'DELETE FROM notification_jobs WHERE id = ANY($1::uuid[])';
const removeOne = 'DELETE FROM notification_jobs WHERE id = $1 RETURNING id';
const putBack = 'UPDATE notification_jobs SET attempts = $2, due_at = now() + make_interval(secs => $3) WHERE id = $1';

const settled = () => JSON.stringify({ job: 'settled', serverId: randomUUID() });

describe('nodes of an earlier version', () => {
  it('go on with their jobs through the migration, and share them with newer nodes', async () => {
    const database = await createDatabase();
    const [orm, old, other] = [
      await migratingOrm(database.url),
      new pg.Client(database.url),
      new pg.Client(database.url),
    ];
    await orm.migrator.up({ to: '0081-storage' });
    await orm.close(true);
    for (const client of [old, other]) await client.connect();
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const taking = { name: 'take', text: take };
    await old.query({ name: 'insert', text: insert }, [[a], [settled()]]);
    await old.query('BEGIN');
    expect((await old.query(taking, [100])).rowCount).to.equal(1);
    await old.query('ROLLBACK');

    await migrated(database.url);
    // Statements that were prepared before mean the view now.
    await old.query({ name: 'insert', text: insert }, [[b], [settled()]]);
    expect((await old.query(note, [[c], [randomUUID()], [7]])).rows).to.deep.equal([{ id: c }]);
    const stored = await other.query('SELECT id, kind FROM jobs ORDER BY id');
    expect(stored.rows).to.deep.equal([a, b, c].sort().map((id) => ({ id, kind: 'notification' })));
    await other.query(
      "INSERT INTO jobs (id, kind, data) VALUES (gen_random_uuid(), 'mail', '{}'), (gen_random_uuid(), 'notification', '{}')",
    );
    await other.query("UPDATE jobs SET died_at = now() WHERE kind = 'notification' AND data::text = '{}'");

    await old.query('BEGIN');
    const taken = (await old.query(taking, [2])).rows.map(({ id }) => id);
    // Newer nodes skip what an older one works on, and the other way round.
    await other.query('BEGIN');
    const theirs = await other.query(
      `SELECT id FROM jobs WHERE kind = 'notification' AND died_at IS NULL FOR UPDATE SKIP LOCKED`,
    );
    expect([...taken, ...theirs.rows.map(({ id }) => id)].sort()).to.deep.equal([a, b, c].sort());
    await old.query(remove, [taken]);
    await old.query('COMMIT');
    expect((await old.query(taking, [100])).rowCount).to.equal(0);
    await other.query('COMMIT');

    const [last] = theirs.rows;
    await old.query(putBack, [last.id, 3, 60]);
    expect((await old.query(taking, [100])).rowCount).to.equal(0);
    expect((await old.query(removeOne, [last.id])).rows).to.deep.equal([{ id: last.id }]);
    expect((await other.query('SELECT count(*)::int AS count FROM jobs')).rows).to.deep.equal([{ count: 2 }]);
    for (const client of [old, other]) await client.end();
    await database.drop();
  });

  it('leave jobs that a newer node does', async () => {
    const database = await createDatabase();
    const orm = await migratingOrm(database.url);
    await orm.migrator.up({ to: '0081-storage' });
    await orm.close(true);
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query(insert, [[randomUUID()], [settled()]]);
    // Deleted by a node of that version, which ended before it could remove it.
    const channel = randomUUID();
    await client.query(
      `INSERT INTO channels (id, kind, name, type, deleted_at, created_at, updated_at)
       VALUES ($1, 'server', 'gone', 'text', now() - interval '1 hour', now(), now())`,
      [channel],
    );
    const cluster = await startCluster({ nodes: 1, databaseUrl: database.url });
    await client.query(insert, [[randomUUID()], [settled()]]);
    const isDone = async () => (await client.query('SELECT FROM jobs UNION ALL SELECT FROM channels')).rowCount === 0;
    await until(isDone);
    await cluster.stop();
    await client.end();
    await database.drop();
  });
});
