// nodes: own

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { packagedPrograms, programsAt } from '../../src/database/embedded/programs.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { runPending } from '../../src/database/migrating.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { until } from '../rig/until.ts';
import { query } from '../world/sql.ts';

/** Another major version than the package's, with the tools for a dump, as Debian's packages bring them. */
function olderPrograms(): string | undefined {
  const current = packagedPrograms().version.major;
  return [15, 16, 17]
    .filter((major) => major < current)
    .map((major) => `/usr/lib/postgresql/${major}/bin`)
    .find((folder) => programsAt(folder) && existsSync(path.join(folder, 'pg_dump')));
}

const silentLog = createLog('silent');

describe('the embedded PostgreSQL on data of another major version', () => {
  const lines: string[] = [];
  const log = {
    info: (_: object, text: string) => void lines.push(text),
    warn: (_: object, text: string) => void lines.push(text),
  };
  const stops: (() => Promise<void>)[] = [];
  const children: ChildProcess[] = [];
  const older = olderPrograms();
  let folder: string;
  let dataDir: string;
  let sample: string;

  const start = async (own: string | null = null, old: string | null = null) => {
    const server = await startEmbeddedPostgres({ dataDir, log, programs: { own, old } });
    stops.push(server.stop);
    return server.url;
  };
  const stop = async () => {
    for (const each of stops.splice(0)) await each();
  };
  const superuser = (url: string, database = 'postgres') =>
    Object.assign(new URL(url), {
      username: 'parley_superuser',
      password: readFileSync(path.join(dataDir, 'postgres-superuser-password'), 'utf8').trim(),
      pathname: `/${database}`,
    }).href;
  const majorIn = (name: string) => readFileSync(path.join(dataDir, name, 'PG_VERSION'), 'utf8').trim();
  const kept = () => readdirSync(dataDir).filter((name) => name.includes('-kept-'));
  const refusal = async (...programs: [string | null, string | null]) => {
    const failure = await start(...programs).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(EmbeddedPostgresError);
    return String(failure);
  };

  /** A migrated database with rows, and what an operator may have added. */
  before(async function () {
    if (!older) {
      process.stdout.write('    skipped: no older PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)\n');
      this.skip();
    }
    folder = mkdtempSync(path.join(tmpdir(), 'parley-major-'));
    sample = path.join(folder, 'sample');
    dataDir = sample;
    const url = await start(older ?? null);
    await runPending(url, silentLog);
    await query(url, `INSERT INTO migrations (name) SELECT 'row ' || n FROM generate_series(1, 1000) n`);
    await query(url, "CREATE TABLE words AS SELECT lower('ÜBER') AS word, 'it''s \\ \"odd\"' AS odd");
    const above = superuser(url);
    await query(above, "CREATE ROLE reader LOGIN PASSWORD 'of the reader'");
    await query(above, 'GRANT pg_monitor TO reader');
    await query(above, 'CREATE DATABASE "another one" OWNER reader');
    await query(superuser(url, 'another one'), 'CREATE TABLE of_reader AS SELECT 7 AS n');
    await query(superuser(url, 'another one'), 'ALTER TABLE of_reader OWNER TO reader');
    await query(superuser(url, 'parley'), 'CREATE TABLE of_superuser AS SELECT 8 AS n');
    await query(url, 'GRANT SELECT ON words TO reader');
    await stop();
  });

  beforeEach(() => {
    dataDir = mkdtempSync(path.join(folder, 'data-'));
    rmSync(dataDir, { recursive: true });
    execFileSync('cp', ['-a', sample, dataDir]);
    lines.length = 0;
  });

  afterEach(async () => {
    await stop();
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  after(() => {
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const expectAll = async (url: string) => {
    expect(await query(url, 'SELECT word, odd FROM words')).to.deep.equal([{ word: 'über', odd: 'it\'s \\ "odd"' }]);
    const rows = await query(url, "SELECT count(*)::int FROM migrations WHERE name LIKE 'row %'");
    expect(rows).to.deep.equal([{ count: 1000 }]);
    const strangers = `SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = 'public' AND relname <> 'of_superuser' AND pg_get_userbyid(relowner) <> 'parley'`;
    expect(await query(url, strangers)).to.deep.equal([]);
    const reader = Object.assign(new URL(url), { username: 'reader', password: 'of the reader' });
    expect(await query(reader.href, 'SELECT word FROM words')).to.have.lengthOf(1);
    reader.pathname = '/another one';
    expect(await query(reader.href, 'SELECT n FROM of_reader')).to.deep.equal([{ n: 7 }]);
    const roles = "SELECT rolname AS name, rolsuper AS super FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1";
    expect(await query(url, roles)).to.deep.equal([
      { name: 'parley', super: false },
      { name: 'parley_superuser', super: true },
      { name: 'postgres', super: false },
      { name: 'reader', super: false },
    ]);
  };

  it('takes it over unasked, keeps the old data, and says so', async () => {
    const url = await start();
    const current = packagedPrograms().version;
    await expectAll(url);
    expect(await query(url, 'SHOW server_version_num')).to.not.deep.equal([]);
    expect(majorIn('postgres')).to.equal(String(current.major));
    const [old = '', ...more] = kept();
    expect(more).to.deep.equal([]);
    expect(Number(majorIn(old))).to.be.below(current.major);
    expect(lines.join('\n')).to.contain(`to ${current.text}`).and.contain(path.join(dataDir, old));
    // Migrations go on as if nothing had been.
    expect(await runPending(url, silentLog)).to.deep.equal([]);
    await stop();
    lines.length = 0;
    await expectAll(await start());
    expect(kept()).to.deep.equal([old]);
    expect(lines.join('\n')).not.to.contain('taken over');
  });

  it('begins again after it was killed in the middle, and loses nothing', async () => {
    const child = startChild(dataDir);
    children.push(child);
    await until(() => readdirSync(dataDir).some((name) => name.startsWith('postgres.new-')), {
      message: 'no copy was begun',
    });
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null);
    expect(Number(majorIn('postgres'))).to.be.below(packagedPrograms().version.major);
    await expectAll(await start());
    expect(kept()).to.have.lengthOf(1);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.'))).to.deep.equal(['postgres.lock']);
  });

  it('refuses programs older than the data, and changes nothing', async () => {
    await start();
    await stop();
    const before = readdirSync(dataDir).sort();
    expect(await refusal(older ?? '', null))
      .to.contain('cannot read')
      .and.contain('Nothing was changed');
    expect(readdirSync(dataDir).sort()).to.deep.equal(before);
    await expectAll(await start());
  });

  it('says what to do where the programs of the old version are not there, and changes nothing', async () => {
    writeFileSync(path.join(dataDir, 'postgres/PG_VERSION'), '9\n');
    const before = readdirSync(dataDir).sort();
    expect(await refusal(null, null))
      .to.contain('needs the programs of PostgreSQL 9')
      .and.contain('POSTGRES_BIN_OLD')
      .and.contain('Nothing was changed');
    expect(await refusal(null, older ?? ''))
      .to.contain('POSTGRES_BIN_OLD is')
      .and.contain('the data is of version 9');
    const empty = path.join(folder, 'empty');
    mkdirSync(empty, { recursive: true });
    expect(await refusal(null, empty)).to.contain('no initdb and no postgres');
    expect(readdirSync(dataDir).sort()).to.deep.equal(before);
  });
});

function startChild(dataDir: string): ChildProcess {
  const script = `
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    await startEmbeddedPostgres({ dataDir: process.argv[2], log: { info() {}, warn() {} } });`;
  const module = import.meta.resolve('../../src/database/embedded.ts');
  return spawn(process.execPath, ['--input-type=module', '-e', script, module, dataDir], { stdio: 'ignore' });
}
