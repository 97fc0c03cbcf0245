import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones; each test has a server of its own. */
describe('raid mode', () => {
  let here: World;
  const others: Person[] = [];
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => {
    for (const other of others.splice(0)) other.hangUp();
    here.close();
  });

  const at = (more = '') => `/api/servers/${here.server.id}${more}`;
  const code = ({ status, body }: Answer) => [status, body.code];
  const set = (raid: object) => here.alice.patch(at(), { raid });
  const raidNow = async () => (await here.alice.get(at('/raid'))).body;
  async function someone(i = 0): Promise<Person> {
    const { nodes } = here.cluster;
    const node = nodes[i % nodes.length];
    if (!node) throw new Error('no node');
    const made = await register(node);
    others.push(made);
    return made;
  }
  const codeNow = async () => (await here.alice.get(at())).body.inviteCode;
  const join = async (who: Person) => who.post('/api/servers/_/join', { inviteCode: await codeNow() });
  async function moderator(): Promise<Person> {
    await here.alice.patch(at(`/members/${here.bob.id}`), { role: 'moderator' });
    return here.bob;
  }

  it('turns on by itself at the first join too many, on whichever nodes, and tells moderators once', async () => {
    const mod = await moderator();
    const ear = await mod.connect();
    expect((await set({ mode: 'auto', joins: 3, seconds: 3600, minutes: 5 })).status).to.equal(200);
    const people = await Promise.all(Array.from({ length: 8 }, (_, i) => someone(i)));
    const answers = await Promise.all(people.map((one) => join(one)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, ...Array(5).fill(202)]);
    for (const { body } of answers.filter(({ status }) => status === 202)) {
      expect(body).to.include({ ok: true, status: 'pending', code: 'JOIN_HELD', id: here.server.id, role: null });
      expect(body.requestId).to.be.a('string');
      expect(body).to.not.have.any.keys('inviteCode', 'ownerId');
    }
    const { raid } = await ear.next('server:raid', (event) => event.raid.isOn);
    expect(raid).to.include({ mode: 'auto', joins: 3 });
    await ear.next('notification:new', ({ kind }) => kind === 'server.raid');
    const view = (await mod.get(at('/raid'))).body;
    const inside = people.filter((_, i) => answers[i]?.status === 200).map(({ id }) => id);
    expect(view.members.map(({ userId }: Loose) => userId)).to.have.members(inside);
    expect(Date.parse(view.until)).to.be.greaterThan(Date.parse(view.since));
    expect(ear.all('server:raid').filter((event) => event.raid.isOn)).to.have.length(1);
    expect(ear.all('notification:new').filter(({ kind }) => kind === 'server.raid')).to.have.length(1);
  });

  it('counts within the time that is set, a person once, and no join that failed', async () => {
    await set({ mode: 'auto', joins: 2, seconds: 60 });
    const [first, second, third] = [await someone(), await someone(1), await someone()];
    expect((await join(first)).status).to.equal(200);
    for (let i = 0; i < 3; i++) {
      expect((await join(first)).status).to.equal(409);
      await first.post(at('/leave'));
      expect((await join(first)).status).to.equal(200);
    }
    expect((await join(second)).status).to.equal(200);
    // As if they had joined a minute earlier.
    await query(
      here.cluster.databaseUrl,
      `UPDATE server_raids SET recent_at = ARRAY(SELECT at - interval '61 seconds' FROM unnest(recent_at) AS at)
       WHERE server_id = $1`,
      [here.server.id],
    );
    expect((await join(third)).status).to.equal(200);
    expect((await join(await someone())).status).to.equal(200);
    expect((await join(await someone())).status).to.equal(202);
  });

  it('ends by itself so long after the rate was last exceeded, and says so', async () => {
    await set({ mode: 'auto', joins: 1, seconds: 60, minutes: 1 });
    const ear = await here.alice.connect();
    expect((await join(await someone())).status).to.equal(200);
    const held = await someone();
    expect((await join(held)).status).to.equal(202);
    await ear.next('server:raid', (event) => event.raid.isOn);
    await query(
      here.cluster.databaseUrl,
      `UPDATE server_raids SET exceeded_at = exceeded_at - interval '2 minutes',
         recent_at = ARRAY(SELECT at - interval '2 minutes' FROM unnest(recent_at) AS at) WHERE server_id = $1`,
      [here.server.id],
    );
    await query(here.cluster.databaseUrl, `UPDATE jobs SET due_at = now() WHERE kind = 'raid-over' AND key = $1`, [
      here.server.id,
    ]);
    const last = await ear.next('server:raid', (event) => !event.raid.isOn);
    expect(last.raid).to.include({ mode: 'auto', since: null });
    expect((await join(held)).status).to.equal(200);
    expect((await here.alice.get(at('/join-requests'))).body).to.deep.equal([]);
  });

  it('holds every way in for people, and none for bots and members', async () => {
    const { alice, bob, server } = here;
    const made = (await alice.post(at('/invites'), { maxUses: 1 })).body;
    await alice.patch(at(), { isPublic: true });
    expect((await alice.post(at('/raid'), { on: true })).body).to.include({ isOn: true, mode: 'on' });
    const ways = [
      (who: Person) => who.post('/api/servers/_/join', { inviteCode: server.inviteCode }),
      (who: Person) => who.post(at('/join'), { inviteCode: server.inviteCode }),
      (who: Person) => who.post('/api/servers/_/join', { inviteCode: made.inviteCode }),
      (who: Person) => who.post(at('/join')),
    ];
    for (const [i, way] of ways.entries()) {
      const who = await someone(i);
      const [first, again] = [await way(who), await way(who)];
      expect([first.status, again.status].filter((status) => status !== 404)).to.deep.equal(
        i === 2 ? [202] : [202, 202],
      );
      expect((await who.get(at('/access'))).body).to.include({ isMember: false, joinRequestStatus: 'pending' });
      expect((await who.get(at('/members'))).status).to.equal(403);
    }
    expect(code(await bob.post(at('/join')))).to.deep.equal([409, 'ALREADY_MEMBER']);
    await botIn(server, bob);
    await alice.post(at('/raid'), { on: false });
    expect((await (await someone()).post(at('/join'))).status).to.equal(200);
  });

  it('takes a use of a link for a held join, and gives it back when that is rejected or withdrawn', async () => {
    const { alice } = here;
    const made = (await alice.post(at('/invites'), { maxUses: 1 })).body;
    await alice.post(at('/raid'), { on: true });
    const uses = async () => (await alice.get(at('/invites'))).body.find(({ id }: Loose) => id === made.id);
    const by = (who: Person) => who.post('/api/servers/_/join', { inviteCode: made.inviteCode });
    const [first, second, third] = [await someone(), await someone(1), await someone()];
    const { requestId } = (await by(first)).body;
    expect(code(await by(second))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    expect(await uses()).to.include({ uses: 1, isOpen: false });
    await alice.patch(`/api/servers/join-requests/${requestId}`, { status: 'rejected' });
    expect(await uses()).to.include({ uses: 0, isOpen: true });
    expect((await by(second)).status).to.equal(202);
    await alice.post(at('/bans'), { userId: second.id });
    expect(await uses()).to.include({ uses: 0, isOpen: true });
    const held = (await by(third)).body;
    expect((await alice.patch(`/api/servers/join-requests/${held.requestId}`, { status: 'approved' })).status).to.equal(
      200,
    );
    expect(await uses()).to.include({ uses: 1, isOpen: false });
    const [brought] = (await alice.get(at(`/invites/${made.id}/members`))).body;
    expect(brought).to.include({ userId: third.id, invitedBy: alice.id });
    // Whom a moderator has approved is none of those who just got in.
    expect((await raidNow()).members.map(({ userId }: Loose) => userId)).to.not.include(third.id);
  });

  it('lets moderators decide about held joins alone, many at a time', async () => {
    const { alice, carol } = here;
    const mod = await moderator();
    const ear = await mod.connect();
    const asking = (await carol.post(at('/join-requests'))).body.requestId;
    await alice.post(at('/raid'), { on: true });
    const held = await Promise.all(Array.from({ length: 5 }, (_, i) => someone(i)));
    const answers = await Promise.all(held.map((one) => join(one)));
    const ids: string[] = answers.map(({ body }) => body.requestId);
    for (const id of ids) await ear.next('join-request:created', ({ request }) => request.id === id && request.isHeld);
    const listed = async (who: Person) => (await who.get(at('/join-requests'))).body.map(({ id }: Loose) => id);
    expect(await listed(mod)).to.have.members(ids);
    expect(await listed(alice)).to.have.members([...ids, asking]);
    expect(code(await mod.patch(`/api/servers/join-requests/${asking}`, { status: 'approved' }))[0]).to.equal(404);
    const some = { status: 'approved', requestIds: [ids[0], asking] };
    const first = (await mod.post(at('/join-requests/decide'), some)).body;
    expect(first.decided).to.deep.equal([ids[0]]);
    expect(first.failed.map(({ requestId }: Loose) => requestId)).to.deep.equal([asking]);
    const rest = (await mod.post(at('/join-requests/decide'), { status: 'rejected', all: true })).body;
    expect(rest.decided).to.have.members(ids.slice(1));
    expect(rest).to.deep.include({ failed: [], hasMore: false });
    expect(await listed(alice)).to.deep.equal([asking]);
    const members = (await alice.get(at('/members'))).body.map(({ userId }: Loose) => userId);
    expect(held.map(({ id }) => members.includes(id))).to.deep.equal(held.map((_, i) => i === 0));
    const stranger = await someone();
    expect(code(await stranger.post(at('/join-requests/decide'), { status: 'approved', all: true }))).to.deep.equal([
      404,
      'SERVER_NOT_FOUND',
    ]);
  });

  it('removes those who got in, a bounded number at a time, and nobody else', async () => {
    const { alice } = here;
    const mod = await moderator();
    const early = await someone();
    expect((await join(early)).status).to.equal(200);
    await query(
      here.cluster.databaseUrl,
      `UPDATE server_members SET joined_at = joined_at - interval '1 day' WHERE server_id = $1`,
      [here.server.id],
    );
    await set({ mode: 'auto', joins: 30, seconds: 3600 });
    const raiders = await Promise.all(Array.from({ length: 30 }, (_, i) => someone(i)));
    const inviteCode = await codeNow();
    await Promise.all(raiders.map((one) => one.post('/api/servers/_/join', { inviteCode })));
    expect((await join(await someone())).status).to.equal(202);
    const first = (await mod.post(at('/raid/remove'), { all: true })).body;
    expect([first.removed.length, first.failed, first.hasMore]).to.deep.equal([25, [], true]);
    const second = (await mod.post(at('/raid/remove'), { all: true })).body;
    expect([second.removed.length, second.hasMore]).to.deep.equal([5, false]);
    const left = (await alice.get(at('/members'))).body.map(({ userId }: Loose) => userId);
    expect(left).to.have.members([alice.id, mod.id, early.id]);
    expect(await codeNow()).to.not.equal(inviteCode);
    const own = (await mod.post(at('/raid/remove'), { userIds: [alice.id] })).body;
    expect(own.failed[0]).to.include({ userId: alice.id, code: 'ROLE_REQUIRED' });
  });

  it('is set by those who change the server, switched by moderators, and seen by nobody else', async () => {
    const { alice, bob, carol } = here;
    expect(await raidNow()).to.include({ mode: 'off', joins: 20, seconds: 60, minutes: 30, isOn: false, since: null });
    for (const answer of [await bob.get(at('/raid')), await bob.post(at('/raid'), { on: true })]) {
      expect(code(answer)).to.deep.equal([403, 'ROLE_REQUIRED']);
    }
    expect(code(await carol.get(at('/raid')))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    const mod = await moderator();
    expect(code(await mod.patch(at(), { raid: { mode: 'auto' } }))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect(code(await set({ joins: 0 }))).to.deep.equal([400, 'VALIDATION_FAILED']);
    await set({ mode: 'auto', joins: 7 });
    expect((await mod.post(at('/raid'), { on: true })).body).to.include({ mode: 'on', isOn: true, until: null });
    const ear = await alice.connect();
    await mod.post(at('/raid'), { on: true });
    expect((await mod.post(at('/raid'), { on: false })).body).to.include({ mode: 'auto', joins: 7, isOn: false });
    await ear.next('server:raid', (event) => !event.raid.isOn);
    await until(async () => ear.all('server:raid').length === 1, { message: 'it is told of what changed nothing' });
  });
});
