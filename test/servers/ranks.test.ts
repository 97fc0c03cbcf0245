import { expect } from 'chai';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const rounds = 5;

/** On several nodes the two who race are on different ones. */
describe('who stands above whom', () => {
  let here: World;
  let base: string;
  const others: Person[] = [];

  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}`;
  });
  afterEach(() => {
    for (const other of others.splice(0)) other.hangUp();
    here.close();
  });

  async function guest(i: number): Promise<Person> {
    const { nodes } = here.cluster;
    const made = await register(nodes[i % nodes.length] ?? here.alice.node);
    others.push(made);
    const { inviteCode } = (await here.alice.get(base)).body;
    expect((await made.post('/api/servers/_/join', { inviteCode })).status).to.equal(200);
    return made;
  }
  const setRole = (by: Person, to: Person, role: string) => by.patch(`${base}/members/${to.id}`, { role });
  const make = async (permissions: string[], by = here.alice): Promise<Loose> => {
    const { status, body } = await by.post(`${base}/roles`, { name: 'Helpers', permissions });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const give = (by: Person, to: Person, { id }: Loose) => by.put(`${base}/members/${to.id}/roles/${id}`, {});
  const kick = (by: Person, whom: Person) => by.delete(`${base}/members/${whom.id}`);
  const order = (by: Person, ...roles: Loose[]) =>
    by.patch(`${base}/roles/positions`, { roleIds: roles.map(({ id }) => id) });
  const seats = async () =>
    new Map(
      (
        await query<{ id: string; role: string }>(
          here.cluster.databaseUrl,
          'SELECT user_id AS id, role FROM server_members WHERE server_id = $1',
          [here.server.id],
        )
      ).map(({ id, role }) => [id, role]),
    );
  const codes = (...answers: Answer[]) => answers.map(({ status, body }) => (status < 300 ? 'done' : body.code));

  it('lets nobody make someone stand above themselves', async () => {
    const [mod, other] = [await guest(0), await guest(1)];
    const [low, high] = [await make(['member:set-role']), await make([])];
    expect((await order(here.alice, high, low)).status).to.equal(200);
    await setRole(here.alice, mod, 'moderator');
    await give(here.alice, mod, low);
    await give(here.alice, other, high);
    // As a moderator they would be above whoever makes them one.
    expect(codes(await setRole(mod, other, 'moderator'))).to.deep.equal(['ROLE_REQUIRED']);
    await here.alice.delete(`${base}/members/${other.id}/roles/${high.id}`);
    expect(codes(await setRole(mod, other, 'moderator'))).to.deep.equal(['done']);
    expect(codes(await setRole(mod, other, 'admin'), await setRole(mod, mod, 'admin'))).to.deep.equal([
      'ROLE_REQUIRED',
      'ROLE_REQUIRED',
    ]);
  });

  it('lets whoever manages roles order those below their own, whichever were deleted before', async () => {
    const helper = await guest(1);
    const gone = await make([]);
    const [first, second] = [await make([]), await make([])];
    const own = await make(['role:manage']);
    expect((await order(here.alice, own, gone, first, second)).status).to.equal(200);
    await give(here.alice, helper, own);
    expect((await here.alice.delete(`${base}/roles/${gone.id}`)).status).to.equal(200);
    const ordered = await order(helper, own, second, first);
    expect(codes(ordered)).to.deep.equal(['done']);
    const ids = ordered.body.filter(({ builtIn }: Loose) => !builtIn).map(({ id }: Loose) => id);
    expect(ids).to.deep.equal([own.id, second.id, first.id]);
    for (const roles of [
      [first, own, second],
      [second, first, own],
    ]) {
      expect(codes(await order(helper, ...roles))).to.deep.equal(['ROLE_REQUIRED']);
    }
  });

  it('holds while one demotes another who kicks: after the answer nobody is kicked any more', async () => {
    for (let round = 0; round < rounds; round++) {
      const [mod, victim] = [await guest(round), await guest(round + 1)];
      const role = await make(['member:kick']);
      await give(here.alice, mod, role);
      const [take, kicked] = await Promise.all([
        here.alice.delete(`${base}/members/${mod.id}/roles/${role.id}`),
        kick(mod, victim),
      ]);
      expect(codes(take)).to.deep.equal(['done']);
      expect(codes(kicked)[0]).to.be.oneOf(['done', 'ROLE_REQUIRED']);
      expect((await seats()).has(victim.id)).to.equal(codes(kicked)[0] !== 'done');
      const late = await guest(round);
      for (const node of here.cluster.nodes) {
        expect(codes(await kick(mod.on(node), late))).to.deep.equal(['ROLE_REQUIRED']);
      }
      await here.alice.delete(`${base}/roles/${role.id}`);
    }
  });

  it('holds while someone is promoted whom another kicks', async () => {
    for (let round = 0; round < rounds; round++) {
      const [mod, victim] = [await guest(round), await guest(round + 1)];
      await setRole(here.alice, mod, 'moderator');
      const [raised, kicked] = await Promise.all([setRole(here.alice, victim, 'moderator'), kick(mod, victim)]);
      const now = (await seats()).get(victim.id);
      if (codes(kicked)[0] === 'done') expect([codes(raised)[0], now]).to.deep.equal(['MEMBER_NOT_FOUND', undefined]);
      else expect([codes(raised, kicked), now]).to.deep.equal([['done', 'ROLE_REQUIRED'], 'moderator']);
    }
  });

  it('holds while two act on each other: one of them at most', async () => {
    const [high, low] = [await make(['member:kick']), await make(['member:kick'])];
    for (let round = 0; round < rounds; round++) {
      const [one, two] = [await guest(0), await guest(1)];
      await give(here.alice, one, high);
      await give(here.alice, two, low);
      const [, first, second] = await Promise.all([
        order(here.alice, ...(round % 2 ? [high, low] : [low, high])),
        kick(one, two),
        kick(two, one),
      ]);
      const done = codes(first, second).filter((code) => code === 'done');
      expect(done.length, JSON.stringify(codes(first, second))).to.be.at.most(1);
      const now = await seats();
      expect([one, two].filter(({ id }) => now.has(id))).to.have.length(2 - done.length);
    }
  });

  it('holds while two admins lower themselves and each other, and the owner lowers both', async () => {
    for (let round = 0; round < rounds; round++) {
      const [one, two] = [await guest(0), await guest(1)];
      for (const admin of [one, two]) await setRole(here.alice, admin, 'admin');
      const answers = await Promise.all([
        setRole(one, two, 'member'),
        setRole(two, one, 'member'),
        setRole(here.alice, one, 'moderator'),
        setRole(here.alice, two, 'moderator'),
      ]);
      for (const answer of answers) expect(answer.status, JSON.stringify(answer.body)).to.be.below(500);
      const now = await seats();
      // One who was lowered lowers nobody; one who was not yet may lower the other, whom the owner then sets anew.
      for (const admin of [one, two]) expect(now.get(admin.id)).to.be.oneOf(['moderator', 'member']);
      expect([one, two].some(({ id }) => now.get(id) === 'moderator')).to.equal(true);
    }
  });

  it('leaves a server exactly one owner, whoever takes, leaves and kicks meanwhile', async () => {
    let owner: Person = here.alice;
    for (let round = 0; round < rounds; round++) {
      const [one, two] = [await guest(0), await guest(1)];
      const answers = await Promise.all([
        setRole(owner, one, 'owner'),
        setRole(owner, two, 'owner'),
        kick(owner, two),
        one.post(`${base}/leave`),
        owner.post(`${base}/leave`),
      ]);
      for (const answer of answers) expect(answer.status, JSON.stringify(answer.body)).to.be.below(500);
      const now = await seats();
      const owners = [...now].filter(([, role]) => role === 'owner').map(([id]) => id);
      const [server] = await query<{ id: string }>(
        here.cluster.databaseUrl,
        'SELECT owner_id AS id FROM servers WHERE id = $1',
        [here.server.id],
      );
      expect(owners).to.deep.equal([server?.id]);
      const found = [owner, one, two].find(({ id }) => id === owners[0]);
      if (!found) throw new Error('someone else owns it');
      owner = found;
      if (owner.id !== here.alice.id) {
        if (!now.has(here.alice.id)) break;
        expect((await setRole(owner, here.alice, 'owner')).status).to.equal(200);
        owner = here.alice;
      }
    }
  });

  it('lets nobody give, while it is taken from them, what they then do not have', async () => {
    for (let round = 0; round < rounds; round++) {
      const [helper, friend] = [await guest(round), await guest(round + 1)];
      const low = await make(['audit:read']);
      const own = await make(['role:manage', 'audit:read', 'member:kick']);
      await order(here.alice, own, low);
      await give(here.alice, helper, own);
      const [take, made, given] = await Promise.all([
        here.alice.patch(`${base}/roles/${own.id}`, { permissions: ['role:manage'] }),
        helper.post(`${base}/roles`, { name: 'Mine', permissions: ['member:kick'] }),
        give(helper, friend, low),
      ]);
      expect(codes(take)).to.deep.equal(['done']);
      for (const answer of [made, given]) expect(codes(answer)[0]).to.be.oneOf(['done', 'ROLE_REQUIRED']);
      for (const node of here.cluster.nodes) {
        const there = helper.on(node);
        const late = [
          await there.post(`${base}/roles`, { name: 'Mine', permissions: ['member:kick'] }),
          await give(there, friend, low),
          await there.put(`/api/channels/${here.channel.id}/overrides/roles/${low.id}`, { allow: ['manage'] }),
        ];
        expect(codes(...late)).to.deep.equal(['ROLE_REQUIRED', 'ROLE_REQUIRED', 'ROLE_REQUIRED']);
      }
      for (const { id, builtIn } of (await here.alice.get(`${base}/roles`)).body) {
        if (!builtIn) expect((await here.alice.delete(`${base}/roles/${id}`)).status).to.equal(200);
      }
    }
  });
});
