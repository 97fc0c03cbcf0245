import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe("a server's own roles", () => {
  let here: World;
  let helper: Person;
  let other: Person;
  let base: string;

  before(async () => {
    here = await world();
    const [one, two] = [here.cluster.nodes[0], here.cluster.nodes.at(-1)];
    if (!one || !two) throw new Error('no nodes');
    [helper, other] = [await register(one), await register(two)];
    for (const person of [helper, other]) {
      await person.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    }
    base = `/api/servers/${here.server.id}`;
  });
  after(() => here.close());

  const make = async (permissions: string[], more: Loose = {}): Promise<Loose> => {
    const { status, body } = await here.alice.post(`${base}/roles`, { name: 'Helpers', permissions, ...more });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const give = (by: Person, to: Person, { id }: Loose) => by.put(`${base}/members/${to.id}/roles/${id}`, {});
  const take = (by: Person, from: Person, { id }: Loose) => by.delete(`${base}/members/${from.id}/roles/${id}`);

  it('stand between moderator and member, and give what they say on all nodes from the answer on', async () => {
    const role = await make(['member:kick'], { color: '#AA3300' });
    expect(role).to.include({ builtIn: false, name: 'Helpers', color: '#AA3300', position: 1 });
    const listed = (await other.get(`${base}/roles`)).body.map(({ id }: Loose) => id);
    expect(listed).to.deep.equal(['owner', 'admin', 'moderator', role.id, 'member']);
    const target = await register(here.alice.node);
    await target.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    expect((await helper.delete(`${base}/members/${target.id}`)).status).to.equal(403);
    const given = await give(here.alice, helper, role);
    expect([given.status, given.body.roles]).to.deep.equal([200, [role.id]]);
    for (const node of here.cluster.nodes) {
      const who = helper.on(node);
      expect((await who.delete(`${base}/members/${randomUUID()}`)).body.code).to.equal('MEMBER_NOT_FOUND');
    }
    expect((await helper.delete(`${base}/members/${target.id}`)).status).to.equal(200);
    expect((await take(here.alice, helper, role)).body.roles).to.deep.equal([]);
    for (const node of here.cluster.nodes) {
      const { body } = await helper.on(node).delete(`${base}/members/${other.id}`);
      expect(body).to.include({ code: 'ROLE_REQUIRED', requiredPermission: 'member:kick' });
    }
    await here.alice.delete(`${base}/roles/${role.id}`);
  });

  it('raise nobody: nobody gives what they do not have, or a role that is not below theirs', async () => {
    const low = await make(['member:kick']);
    const high = await make(['role:manage', 'member:kick']);
    const strong = await make(['member:ban']);
    const order = { roleIds: [high.id, low.id, strong.id] };
    expect((await here.alice.patch(`${base}/roles/positions`, order)).status).to.equal(200);
    await give(here.alice, helper, high);
    const attempts: [string, number, Promise<Loose>][] = [
      ['add a role with what one has', 201, helper.post(`${base}/roles`, { name: 'a', permissions: ['member:kick'] })],
      ['with what one has not', 403, helper.post(`${base}/roles`, { name: 'b', permissions: ['member:ban'] })],
      ['change a lower role', 200, helper.patch(`${base}/roles/${low.id}`, { name: 'Lower' })],
      ['give it more than one has', 403, helper.patch(`${base}/roles/${low.id}`, { permissions: ['audit:read'] })],
      ['take from it what one has not', 403, helper.patch(`${base}/roles/${strong.id}`, { permissions: [] })],
      ['leave it what it has', 200, helper.patch(`${base}/roles/${strong.id}`, { permissions: ['member:ban'] })],
      ['change one’s own role', 403, helper.patch(`${base}/roles/${high.id}`, { name: 'x' })],
      ['delete it', 403, helper.delete(`${base}/roles/${high.id}`)],
      ['change what moderators may', 403, helper.patch(`${base}/roles/moderator`, { permissions: [] })],
      ['give a lower role', 200, give(helper, other, low)],
      ['give one’s own', 403, give(helper, other, high)],
      ['give one to the owner', 403, give(helper, here.alice, low)],
      ['take one’s own', 200, take(helper, helper, low)],
      ['take a lower role', 200, take(helper, other, low)],
      ['do anything without the permission', 403, other.post(`${base}/roles`, { name: 'c' })],
      ['rename a fixed role', 403, here.alice.patch(`${base}/roles/member`, { name: 'Crew' })],
      ['change what admins may', 403, here.alice.patch(`${base}/roles/admin`, { permissions: [] })],
      [
        'give what is the owner’s alone',
        400,
        here.alice.post(`${base}/roles`, { name: 'd', permissions: ['server:delete'] }),
      ],
      ['a role that is not there', 404, give(here.alice, other, { id: randomUUID() })],
      ['order less than all', 404, here.alice.patch(`${base}/roles/positions`, { roleIds: [low.id] })],
    ];
    for (const [what, status, answer] of attempts) expect((await answer).status, what).to.equal(status);
    for (const { id, builtIn } of (await here.alice.get(`${base}/roles`)).body)
      if (!builtIn) await here.alice.delete(`${base}/roles/${id}`);
    expect((await helper.post(`${base}/roles`, { name: 'e' })).status).to.equal(403);
  });

  it('outrank each other by their order', async () => {
    const [low, high] = [await make(['member:kick']), await make(['member:kick'])];
    await here.alice.patch(`${base}/roles/positions`, { roleIds: [high.id, low.id] });
    await give(here.alice, helper, high);
    await give(here.alice, other, low);
    expect((await other.delete(`${base}/members/${helper.id}`)).body.code).to.equal('ROLE_REQUIRED');
    await here.alice.patch(`${base}/roles/positions`, { roleIds: [low.id, high.id] });
    expect((await helper.delete(`${base}/members/${other.id}`)).body.code).to.equal('ROLE_REQUIRED');
    for (const { id } of [low, high]) await here.alice.delete(`${base}/roles/${id}`);
  });

  it('are told to everyone: who has them, and that there are others', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const version = (await here.bob.get(base)).body.rolesVersion;
    const role = await make([]);
    await until(() => ear.all('server:updated').some(({ server }) => server.rolesVersion > version));
    await give(here.alice, helper, role);
    await until(() =>
      ear.all('member:updated').some(({ userId, roles }) => userId === helper.id && roles.includes(role.id)),
    );
    await here.alice.delete(`${base}/roles/${role.id}`);
    const { body } = await here.alice.get(`${base}/members`);
    expect(body.find(({ userId }: Loose) => userId === helper.id).roles).to.deep.equal([]);
  });

  it('are said in the record of the server as what the reader may do, and told when that changes', async () => {
    const recordOf = async (person: Person): Promise<Loose> => (await person.get(base)).body;
    const listed = async (person: Person): Promise<Loose> =>
      (await person.get('/api/servers')).body.find(({ id }: Loose) => id === here.server.id);
    const plain = (await recordOf(helper)).permissions;
    expect(plain).to.include('message:post').and.not.include('member:timeout');
    expect((await recordOf(here.alice)).permissions).to.include.members(['server:delete', 'role:manage']);
    const ear = await helper.listen(here.channel.id);
    const told = () => ear.all('server:updated').at(-1)?.server.permissions ?? plain;
    const role = await make(['member:timeout', 'report:decide']);
    await give(here.alice, helper, role);
    await until(() => told().includes('member:timeout'));
    const given = told();
    expect([...given].sort()).to.deep.equal([...plain, 'member:timeout', 'report:decide'].sort());
    for (const found of [await recordOf(helper), await listed(helper), (await listed(helper)).server]) {
      expect(found.permissions).to.deep.equal(given);
    }
    await here.alice.patch(`${base}/roles/${role.id}`, { permissions: ['member:kick'] });
    await until(() => told().includes('member:kick') && !told().includes('member:timeout'));
    const fixed = (await here.alice.get(`${base}/roles`)).body.at(-1).permissions;
    const less = fixed.filter((name: string) => name !== 'file:attach' && name !== 'channel:view');
    await here.alice.patch(`${base}/roles/member`, { permissions: less });
    await until(() => !told().includes('file:attach'));
    await here.alice.delete(`${base}/roles/member`);
    await until(() => told().includes('file:attach'));
    await here.alice.delete(`${base}/roles/${role.id}`);
    await until(() => !told().includes('member:kick'));
    expect(told()).to.deep.equal(plain);
    ear.close();
  });

  it('are nothing to those who are not in the server', async () => {
    const outsider = await register(here.alice.node);
    await here.alice.patch(base, { isPublic: true });
    expect((await outsider.get(base)).body)
      .to.include({ role: null })
      .and.not.have.property('permissions');
    const joined = await outsider.post(`${base}/join`, {});
    expect(joined.body.permissions).to.include('message:post');
    const found = (await outsider.get('/api/servers/discover')).body;
    for (const one of found) expect(one).not.to.have.property('permissions');
    await here.alice.patch(base, { isPublic: false });
  });

  it('stay in records during a timeout, which is said apart', async () => {
    const at = `/api/channels/${here.channel.id}`;
    const [before, channel] = [(await other.get(base)).body.permissions, (await other.get(at)).body.permissions];
    expect(channel).to.include('message:post');
    await here.alice.put(`${base}/members/${other.id}/timeout`, { seconds: 600 });
    expect((await other.post(`${at}/messages`, { content: 'no' })).body.code).to.equal('TIMED_OUT');
    expect((await other.get(base)).body.permissions).to.deep.equal(before);
    expect((await other.get(at)).body.permissions).to.deep.equal(channel);
    await here.alice.put(`${at}/overrides/users/${other.id}`, { allow: ['mentionAll'], deny: ['react'] });
    const now = (await other.get(at)).body.permissions;
    expect(now).to.include.members(['message:post', 'message:mention-all']).and.not.include('message:react');
    await here.alice.delete(`${at}/overrides/users/${other.id}`);
    await here.alice.delete(`${base}/members/${other.id}/timeout`);
  });

  it('change what the fixed ones may do, until that is undone', async () => {
    const { channel } = here;
    const say = () => helper.post(`/api/channels/${channel.id}/messages`, { content: 'hello' });
    const member = (await here.alice.get(`${base}/roles`)).body.at(-1);
    const permissions = member.permissions.filter((name: string) => name !== 'message:post' && name !== 'channel:view');
    expect((await here.alice.patch(`${base}/roles/member`, { permissions })).status).to.equal(200);
    expect((await say()).body).to.include({ code: 'ROLE_REQUIRED', requiredPermission: 'message:post' });
    expect((await here.alice.post(`/api/channels/${channel.id}/messages`, { content: 'x' })).status).to.equal(201);
    expect((await here.alice.delete(`${base}/roles/member`)).status).to.equal(200);
    expect((await say()).status).to.equal(201);
  });

  it('go with the membership', async () => {
    const role = await make([]);
    await give(here.alice, other, role);
    await other.post(`${base}/leave`, {});
    await other.post('/api/servers/_/join', { inviteCode: (await here.alice.get(base)).body.inviteCode });
    const { body } = await here.alice.get(`${base}/members`);
    expect(body.find(({ userId }: Loose) => userId === other.id).roles).to.deep.equal([]);
    await here.alice.delete(`${base}/roles/${role.id}`);
  });

  it('are lowered by whoever has a fixed one, but not by the owner before handing over', async () => {
    await here.alice.patch(`${base}/members/${helper.id}`, { role: 'admin' });
    expect((await helper.patch(`${base}/members/${helper.id}`, { role: 'owner' })).status).to.equal(403);
    expect((await helper.patch(`${base}/members/${helper.id}`, { role: 'moderator' })).body.role).to.equal('moderator');
    expect((await helper.patch(`${base}/members/${helper.id}`, { role: 'admin' })).status).to.equal(403);
    expect((await helper.patch(`${base}/members/${helper.id}`, { role: 'member' })).body.role).to.equal('member');
    const { status, body } = await here.alice.patch(`${base}/members/${here.alice.id}`, { role: 'admin' });
    expect([status, body.error]).to.deep.equal([403, 'Hand the server over first; then you can lower your role.']);
  });
});
