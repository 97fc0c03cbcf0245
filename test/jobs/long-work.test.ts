// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { Database } from '../../src/database/database.ts';
import type { Context } from '../../src/features/context.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { untraced } from '../../src/infrastructure/tracing.ts';
import { type Effect, type JobKind, outsideWork } from '../../src/jobs/job.kind.ts';
import { createContext } from '../../src/node/context.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { migrated, testSettings } from '../world/nodes.ts';

const log = createLog('silent');
const kind: JobKind<Record<string, never>> = { name: 'long', schema: z.object({}) };
const options = {
  retries: { attempts: 3, firstMs: 1, longestMs: 1 },
  concurrency: 1,
  limitMs: 60_000,
  // It must not end while a busy machine is about to renew it.
  leaseMs: 3000,
};

describe('work outside of the database that takes long', () => {
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

  /** A node that does such work in this way. */
  function node(effect: Effect): Context {
    const settings = testSettings(place.url, null);
    const parts = { settings, log, database, redis: null, tracing: untraced, publicUrl: () => '' };
    const context = createContext({ ...parts, nodeId: randomUUID() });
    nodes.push(context);
    context.jobs.register(outsideWork(kind, async () => effect, options));
    return context;
  }
  const add = ({ changes, jobs }: Context) => changes.run((change) => jobs.add(change, kind, {}));
  const left = () => database.rows<{ attempts: number }>('SELECT attempts FROM jobs');

  it('keeps its lease, which is renewed', async () => {
    const ended = Promise.withResolvers<void>();
    const begun: string[] = [];
    const both = ['a', 'b'].map((name) =>
      node(() => {
        begun.push(name);
        return ended.promise;
      }),
    );
    for (const { jobs } of both) jobs.start();
    await add(both[0] ?? node(async () => {}));
    await until(() => begun.length > 0);
    const due = async () => (await database.rows<{ due: string }>('SELECT due_at::text AS due FROM jobs'))[0]?.due;
    for (let times = 0, last = await due(); times < 5; times++) {
      const before = last;
      last = await until(async () => {
        const now = await due();
        return now !== before && now;
      });
    }
    expect([begun.length, await left()]).to.deep.equal([1, [{ attempts: 1 }]]);
    ended.resolve();
    await until(async () => (await left()).length === 0);
  });

  it('ends where another node has the job', async () => {
    const over = Promise.withResolvers<AbortSignal>();
    const here = node(async (signal) => {
      over.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    here.jobs.start();
    await add(here);
    const signal = await over.promise;
    await database.rows("UPDATE jobs SET attempts = 2, due_at = now() + interval '1 hour'");
    await until(() => signal.aborted);
    expect(await left()).to.deep.equal([{ attempts: 2 }]);
  });

  it('is left to other nodes by one that stops, and that is no failure', async () => {
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = node(async (signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    });
    first.jobs.start();
    await add(first);
    await begun.promise;
    await first.jobs.close(5000);
    expect(await left()).to.deep.equal([{ attempts: 0 }]);
    const second = node(async () => done.resolve());
    second.jobs.start();
    await done.promise;
    await until(async () => (await left()).length === 0);
    expect(new Map(first.jobs.counters).get('long')?.failed).to.equal(0);
  });
});
