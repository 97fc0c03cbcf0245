import { expect } from 'chai';
import type { Listener, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('lists of members that are kept by events', () => {
  let here: World;
  let dave: Person;
  let hidden: string;
  beforeEach(async () => {
    here = await world();
    dave = await register(here.bob.node);
    await dave.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    const fields = { name: 'hidden', isPrivate: true };
    hidden = (await here.alice.post(`/api/servers/${here.server.id}/channels`, fields)).body.id;
    await here.alice.post(`/api/channels/${hidden}/members`, { userId: dave.id });
  });
  afterEach(() => {
    dave.hangUp();
    here.close();
  });

  const idsOf = (members: Iterable<string>) => [...members].sort();
  const fresh = async (path: string): Promise<Loose[]> => (await here.alice.get(`${path}/members`)).body;
  const ids = async (path: string) => idsOf((await fresh(path)).map(({ userId }) => userId));

  /** What one knows of the server's and a channel's members who was told everything in that channel's room. */
  async function follow(channelId: string) {
    const [server, channel] = [`/api/servers/${here.server.id}`, `/api/channels/${channelId}`];
    const ear: Listener = await here.alice.listen(channelId);
    const known = { server: new Set(await ids(server)), channel: new Set(await ids(channel)) };
    return async () => {
      const last = await here.alice.say(channelId, 'that is all');
      await ear.next('message:new', ({ id }) => id === last.id);
      for (const { event, data } of ear.received) {
        if (event === 'member:joined') for (const list of [known.server, known.channel]) list.add(data.userId);
        if (event !== 'member:left') continue;
        known.channel.delete(data.userId);
        if (data.scope === 'server') known.server.delete(data.userId);
      }
      const [inServer, inChannel] = [idsOf(known.server), idsOf(known.channel)];
      expect([inServer, inChannel]).to.deep.equal([await ids(server), await ids(channel)]);
      return { inServer, inChannel };
    };
  }

  it('tell who left a channel from who left the server', async () => {
    const { alice, bob, carol, channel, server } = here;
    const settled = await follow(channel.id);
    await bob.delete(`/api/channels/${channel.id}/members/${bob.id}`);
    await alice.delete(`/api/servers/${server.id}/members/${dave.id}`);
    // A kick has renewed the code.
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    await carol.post('/api/servers/_/join', { inviteCode });
    const { inServer, inChannel } = await settled();
    expect([inServer, inChannel]).to.deep.equal([[alice.id, bob.id, carol.id].sort(), [alice.id, carol.id].sort()]);
  });

  it('tell the same in private channels', async () => {
    const { alice, server } = here;
    const settled = await follow(hidden);
    await alice.delete(`/api/channels/${hidden}/members/${dave.id}`);
    expect((await settled()).inServer).to.include(dave.id);
    const again = await follow(hidden);
    await alice.post(`/api/channels/${hidden}/members`, { userId: dave.id });
    await dave.post(`/api/servers/${server.id}/leave`);
    expect((await again()).inServer).not.to.include(dave.id);
  });

  it('have roles, also where one meets in a private channel alone', async () => {
    const { alice, server } = here;
    const ear = await alice.listen(hidden);
    await alice.patch(`/api/servers/${server.id}/members/${dave.id}`, { role: 'moderator' });
    expect(await ear.next('member:updated')).to.include({ userId: dave.id, channelId: hidden, role: 'moderator' });
  });

  it('have the roles of those who come in', async () => {
    const { alice, bob, channel, server } = here;
    await alice.patch(`/api/servers/${server.id}/members/${dave.id}`, { role: 'moderator' });
    await alice.delete(`/api/channels/${hidden}/members/${dave.id}`);
    await bob.post(`/api/servers/${server.id}/leave`);
    const [ear, openEar] = [await alice.listen(hidden), await alice.listen(channel.id)];
    await alice.post(`/api/channels/${hidden}/members`, { userId: dave.id });
    await bob.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    expect(await ear.next('member:joined')).to.include({ userId: dave.id, role: 'moderator' });
    expect(await openEar.next('member:joined')).to.include({ userId: bob.id, role: 'member' });
  });
});
