// nodes: own

import { expect } from 'chai';
import { type Status, statuses } from '../../src/contract/presence.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';

const users = Array.from({ length: 12 }, (_, i) => `user-${i}`);

describe('what a node knows of everyone', () => {
  const seed = seedOfRun();

  it(`is what was said last, and what of it is still to be told is what has changed since it was (PARLEY_SEED=${seed})`, () => {
    const random = randomOf(seed);
    const directory = new PresenceDirectory(60_000);
    const [known, told] = [new Map<string, Status>(), new Map<string, Status>()];
    const statusIn = (map: Map<string, Status>, userId: string) => map.get(userId) ?? 'offline';
    const some = () =>
      users
        .filter(() => random(5) === 0)
        .map((userId) => ({ userId, status: statuses[random(statuses.length)] ?? 'online' }));
    const take = (max: number) => {
      const changes = directory.takePending(max);
      expect(changes.length).to.be.at.most(max);
      for (const { userId, status, toldBefore: before } of changes) {
        expect(before).to.equal(statusIn(told, userId));
        expect(status).to.equal(statusIn(known, userId)).and.not.equal(before);
      }
      if (random(3) === 0) directory.putBack(changes);
      else for (const { userId, status } of changes) told.set(userId, status);
    };
    const actions = [
      () => {
        const changes = some();
        const [isChange, { revision }] = [changes.some((one) => one.status !== statusIn(known, one.userId)), directory];
        for (const { userId, status } of changes) known.set(userId, status);
        directory.apply(changes);
        expect(directory.revision > revision).to.equal(isChange);
      },
      () => {
        const all = some();
        known.clear();
        for (const { userId, status } of all) known.set(userId, status);
        directory.replace(all);
      },
      () => {
        const userId = users[random(users.length)] ?? '';
        directory.announceAgain(userId);
        if (statusIn(known, userId) !== 'offline') told.set(userId, 'offline');
      },
      () => take(1 + random(4)),
    ];
    for (let step = 0; step < 2000; step++) {
      actions[random(actions.length)]?.();
      for (const userId of users) expect(directory.statusOf(userId)).to.equal(statusIn(known, userId));
      expect([...directory.present()].sort()).to.deep.equal(users.filter((id) => directory.isOnline(id)).sort());
    }
    while (directory.hasPending) take(users.length);
    for (const userId of users) expect(statusIn(told, userId)).to.equal(statusIn(known, userId));
  });

  it('does not take those who were there before this node for changed', () => {
    const directory = new PresenceDirectory(60_000);
    directory.replace([{ userId: 'ann', status: 'online' }]);
    expect(directory.changedLately()).to.deep.equal([]);
    directory.replace([{ userId: 'ben', status: 'online' }]);
    expect(directory.changedLately()).to.deep.equal(['ben', 'ann']);
  });
});
