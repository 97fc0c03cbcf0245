// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../src/database/database.ts';
import { migratingOrm } from '../../src/database/migrating.ts';
import { dueStep } from '../../src/database/partitions/due.ts';
import { readLogTable } from '../../src/database/partitions/log-table.ts';
import { gapAt, isOver, rangesToMake, widthInDays } from '../../src/database/partitions/ranges.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { DeliveryCounters } from '../../src/delivery/counters.ts';
import { LogPartitions } from '../../src/delivery/log-partitions.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { migrated, testSettings } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';

const dayMs = 86_400_000;
const silent = createLog('silent');
const logs = 20;
const each = 50;

/** As the version before writes an event. */
const appendAsBefore = `WITH numbered AS (
    UPDATE streams SET last_seq = last_seq + 1 WHERE id = $1 RETURNING id AS stream_id, last_seq AS seq
  ) INSERT INTO log_entries (stream_id, seq, event, data)
  SELECT stream_id, seq, 'message:new', json_build_object('id', seq) FROM numbered`;
/** As the version before trims a log by age. */
const trimAsBefore = `WITH doomed AS (
    SELECT stream_id, seq FROM log_entries WHERE created_at < now() - interval '7 days' LIMIT 100
  ), locked AS (
    SELECT id FROM streams WHERE id IN (SELECT stream_id FROM doomed) ORDER BY id FOR UPDATE
  ), gone AS (
    DELETE FROM log_entries USING doomed JOIN locked ON locked.id = doomed.stream_id
    WHERE log_entries.stream_id = doomed.stream_id AND log_entries.seq = doomed.seq
    RETURNING log_entries.stream_id, log_entries.seq
  )
  UPDATE streams SET floor_seq = greatest(floor_seq, top.seq)
  FROM (SELECT stream_id, max(seq) AS seq FROM gone GROUP BY stream_id) AS top WHERE streams.id = top.stream_id`;
const fill = `INSERT INTO streams (id, kind, last_seq) SELECT gen_random_uuid(), 'channel', ${each} FROM generate_series(1, ${logs})`;
const fillEntries = `INSERT INTO log_entries (stream_id, seq, event, data, created_at)
  SELECT id, seq, 'message:new', '{}', now() - make_interval(hours => ${each} - seq) FROM streams, generate_series(1, ${each}) AS seq`;
/** Logs in which a number above the floor is missing or twice. */
const holes = `SELECT s.id, s.last_seq, s.floor_seq, count(l.seq)::int AS entries FROM streams s
  LEFT JOIN log_entries l ON l.stream_id = s.id AND l.seq > s.floor_seq
  GROUP BY s.id HAVING count(l.seq) <> s.last_seq - s.floor_seq OR count(DISTINCT l.seq) <> s.last_seq - s.floor_seq`;
const places = `SELECT tableoid::regclass::text AS place, count(*)::int AS entries FROM log_entries GROUP BY 1 ORDER BY 1`;

/** Someone who writes all the time by the statements of the version before. */
class Writers {
  written = 0;
  readonly failures: unknown[] = [];
  private going = true;
  private readonly running: Promise<void>[];

  constructor(url: string, statements: string[]) {
    this.running = statements.map((text, at) => this.run(url, `${at}`, text));
  }

  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.running);
  }

  private async run(url: string, name: string, text: string): Promise<void> {
    const client = new pg.Client(url);
    await client.connect();
    // Prepared and planned once, as nodes do it.
    await client.query("SET plan_cache_mode = 'force_generic_plan'");
    const { rows } = await client.query<{ id: string }>('SELECT id FROM streams ORDER BY id');
    for (let i = 0; this.going; i++) {
      const values = text.includes('$1') ? [rows[i % rows.length]?.id] : [];
      await client.query({ name, text, values }).then(
        () => this.written++,
        (error) => this.failures.push(error),
      );
    }
    await client.end();
  }
}

describe('the partitions of the log', () => {
  let database: TestDatabase;
  let node: Database;
  const opened: LogPartitions[] = [];

  /** What keeps the partitions on a node. @param longTransaction how it makes its changes */
  const keeper = (longTransaction: Database['longTransaction'] = (...args) => node.longTransaction(...args)) => {
    const { committedRows, quickRows } = node;
    const deps = { database: { committedRows, quickRows, longTransaction }, keepDays: 7, log: silent };
    const made = new LogPartitions({ ...deps, counters: new DeliveryCounters() });
    opened.push(made);
    return made;
  };
  const sql = <R extends object>(text: string, values: unknown[] = []) => query<R>(database.url, text, values);
  const due = async () => dueStep(await withRows(database.url, readLogTable), 7)?.name;
  async function oneStep(): Promise<void> {
    let steps = 0;
    const once = keeper((work, options) => {
      if (++steps > 1) throw new Error('That is enough.');
      return node.longTransaction(work, options);
    });
    await once.keep();
  }
  /** Until nothing is due: a lock may be held by others. */
  const keepAll = () =>
    until(
      async () => {
        await keeper().keep();
        return (await due()) === undefined;
      },
      { timeout: 20_000 },
    );
  const placesNow = () => sql<{ place: string; entries: number }>(places);

  async function prepare(to?: string): Promise<void> {
    database = await createDatabase(to ? undefined : migrated);
    if (to) {
      const orm = await migratingOrm(database.url);
      await orm.migrator.up({ to });
      await orm.close(true);
      await sql(fill);
      await sql(fillEntries);
    }
    node = await Database.connect(database.url, testSettings(database.url, null), silent);
  }

  afterEach(async () => {
    for (const one of opened.splice(0)) one.close();
    await node.close();
    await database.drop();
  });

  it('take the table of before as it is, while it is written to, and by two nodes at once', async () => {
    await prepare('0082-jobs');
    const fileOf = (name: string) => sql(`SELECT pg_relation_filenode($1::regclass)::text AS file`, [name]);
    const files = [await fileOf('log_entries'), await fileOf('log_entries_pkey'), await fileOf('log_entries_retold')];
    const writers = new Writers(database.url, Array(4).fill(appendAsBefore));
    const going = async (count: number) => {
      const before = writers.written;
      await until(async () => writers.written >= before + count);
    };
    await going(50);
    await Promise.all([migrate(database.url, silent), migrate(database.url, silent)]);
    await going(50);
    await Promise.all([keepAll(), keepAll()]);
    await going(50);
    await writers.stop();
    expect(writers.failures).to.deep.equal([]);
    expect(await sql(holes)).to.deep.equal([]);
    const [before] = await placesNow();
    expect(before?.place).to.match(/^log_entries_before_\d{8}$/);
    expect(before?.entries).to.equal(logs * each + writers.written);
    const name = before?.place ?? '';
    const index = (
      await sql<{ name: string }>(
        'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = $1::regclass',
        [name],
      )
    ).map((one) => one.name);
    expect(index).to.have.members(['log_entries_pkey', 'log_entries_default_retold', 'log_entries_default_quoting']);
    expect([
      await fileOf(name),
      await fileOf('log_entries_pkey'),
      await fileOf('log_entries_default_retold'),
    ]).to.deep.equal(files);
    // Nothing of the way there is left.
    expect(
      await sql('SELECT conname FROM pg_constraint WHERE contype = $1 AND conrelid::regclass::text LIKE $2', [
        'c',
        'log_entries%',
      ]),
    ).to.deep.equal([]);
    expect(await sql('SELECT FROM pg_trigger WHERE tgrelid::regclass::text LIKE $1', ['log_entries%'])).to.deep.equal(
      [],
    );
  });

  it('are made all the same where a node is killed in any step', async () => {
    await prepare('0082-jobs');
    await migrate(database.url, silent);
    const steps: (string | undefined)[] = [];
    const killed = keeper((work, options) =>
      node.longTransaction(async (rows) => {
        await work(rows);
        await rows('SELECT pg_terminate_backend(pg_backend_pid())');
        throw new Error('It was not killed.');
      }, options),
    );
    for (let step = await due(); step; step = await due()) {
      steps.push(step);
      await killed.keep();
      expect(await due()).to.equal(step);
      expect((await placesNow()).map(({ place }) => place)).to.have.length(1);
      await oneStep();
    }
    expect(steps).to.deep.equal(['bind', 'check', 'settle', 'add']);
    expect(await sql(holes)).to.deep.equal([]);
  });

  it('are made once a dump is over that has the table, and nobody waits for it meanwhile', async () => {
    await prepare('0082-jobs');
    const dump = new pg.Client(database.url);
    await dump.connect();
    await dump.query('BEGIN; LOCK TABLE log_entries IN ACCESS SHARE MODE');
    const writers = new Writers(database.url, Array(2).fill(appendAsBefore));
    let isOver = false;
    const migrating = migrate(database.url, silent).then(() => (isOver = true));
    await until(
      async () =>
        (
          await sql(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND datname = current_database() AND query LIKE 'lock table log_entries%'`)
        ).length > 0,
    );
    const before = writers.written;
    await until(async () => writers.written > before + 100);
    expect(isOver).to.equal(false);
    await dump.end();
    await migrating;
    await writers.stop();
    expect(writers.failures).to.deep.equal([]);
    expect(await sql(holes)).to.deep.equal([]);
  });

  it('need not be there for something to be written: what was is a partition later', async () => {
    await prepare();
    await keepAll();
    await sql(fill);
    const [{ id = '' } = {}] = await sql<{ id: string }>('SELECT id FROM streams LIMIT 1');
    await sql('UPDATE streams SET last_seq = 0');
    // As after days in which no node was there to make some.
    for (const { name } of (await withRows(database.url, readLogTable)).partitions) await sql(`DROP TABLE ${name}`);
    await sql(appendAsBefore, [id]);
    expect(await placesNow()).to.deep.equal([{ place: 'log_entries_default', entries: 1 }]);
    expect(await due()).to.equal('bind');
    await keepAll();
    const [settled] = await placesNow();
    expect(settled?.place).to.match(/^log_entries_before_/);
    // As while PostgreSQL's clock was wrong.
    await sql('UPDATE log_entries SET created_at = now() + $1::interval', ['400 days']);
    expect((await placesNow())[0]?.place).to.equal('log_entries_default');
    expect(await due()).to.equal('tidy');
    await keepAll();
    expect(await placesNow()).to.deep.equal([settled]);
    expect(await sql(holes)).to.deep.equal([]);
  });

  it('leave no write out that comes at another time than the default one is bound to', async () => {
    await prepare('0082-jobs');
    await migrate(database.url, silent);
    // As written while the clock was wrong, before the bound was set and after.
    const writeAt = (days: number) =>
      sql(
        `WITH moved AS (UPDATE streams SET last_seq = last_seq + 1 RETURNING id, last_seq)
        INSERT INTO log_entries (stream_id, seq, event, data, created_at)
        SELECT id, last_seq, 'message:new', '{}', now() + make_interval(days => $1) FROM moved`,
        [days],
      );
    await writeAt(30);
    await oneStep();
    expect(await due()).to.equal('check');
    await writeAt(40);
    await sql("UPDATE log_entries SET is_outdated = true, data = '{}'");
    await keepAll();
    expect(await placesNow()).to.have.length(1);
    expect(await sql(holes)).to.deep.equal([]);
  });

  it('are dropped when they are over, and who counted on them knows it by the floor', () => drop([appendAsBefore]));

  it('are dropped beside a node of the version before that deletes what is in them', () =>
    drop([appendAsBefore, trimAsBefore]));

  async function drop(beside: string[]): Promise<void> {
    await prepare();
    await keepAll();
    await sql(fill);
    await sql('CREATE TABLE old (LIKE log_entries INCLUDING DEFAULTS INCLUDING INDEXES, PRIMARY KEY (stream_id, seq))');
    await sql(
      `ALTER TABLE log_entries ATTACH PARTITION old FOR VALUES FROM (MINVALUE) TO ('${new Date(Date.now() - 9 * dayMs).toISOString()}')`,
    );
    await sql(`INSERT INTO log_entries (stream_id, seq, event, data, created_at)
      SELECT id, seq, 'message:new', '{}', CASE WHEN seq <= 30 AND id <> (SELECT id FROM streams ORDER BY id LIMIT 1)
        THEN now() - interval '10 days' ELSE now() END FROM streams, generate_series(1, ${each}) AS seq`);
    const writers = new Writers(database.url, beside);
    expect(await due()).to.equal('drop');
    await keepAll();
    await writers.stop();
    expect(writers.failures).to.deep.equal([]);
    expect((await placesNow()).map(({ place }) => place)).to.not.include('old');
    const floors = (await sql<{ floor: string }>('SELECT floor_seq AS floor FROM streams ORDER BY id')).map(
      ({ floor }) => Number(floor),
    );
    expect(floors).to.deep.equal([0, ...Array(logs - 1).fill(30)]);
    expect(await sql(holes)).to.deep.equal([]);
  }
});

describe('the times of partitions', () => {
  const today = Date.UTC(2026, 10, 26);
  const now = today + 15 * 3_600_000;
  const day = (at: number) => ({ from: today + at * dayMs, to: today + (at + 1) * dayMs });

  it('are days from today to the day after tomorrow, without those that are there', () => {
    expect(rangesToMake([], now, 7)).to.deep.equal([day(0), day(1), day(2)]);
    expect(rangesToMake([{ from: null, to: today + 2 * dayMs }], now, 7)).to.deep.equal([day(2)]);
    expect(rangesToMake([day(0), day(2)], now, 7)).to.deep.equal([day(1)]);
    expect(rangesToMake([day(0), day(1), day(2)], now, 7)).to.deep.equal([]);
  });

  it('are several days where entries are kept long, so that there are never many', () => {
    expect([1, 7, 8, 90].map(widthInDays)).to.deep.equal([1, 1, 2, 13]);
    expect(rangesToMake([], now, 90)).to.deep.equal([{ from: today, to: today + 13 * dayMs }]);
    expect(rangesToMake([day(1)], now, 90)).to.deep.equal([
      day(0),
      { from: today + 2 * dayMs, to: today + 15 * dayMs },
    ]);
  });

  it('leave a gap from what is before it to what is after it, at most to the day after tomorrow', () => {
    expect(gapAt([day(0)], now)).to.equal(undefined);
    expect(gapAt([], now)).to.deep.equal({ from: null, to: today + 2 * dayMs });
    expect(gapAt([day(-9), day(-8), day(1)], now)).to.deep.equal({ from: today - 7 * dayMs, to: today + dayMs });
  });

  it('are over when their last entry is older than it is kept, a day at least', () => {
    expect(isOver(day(-8), now, 7)).to.equal(true);
    expect(isOver(day(-7), now, 7)).to.equal(false);
    expect(isOver(day(-1), now, 0.1)).to.equal(false);
    expect(isOver(day(-2), now, 0.1)).to.equal(true);
  });
});
