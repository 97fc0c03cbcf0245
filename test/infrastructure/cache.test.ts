// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Cache } from '../../src/infrastructure/cache.ts';

describe('a cache of things that seldom change', () => {
  const ttlMs = 50;

  /** Answers what was so when it was asked, when it is let. */
  function slowSource() {
    const answers: (() => void)[] = [];
    const source = { now: 'in', asked: 0 };
    const load = () => {
      source.asked++;
      const value = { is: source.now };
      return new Promise<{ is: string }>((resolve) => answers.push(() => resolve(value)));
    };
    return { source, load, answers };
  }

  it('keeps what was long on its way only for the rest of its time', async () => {
    const { source, load, answers } = slowSource();
    const cache = new Cache<{ is: string }>({ max: 10, trust: () => ttlMs });
    const asked = cache.get('key', load);
    source.now = 'out';
    await delay(2 * ttlMs);
    for (const answer of answers) answer();
    expect(await asked).to.deep.equal({ is: 'in' });
    expect(cache.peek('key')).to.equal(undefined);
  });

  it('shares a load that is under way, but none that is as old as nothing here may be', async () => {
    const { source, load, answers } = slowSource();
    const cache = new Cache<{ is: string }>({ max: 10, trust: () => ttlMs });
    const asked = [cache.get('key', load), cache.get('key', load)];
    expect(source.asked).to.equal(1);
    source.now = 'out';
    await delay(2 * ttlMs);
    asked.push(cache.get('key', load));
    for (const answer of answers) answer();
    expect(await Promise.all(asked)).to.deep.equal([{ is: 'in' }, { is: 'in' }, { is: 'out' }]);
    expect(cache.peek('key')).to.deep.equal({ is: 'out' });
  });

  it('asks anew for what is used before its time is over, and nobody waits for that', async () => {
    const { source, load, answers } = slowSource();
    const cache = new Cache<{ is: string }>({ max: 10, trust: () => 1000 });
    const asked = cache.get('key', load);
    answers.pop()?.();
    await asked;
    source.now = 'out';
    expect(cache.get('key', load)).to.deep.equal({ is: 'in' });
    expect(source.asked).to.equal(1);
    await delay(750);
    expect(cache.peek('key'), 'whoever may only peek has it asked for').to.equal(undefined);
    for (let i = 0; i < 3; i++) expect(cache.get('key', load)).to.deep.equal({ is: 'in' });
    expect(cache.peek('key')).to.deep.equal({ is: 'in' });
    expect(source.asked, 'before who uses it is on its way').to.equal(1);
    await delay(50);
    expect(source.asked).to.equal(2);
    answers.pop()?.();
    await delay(1);
    expect(cache.get('key', load)).to.deep.equal({ is: 'out' });
    expect(source.asked).to.equal(2);
  });

  it('keeps nothing that turns out to be gone when it is asked for anew, and all that cannot be asked for', async () => {
    const ttlMs = 1000;
    const cache = new Cache<{ is: string }>({ max: 10, trust: () => ttlMs });
    for (const key of ['gone', 'silent']) await cache.get(key, async () => ({ is: 'in' }));
    await delay(750);
    void cache.get('gone', async () => undefined);
    void cache.get('silent', () => Promise.reject(new Error('nobody answers')));
    await delay(50);
    expect(cache.get('gone', async () => ({ is: 'back' }))).to.be.instanceOf(Promise);
    expect(cache.get('silent', async () => ({ is: 'out' }))).to.deep.equal({ is: 'in' });
  });
});
