// nodes: one and two

import { expect } from 'chai';
import { nodeCount } from '../world/nodes.ts';
import type { Listener, Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** What everyone gets first, and what says nothing about what happened. */
const quiet = new Set(['ready', 'presence:snapshot', 'presence:change']);
/** Events that belong to things told in other places. */
const beside = /^(notification|presence|dm|friend):/;

/** But for `audit:created`, which those who may read the log get of a change beside its events. */
const told = (listener: Listener): string[] =>
  listener.received
    .map(({ event }) => event)
    .filter((event) => !quiet.has(event) && !beside.test(event) && event !== 'audit:created');

for (const transport of ['websocket', 'polling']) {
  describe(`who sees what, over ${transport}`, () => {
    let here: World;

    beforeEach(async () => {
      here = await world();
    });
    afterEach(() => here.close());

    /** A socket of a person, in the channel if it is to be. */
    const ear = async (person: Person, ...channels: string[]): Promise<Listener> => {
      const listener = await person.connect({ transports: [transport] });
      for (const channelId of channels) {
        expect((await listener.emit('channel:join', { channelId })).ok).to.equal(true);
      }
      return listener;
    };

    /** Sockets of a person on every node. */
    const everywhere = (person: Person, ...channels: string[]): Promise<Listener[]> =>
      Promise.all(here.cluster.nodes.map((node) => ear(person.on(node), ...channels)));

    /** Once those in the channel got this, everything before it has arrived too: rooms are told in order. */
    const settled = async (...inChannel: Listener[]) => {
      const { alice, channel } = here;
      const { id } = await alice.say(channel.id, 'the end');
      for (const listener of inChannel) await listener.next('message:new', (message) => message.id === id);
    };

    it('a message, its edit and its end: everyone in the channel once, the author too, nobody else', async () => {
      const { alice, bob, carol, channel } = here;
      const insiders = [...(await everywhere(alice, channel.id)), ...(await everywhere(bob, channel.id))];
      const outsiders = [await ear(bob), await ear(carol)];
      const message = await bob.say(channel.id, 'one', { nonce: 'n' });
      await bob.patch(`/api/messages/${message.id}`, { content: 'two' });
      // What is told after a deletion has no text any more.
      for (const listener of insiders) await listener.next('message:updated');
      await alice.delete(`/api/messages/${message.id}`);
      for (const listener of insiders) {
        await listener.next('message:deleted');
        expect(told(listener)).to.deep.equal(['message:new', 'message:updated', 'message:deleted']);
        const about = listener.received.filter(({ event }) => event.startsWith('message:'));
        const [sent, edited, gone] = about.map(({ data }): Loose => data);
        const seqs = [sent, edited, gone].map((event) => event.eventSeq);
        expect(seqs).to.deep.equal([message.seq, message.seq + 1, message.seq + 2]);
        expect(sent).to.include({ id: message.id, content: 'one', authorId: bob.id, isEdited: false });
        expect(edited).to.include({ id: message.id, content: 'two', seq: message.seq, isEdited: true });
        expect(gone).to.include({ id: message.id, channelId: channel.id, seq: message.seq });
        expect(JSON.stringify(gone)).not.to.contain('two');
      }
      for (const listener of outsiders) expect(told(listener)).to.deep.equal([]);
    });

    it('the event is the record: what REST shows is what sockets got', async () => {
      const { alice, bob, channel } = here;
      const listener = await ear(bob, channel.id);
      const parent = await alice.say(channel.id, 'parent');
      const { id } = await alice.say(channel.id, 'child', { replyToId: parent.id, metadata: { a: [1, { b: null }] } });
      const { eventSeq, nonce, ...event } = await listener.next('message:new', (message) => message.id === id);
      expect((await bob.get(`/api/messages/${id}`)).body).to.deep.equal(event);
      expect(eventSeq).to.equal(event.seq);
      expect(nonce ?? null).to.equal(null);
      await alice.patch(`/api/messages/${id}`, { content: 'changed' });
      const { eventSeq: _, ...updated } = await listener.next('message:updated');
      expect((await bob.get(`/api/messages/${id}`)).body).to.deep.equal(updated);
    });

    it('a refused change: nobody', async () => {
      const { alice, bob, carol, channel } = here;
      const all = [await ear(alice, channel.id), await ear(bob, channel.id), await ear(carol)];
      const message = await alice.say(channel.id, 'hers');
      await bob.patch(`/api/messages/${message.id}`, { content: 'stolen' });
      await bob.delete(`/api/messages/${message.id}`);
      await carol.patch(`/api/messages/${message.id}`, { content: 'stolen' });
      await alice.patch(`/api/messages/${message.id}`, { content: '' });
      await alice.post(`/api/channels/${channel.id}/messages`, { content: '' });
      await settled(...all.slice(0, 2));
      for (const listener of all.slice(0, 2)) expect(told(listener)).to.deep.equal(['message:new', 'message:new']);
      expect(told(all[2] ?? (await ear(carol)))).to.deep.equal([]);
    });

    it('a new channel: every member of the server on all sockets, strangers never', async () => {
      const { alice, bob, carol, server } = here;
      const members = [...(await everywhere(alice)), ...(await everywhere(bob))];
      const stranger = await ear(carol);
      const { body } = await alice.post(`/api/servers/${server.id}/channels`, { name: 'news' });
      for (const listener of members) {
        const { channel } = await listener.next('channel:created');
        expect(channel).to.include({ id: body.id, name: 'news', serverId: server.id });
        expect(told(listener)).to.deep.equal(['channel:created']);
      }
      expect(told(stranger)).to.deep.equal([]);
    });

    it('a new private channel: those who are in it, not the other members', async () => {
      const { alice, bob, server } = here;
      const [owner, member] = [await ear(alice), await ear(bob)];
      const hidden = await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true });
      await owner.next('channel:created', ({ channel }) => channel.id === hidden.body.id);
      const open = await alice.post(`/api/servers/${server.id}/channels`, { name: 'open' });
      await member.next('channel:created', ({ channel }) => channel.id === open.body.id);
      expect(JSON.stringify(member.received)).not.to.contain(hidden.body.id);
      expect((await bob.get(`/api/channels/${hidden.body.id}`)).body.code).to.equal('CHANNEL_NOT_FOUND');
      expect((await member.emit('channel:join', hidden.body.id)).code).to.equal('CHANNEL_NOT_FOUND');
    });

    it('someone who joins: the channels hear of the member, the member of the server', async () => {
      const { alice, bob, carol, server, channel } = here;
      const insiders = [...(await everywhere(alice, channel.id)), await ear(bob, channel.id)];
      const elsewhere = await ear(bob);
      const own = await everywhere(carol);
      const { body } = await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      for (const listener of insiders) {
        const event = await listener.next('member:joined');
        const who = { userId: carol.id, username: carol.username, isBot: false };
        expect(event).to.include({ ...who, serverId: server.id, channelId: channel.id });
        expect(event).to.include.keys('displayName', 'avatarUrl', 'eventSeq');
      }
      for (const listener of own) {
        const event = await listener.next('server:joined');
        expect(event.server).to.deep.include({ id: server.id, role: 'member', memberCount: 3 });
        const { ok, success, status, channelId, ...record } = body;
        expect([ok, success, status, channelId]).to.deep.equal([true, true, 'joined', null]);
        expect(event.server).to.deep.equal(record);
        expect(told(listener)).to.deep.equal(['server:joined']);
      }
      await settled(...insiders);
      expect(told(elsewhere).filter((event) => event.startsWith('member:'))).to.deep.equal([]);
    });

    it('someone who leaves: the channels, and the leaver, who hears nothing more', async () => {
      const { alice, bob, server, channel } = here;
      const insider = await ear(alice, channel.id);
      const own = await everywhere(bob, channel.id);
      await bob.post(`/api/servers/${server.id}/leave`);
      const event = await insider.next('member:left');
      expect(event).to.include({ userId: bob.id, serverId: server.id, channelId: channel.id });
      for (const listener of own) expect((await listener.next('server:left')).serverId).to.equal(server.id);
      await settled(insider);
      for (const listener of own) {
        expect(listener.all('message:new')).to.deep.equal([]);
        expect(listener.all('server:left')).to.have.lengthOf(1);
      }
      expect(insider.all('member:left')).to.have.lengthOf(1);
    });

    it('a refused join or leave: nobody', async () => {
      const { alice, bob, carol, server, channel } = here;
      const insider = await ear(alice, channel.id);
      const stranger = await ear(carol);
      await carol.post(`/api/servers/${server.id}/join`, { inviteCode: 'wrong' });
      await carol.post(`/api/servers/${server.id}/leave`);
      await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      await alice.post(`/api/servers/${server.id}/leave`);
      await alice.say(channel.id, 'something');
      await settled(insider);
      expect(told(insider)).to.deep.equal(['message:new', 'message:new']);
      expect(told(stranger)).to.deep.equal([]);
    });

    it('who left the room hears nothing, and who comes again hears from there on', async () => {
      const { alice, bob, channel } = here;
      const listener = await ear(bob, channel.id);
      const witness = await ear(alice, channel.id);
      await alice.say(channel.id, 'one');
      await listener.next('message:new');
      await listener.emit('channel:leave', { channelId: channel.id });
      const missed = await alice.say(channel.id, 'two');
      await witness.next('message:new', (message) => message.id === missed.id);
      const ack = await listener.emit('channel:join', { channelId: channel.id });
      expect(ack).to.deep.include({ ok: true, seq: missed.seq, events: [] });
      const { id } = await alice.say(channel.id, 'three');
      await listener.next('message:new', (message) => message.id === id);
      expect(listener.all('message:new').map((message) => message.content)).to.deep.equal(['one', 'three']);
    });

    it('joining twice is joining once', async () => {
      const { alice, bob, channel } = here;
      const listener = await ear(bob, channel.id, channel.id);
      const { id } = await alice.say(channel.id, 'one');
      await listener.next('message:new', (message) => message.id === id);
      await alice.say(channel.id, 'two');
      await listener.next('message:new', (message) => message.content === 'two');
      expect(listener.all('message:new')).to.have.lengthOf(2);
    });

    it('many at once from all sides: everyone sees the same, once, in one order', async () => {
      const { alice, bob, channel } = here;
      const all = [...(await everywhere(alice, channel.id)), ...(await everywhere(bob, channel.id))];
      const writers = here.cluster.nodes.flatMap((node) => [alice.on(node), bob.on(node)]);
      const count = 60;
      await Promise.all(
        Array.from({ length: count }, (_, i) => (writers[i % writers.length] ?? alice).say(channel.id, `m${i}`)),
      );
      for (const listener of all) {
        await listener.next('message:new', () => listener.all('message:new').length >= count);
        const seqs = listener.all('message:new').map((message) => message.eventSeq);
        expect(seqs).to.deep.equal(Array.from({ length: count }, (_, i) => seqs[0] + i));
      }
      const orders = all.map((listener) =>
        listener
          .all('message:new')
          .map((message) => message.id)
          .join(),
      );
      expect(new Set(orders).size).to.equal(1);
      expect(all).to.have.lengthOf(2 * nodeCount);
    });
  });
}
