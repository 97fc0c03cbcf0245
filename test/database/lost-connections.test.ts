// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { AppError } from '../../src/contract/errors.ts';
import { Database } from '../../src/database/database.ts';
import { User } from '../../src/database/entities/user.entity.ts';
import { Health } from '../../src/node/health.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';

const ownEnd = 'SELECT pg_terminate_backend(pg_backend_pid())::text AS ended';
/** Of one's own role: PostgreSQL's own cleaning, which may be at work in the database, only a superuser may end. */
const allEnds = `SELECT pg_terminate_backend(pid)::text AS ended FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`;

describe('connections that PostgreSQL ends', () => {
  let place: TestDatabase;
  let database: Database;
  before(async () => {
    place = await createDatabase();
    database = await Database.connect(place.url, testSettings(place.url, null), pino({ level: 'silent' }));
  });
  after(async () => {
    await database.close();
    await place.drop();
  });

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error) => (error instanceof AppError ? error.code : String(error)),
    );

  it('in a transaction are not held by the pool, however many there are', async () => {
    for (let i = 0; i < 20; i++) {
      const code = await codeOf(database.transaction(async ({ rows }) => rows(ownEnd)));
      expect(code).to.equal('DATABASE_UNAVAILABLE');
    }
    const begun = Date.now();
    expect(await codeOf(database.transaction(async ({ rows }) => rows('SELECT 1')))).to.equal('done');
    expect(Date.now() - begun).to.be.below(4000);
    expect(database.connections.waiting).to.equal(0);
  });

  it('under a read are replaced by others, on which it is made again', async () => {
    await database.rows('CREATE SEQUENCE tries');
    await database.rows(`CREATE FUNCTION fragile(int) RETURNS int LANGUAGE plpgsql AS
      'BEGIN IF nextval(''tries'') < $1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); END IF;
      RETURN currval(''tries''); END'`);
    expect(await database.rows('SELECT fragile($1) AS try', [3])).to.deep.equal([{ try: 3 }]);
    expect(await database.plannedRows('SELECT fragile($1) AS try', [5])).to.deep.equal([{ try: 5 }]);
    const found = await database.read((em) => em.execute('SELECT fragile(7) AS try'));
    expect(found).to.deep.equal([{ try: 7 }]);
    // Nobody knows whether a change was made.
    await database.rows('CREATE TABLE notes (try int)');
    expect(await codeOf(database.rows('INSERT INTO notes VALUES (fragile($1))', [9]))).to.equal('DATABASE_UNAVAILABLE');
    expect(await database.rows('SELECT last_value::int AS try FROM tries')).to.deep.equal([{ try: 8 }]);
  });

  it('under a read again and again end in a refusal after a moment', async () => {
    expect(await codeOf(database.rows(ownEnd))).to.equal('DATABASE_UNAVAILABLE');
    expect(await database.rows('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('are others than those whose work was refused, which go on with what comes next', async () => {
    const own = 'SELECT pg_backend_pid() AS pid';
    const pids = new Set<number>();
    for (let i = 0; i < 5; i++) {
      const refused = database.transaction(async ({ rows }) => {
        for (const { pid } of await rows<{ pid: number }>(own)) pids.add(pid);
        throw new AppError(i % 2 ? 'FORBIDDEN' : 'SERVER_BUSY', { cause: new Error('as it happens') });
      });
      expect(await codeOf(refused)).to.equal(i % 2 ? 'FORBIDDEN' : 'SERVER_BUSY');
    }
    expect(pids.size).to.equal(1);
    await database.transaction(async ({ rows }) => {
      for (const { pid } of await rows<{ pid: number }>(own)) pids.add(pid);
    });
    expect(pids.size).to.equal(1);
  });

  it('are given back with nothing left running on them that began in a transaction', async () => {
    const left: (() => Promise<unknown>)[] = [];
    await database.transaction(async ({ rows }) => void left.push(() => rows('SELECT 1')));
    await database.quickTransaction(async (rows) => void left.push(() => rows('SELECT 1')));
    const ended = Promise.withResolvers<void>();
    const codes: Promise<string>[] = [];
    await database.transaction(
      async () => void codes.push(ended.promise.then(() => codeOf(database.rows('SELECT 1')))),
    );
    ended.resolve();
    codes.push(...left.map((goOn) => codeOf(goOn())));
    expect(new Set(await Promise.all(codes))).to.deep.equal(new Set(['Error: This transaction is over.']));
  });

  it('all at once, again and again, leave a pool that serves as before', async () => {
    for (let round = 0; round < 10; round++) {
      const changes = Array.from({ length: 20 }, () =>
        codeOf(database.transaction(async ({ rows }) => rows('SELECT pg_sleep(0.005)'))),
      );
      await database.rows(allEnds);
      for (const code of await Promise.all(changes)) expect(code).to.be.oneOf(['done', 'DATABASE_UNAVAILABLE']);
    }
    const after = Array.from({ length: 20 }, () => codeOf(database.transaction(async ({ rows }) => rows('SELECT 1'))));
    expect(new Set(await Promise.all(after))).to.deep.equal(new Set(['done']));
    await until(() => database.pool.totalCount === database.pool.idleCount);
  });

  it('and does not take again, for whatever reason, are PostgreSQL being away', async () => {
    const server = new URL(place.url);
    const name = server.pathname.slice(1);
    server.pathname = '/postgres';
    const operator = await Database.connect(server.href, testSettings(server.href, null), pino({ level: 'silent' }));
    const admit = (admitted: boolean) => operator.rows(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${admitted}`);
    const ask = [
      () => database.rows('SELECT 1'),
      () => database.transaction(async ({ rows }) => rows('SELECT 1')),
      () => database.quickRows('SELECT 1'),
    ];
    await admit(false);
    await operator.rows(`SELECT pg_terminate_backend(pid)::text AS ended FROM pg_stat_activity WHERE datname = $1`, [
      name,
    ]);
    await until(() => database.connections.open === 0);
    const codes = await Promise.all(ask.map((one) => codeOf(one())));
    await admit(true);
    await operator.close();
    expect(codes).to.deep.equal(ask.map(() => 'DATABASE_UNAVAILABLE'));
    expect(await Promise.all(ask.map((one) => codeOf(one())))).to.deep.equal(ask.map(() => 'done'));
  });

  it('in the middle of a transaction, since its node is frozen or gone, hold up nobody for long', async () => {
    const settings = testSettings(place.url, null);
    const { database: limits } = settings;
    const impatient = { ...settings, database: { ...limits, idleTransactionMs: 1500 } };
    const frozen = await Database.connect(place.url, impatient, pino({ level: 'silent' }));
    await database.rows('CREATE TABLE heads AS SELECT 1 AS seq');
    const append = 'UPDATE heads SET seq = seq + 1';
    // A change waits until the lock is free; a quick transaction tells soon that somebody holds it.
    const others = [
      () => codeOf(database.transaction(async ({ rows }) => rows(append))),
      () => codeOf(database.quickTransaction((rows) => rows(append))),
    ];
    for (const begin of [
      (work: () => Promise<unknown>) => frozen.transaction(async ({ rows }) => rows(append).then(work)),
      (work: () => Promise<unknown>) => frozen.quickTransaction((rows) => rows(append).then(work)),
    ]) {
      const locked = Promise.withResolvers<void>();
      // Outside of the transaction that it waits for, whose context MikroORM would see.
      const freed = locked.promise.then(() => Promise.all(others.map((other) => other())));
      const held = () => {
        locked.resolve();
        return freed;
      };
      expect(await codeOf(begin(held))).to.equal('DATABASE_UNAVAILABLE');
      expect(await freed).to.deep.equal(['done', 'error: canceling statement due to lock timeout']);
    }
    expect(await database.rows('SELECT seq FROM heads')).to.deep.equal([{ seq: 3 }]);
    expect(await codeOf(frozen.transaction(async ({ rows }) => rows(append)))).to.equal('done');
    await frozen.close();
  });

  it('hold up nobody for long either when a frozen node has many that wait for one lock', async () => {
    const settings = testSettings(place.url, null);
    const impatient = { ...settings, database: { ...settings.database, idleTransactionMs: 1500 } };
    const frozen = await Database.connect(place.url, impatient, pino({ level: 'silent' }));
    await database.rows('CREATE TABLE hot AS SELECT 1 AS seq');
    const append = 'UPDATE hot SET seq = seq + 1';
    const thawed = Promise.withResolvers<void>();
    const stuck = Array.from({ length: 6 }, () =>
      codeOf(frozen.transaction(async ({ rows }) => rows(append).then(() => thawed.promise))),
    );
    await until(async () => {
      const [waiting] = await database.rows<{ count: number }>(
        `SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return waiting?.count === 5;
    });
    const begun = Date.now();
    await database.transaction(async ({ rows }) => rows(append));
    expect(Date.now() - begun).to.be.below(4000);
    thawed.resolve();
    for (const code of await Promise.all(stuck)) expect(code).not.to.equal('done');
    await frozen.close();
  });

  it('and that come back where nothing may be written are not used, and may be tried again', async () => {
    const behind = await Database.connect(place.url, testSettings(place.url, null), pino({ level: 'silent' }));
    const name = new URL(place.url).pathname.slice(1);
    await database.rows(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    const answers = [
      behind.rows('SELECT 1'),
      behind.quickRows('SELECT 1'),
      behind.transaction(async ({ rows }) => rows('SELECT 1')),
      behind.read((em) => em.findOne(User, { username: 'nobody' })),
      behind.db.selectFrom('User').select('id').execute(),
    ];
    const codes = await Promise.all(answers.map(codeOf));
    expect(new Set(codes)).to.deep.equal(new Set(['DATABASE_UNAVAILABLE']));
    expect(await new Health(behind, null).problems()).to.deep.equal(['The database takes no writes.']);
    await database.rows(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
    expect(await codeOf(behind.rows('SELECT 1'))).to.equal('done');
    await behind.close();
  });

  it('and that stay where nothing may be written any more keep the node from being ready', async () => {
    const behind = await Database.connect(place.url, testSettings(place.url, null), pino({ level: 'silent' }));
    const health = new Health(behind, null);
    expect(await health.problems()).to.deep.equal([]);
    await behind.rows(`SET default_transaction_read_only = on`);
    // It asks ten times a second at most.
    await until(async () => (await health.problems())[0] === 'The database takes no writes.');
    await behind.rows(`SET default_transaction_read_only = off`);
    await until(async () => (await health.problems()).length === 0);
    await behind.close();
  });

  it('or that hang without an answer are given up, and nobody who waits for one waits for ever', async () => {
    const proxy = await startProxy(Number(new URL(place.url).port));
    const url = new URL(place.url);
    url.port = String(proxy.port);
    const settings = testSettings(url.href, null);
    const impatient = { ...settings, database: { ...settings.database, statementTimeoutMs: 500 } };
    const behind = await Database.connect(url.href, impatient, pino({ level: 'silent' }));
    const ask = () => [
      behind.rows('SELECT 1'),
      behind.quickRows('SELECT 1'),
      behind.transaction(async ({ rows }) => rows('SELECT 1')),
    ];
    await Promise.all(ask());
    proxy.hold();
    const codes = await Promise.all(ask().map(codeOf));
    expect(codes).to.deep.equal(['DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE']);
    proxy.release();
    expect(await Promise.all(ask().map(codeOf))).to.deep.equal(['done', 'done', 'done']);
    await behind.close();
    await proxy.stop();
  });

  it('do not keep the pools from closing while transactions wait for one', async () => {
    const closing = await Database.connect(place.url, testSettings(place.url, null), pino({ level: 'silent' }));
    const changes = Array.from({ length: 20 }, () =>
      codeOf(closing.transaction(async ({ rows }) => rows('SELECT pg_sleep(0.005)'))),
    );
    await database.rows(allEnds);
    const closed = closing.close();
    expect(await codeOf(closing.transaction(async ({ rows }) => rows('SELECT 1')))).to.equal('DATABASE_UNAVAILABLE');
    await closed;
    for (const code of await Promise.all(changes)) expect(code).to.be.oneOf(['done', 'DATABASE_UNAVAILABLE']);
    expect(closing.pool.totalCount).to.equal(0);
  });
});
