// nodes: own

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { SearchTurns } from '../../src/features/search/turns.ts';

describe('searches', () => {
  it('run few at once, and those of one person one after the other', async () => {
    const turns = new SearchTurns();
    const running: string[] = [];
    const ends: (() => void)[] = [];
    let begun = 0;
    const search = (who: string) =>
      turns.run(who, async () => {
        begun++;
        running.push(who);
        await new Promise<void>((resolve) => ends.push(resolve));
        running.splice(running.indexOf(who), 1);
      });
    const all = [...Array<string>(10).fill('ann'), 'ben', 'cat', 'dan', 'eve', 'flo'].map(search);
    expect(await search('ann').catch((error) => error.code)).to.equal('RATE_LIMITED');
    await turn();
    expect(running).to.have.members(['ann', 'ben', 'cat', 'dan']);
    while (begun < all.length || running.length > 0) {
      ends.shift()?.();
      for (let i = 0; i < 5; i++) await turn();
      expect(running.length).to.be.at.most(4);
      expect(running.filter((who) => who === 'ann').length).to.be.at.most(1);
    }
    await Promise.all(all);
    expect(begun).to.equal(15);
  });

  it('that fail give their places to others', async () => {
    const turns = new SearchTurns();
    for (let i = 0; i < 20; i++) {
      const failed = turns.run('ann', () => Promise.reject(new Error('away')));
      expect(await failed.catch((error: Error) => error.message)).to.equal('away');
    }
    expect(await turns.run('ann', async () => 'found')).to.equal('found');
  });
});
