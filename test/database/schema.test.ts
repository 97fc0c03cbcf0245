// nodes: own

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migratingOrm } from '../../src/database/migrating.ts';
import { migrations } from '../../src/database/migrations.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { keptLog } from '../world/kept-log.ts';

const log = createLog('silent');
const names = migrations.map((migration) => migration.name);
const root = path.resolve(import.meta.dirname, '../..');

describe('the schema', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  it('is, after all migrations on an empty database, what the entities say', async () => {
    expect(await migrate(database.url, log)).to.deep.equal(names);
    const orm = await migratingOrm(database.url);
    try {
      expect(await orm.schema.getUpdateSchemaSQL()).to.equal('');
      expect(await orm.migrator.getPending()).to.deep.equal([]);
    } finally {
      await orm.close(true);
    }
  });

  it('is left alone by a second run', async () => {
    await migrate(database.url, log);
    expect(await migrate(database.url, log)).to.deep.equal([]);
    expect(await applied(database.url)).to.deep.equal(names);
  });

  it('tells a node that it is older than its database, which it works on all the same', async () => {
    const { log: kept, messages } = keptLog();
    await migrate(database.url, kept);
    expect(messages).to.deep.equal(['The database was migrated.']);
    const client = await connect(database.url);
    await client.query("INSERT INTO migrations (name, executed_at) VALUES ('9999-of-tomorrow', now())");
    await client.end();
    expect(await migrate(database.url, kept)).to.deep.equal([]);
    expect(messages.at(-1)).to.contain('A newer version of Parley migrated this database');
  });

  it('is made once when several nodes begin at the same time', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, log)));
    expect(runs.filter((run) => run.length > 0)).to.deep.equal([names]);
    expect(await applied(database.url)).to.deep.equal(names);
  });

  it('is made by the migrate command, as often as it is called', async () => {
    expect(await runMigrate(database.url)).to.deep.equal([0, 0]);
    expect(await applied(database.url)).to.deep.equal(names);
  });

  it('gets its longest index when nothing that the migrations before have locked is locked any more', async () => {
    await migrateUpTo(database.url, '0063-sent-keys');
    const [writer, reader] = [await connect(database.url), await connect(database.url)];
    await writer.query('BEGIN; LOCK TABLE messages IN ROW EXCLUSIVE MODE');
    const migrating = migrate(database.url, log);
    await until(
      async () => (await reader.query(waitsForIndex, ['create index%messages_search_unspaced%'])).rowCount === 1,
    );
    await reader.query("SET statement_timeout = '2s'");
    expect(
      (await reader.query('SELECT is_closed FROM streams UNION ALL SELECT true FROM messages')).rows,
    ).to.deep.equal([]);
    await writer.query('COMMIT');
    expect((await migrating).slice(0, 2)).to.deep.equal(['0064-closed-logs', '0065-search-unspaced']);
    for (const client of [writer, reader]) await client.end();
  });

  it('is migrated once more where an older node, which locks in another order, was in the way', async () => {
    await migrateUpTo(database.url, '0067-open-questions');
    const writer = await connect(database.url);
    await writer.query('BEGIN; LOCK TABLE notifications IN ROW EXCLUSIVE MODE');
    const { log: kept, messages } = keptLog();
    const migrating = migrate(database.url, kept);
    // Whoever has waited for a second when it is a deadlock gives way: the writer comes half a second later, so that it is
    // the migration on a busy machine too.
    await writer.query(`DO $$ BEGIN
      WHILE NOT EXISTS (${waitsForIndex.replace('$1', "'create index notifications_open%'")}) LOOP
        PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
      END LOOP;
      PERFORM pg_sleep(0.5);
      LOCK TABLE log_entries IN ROW EXCLUSIVE MODE;
    END $$`);
    await writer.query('COMMIT');
    expect((await migrating)[0]).to.equal('0068-looks');
    expect(messages).to.include('The database is in use by other nodes; it is migrated once more.');
    await writer.end();
  });

  it('keeps that index where an earlier version has made it', async () => {
    await migrateUpTo(database.url, '0064-closed-logs');
    const client = await connect(database.url);
    await client.query("CREATE INDEX messages_search_unspaced ON messages USING gin (to_tsvector('simple', content))");
    const idOfIndex = async () => (await client.query("SELECT 'messages_search_unspaced'::regclass::oid AS id")).rows;
    const before = await idOfIndex();
    expect((await migrate(database.url, log))[0]).to.equal('0065-search-unspaced');
    expect(await idOfIndex()).to.deep.equal(before);
    await client.end();
  });

  it('keeps a failed migration from leaving half of itself behind', async () => {
    const client = await connect(database.url);
    // The last statement of the first migration that makes this table fails, so nothing of it may stay.
    await client.query('CREATE TABLE channel_members (id int)');
    const failure = await migrate(database.url, log).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    const { rows } = await client.query("SELECT FROM information_schema.tables WHERE table_name = 'users'");
    await client.query('DROP TABLE channel_members');
    await client.end();
    expect(rows).to.deep.equal([]);
    expect(await migrate(database.url, log)).to.deep.equal(names);
  });
});

describe('the migrations', () => {
  it('are listed in the order of their numbers, each with a file of its own, and none is forgotten', () => {
    const files = readdirSync(path.join(root, 'src/database/migrations')).sort();
    expect(names.map((name) => `${name}.ts`)).to.deep.equal(files);
    for (const name of names) expect(name).to.match(/^\d{4}-[a-z0-9-]+$/);
    const numbers = names.map((name) => name.slice(0, 4));
    expect(new Set(numbers).size).to.equal(numbers.length);
  });
});

const waitsForIndex = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND query LIKE $1`;

/** As an earlier version has left it. */
async function migrateUpTo(url: string, to: string): Promise<void> {
  const orm = await migratingOrm(url);
  await orm.migrator.up({ to });
  await orm.close(true);
}

async function applied(url: string): Promise<string[]> {
  const client = await connect(url);
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  await client.end();
  return rows.map((row) => row.name);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Two of them at once, as two containers of one release would do it. */
function runMigrate(url: string): Promise<number[]> {
  const env = { ...process.env, DATABASE_URL: url, LOG_LEVEL: 'silent', NODE_ENV: 'test' };
  const run = () =>
    new Promise<number>((resolve) => {
      const child = spawn(process.execPath, ['src/database/migrate.ts'], { cwd: root, env, stdio: 'ignore' });
      child.once('close', (code) => resolve(code ?? -1));
    });
  return Promise.all([run(), run()]);
}
