// nodes: own

import { expect } from 'chai';
import { BatchedRead } from '../../src/database/batched-read.ts';
import { until } from '../rig/until.ts';
import { range } from '../world/follower.ts';

describe('a batched read', () => {
  /** The keys of each query, which a caller ends. */
  function source(aloneMs?: number) {
    const queries: { keys: string[]; end(): void; fail(error: Error): void }[] = [];
    const read = new BatchedRead<string>((keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
      const end = () => resolve(new Map(keys.map((key) => [key, `value of ${key}`])));
      queries.push({ keys, end, fail: reject });
      return promise;
    }, aloneMs);
    return { read, queries };
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await turn();
  };

  it('asks once for what is requested in one turn, and for the rest when a query has ended, or hangs', async () => {
    // Longer than a busy machine lets this process stand still.
    const { read, queries } = source(1000);
    const values = [read.read('a'), read.read('b'), read.read('a')];
    await turns(2);
    const later = [read.read('c')];
    await turns(2);
    expect(queries.map(({ keys }) => keys)).to.deep.equal([['a', 'b']]);
    await until(() => queries.length === 2);
    const last = [read.read('d'), read.read('e')];
    await turns(2);
    expect(queries.map(({ keys }) => keys)).to.deep.equal([['a', 'b'], ['c']]);
    queries[0]?.end();
    expect(await Promise.all(values)).to.deep.equal(['value of a', 'value of b', 'value of a']);
    await until(() => queries.length === 3);
    expect(queries[2]?.keys).to.deep.equal(['d', 'e']);
    queries[1]?.end();
    queries[2]?.end();
    expect(await Promise.all([...later, ...last])).to.deep.equal(['value of c', 'value of d', 'value of e']);
  });

  it('reads very many keys in several queries', async () => {
    const { read, queries } = source();
    const values = range(1, 1000).map((key) => read.read(`${key}`));
    for (let ended = 0; ended < 5; ended++) {
      await turns(3);
      expect(queries[ended]?.keys).to.have.lengthOf(200);
      queries[ended]?.end();
    }
    expect(await Promise.all(values)).to.deep.equal(range(1, 1000).map((key) => `value of ${key}`));
    expect(queries).to.have.lengthOf(5);
  });

  it('answers very many who wait for one key over several turns', async () => {
    const { read, queries } = source();
    let answered = 0;
    const values = range(1, 1000).map(() => read.read('room').then(() => answered++));
    await turns(2);
    queries[0]?.end();
    const steps: number[] = [];
    for (let before = 0; answered < 1000; before = answered) {
      await turn();
      steps.push(answered - before);
    }
    await Promise.all(values);
    expect(Math.max(...steps)).to.be.at.most(64);
  });

  it('fails those who wait for a query that fails, and no others', async () => {
    const { read, queries } = source();
    const failing = read.read('a').catch((error: Error) => error.message);
    await turns(2);
    const well = read.read('b');
    await until(() => queries.length === 2);
    queries[0]?.fail(new Error('gone'));
    queries[1]?.end();
    expect(await failing).to.equal('gone');
    expect(await well).to.equal('value of b');
  });
});
