// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { Database } from '../../src/database/database.ts';
import { slowStatementLog } from '../../src/database/statements.ts';
import { withoutValues } from '../../src/infrastructure/statement-watch.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { testSettings } from '../world/nodes.ts';

/** What a busy machine takes for a statement that does nothing is less. */
const slowMs = 500;

describe('slow statements', () => {
  let place: TestDatabase;
  let database: Database;
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  before(async () => {
    place = await createDatabase();
    const base = testSettings(place.url, null);
    database = await Database.connect(
      place.url,
      { ...base, database: { ...base.database, slowStatementMs: slowMs } },
      log,
    );
  });
  beforeEach(() => void lines.splice(0));
  after(async () => {
    await database.close();
    await place.drop();
  });

  it('are logged with time and rows and without values, on each kind of connection', async () => {
    const slow = 'SELECT pg_sleep(0.6), $1::text AS own FROM generate_series(1, 2) LIMIT 1';
    await database.rows(slow, ['a secret']);
    await database.transaction(async ({ rows }) => rows(slow, ['a secret']));
    await database.quickTransaction(async (rows) => rows(slow, ['a secret']));
    await database.read((em) => em.execute(slow.replace('$1', "'a secret'")));
    expect(lines.filter(({ msg }) => msg === 'A slow statement.')).to.have.lengthOf(4);
    for (const { ms, rows, statement } of lines) {
      expect(Number(ms)).to.be.within(slowMs, 20_000);
      expect(rows).to.equal(1);
      expect(statement).to.match(/^SELECT pg_sleep/);
    }
    expect(JSON.stringify(lines)).not.to.contain('secret');
  });

  it('are logged too when they fail, and fast ones are not', async () => {
    await database.rows('SELECT 1');
    await database.rows('SELECT pg_sleep(0.6), 1 / $1::int', [0]).catch(() => {});
    await database.rows('SELECT nonsense').catch(() => {});
    expect(lines.length).to.be.at.most(1);
  });

  it('never fill the log', () => {
    const watch = slowStatementLog(slowMs, log);
    for (let i = 0; i < 1000; i++) watch('SELECT 1')({ ms: slowMs, rows: 1, error: null });
    // Ten a second, and the second may end meanwhile.
    expect(lines.length).to.be.within(10, 20);
  });
});

describe('a statement without its values', () => {
  const cases: [string, string][] = [
    ["SELECT 'it''s', 12, 1.5 FROM t1 WHERE a = $1", 'SELECT ?, ?, ? FROM t1 WHERE a = $1'],
    ["SELECT E'it\\'s', 'back\\' , 'next'", 'SELECT ?, ? , ?'],
    ["select *\n  from x where y in ('a', 'b') limit 20", 'select * from x where y in (?, ?) limit ?'],
    ["SELECT 'cut in the mid", 'SELECT ?'],
  ];
  for (const [text, shown] of cases) it(shown, () => expect(withoutValues(text)).to.equal(shown));
});

describe('statements that PostgreSQL cannot do just now', () => {
  it('are logged with the reason, and not one by one', async () => {
    const place = await createDatabase();
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const database = await Database.connect(place.url, testSettings(place.url, null), log);
    const fail = (state: string) =>
      `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}', MESSAGE = 'No space left on device'; END $$`;
    await database.rows(fail('22012')).catch(() => {});
    for (let i = 0; i < 5; i++) {
      await database.rows(fail('53100')).catch(() => {});
      await database.transaction(async ({ rows }) => rows(fail('53100'))).catch(() => {});
    }
    await database.close();
    await place.drop();
    const record = { level: 40, reason: 'No space left on device', state: '53100' };
    expect(lines.map(({ time: _time, pid: _pid, hostname: _hostname, ...line }) => line)).to.deep.equal([
      { ...record, msg: 'PostgreSQL could not do what it was asked for.' },
    ]);
  });
});
