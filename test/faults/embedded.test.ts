// nodes: own

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { isRunning } from '../../src/database/embedded/processes.ts';
import { findPrograms } from '../../src/database/embedded/programs.ts';
import { chooseRunner, complaintOf, complaintOnly } from '../../src/database/embedded/runner.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { until } from '../rig/until.ts';
import { query } from '../world/sql.ts';

describe('the embedded PostgreSQL', () => {
  const warnings: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
  const children: ChildProcess[] = [];
  const stops: (() => Promise<void>)[] = [];
  let folder: string;
  let dataDir: string;

  const start = async () => {
    const server = await startEmbeddedPostgres({ dataDir, log });
    stops.push(server.stop);
    return server;
  };
  const startChild = async (from: string, wrapper: string[] = []) => {
    const started = spawnEmbedded(from, wrapper);
    children.push(started.child);
    const output = await started.output;
    return { child: started.child, output };
  };

  before(() => {
    // mkdtemp makes folders of mode 0700, which as root the user postgres cannot pass.
    folder = mkdtempSync(path.join(tmpdir(), 'parley embedded '));
    dataDir = path.join(folder, 'data');
  });

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    for (const child of children.splice(0)) child.kill('SIGKILL');
    warnings.length = 0;
  });

  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('starts on an empty folder whose parent is closed to others and whose name has spaces', async () => {
    const { url } = await start();
    expect(await query(url, "SELECT lower('ÜBER') AS text, current_database() AS name")).to.deep.equal([
      { text: 'über', name: 'parley' },
    ]);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    expect(statSync(path.join(dataDir, 'postgres-password')).mode & 0o777).to.equal(0o600);
    expect(new URL(url).hostname).to.equal('127.0.0.1');
  });

  it('asks for the password, is durable, and its role is no superuser', async () => {
    const { url } = await start();
    const stranger = new URL(url);
    stranger.password = 'guess';
    const failure = await query(stranger.href, 'SELECT 1').catch((error: unknown) => error);
    expect(failure).to.have.property('code', '28P01');
    expect(await query(url, 'SHOW fsync')).to.deep.equal([{ fsync: 'on' }]);
    expect(await query(url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).to.deep.equal([
      { rolsuper: false },
    ]);
  });

  it('keeps its data over a restart, and leaves no process and no lock', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = postmasterPid(dataDir);
    await first.stop();
    expect(isRunning(pid)).to.equal(false);
    expect(readdirSync(dataDir).sort()).to.deep.equal(['postgres', 'postgres-password', 'postgres-superuser-password']);
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
  });

  it('refuses a second start on the same folder, naming folder and process', async () => {
    const { url } = await start();
    const failure = await startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(EmbeddedPostgresError);
    expect(String(failure)).to.contain(dataDir).and.contain(String(process.pid));
    const other = await startChild(dataDir);
    expect(other.output).to.contain(`in use by process ${process.pid}`);
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('ends with a parent that is killed, and starts again', async () => {
    const { child } = await startChild(dataDir);
    const pid = postmasterPid(dataDir);
    child.kill('SIGKILL');
    await until(() => !isRunning(pid), { message: 'PostgreSQL outlived its parent' });
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('shuts down an orphan that the guard missed', async () => {
    const { child } = await startChild(dataDir);
    const pid = postmasterPid(dataDir);
    // A stopped PostgreSQL does not follow the guard's request.
    process.kill(pid, 'SIGSTOP');
    child.kill('SIGKILL');
    await until(() => !isRunning(child.pid ?? 0));
    expect(isRunning(pid)).to.equal(true);
    const { url } = await start();
    expect(isRunning(pid)).to.equal(false);
    expect(warnings.join()).to.contain('left over');
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('is started again on the same port when it dies', async () => {
    const { url } = await start();
    await query(url, 'CREATE TABLE survived AS SELECT 42 AS answer');
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    const rows = await until(() => query(url, 'SELECT answer FROM survived').catch(() => undefined));
    expect(rows).to.deep.equal([{ answer: 42 }]);
    expect(warnings.join('\n')).to.contain('ended by itself (signal SIGKILL)');
    expect(warnings.filter((line) => line.includes('the database system is'))).to.deep.equal([]);
  });

  it('says in one sentence that it cannot run when nobody but root may pass', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const empty = path.join(folder, 'closed');
    const { output } = await startChild(empty, ['setpriv', '--bounding-set=-dac_read_search,-dac_override']);
    expect(output).to.contain('cannot use').and.contain('DATABASE_URL');
    expect(readdirSync(empty)).to.deep.equal([]);
  });

  it('runs programs that lie in a folder closed to others', async () => {
    const original = path.resolve(path.dirname(findPrograms().postgres), '..');
    for (const part of ['bin', 'lib', 'share']) {
      cpSync(path.join(original, part), path.join(folder, 'native', part), { recursive: true, verbatimSymlinks: true });
    }
    const target = path.join(folder, 'cluster');
    const runner = await chooseRunner(path.join(folder, 'native/bin/postgres'), folder, target);
    mkdirSync(target);
    if (runner.owner) chownSync(target, runner.owner.uid, runner.owner.gid);
    const initdb = path.join(folder, 'native/bin/initdb');
    const child = runner.spawn(initdb, ['--auth=trust', '--no-sync', '-D', target], complaintOnly);
    expect(await complaintOf(child)).to.equal(undefined);
  });

  it('runs as an ordinary user', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    // A checkout in a folder of root's own cannot be read by others at all.
    if (spawnSync('setpriv', [...nobody, 'test', '-r', import.meta.filename]).status !== 0) this.skip();
    chmodSync(folder, 0o777);
    const own = path.join(folder, 'ordinary');
    const { child, output } = await startChild(own, ['setpriv', ...nobody]);
    expect(output).to.contain('postgres://');
    expect(statSync(path.join(own, 'postgres')).uid).to.equal(65534);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(readdirSync(own).sort()).to.deep.equal(['postgres', 'postgres-password', 'postgres-superuser-password']);
  });
});

function postmasterPid(dataDir: string): number {
  return Number(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Starts it in a process of its own; `output` comes with the URL, or with the end and its complaint. */
function spawnEmbedded(dataDir: string, wrapper: string[]): { child: ChildProcess; output: Promise<string> } {
  const script = `
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    const { url, stop } = await startEmbeddedPostgres({ dataDir: process.argv[2], log: { info() {}, warn() {} } });
    const alive = setInterval(() => {}, 1000);
    process.once('SIGTERM', async () => { await stop(); clearInterval(alive); });
    process.stdout.write(url + '\\n');`;
  const module = import.meta.resolve('../../src/database/embedded.ts');
  const node = [process.execPath, '--input-type=module', '-e', script, module, dataDir];
  const [command = '', ...args] = [...wrapper, ...node];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = new Promise<string>((resolve, reject) => {
    let text = '';
    const collect = (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('postgres://')) resolve(text);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
  return { child, output };
}
