import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrate, migratingOrm, migrations } from '../../src/database/migrations.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase, type TestDatabase } from '../bench/postgres.ts';
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
