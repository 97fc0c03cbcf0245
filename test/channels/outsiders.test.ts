import { expect } from 'chai';
import type { Listener, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('who sees a channel from outside', () => {
  let here: World;
  let channels: string;
  beforeEach(async () => {
    here = await world();
    channels = `/api/servers/${here.server.id}/channels`;
  });
  afterEach(() => here.close());

  const create = async (fields: object): Promise<string> => (await here.alice.post(channels, fields)).body.id;
  /** What someone keeps of a server's channels by the events of the own room alone. */
  const kept = async (ear: Listener, begin: Loose[]): Promise<string[]> => {
    // Its last event of all.
    const { id: last } = (await here.alice.post('/api/dm/channels', { userId: here.bob.id })).body;
    await ear.next('dm:created', ({ id }) => id === last);
    const names = new Map<string, string>(begin.map(({ id, name }) => [id, name]));
    for (const { event, data } of ear.received) {
      if (event === 'channel:created') names.set(data.channel.id, data.channel.name);
      if (event === 'channel:member-removed' && data.gone) names.delete(data.channelId);
    }
    return [...names.values()].sort();
  };
  const expectKept = async (person: Person, ear: Listener, begin: Loose[]) => {
    const fresh = (await person.get(channels)).body.map(({ name }: Loose) => name).sort();
    expect(await kept(ear, begin)).to.deep.equal(fresh);
    return fresh;
  };

  it('hears as an admin what becomes of private ones, and nothing twice as a member', async () => {
    const { alice, bob, server } = here;
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'admin' });
    const member = await register(bob.node);
    await member.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const [renamed, moved, archived, deleted] = await Promise.all(
      ['renamed', 'moved', 'archived', 'deleted'].map((name) => create({ name, isPrivate: true })),
    );
    const begin = (await bob.get(channels)).body;
    expect(begin).to.have.lengthOf(5);
    const [ear, own, outer] = [await bob.connect(), await alice.listen(renamed ?? ''), await member.connect()];
    await alice.patch(`/api/channels/${renamed}`, { name: 'new name' });
    await alice.patch(`${channels}/positions`, { channelIds: [moved] });
    await alice.post(`/api/channels/${archived}/archive`);
    await alice.delete(`/api/channels/${deleted}`);
    expect(await expectKept(bob, ear, begin)).to.deep.equal(['general', 'moved', 'new name']);
    const positions = ear.all('channel:created').filter(({ channel }) => channel.id === moved);
    expect(positions.at(-1)?.channel.position).to.equal(0);
    await own.next('channel:updated', ({ channel }) => channel.id === renamed);
    expect(own.all('channel:created').map(({ channel }) => channel.id)).not.to.include(renamed);
    await alice.post('/api/dm/channels', { userId: member.id });
    await outer.next('dm:created');
    member.hangUp();
    expect(outer.received.map(({ event }) => event).filter((event) => event.startsWith('channel:'))).to.deep.equal([]);
  });

  it('hears of open ones that it was put out of', async () => {
    const { alice, bob } = here;
    const [renamed, archived, back, deleted] = await Promise.all(
      ['renamed', 'archived', 'back', 'deleted'].map((name) => create({ name })),
    );
    for (const id of [renamed, archived, back, deleted]) await alice.delete(`/api/channels/${id}/members/${bob.id}`);
    const begin = (await bob.get(channels)).body;
    const ear = await bob.connect();
    await alice.patch(`/api/channels/${renamed}`, { name: 'new name' });
    for (const id of [archived, back]) await alice.post(`/api/channels/${id}/archive`);
    await alice.post(`/api/channels/${back}/unarchive`);
    await alice.delete(`/api/channels/${deleted}`);
    expect(await expectKept(bob, ear, begin)).to.deep.equal(['back', 'general', 'new name']);
  });
});
