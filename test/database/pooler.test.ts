// nodes: own

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import pino from 'pino';
import { Database, type Rows } from '../../src/database/database.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { testSettings } from '../world/nodes.ts';

/** What PgBouncer takes from a client that connects; anything else it refuses, unless its operator said otherwise. */
const welcome = ['user', 'database', 'client_encoding', 'application_name'];

/** The names in a StartupMessage: length, version, then names and values, each ended by a zero byte. */
function namesIn(message: Buffer): string[] {
  const fields = message.subarray(8).toString().split('\0');
  return fields.filter((field, at) => at % 2 === 0 && field !== '');
}

describe('a pooler before PostgreSQL', () => {
  let place: TestDatabase;
  let door: Server;
  let database: Database;
  let connections = 0;
  const sockets = new Set<Socket>();
  const asked = new Set<string>();

  before(async () => {
    place = await createDatabase();
    const behind = new URL(place.url);
    door = createServer((client) => {
      connections++;
      const server = connect(Number(behind.port), behind.hostname);
      for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
      client.once('data', (message: Buffer) => {
        for (const name of namesIn(message)) asked.add(name);
        server.write(message);
        client.pipe(server).pipe(client);
      });
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const { port }: AddressInfo = Object(door.address());
    const url = new URL(place.url);
    url.port = String(port);
    database = await Database.connect(url.href, testSettings(url.href, null), pino({ level: 'silent' }), true);
  });
  after(async () => {
    await database.close();
    for (const socket of sockets) socket.destroy();
    door.close();
    await place.drop();
  });

  const limits = `SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS lock,
    current_setting('tcp_keepalives_idle') AS gone`;
  const of = async (rows: Rows) => (await rows(limits))[0];

  it('is asked for nothing that it does not know, and all limits hold', async () => {
    const reading = { statement: '10s', idle: '3s', lock: '0', gone: '30' };
    expect(await of(database.rows)).to.deep.equal(reading);
    expect(await of(database.committedRows)).to.deep.equal(reading);
    expect(await of(database.quickRows)).to.deep.equal({ ...reading, lock: '250ms' });
    expect(await database.transaction(({ rows }) => of(rows))).to.deep.equal({ ...reading, lock: '2s' });
    expect(connections).to.be.at.least(3);
    expect([...asked].sort()).to.deep.equal([...welcome].filter((name) => asked.has(name)).sort());
    expect([...asked]).to.include('user');
  });
});
