// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { Database } from '../../src/database/database.ts';
import type { Context } from '../../src/features/context.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { untraced } from '../../src/infrastructure/tracing.ts';
import { insideWork, type JobKind, outsideWork } from '../../src/jobs/job.kind.ts';
import { jobTable } from '../../src/jobs/job.table.ts';
import { createContext } from '../../src/node/context.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { migrated, testSettings } from '../world/nodes.ts';

const log = createLog('silent');
const schema = z.object({ name: z.string() });
const retries = { attempts: 2, firstMs: 1, longestMs: 1 };
const outside = { retries, concurrency: 2, limitMs: 60_000 };

describe('the queue of jobs', () => {
  let place: TestDatabase;
  let database: Database;
  let nodes: Context[] = [];

  beforeEach(async () => {
    place = await createDatabase(migrated);
    database = await Database.connect(place.url, testSettings(place.url, null), log);
  });
  afterEach(async () => {
    for (const { jobs, limits, chores, delivery, outgoing } of nodes) {
      await jobs.close(100);
      await Promise.all([limits.close(), chores.close(), delivery.close(), outgoing.close()]);
    }
    nodes = [];
    await database.close();
    await place.drop();
  });

  /** What a node has of the queue, which runs nothing yet. */
  function node(): Context {
    const settings = testSettings(place.url, null);
    const parts = {
      settings,
      log,
      database,
      redis: null,
      tracing: untraced,
      publicUrl: () => '',
      nodeId: randomUUID(),
    };
    const context = createContext(parts);
    nodes.push(context);
    return context;
  }

  const kindOf = (name: string): JobKind<{ name: string }> => ({ name, schema });
  const add = ({ changes, jobs }: Context, kind: string, name: string, options = {}) =>
    changes.run((change) => jobs.add(change, kindOf(kind), { name }, options));
  const left = () => database.rows<{ kind: string; attempts: number }>('SELECT kind, attempts FROM jobs ORDER BY id');
  const isEmpty = async () => (await left()).length === 0;

  it('runs what was committed once, in order, on whichever of two nodes, and nothing of what was rolled back', async () => {
    const done: string[] = [];
    const both = [node(), node()];
    const [first = node()] = both;
    await first.changes
      .run(async (change) => {
        await first.jobs.add(change, kindOf('note'), { name: 'never' });
        throw new Error('no');
      })
      .catch(() => {});
    for (let i = 0; i < 50; i++) await add(first, 'note', `${i}`);
    for (const { jobs } of both) {
      jobs.register(insideWork(kindOf('note'), async (_, [job]) => void done.push(job?.data.name ?? ''), { batch: 1 }));
      jobs.start();
    }
    await until(isEmpty);
    expect(done.length).to.equal(50);
    expect(new Set(done).size).to.equal(50);
    expect(both.map(({ jobs }) => jobs.counters[0]?.[1].done ?? 0).reduce((sum, count) => sum + count)).to.equal(50);
  });

  it('takes as many as fit into one change, and at least one', async () => {
    const batches: number[] = [];
    const here = node();
    for (const name of ['a', 'b', 'ccccccccccc', 'd']) await add(here, 'note', name);
    const reach = { most: 3, of: ({ name }: { name: string }) => name.length };
    here.jobs.register(
      insideWork(kindOf('note'), async (_, jobs) => void batches.push(jobs.length), { batch: 10, reach }),
    );
    here.jobs.start();
    await until(isEmpty);
    expect(batches).to.deep.equal([2, 1, 1]);
  });

  it('leaves a job of a failed change undone with all that it wrote, and then gives it up, alone', async () => {
    const done: string[] = [];
    const here = node();
    for (const name of ['a', 'bad', 'c']) await add(here, 'note', name);
    const run = async ({ rows }: { rows: Database['rows'] }, jobs: { data: { name: string } }[]) => {
      for (const { data } of jobs) {
        await rows('INSERT INTO invalidations (cache) VALUES ($1)', [data.name]);
        if (data.name === 'bad') throw new Error('This one is bad.');
      }
      done.push(...jobs.map(({ data }) => data.name));
    };
    here.jobs.register(insideWork(kindOf('note'), run, { batch: 10, retries }));
    here.jobs.start();
    const dead = await until(async () => (await jobTable.dead(database.rows, 10))[0]);
    // Those beside it are tried alone too, before or after it.
    await until(async () => (await left()).length === 1);
    expect(done.sort()).to.deep.equal(['a', 'c']);
    expect(await database.rows('SELECT cache FROM invalidations WHERE length(cache) < 4 ORDER BY 1')).to.deep.equal([
      { cache: 'a' },
      { cache: 'c' },
    ]);
    expect(dead).to.include({ kind: 'note', attempts: 2, error: 'Error: This one is bad.' });
    expect(await jobTable.revive(database.rows, dead.id)).to.deep.equal([{ id: dead.id, kind: 'note' }]);
    await until(async () => (await jobTable.dead(database.rows, 10))[0]);
    expect(await jobTable.discard(database.rows, dead.id)).to.deep.equal({ kind: 'note', attempts: 2 });
    expect(await left()).to.deep.equal([]);
  });

  it('says of an error of PostgreSQL what kind it is, and not what data caused it', async () => {
    const here = node();
    await add(here, 'note', 'a secret');
    const run = async ({ rows }: { rows: Database['rows'] }) => void (await rows("SELECT 'a secret'::uuid"));
    here.jobs.register(insideWork(kindOf('note'), run, { retries: { ...retries, attempts: 1 } }));
    here.jobs.start();
    const dead = await until(async () => (await jobTable.dead(database.rows, 10))[0]);
    expect(dead.error).to.equal('An error with the code 22P02.');
  });

  it('lets no kind wait for another, however long that takes', async () => {
    const done: string[] = [];
    const stuck = Promise.withResolvers<void>();
    const here = node();
    for (let i = 0; i < 5; i++) await add(here, 'mail', `${i}`);
    await add(here, 'note', 'quick');
    here.jobs.register(
      outsideWork(kindOf('mail'), async () => () => stuck.promise, outside),
      insideWork(kindOf('note'), async (_, jobs) => void done.push(...jobs.map(({ data }) => data.name))),
    );
    here.jobs.start();
    await until(() => done.length === 1);
    const running = () => new Map(here.jobs.counters).get('mail')?.running;
    await until(() => running() === 2);
    // Those under way are held by no transaction.
    const open = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'";
    await until(async () => (await database.rows(open)).length === 0);
    expect((await left()).map(({ attempts }) => attempts)).to.deep.equal([1, 1, 0, 0, 0]);
    stuck.resolve();
    await until(isEmpty);
  });

  it('does what is outside again after a node was lost, by the same id, until it was begun too often', async () => {
    const seen: string[] = [];
    const [lost, other] = [node(), node()];
    const id = await add(lost, 'mail', 'a');
    const hangs = async () => () => new Promise<never>(() => {});
    // One at once, so that it takes no other, nor the same one again.
    lost.jobs.register(outsideWork(kindOf('mail'), hangs, { ...outside, concurrency: 1 }));
    other.jobs.register(
      outsideWork(
        kindOf('mail'),
        async (_, job) => {
          seen.push(`${job.id} ${job.attempts}`);
          return async () => {};
        },
        outside,
      ),
    );
    lost.jobs.start();
    await until(async () => (await left())[0]?.attempts === 1);
    other.jobs.start();
    const lease = 'UPDATE jobs SET due_at = now()';
    await database.rows(lease);
    await until(isEmpty);
    expect(seen).to.deep.equal([`${id} 2`]);

    // As if both of its attempts had ended with their nodes.
    await add(lost, 'mail', 'b', { runAt: new Date(Date.now() + 3_600_000) });
    await database.rows('UPDATE jobs SET attempts = 2, due_at = now()');
    const dead = await until(async () => (await jobTable.dead(database.rows, 10))[0]);
    expect(dead.error).to.equal('Error: Its node ended each time before the job did.');
  });

  it('keeps one job for a key, the newest, and waits for the time of those that have one', async () => {
    const done: string[] = [];
    const here = node();
    const runAt = new Date(Date.now() + 3_600_000);
    await add(here, 'note', 'later', { key: 'x', runAt });
    await add(here, 'note', 'sooner', { key: 'x' });
    await add(here, 'note', 'other', { key: 'y', runAt });
    here.jobs.register(insideWork(kindOf('note'), async (_, [job]) => void done.push(job?.data.name ?? '')));
    here.jobs.start();
    await until(() => done.length > 0);
    await until(async () => (await left()).length === 1);
    expect(done).to.deep.equal(['sooner']);
    expect(await here.jobs.summary()).to.deep.equal([
      { kind: 'note', waiting: 1, failing: 0, dead: 0, oldestSeconds: 0 },
    ]);
    await database.rows('UPDATE jobs SET due_at = now()');
    await until(isEmpty);
    expect(done).to.deep.equal(['sooner', 'other']);
  });

  it('has those that gather wait no longer than the first of a key, however many come', async () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const insert = (name: string, runAt: Date) =>
      jobTable.insert(database.rows, 'note', [{ id: randomUUID(), data: { name }, runAt, key: 'x' }], {
        gathers: true,
      });
    const [sooner, later] = [inMinutes(10), inMinutes(20)];
    const expectDue = async (name: string, at: Date) => {
      const found = await database.rows(
        `SELECT data ->> 'name' AS name, run_at = $1 AND due_at = $1 AS "isDue" FROM jobs`,
        [at.toISOString()],
      );
      expect(found).to.deep.equal([{ name, isDue: true }]);
    };
    await insert('first', sooner);
    await insert('second', later);
    await expectDue('second', sooner);
    // A node is doing it, and has not seen what is new.
    await database.rows(`UPDATE jobs SET run_at = now() - interval '1 minute', due_at = $1`, [inMinutes(30)]);
    await insert('third', later);
    await expectDue('third', later);
  });

  it('leaves kinds that it does not know to nodes that do', async () => {
    const here = node();
    await add(here, 'of tomorrow', 'a');
    await add(here, 'note', 'b');
    here.jobs.register(insideWork(kindOf('note'), async () => {}));
    here.jobs.start();
    await until(async () => (await left()).length === 1);
    expect(await left()).to.deep.equal([{ kind: 'of tomorrow', attempts: 0 }]);
  });
});
