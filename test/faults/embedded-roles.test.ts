// nodes: own

import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { startOnFreePort } from '../../src/database/embedded/first-start.ts';
import { spawnPostmaster } from '../../src/database/embedded/postmaster.ts';
import { findPrograms } from '../../src/database/embedded/programs.ts';
import { chooseRunner, complaintOf, complaintOnly } from '../../src/database/embedded/runner.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { query } from '../world/sql.ts';

const roles = `SELECT rolname AS name, rolsuper AS super, rolcanlogin AS login FROM pg_roles
  WHERE rolname !~ '^pg_' ORDER BY 1`;

describe('the roles of the embedded PostgreSQL', () => {
  const log = { info() {}, warn() {} };
  const stops: (() => Promise<void>)[] = [];
  let folder: string;
  let dataDir: string;

  const start = async () => {
    const server = await startEmbeddedPostgres({ dataDir, log });
    stops.push(server.stop);
    return server.url;
  };
  const password = (name: string) => readFileSync(path.join(dataDir, name), 'utf8').trim();
  const as = (url: string, user: string, secret: string, database = 'postgres') =>
    Object.assign(new URL(url), { username: user, password: secret, pathname: `/${database}` }).href;
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'let in',
      (error: { code?: string }) => error.code,
    );

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-roles-'));
    dataDir = path.join(folder, 'data');
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('share no password with the superuser, in files that only their user reads', async () => {
    const url = await start();
    const [own, superuser] = [password('postgres-password'), password('postgres-superuser-password')];
    expect(own).not.to.equal(superuser);
    expect(new URL(url).password).to.equal(own);
    for (const name of ['postgres-password', 'postgres-superuser-password']) {
      expect(statSync(path.join(dataDir, name)).mode & 0o777).to.equal(0o600);
    }
    expect(await codeOf(query(as(url, 'parley_superuser', own), 'SELECT 1'))).to.equal('28P01');
    expect(await codeOf(query(url, "COPY (SELECT 1) TO PROGRAM 'true'"))).to.equal('42501');
    expect(await query(as(url, 'parley_superuser', superuser), roles)).to.deep.equal([
      { name: 'parley', super: false, login: true },
      { name: 'parley_superuser', super: true, login: true },
      { name: 'postgres', super: false, login: true },
    ]);
  });

  describe('of a data folder of an earlier version', () => {
    const shared = 'of-both-roles';
    /** As versions before this one made it. */
    const furnish = async () => {
      mkdirSync(dataDir);
      const cluster = path.join(dataDir, 'postgres');
      const passwordFile = path.join(dataDir, 'postgres-password');
      writeFileSync(passwordFile, `${shared}\n`, { mode: 0o600 });
      const programs = findPrograms(null);
      const runner = await chooseRunner(programs.postgres, dataDir, cluster);
      mkdirSync(cluster, { mode: 0o700 });
      const { owner } = runner;
      if (owner) for (const name of [cluster, passwordFile]) chownSync(name, owner.uid, owner.gid);
      const user = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
      const args = ['-D', cluster, ...user, '--no-sync', '--encoding=UTF8', '--locale=C'];
      expect(await complaintOf(runner.spawn(programs.initdb, args, complaintOnly))).to.equal(undefined);
      const passwords = { application: shared, superuser: shared, isKept: true };
      const old = { folder: cluster, programs, runner, passwords };
      const spawn = (port: number) => spawnPostmaster(old, port, {}, () => {});
      const [server, port] = await startOnFreePort(spawn);
      const at = `postgres://postgres:${shared}@127.0.0.1:${port}/postgres`;
      await query(at, `CREATE ROLE parley LOGIN CREATEDB PASSWORD '${shared}'`);
      await query(at, 'CREATE DATABASE parley OWNER parley');
      await query(as(at, 'parley', shared, 'parley'), 'CREATE TABLE kept AS SELECT 42 AS answer');
      await server.stop();
    };

    it('are changed at the next start: the data stays, and no superuser has the password of nodes', async () => {
      await furnish();
      chmodSync(path.join(dataDir, 'postgres-password'), 0o644);
      for (let time = 0; time < 2; time++) {
        const url = await start();
        expect(await query(url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
        expect(new URL(url).password).to.equal(shared);
        expect(statSync(path.join(dataDir, 'postgres-password')).mode & 0o777).to.equal(0o600);
        const superuser = as(url, 'parley_superuser', password('postgres-superuser-password'));
        expect(await query(superuser, roles)).to.deep.equal([
          { name: 'parley', super: false, login: true },
          { name: 'parley_bootstrap', super: true, login: false },
          { name: 'parley_superuser', super: true, login: true },
          { name: 'postgres', super: false, login: true },
        ]);
        for (const user of ['parley_superuser', 'parley_bootstrap']) {
          expect(await codeOf(query(as(url, user, shared), 'SELECT 1'))).to.be.oneOf(['28P01', '28000']);
        }
        await stops.pop()?.();
      }
    });

    it('still let nodes of that version in, which look for role and database with the former superuser', async () => {
      await furnish();
      const url = await start();
      const former = as(url, 'postgres', shared);
      expect(await query(former, "SELECT FROM pg_roles WHERE rolname = 'parley'")).to.have.lengthOf(1);
      expect(await query(former, "SELECT FROM pg_database WHERE datname = 'parley'")).to.have.lengthOf(1);
      expect(await codeOf(query(former, 'CREATE ROLE another'))).to.equal('42501');
      const own = as(url, 'parley', shared, 'parley');
      expect(await query(own, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
    });

    it("have a new superuser's password when its file was not in the backup", async () => {
      await furnish();
      await start();
      await stops.pop()?.();
      const before = password('postgres-superuser-password');
      rmSync(path.join(dataDir, 'postgres-superuser-password'));
      const url = await start();
      expect(password('postgres-superuser-password')).not.to.equal(before);
      expect(await query(url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
      expect(await codeOf(query(as(url, 'parley_superuser', before), 'SELECT 1'))).to.equal('28P01');
    });

    it("say what to do about a superuser's password of another cluster", async () => {
      await furnish();
      await start();
      await stops.pop()?.();
      writeFileSync(path.join(dataDir, 'postgres-superuser-password'), 'of another one\n', { mode: 0o600 });
      const failure = await start().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(EmbeddedPostgresError);
      expect(String(failure)).to.contain('delete it and start again');
    });
  });
});
