// nodes: own

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import pino from 'pino';
import { AppError } from '../../src/contract/errors.ts';
import { Database } from '../../src/database/database.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { testSettings } from '../world/nodes.ts';

/** Longer than any test may take: nobody is freed by it. */
const statementTimeoutMs = 300_000;

describe('connections on which PostgreSQL will never answer', () => {
  let place: TestDatabase;
  let proxy: TcpProxy;
  let database: Database;
  beforeEach(async () => {
    place = await createDatabase();
    proxy = await startProxy(Number(new URL(place.url).port));
    database = await open(proxy.port);
  });
  afterEach(async () => {
    await database.close();
    await proxy.stop();
    await place.drop();
  });

  function open(port: number): Promise<Database> {
    const url = new URL(place.url);
    url.port = String(port);
    const settings = testSettings(url.href, null);
    const patient = { ...settings, database: { ...settings.database, statementTimeoutMs } };
    return Database.connect(url.href, patient, pino({ level: 'silent' }), true);
  }

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error) => (error instanceof AppError ? error.code : String(error)),
    );

  const ways = (text: string) => [
    ...Array.from({ length: 3 }, () => database.rows(text)),
    ...Array.from({ length: 3 }, () => database.quickRows(text)),
    ...Array.from({ length: 3 }, () => database.transaction(async ({ rows }) => rows(text))),
  ];

  it('since they are half-open, are found, and with them those that are idle', async () => {
    await Promise.all(ways('SELECT pg_sleep(0.1)'));
    const sleeping = database.rows('SELECT pg_sleep(1)');
    proxy.silence();
    const codes = await Promise.all([sleeping, database.rows('SELECT 1'), database.quickRows('SELECT 1')].map(codeOf));
    // Reads are made again on others; of what may have changed something nobody knows.
    expect(codes).to.deep.equal(['done', 'done', 'DATABASE_UNAVAILABLE']);
    expect(await Promise.all(ways('SELECT 1').map(codeOf))).to.deep.equal(Array(9).fill('done'));
  });

  it('since they became half-open within a transaction, are found when it goes on', async () => {
    const silenced = database.transaction(async ({ rows }) => {
      await rows('SELECT 1');
      proxy.silence();
      await rows('SELECT 2');
    });
    expect(await codeOf(silenced)).to.equal('DATABASE_UNAVAILABLE');
  });

  it('are not those of statements that take long, wait for a lock, or are thought about in between', async () => {
    await database.rows('CREATE TABLE heads AS SELECT 1 AS seq');
    const update = 'UPDATE heads SET seq = seq + 1';
    const holder = database.transaction(async ({ rows }) => {
      await rows(update);
      await rows('SELECT pg_sleep(2.5)');
    });
    const thoughtful = database.transaction(async ({ rows }) => {
      await rows('SELECT 1');
      await new Promise((resolve) => setTimeout(resolve, 2500));
      await rows('SELECT 1');
    });
    const waiting = database.rows(update);
    expect(await Promise.all([holder, thoughtful, waiting].map(codeOf))).to.deep.equal(Array(3).fill('done'));
    expect(await database.rows('SELECT seq FROM heads')).to.deep.equal([{ seq: 3 }]);
  });

  it('are not those of transactions that were answered while PostgreSQL was asked, on a line that is slow', async () => {
    await database.rows('CREATE TABLE heads AS SELECT 1 AS seq');
    proxy.jitter(150, 150);
    const steps = database.transaction(async ({ rows }) => {
      for (let i = 0; i < 6; i++) {
        await rows('SELECT pg_sleep(0.6)');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    expect(await codeOf(steps)).to.equal('done');
  });

  it('cannot be told apart by a pooler’s numbers of its clients, and are left alone', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const pooler = createServer((client) => {
      const server = connect(Number(new URL(place.url).port), '127.0.0.1');
      for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
      client.pipe(server);
      server.on('data', (bytes: Buffer) => client.write(renumbered(bytes)));
    }).listen(0, '127.0.0.1');
    await once(pooler, 'listening');
    const { port }: AddressInfo = Object(pooler.address());
    const pooled = await open(port);
    expect(await codeOf(pooled.rows('SELECT pg_sleep(2.5)'))).to.equal('done');
    await pooled.close();
    for (const socket of sockets) socket.destroy();
    pooler.close();
  });
});

/** Replaces the number of the backend, which PostgreSQL tells a client when it lets it in (BackendKeyData). */
function renumbered(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from('4b0000000c', 'hex'));
  if (at >= 0) bytes.writeInt32BE(1, at + 5);
  return bytes;
}
