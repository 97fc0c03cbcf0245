// nodes: own

import { expect } from 'chai';
import { type Status, type StatusChange, statuses } from '../../src/contract/presence.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';

const users = Array.from({ length: 12 }, (_, i) => `user-${i}`);

describe('what a node knows of everyone', () => {
  const seed = seedOfRun();

  it(`is what was said last, and what of it is still to be told is what has changed since it was (PARLEY_SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const directory = new PresenceDirectory(60_000);
    const [known, told] = [new Map<string, Status>(), new Map<string, Status>()];
    /** What some who looked, or learned of a user later, believe instead. */
    const believed = new Map<string, Status>();
    const statusIn = (map: Map<string, Status>, userId: string) => map.get(userId) ?? 'offline';
    const some = () =>
      users
        .filter(() => random(5) === 0)
        .map((userId) => ({ userId, status: statuses[random(statuses.length)] ?? 'online' }));
    const take = (max: number) => {
      const changes = directory.takePending(max);
      expect(changes.length).to.be.at.most(max);
      for (const { userId, status } of changes) {
        expect(status).to.equal(statusIn(known, userId));
        // Unless someone believes something else it is told only where it differs.
        if (!believed.has(userId)) expect(status).to.not.equal(statusIn(told, userId));
      }
      if (random(3) === 0) {
        directory.putBack(changes);
        for (const { userId } of changes) believed.set(userId, believed.get(userId) ?? statusIn(told, userId));
      } else {
        for (const { userId, status } of changes) {
          told.set(userId, status);
          believed.delete(userId);
        }
      }
    };
    const actions = [
      () => {
        const changes = some();
        const [isChange, { revision }] = [changes.some((one) => one.status !== statusIn(known, one.userId)), directory];
        for (const { userId, status } of changes) known.set(userId, status);
        directory.apply(changes);
        expect(directory.revision > revision).to.equal(isChange);
      },
      async () => {
        const all = some();
        known.clear();
        for (const { userId, status } of all) known.set(userId, status);
        // What is said while it is read is newer than what is read.
        const meanwhile = some();
        for (const { userId, status } of meanwhile) known.set(userId, status);
        await directory.replace(async (take) => {
          const half = random(all.length + 1);
          take(all.slice(0, half));
          directory.apply(meanwhile);
          take(all.slice(half));
        });
      },
      () => {
        const userId = users[random(users.length)] ?? '';
        directory.announceAgain(userId);
        if (statusIn(known, userId) !== 'offline') believed.set(userId, 'offline');
      },
      () => {
        const userId = users[random(users.length)] ?? '';
        expect(directory.statusOf(userId)).to.equal(statusIn(known, userId));
        believed.set(userId, statusIn(known, userId));
      },
      () => take(1 + random(4)),
    ];
    for (let step = 0; step < 2000; step++) {
      await actions[random(actions.length)]?.();
      for (const userId of users) expect(directory.isOnline(userId)).to.equal(statusIn(known, userId) !== 'offline');
      expect([...directory.present()].sort()).to.deep.equal(users.filter((id) => directory.isOnline(id)).sort());
    }
    while (directory.hasPending) take(users.length);
    for (const userId of users) {
      expect(statusIn(told, userId)).to.equal(statusIn(known, userId));
      expect(believed.get(userId) ?? statusIn(told, userId)).to.equal(statusIn(told, userId));
    }
  });

  const read = (...online: string[]) => directoryRead(online.map((userId) => ({ userId, status: 'online' as const })));
  const directoryRead = (all: StatusChange[]) => async (take: (part: StatusChange[]) => void) => {
    for (const one of all) take([one]);
  };

  it('does not take those who were there before this node for changed', async () => {
    const directory = new PresenceDirectory(60_000);
    const changed = () => directory.changedAmong(['ann', 'ben']).map(({ userId }) => userId);
    await directory.replace(read('ann'));
    expect(changed()).to.deep.equal([]);
    await directory.replace(read('ben'));
    expect(changed()).to.deep.equal(['ann', 'ben']);
  });

  it('is told to nobody where it was so before the first socket of this node', async () => {
    const directory = new PresenceDirectory(60_000);
    let isAlone = true;
    await directory.replace(
      async (take) => {
        await read('ann')(take);
        isAlone = false;
        await read('ben')(take);
      },
      () => isAlone,
    );
    expect(directory.takePending(10).map(({ userId }) => userId)).to.deep.equal(['ben']);
    expect(directory.isOnline('ann')).to.equal(true);
    // Later ones were told of.
    await directory.replace(read('ann', 'cem'), () => true);
    expect(directory.takePending(10).map(({ userId }) => userId)).to.have.members(['ben', 'cem']);
  });

  it('is taken in parts: the node does other things meanwhile, however many there are', async () => {
    const directory = new PresenceDirectory(60_000);
    const all = Array.from({ length: 60_000 }, (_, i) => ({ userId: `user-${i}`, status: 'online' as const }));
    let turns = 0;
    const count = () => {
      turns++;
      if (turns < 1000) setImmediate(count);
    };
    directory.apply(all);
    setImmediate(count);
    await directory.replace(async () => {});
    expect(turns).to.be.above(5);
    expect(directory.size).to.equal(0);
  });
});
