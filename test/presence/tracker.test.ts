// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Status } from '../../src/contract/presence.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { MemoryPresenceStore } from '../../src/features/presence/memory-store.ts';
import { PresenceTracker } from '../../src/features/presence/tracker.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';

describe('those who are connected to a node', () => {
  const directory = new PresenceDirectory(60_000);
  const store = new MemoryPresenceStore();
  store.listen({ changed: (changes) => directory.apply(changes), hurried: () => {} });
  let readWishes = async () => new Map<string, Status>();
  const settings = { ...testSettings('', null).presence, batchMs: 1, graceMs: 0 };
  const tracker = new PresenceTracker(store, directory, () => readWishes(), settings, createLog('silent'));
  after(() => tracker.close());

  const isOnline = (userId: string) => until(() => directory.isOnline(userId), { message: `${userId} is not online` });
  /** Somebody else is passed on behind all that happened before. */
  const passed = async (other: string) => {
    tracker.came(other);
    await isOnline(other);
  };

  /** The next reading of wishes takes until it is answered. */
  function slowRead() {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Map<string, Status>>();
    readWishes = () => {
      readWishes = async () => new Map();
      asked.resolve();
      return answer.promise;
    };
    return { asked: asked.promise, answer: answer.resolve };
  }

  it('are not ended by a leave that was held back until they were there again', async () => {
    tracker.came('ann');
    await isOnline('ann');
    tracker.holdLeaves(3_600_000);
    tracker.went('ann');
    await passed('one');
    await passed('two');
    expect(directory.isOnline('ann'), 'held back').to.equal(true);
    tracker.came('ann');
    tracker.holdLeaves(0);
    await passed('three');
    await passed('four');
    expect(directory.isOnline('ann')).to.equal(true);
    tracker.went('ann');
    await until(() => !directory.isOnline('ann'));
  });

  it('do not outlast a leave that overtook what is still being read about them', async () => {
    const reading = slowRead();
    tracker.came('ben');
    await reading.asked;
    tracker.went('ben');
    // Longer than it takes until that could be passed on.
    await delay(50);
    reading.answer(new Map());
    await passed('five');
    await until(() => !directory.isOnline('ben'));
  });

  it('are passed on also where they came while others were being passed on', async () => {
    const reading = slowRead();
    tracker.came('cem');
    await reading.asked;
    tracker.came('dan');
    reading.answer(new Map([['cem', 'dnd']]));
    await isOnline('dan');
    expect(directory.statusOf('cem')).to.equal('dnd');
  });

  it('are as was wished for last, also where it was said before what was wished for earlier', async () => {
    tracker.came('eva');
    await isOnline('eva');
    readWishes = async () => new Map([['eva', 'dnd']]);
    await tracker.wished('eva', 'dnd');
    await tracker.wished('eva', 'idle');
    await until(() => directory.statusOf('eva') === 'dnd');
  });

  it('stay there who came back while the store failed to take that they had gone', async () => {
    const leave = store.leave.bind(store);
    const asked = Promise.withResolvers<void>();
    const failure = Promise.withResolvers<void>();
    tracker.came('fay');
    await isOnline('fay');
    store.leave = () => {
      store.leave = leave;
      asked.resolve();
      return failure.promise;
    };
    tracker.went('fay');
    await asked.promise;
    tracker.came('fay');
    failure.reject(new Error('not now'));
    await passed('six');
    await passed('seven');
    expect(directory.isOnline('fay')).to.equal(true);
  });
});
