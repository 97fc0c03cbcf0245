import { expect } from 'chai';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. */
describe('the audit log of a server', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const entries = async (query = ''): Promise<Loose[]> =>
    (await here.alice.get(`/api/servers/${here.server.id}/audit${query}`)).body;

  it('says who did what to whom, with what', async () => {
    const { alice, bob, server } = here;
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' });
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    const [kick, role] = await entries();
    expect(kick).to.deep.include({ action: 'member.kick', serverId: server.id, before: null, after: null });
    expect(role).to.deep.include({ before: { role: 'member' }, after: { role: 'moderator' }, source: 'user' });
    for (const entry of [kick, role]) {
      expect(entry?.actor.id).to.equal(alice.id);
      expect(entry?.token.kind).to.equal('session');
      expect(entry?.target).to.deep.include({ kind: 'user', id: bob.id, label: null });
      expect(entry?.target.user.username).to.equal(bob.username);
    }
  });
});
