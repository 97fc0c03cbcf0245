// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { AppError } from '../../src/contract/errors.ts';
import { Database } from '../../src/database/database.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';

describe('a pool of connections', () => {
  let place: TestDatabase;
  before(async () => {
    place = await createDatabase();
  });
  after(() => place.drop());

  /** @returns one with two connections for transactions */
  function open(url: string, connectTimeoutMs: number): Promise<Database> {
    const settings = testSettings(url, null);
    const limits = { ...settings.database, poolSize: 4, connectTimeoutMs };
    return Database.connect(url, { ...settings, database: limits }, pino({ level: 'silent' }));
  }

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error) => (error instanceof AppError ? error.code : String(error)),
    );

  /** Occupies all connections for transactions. @returns what ends that */
  async function fill(database: Database): Promise<() => Promise<void>> {
    const ended = Promise.withResolvers<void>();
    const full = [0, 1].map(() => database.transaction(({ rows }) => rows('SELECT 1').then(() => ended.promise)));
    await until(() => database.pool.totalCount - database.pool.idleCount === 2);
    const settled = Promise.allSettled(full);
    return async () => {
      ended.resolve();
      await settled;
    };
  }

  const asks = (database: Database) => [
    database.transaction(({ rows }) => rows('SELECT 1')),
    database.plannedRows('SELECT 1'),
  ];

  it('that is full while PostgreSQL answers is busy, which is not PostgreSQL being away', async () => {
    // A busy machine takes some time for each new connection.
    const database = await open(place.url, 1500);
    const empty = await fill(database);
    let codes: string[] = [];
    const asked = Promise.all(asks(database).map(codeOf)).then((all) => {
      codes = all;
    });
    // Reads by themselves, entities among them, have connections of their own: PostgreSQL answers all the time.
    await until(async () => {
      await database.rows('SELECT 1');
      await database.read((em) => em.execute('SELECT 1'));
      return codes.length > 0;
    });
    await asked;
    expect(new Set(codes)).to.deep.equal(new Set(['SERVER_BUSY']));
    await empty();
    expect(await Promise.all(asks(database).map(codeOf))).to.deep.equal(['done', 'done']);
    await database.close();
  });

  it('that is full since PostgreSQL does not answer is PostgreSQL being away', async () => {
    const proxy = await startProxy(Number(new URL(place.url).port));
    const url = new URL(place.url);
    url.port = String(proxy.port);
    const database = await open(url.href, 2500);
    const empty = await fill(database);
    proxy.hold();
    const codes = await Promise.all(asks(database).map(codeOf));
    proxy.release();
    await empty();
    expect(new Set(codes)).to.deep.equal(new Set(['DATABASE_UNAVAILABLE']));
    await database.close();
    await proxy.stop();
  });

  it('lends none to a transaction before its first statement', async () => {
    const database = await open(place.url, 3000);
    const idle = Promise.withResolvers<void>();
    const transactions = Array.from({ length: 10 }, (_, i) =>
      database.transaction(async ({ rows }) => {
        await idle.promise;
        if (i % 2) await rows('SELECT 1');
        return i;
      }),
    );
    const [answer] = await database.transaction(({ rows }) => rows<{ one: number }>('SELECT 1 AS one'));
    expect([answer?.one, database.pool.totalCount]).to.deep.equal([1, 1]);
    idle.resolve();
    expect(await Promise.all(transactions)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await database.close();
  });
});
