// nodes: own

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { furnishDataDir, sharedPostgres } from '../rig/postgres.ts';
import { inherited } from '../rig/processes.ts';
import { NodeProcess } from '../world/node-process.ts';
import { query } from '../world/sql.ts';
import { plain } from './life.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');

describe('a Parley does not start, and says why in one sentence, with', () => {
  let folder: string;
  let dataDir: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-start-'));
    dataDir = path.join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('wrong settings, before it touches anything', async () => {
    // Every variable is tried in test/settings.test.ts; here is how the process ends.
    const wrong: Record<string, string>[] = [
      { PORT: 'http' },
      { NEW_ACCOUNT_TIER: 'emperor' },
      { JWT_SECRET: '', NODE_ENV: 'production', DATABASE_URL: 'postgres://127.0.0.1:1/x' },
    ];
    for (const settings of wrong) {
      const { code, text } = await refused({ ...plain(dataDir), ...settings });
      expect(code, text).to.equal(1);
      expectSentence(text, Object.keys(settings)[0] ?? '');
    }
    expect(existsSync(path.join(dataDir, 'postgres'))).to.equal(false);
  });

  it('a data folder that is none', async () => {
    writeFileSync(dataDir, 'a file');
    const { code, text } = await refused(plain(dataDir));
    expect(code).to.equal(1);
    expectSentence(text, dataDir);
  });

  it('a data folder that cannot be made, and does not try for ever', async () => {
    // Here the system makes no folders, and says that the one above is not there.
    for (const [folder, more] of [
      ['/proc/parley', {}],
      ['/proc/parley/deep', { JWT_SECRET: 'a secret of its own, long enough' }],
    ] as const) {
      const { code, text } = await refused({ ...plain(folder), ...more });
      expect(code).to.equal(1);
      expectSentence(text, folder);
    }
  });

  it('a database that refuses it', async () => {
    const good = await sharedPostgres();
    const [stranger, nowhere] = [new URL(good), new URL(good)];
    stranger.password = 'guess';
    nowhere.pathname = '/nowhere';
    for (const url of [stranger.href, nowhere.href]) {
      const { code, text } = await refused({ ...plain(dataDir), DATABASE_URL: url });
      expect(code).to.equal(1);
      expectSentence(text, 'DATABASE_URL');
      expect(text).not.to.contain(new URL(url).password);
    }
  });

  it('a database in which its role may not create tables, or not all text can be kept', async () => {
    const good = new URL(await sharedPostgres());
    const made = async (name: string, encoding: string) => {
      await query(
        good.href,
        `CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0 LOCALE 'C' LOCALE_PROVIDER libc`,
      );
      return Object.assign(new URL(good), { pathname: `/${name}` }).href;
    };
    const [foreign, western] = [await made('foreign_schema', 'UTF8'), await made('western', 'LATIN1')];
    await query(foreign, 'REVOKE CREATE ON SCHEMA public FROM pg_database_owner');
    for (const [url, name] of [
      [foreign, 'permission denied for schema public); make its role the owner'],
      [western, 'LATIN1'],
    ] as const) {
      const { code, text } = await refused({ ...plain(dataDir), DATABASE_URL: url });
      expect(code).to.equal(1);
      expectSentence(text, name);
    }
  });

  it('a certificate for the database that is not there', async () => {
    const url = new URL(await sharedPostgres());
    url.searchParams.set('sslrootcert', '/nowhere.pem');
    const { code, text } = await refused({ ...plain(dataDir), DATABASE_URL: url.href });
    expect(code).to.equal(1);
    expectSentence(text, '/nowhere.pem');
  });

  it('a database that nothing answers for, after it has waited a while', async () => {
    const nobody = createServer();
    const port = await listening(nobody);
    await new Promise((resolve) => nobody.close(resolve));
    const begun = Date.now();
    const url = `postgres://parley:its-password@127.0.0.1:${port}/parley`;
    const { code, text } = await refused({ ...plain(dataDir), DATABASE_URL: url });
    expect(code).to.equal(1);
    expectSentence(text, 'DATABASE_URL');
    expect(text).not.to.contain('its-password');
    expect(Date.now() - begun).to.be.above(4000);
  });

  it('a database that goes away once it has been reached', async () => {
    const url = new URL(await sharedPostgres());
    const there = Number(url.port);
    let taken = 0;
    const door = createServer((client) => {
      if (++taken > 1) return client.destroy();
      const target = connect(there, url.hostname);
      for (const end of [client, target]) end.on('error', () => {});
      client.pipe(target).pipe(client);
    });
    url.port = String(await listening(door));
    const { code, text } = await refused({ ...plain(dataDir), DATABASE_URL: url.href });
    door.close();
    expect(code).to.equal(1);
    expectSentence(text, 'PostgreSQL');
  });

  it('an address that is not its own, or a port in use, and takes its PostgreSQL down again', async () => {
    await furnishDataDir(dataDir);
    const other = createServer();
    const port = String(await listening(other));
    const taken = await refused({ ...plain(dataDir), PORT: port });
    other.close();
    expect(taken.code).to.equal(1);
    expectSentence(taken.text, port);
    expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).to.equal(false);
    const foreign = await refused({ ...plain(dataDir), PORT: '0', HOST: '203.0.113.7' });
    expect(foreign.code).to.equal(1);
    expectSentence(foreign.text, 'HOST');
    expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).to.equal(false);
  });

  it('a database that refuses it; before that it warns of a NODE_ENV that has no file, and of a short JWT_SECRET', async () => {
    const nowhere = new URL(await sharedPostgres());
    nowhere.pathname = '/nowhere';
    const given = { ...plain(dataDir), DATABASE_URL: nowhere.href, LOG_LEVEL: 'warn' };
    const { text } = await refused({ ...given, NODE_ENV: 'staging' });
    expect(text).to.contain('config/staging.json').and.contain('NODE_ENV');
    expect((await refused(given)).text)
      .not.to.contain('NODE_ENV')
      .and.not.to.contain('JWT_SECRET');
    expect((await refused({ ...given, JWT_SECRET: 'a-secret-of-good-length,guess' })).text).to.contain(
      'JWT_SECRET is so short',
    );
  });

  it('a data folder that another one uses', async () => {
    await furnishDataDir(dataDir);
    const node = await NodeProcess.start(plain(dataDir));
    const { code, text } = await refused({ ...plain(dataDir), PORT: '0' });
    expect(code).to.equal(1);
    expectSentence(text, dataDir);
    expect(await node.health('/readyz')).to.equal(200);
    await node.stop();
  });
});

/** What a start that fails says, and how it ends. */
function refused(env: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const given = { ...inherited(), HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', ...env };
  const child = spawn(process.execPath, [main], { env: given, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

/** @returns the port that it listens on by then */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

function expectSentence(text: string, name: string): void {
  expect(text)
    .to.contain(name)
    .and.match(/^Parley cannot start: [^\n]+\.\n$/);
}
