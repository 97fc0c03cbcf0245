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
    const cache = new Cache<{ is: string }>({ max: 10, ttlMs });
    const asked = cache.get('key', load);
    source.now = 'out';
    await delay(2 * ttlMs);
    for (const answer of answers) answer();
    expect(await asked).to.deep.equal({ is: 'in' });
    expect(cache.peek('key')).to.equal(undefined);
  });

  it('shares a load that is under way, but none that is as old as nothing here may be', async () => {
    const { source, load, answers } = slowSource();
    const cache = new Cache<{ is: string }>({ max: 10, ttlMs });
    const asked = [cache.get('key', load), cache.get('key', load)];
    expect(source.asked).to.equal(1);
    source.now = 'out';
    await delay(2 * ttlMs);
    asked.push(cache.get('key', load));
    for (const answer of answers) answer();
    expect(await Promise.all(asked)).to.deep.equal([{ is: 'in' }, { is: 'in' }, { is: 'out' }]);
    expect(cache.peek('key')).to.deep.equal({ is: 'out' });
  });
});
