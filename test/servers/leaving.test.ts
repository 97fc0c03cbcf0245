import { expect } from 'chai';
import { register, type World, world } from '../world/world.ts';

describe('whoever leaves a server or is thrown out', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  for (const way of ['leave', 'kick'] as const) {
    it(`hears and reads nothing any more, on any node, when the answer to ${way} is there`, async () => {
      const { alice, bob, server, channel, cluster } = here;
      const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
      await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
      const parent = await alice.say(channel.id, 'parent');
      const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
      const everywhere = cluster.nodes.map((node) => bob.on(node));
      const ears = await Promise.all(everywhere.map((one) => one.listen(channel.id, hidden.id)));
      for (const ear of ears) expect((await ear.emit('thread:join', { threadId: thread.id })).ok).to.equal(true);
      const polls = everywhere.map((one) => one.get(`/api/channels/${channel.id}/events?after=999999&wait=20`));
      if (way === 'leave') await bob.post(`/api/servers/${server.id}/leave`);
      else await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
      for (const one of everywhere) {
        for (const path of ['messages', 'members', 'pins', 'threads', 'events?after=0', 'bootstrap']) {
          expect((await one.get(`/api/channels/${channel.id}/${path}`)).status, path).to.equal(404);
          expect((await one.get(`/api/channels/${hidden.id}/${path}`)).status, path).to.equal(404);
        }
      }
      for (const ear of ears) {
        expect((await ear.emit('channel:join', { channelId: channel.id })).code).to.equal('CHANNEL_NOT_FOUND');
        expect((await ear.emit('thread:join', thread.id)).code).to.equal('THREAD_NOT_FOUND');
        const send = { channelId: channel.id, content: 'still here?' };
        expect((await ear.emit('message:send', send)).code).to.equal('CHANNEL_NOT_FOUND');
      }
      await alice.say(channel.id, 'in the open');
      await alice.say(hidden.id, 'in private');
      await alice.post(`/api/threads/${thread.id}/messages`, { content: 'in the thread' });
      await Promise.all(polls);
      // What comes after in one's own room comes after what would have come before.
      const other = (await alice.post('/api/servers', { name: 'Other' })).body;
      await bob.post('/api/servers/_/join', { inviteCode: other.inviteCode });
      for (const ear of ears) {
        await ear.next('server:joined', (event) => event.server.id === other.id);
        expect(ear.all('server:left').map((event) => event.serverId)).to.deep.equal([server.id]);
        expect(ear.all('message:new')).to.deep.equal([]);
      }
      expect((await alice.get(`/api/servers/${server.id}`)).body.memberCount).to.equal(1);
    });
  }

  it('is told of in the channels', async () => {
    const { alice, bob, server, channel } = here;
    const ear = await alice.listen(channel.id);
    await bob.post(`/api/servers/${server.id}/leave`);
    expect(await ear.next('member:left')).to.include({ serverId: server.id, channelId: channel.id, userId: bob.id });
  });

  it('finds everything read when it comes back', async () => {
    const { alice, bob, server, channel } = here;
    await bob.post(`/api/servers/${server.id}/leave`);
    await alice.say(channel.id, 'meanwhile');
    await bob.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    expect((await bob.get(`/api/channels/${channel.id}`)).body).to.include({ unreadCount: 0, isMember: true });
    await alice.say(channel.id, 'now');
    expect((await bob.get(`/api/channels/${channel.id}`)).body.unreadCount).to.equal(1);
  });

  it('stays out of private channels when it comes back, and takes nobody along', async () => {
    const { alice, bob, carol, server } = here;
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    for (const { id } of [bob, carol]) await alice.post(`/api/channels/${hidden.id}/members`, { userId: id });
    await bob.post(`/api/servers/${server.id}/leave`);
    await bob.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    expect((await bob.get(`/api/channels/${hidden.id}`)).status).to.equal(404);
    const stayed = (await alice.get(`/api/channels/${hidden.id}/members`)).body;
    expect(stayed.map(({ userId }: { userId: string }) => userId)).to.have.members([alice.id, carol.id]);
  });

  it('is counted right in a race of comings and goings on two nodes', async () => {
    const { alice, server, cluster } = here;
    const people = await Promise.all(
      Array.from({ length: 6 }, (_, i) => register(cluster.nodes[i % cluster.nodes.length] ?? alice.node)),
    );
    await Promise.all(
      people.map(async (person, i) => {
        for (let round = 0; round <= i % 3; round++) {
          await person.post('/api/servers/_/join', { inviteCode: server.inviteCode });
          if (round < i % 3) await person.post(`/api/servers/${server.id}/leave`);
        }
      }),
    );
    const { memberCount } = (await alice.get(`/api/servers/${server.id}`)).body;
    const members = (await alice.get(`/api/servers/${server.id}/members`)).body;
    expect([memberCount, members.length]).to.deep.equal([8, 8]);
  });
});
