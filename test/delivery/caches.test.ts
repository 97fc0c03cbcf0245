// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { SoloBus } from '../../src/cluster/bus.ts';
import { Caches } from '../../src/cluster/caches.ts';
import { Control } from '../../src/cluster/control.ts';
import { follows } from '../../src/cluster/invalidation-watch.ts';
import { Operations } from '../../src/cluster/operations.ts';
import { sideBySide } from '../rig/side-by-side.ts';

describe('what a node knows', () => {
  /** A cache, and how often was asked for what is in it. */
  async function filled() {
    const caches = new Caches(new Control(new SoloBus()), new Operations());
    const cache = caches.create<{ is: string }>('things', 10);
    const source = { asked: 0 };
    const get = async () =>
      cache.get('key', async () => {
        source.asked++;
        return { is: 'known' };
      });
    caches.upToDate(performance.now());
    await get();
    await delay(2100);
    return { caches, source, get };
  }

  sideBySide({
    'is trusted for longer than changes may stay unknown, as long as they are found': async () => {
      const { caches, source, get } = await filled();
      caches.upToDate(performance.now());
      await get();
      expect(source.asked).to.equal(1);
    },

    'is asked for anew where changes cannot be found, and trusted again once they were': async () => {
      const { caches, source, get } = await filled();
      await get();
      expect(source.asked).to.equal(2);
      caches.upToDate(performance.now());
      await get();
      expect(source.asked).to.equal(2);
    },

    'is dropped by its key, or all of a cache at once': async () => {
      const { caches, source, get } = await filled();
      caches.upToDate(performance.now());
      for (const [keys, asked] of [
        [['other'], 1],
        [['other', 'key'], 2],
        [null, 3],
      ] as const) {
        caches.dropHere('things', keys === null ? null : [...keys]);
        await get();
        expect(source.asked).to.equal(asked);
      }
    },
  });

  it('is of the server that was asked before, unless that one was further on', () => {
    expect(follows('10:12:10', '9:12:9,11')).to.equal(true);
    expect(follows('8:11:', '9:12:9,11')).to.equal(false);
    expect(follows('18446744073709551613:18446744073709551614:', '9007199254740993:9007199254740993:')).to.equal(true);
  });
});
