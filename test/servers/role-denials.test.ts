import { expect } from 'chai';
import type { Answer, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('what channels allow and deny a role', () => {
  let here: World;
  let base: string;
  /** May manage roles, and nothing else that members may not. */
  let manager: Person;
  let member: Person;
  let channelId: string;
  /** Private. */
  let hidden: string;
  /** Below that of the manager. */
  let roleId: string;

  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}`;
    manager = here.bob;
    member = await register(here.alice.node);
    await member.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    channelId = await here.newChannel('garden');
    hidden = (await here.alice.post(`${base}/channels`, { name: 'cellar', isPrivate: true })).body.id;
    const high = await make('Managers', ['role:manage']);
    roleId = await make('Gardeners', []);
    await here.alice.patch(`${base}/roles/positions`, { roleIds: [high, roleId] });
    expect(codeOf(await give(here.alice, manager, high))).to.equal('done');
  });
  afterEach(() => here.close());

  const codeOf = ({ status, body }: Answer): string => (status < 300 ? 'done' : body.code);
  const make = async (name: string, permissions: string[]): Promise<string> =>
    (await here.alice.post(`${base}/roles`, { name, permissions })).body.id;
  const give = (by: Person, to: Person, id = roleId) => by.put(`${base}/members/${to.id}/roles/${id}`, {});
  const take = (by: Person, from: Person, id = roleId) => by.delete(`${base}/members/${from.id}/roles/${id}`);
  const drop = (by: Person) => by.delete(`${base}/roles/${roleId}`);
  const set = async (channel: string, whom: string, lists: object) =>
    expect(codeOf(await here.alice.put(`/api/channels/${channel}/overrides/${whom}`, lists))).to.equal('done');
  const setRole = (by: Person, to: Person, role: string) => by.patch(`${base}/members/${to.id}`, { role });
  const posts = async (person: Person) =>
    codeOf(await person.post(`/api/channels/${channelId}/messages`, { content: 'x' }));
  const rolesOf = async (person: Person): Promise<string[]> =>
    (await here.alice.get(`${base}/members`)).body.find(({ userId }: Loose) => userId === person.id).roles;

  it('is lifted by no holder: they keep a role that is denied something, and give back any other', async () => {
    await give(here.alice, member);
    await set(channelId, `roles/${roleId}`, { allow: ['react'], deny: ['post'] });
    expect(codeOf(await take(member, member))).to.equal('ROLE_REQUIRED');
    expect([await posts(member), await rolesOf(member)]).to.deep.equal(['ROLE_REQUIRED', [roleId]]);
    await set(channelId, `roles/${roleId}`, { allow: ['react'] });
    expect(codeOf(await take(member, member))).to.equal('done');
    expect([await posts(member), await rolesOf(member)]).to.deep.equal(['done', []]);
  });

  it('is lifted by nobody whom it binds, be it by taking the role or by deleting it', async () => {
    for (const person of [manager, member]) await give(here.alice, person);
    await set(channelId, `roles/${roleId}`, { deny: ['post'] });
    for (const attempt of [take(manager, manager), take(manager, member), drop(manager)]) {
      expect(codeOf(await attempt)).to.equal('ROLE_REQUIRED');
    }
    expect([await posts(manager), await posts(member)]).to.deep.equal(['ROLE_REQUIRED', 'ROLE_REQUIRED']);
    await take(here.alice, manager);
    expect([codeOf(await take(manager, member)), await posts(member)]).to.deep.equal(['done', 'done']);
    expect(codeOf(await drop(manager))).to.equal('done');
  });

  it('is lifted by nobody who does not know of the channel', async () => {
    await give(here.alice, member);
    await set(hidden, `roles/${roleId}`, { deny: ['react'] });
    for (const attempt of [take(manager, member), drop(manager)]) {
      expect(codeOf(await attempt)).to.equal('ROLE_REQUIRED');
    }
    await here.alice.post(`/api/channels/${hidden}/members`, { userId: manager.id });
    expect(codeOf(await take(manager, member))).to.equal('done');
  });

  it('is given by nobody who does not have it there, least of all to themselves', async () => {
    const reads = async (person: Person) => (await person.get(`/api/channels/${hidden}/messages`)).status;
    for (const [channel, allow] of [
      [hidden, ['view']],
      [hidden, ['view', 'manage']],
      [channelId, ['manage']],
      [channelId, ['mentionAll']],
    ] as const) {
      await set(channel, `roles/${roleId}`, { allow });
      for (const to of [manager, member]) {
        expect(codeOf(await give(manager, to)), `${allow}`).to.equal('ROLE_REQUIRED');
        expect(await rolesOf(to)).not.to.include(roleId);
        expect(await reads(to)).to.equal(404);
      }
      await set(channel, `roles/${roleId}`, {});
    }
    await set(hidden, `roles/${roleId}`, { allow: ['view'] });
    await here.alice.post(`/api/channels/${hidden}/members`, { userId: manager.id });
    expect(codeOf(await give(manager, member))).to.equal('done');
    expect(await reads(member)).to.equal(200);
  });

  it('is the same for moderators, who step down unless they would have by it what they are denied', async () => {
    await setRole(here.alice, member, 'moderator');
    await set(channelId, 'roles/moderator', { deny: ['post', 'manage'] });
    expect(codeOf(await setRole(member, member, 'member'))).to.equal('ROLE_REQUIRED');
    expect(await posts(member)).to.equal('ROLE_REQUIRED');
    await set(channelId, 'roles/moderator', { deny: ['manage'] });
    expect(codeOf(await setRole(member, member, 'member'))).to.equal('done');
  });
});
