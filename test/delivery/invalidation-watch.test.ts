// nodes: own

import { expect } from 'chai';
import { SoloBus } from '../../src/cluster/bus.ts';
import { Caches } from '../../src/cluster/caches.ts';
import { Control } from '../../src/cluster/control.ts';
import { InvalidationWatch } from '../../src/cluster/invalidation-watch.ts';
import { Operations } from '../../src/cluster/operations.ts';
import type { Rows } from '../../src/database/database.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';

interface Query {
  since: unknown;
  at: number;
  answer(rows: Loose[]): void;
}

/** They note up to when everything is known. */
class WatchedCaches extends Caches {
  readonly times: number[] = [];

  override upToDate(time: number): void {
    this.times.push(time);
  }
}

describe('a look for changes that nobody tells of', () => {
  let queries: Query[];
  let caches: WatchedCaches;
  let told: string[];
  let watch: InvalidationWatch;
  let changed: (cache: string, keys: string[]) => void;
  let isKept: (key: string) => boolean;

  const committedRows: Rows = (_text, [since] = []) =>
    new Promise((answer) => queries.push({ since, at: performance.now(), answer }));

  beforeEach(async () => {
    queries = [];
    told = [];
    caches = new WatchedCaches(new Control(new SoloBus()), new Operations());
    const things = caches.create<{ is: string }>('things', 10);
    for (const key of ['one', 'two', 'three']) await things.get(key, async () => ({ is: 'known' }));
    isKept = (key) => things.peek(key) !== undefined;
    changed = (_cache, keys) => told.push(...keys);
    watch = new InvalidationWatch({ committedRows }, caches, createLog('silent'), (...what) => changed(...what));
    // It looks only when it is told to.
    watch.close();
  });

  /** Looks, and is on its way. @returns what it asks for */
  async function look(): Promise<Query & { over: Promise<unknown> }> {
    const count = queries.length;
    const over = watch.poll();
    await until(() => queries.length > count);
    const query = queries[count];
    if (!query) throw new Error('Nothing was asked.');
    return { ...query, over };
  }

  async function find(snapshot: string, ...changes: { cache: string; keys: string[] | null }[]): Promise<unknown> {
    const { since, answer, over } = await look();
    answer(
      changes.length > 0 ? changes.map((change) => ({ snapshot, ...change })) : [{ snapshot, cache: null, keys: null }],
    );
    await over;
    return since;
  }

  it('drops what was changed since the one before, and says so', async () => {
    await find('10:12:');
    expect(await find('11:13:', { cache: 'things', keys: ['one'] }, { cache: 'things', keys: ['two'] })).to.equal(
      '10:12:',
    );
    expect(['one', 'two', 'three'].map(isKept)).to.deep.equal([false, false, true]);
    expect(told).to.deep.equal(['one', 'two']);
    expect(await find('12:14:', { cache: 'things', keys: null })).to.equal('11:13:');
    expect(isKept('three')).to.equal(false);
  });

  it('drops all that it found, though somebody fails who is told of it', async () => {
    await find('10:12:');
    changed = () => {
      throw new Error('That does not work.');
    };
    await find('11:13:', { cache: 'things', keys: ['one'] }, { cache: 'things', keys: ['two'] });
    expect(['one', 'two', 'three'].map(isKept)).to.deep.equal([false, false, true]);
  });

  it('knows what was committed before it began, and nothing later', async () => {
    const { at, answer, over } = await look();
    await until(() => performance.now() > at);
    answer([{ snapshot: '10:12:', cache: null, keys: null }]);
    await over;
    expect(watch.knownUntil).to.be.at.most(at);
    expect(caches.times).to.deep.equal([watch.knownUntil]);
  });

  it('that hung has found nothing that a later one did not find', async () => {
    await find('10:12:');
    const early = await look();
    const late = await look();
    late.answer([{ snapshot: '14:16:', cache: null, keys: null }]);
    await late.over;
    const { knownUntil } = watch;
    early.answer([{ snapshot: '11:13:', cache: null, keys: null }]);
    await early.over;
    expect(isKept('one')).to.equal(true);
    expect(watch.knownUntil).to.equal(knownUntil);
    expect(await find('15:17:')).to.equal('14:16:');
  });

  it('trusts nothing, and begins anew, where PostgreSQL is behind what it was', async () => {
    await find('10:12:');
    await find('8:9:');
    expect(isKept('one')).to.equal(false);
    expect(await find('8:9:')).to.equal('1:1:');
  });

  it('trusts nothing, and begins anew, where it comes after what was changed may be forgotten', async () => {
    const { now } = Date;
    await find('10:12:');
    Date.now = () => now() + 31 * 60_000;
    try {
      await find('11:13:');
      expect(isKept('one')).to.equal(false);
      expect(await find('11:13:')).to.equal('1:1:');
    } finally {
      Date.now = now;
    }
  });
});
