// nodes: one and two

import { expect } from 'chai';
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
});

const isNow = (id: string, now: string | undefined) => (change: Loose) => change.userId === id && change.status === now;
