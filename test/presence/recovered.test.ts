// nodes: one and two

import { expect } from 'chai';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('presence for those who come back', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('is told to a recovered client, too, which joins nothing anew', async () => {
    const { alice, bob, channel } = here;
    const seen = await bob.connect();
    const ear = await alice.listen(channel.id);
    const witness = await alice.listen(channel.id);
    const isOver = ({ changes }: Loose) => changes.some(isNow(bob.id, 'offline'));
    const { socket } = ear;
    // Recovery begins with an event that brought an offset.
    await bob.say(channel.id, 'hello');
    await ear.next('message:new');
    socket.io.reconnection(false);
    socket.io.engine.close();
    await until(() => !socket.connected);
    seen.close();
    // It is told to all at the same moment, of whom the other one is none just now.
    await witness.next('presence:change', isOver);
    ear.received.length = 0;
    socket.connect();
    await until(() => socket.connected);
    expect(socket.recovered).to.equal(true);
    await ear.next('presence:change', isOver);
  });

  it('goes on for a recovered client that asked for it, in no channel of theirs', async () => {
    const { alice, bob } = here;
    const seen = await bob.connect();
    const ear = await alice.connect();
    await ear.emit('presence:subscribe', { userIds: [bob.id] });
    const { socket } = ear;
    socket.io.reconnection(false);
    // Twice: who was recovered once still has what the first connection asked for.
    for (const [meanwhile, live] of [
      ['dnd', 'idle'],
      ['online', 'dnd'],
    ]) {
      socket.io.engine.close();
      await until(() => !socket.connected);
      await seen.emit('presence:update', { status: meanwhile });
      ear.received.length = 0;
      socket.connect();
      await until(() => socket.connected);
      expect(socket.recovered).to.equal(true);
      await ear.next('presence:change', ({ changes }) => changes.some(isNow(bob.id, meanwhile)));
      await seen.emit('presence:update', { status: live });
      await ear.next('presence:change', ({ changes }) => changes.some(isNow(bob.id, live)));
    }
  });

  it('is of those who changed last, where many did', () => {
    const directory = new PresenceDirectory(60_000);
    directory.replace([]);
    const people = Array.from({ length: 600 }, (_, i) => `user-${i}`);
    directory.apply(people.map((userId) => ({ userId, status: 'online' as const })));
    expect(directory.changedLately()).to.deep.equal(people.slice(100));
    directory.apply([{ userId: 'user-0', status: 'dnd' }]);
    expect(directory.changedLately().slice(-2)).to.deep.equal(['user-599', 'user-0']);
  });
});

const isNow = (id: string, now: string | undefined) => (change: Loose) => change.userId === id && change.status === now;
