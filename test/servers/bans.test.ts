import { expect } from 'chai';
import { bot, botIn } from '../world/bot.ts';
import { startCluster } from '../world/nodes.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. */
describe('a ban', () => {
  let here: World;
  const others: Person[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const other of others) other.hangUp();
    here.close();
  });

  /** Someone on bob's node, in a server of alice's. */
  async function guest(code = here.server.inviteCode): Promise<Person> {
    const made = await register(here.bob.node);
    others.push(made);
    if (code) expect((await made.post('/api/servers/_/join', { inviteCode: code })).status).to.equal(200);
    return made;
  }
  const bans = () => `/api/servers/${here.server.id}/bans`;
  const ban = (who: Person, whom: { id: string }, more: object = {}) => who.post(bans(), { userId: whom.id, ...more });
  const codeNow = async () => (await here.alice.get(`/api/servers/${here.server.id}`)).body.inviteCode;
  const code = ({ status, body }: Answer) => [status, body.code];

  it('is out of the server, with everything, at once and on every node', async () => {
    const { alice, server, channel } = here;
    const troll = await guest(await codeNow());
    const robot = await botIn(server, troll);
    others.push(robot);
    const [ear, botEar, mod] = [await troll.listen(channel.id), await robot.listen(channel.id), await alice.connect()];
    const before = await codeNow();
    const made = await ban(alice, troll, { reason: 'spam' });
    expect(made.status).to.equal(201);
    expect(made.body).to.include({ userId: troll.id, bannedBy: alice.id, reason: 'spam', until: null });
    await alice.say(channel.id, 'not for them');
    for (const node of here.cluster.nodes) {
      for (const who of [troll, robot]) {
        expect((await who.on(node).get(`/api/channels/${channel.id}/messages`)).status).to.equal(404);
        expect((await who.on(node).post(`/api/channels/${channel.id}/messages`, { content: 'x' })).status).to.equal(
          404,
        );
      }
    }
    await ear.next('server:left', ({ serverId }) => serverId === server.id);
    await botEar.next('server:left', ({ serverId }) => serverId === server.id);
    expect((await ear.next('notification:new', ({ kind }) => kind === 'server.banned')).body).to.equal('spam');
    expect((await mod.next('member:banned')).ban).to.deep.include({ userId: troll.id, reason: 'spam' });
    for (const one of [ear, botEar]) expect(one.all('message:new')).to.deep.equal([]);
    const after = await codeNow();
    expect(after).to.not.equal(before);
    await mod.next('server:updated', ({ server: { inviteCode } }) => inviteCode === after);
  });

  it('leaves no way back: by code, link, request, invitation or bot', async () => {
    const { alice, bob, server } = here;
    const troll = await guest(await codeNow());
    const [request, robot] = [await bot(troll), await botIn(server, troll)];
    await ban(alice, troll, { reason: 'spam' });
    const inviteCode = await codeNow();
    const at = `/api/servers/${server.id}`;
    await alice.patch(at, { isPublic: true });
    const refused = [
      await troll.post('/api/servers/_/join', { inviteCode }),
      await troll.post(`${at}/join`, { inviteCode }),
      await troll.post(`${at}/join`),
      await troll.post(`${at}/join-requests`),
      await bob.post(`${at}/invite-member`, { userId: troll.id }),
      await robot.post(`${at}/join`, { inviteCode }),
      await request.post(`${at}/join`, { inviteCode }),
    ];
    expect(refused.map(code)).to.deep.equal(refused.map(() => [403, 'BANNED']));
    for (const { body } of refused) expect(body).to.include({ reason: 'spam', until: null });
    await alice.patch(at, { isPublic: false });
    expect((await troll.get(at)).status).to.equal(404);
  });

  it('keeps out a bot that is banned itself, whoever adds it', async () => {
    const { alice, bob, server } = here;
    const robot = await botIn(server, bob);
    await ban(alice, robot);
    const added = await bob.post(`/api/servers/${server.id}/agents`, { agentIds: [robot.agentId] });
    expect(added.body.failed[0]).to.include({ agentId: robot.agentId, code: 'BANNED' });
    expect((await bob.get(`/api/servers/${server.id}`)).status).to.equal(200);
  });

  it('is for moderators, and of nobody equal or higher; who is no member can be banned too', async () => {
    const { alice, bob, carol, server } = here;
    const [moderator, stranger] = [await guest(await codeNow()), await guest('')];
    expect(code(await ban(bob, carol))).to.deep.equal([403, 'ROLE_REQUIRED']);
    await alice.patch(`/api/servers/${server.id}/members/${moderator.id}`, { role: 'moderator' });
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' });
    for (const whom of [alice, bob, moderator]) {
      expect(code(await ban(moderator, whom))).to.deep.equal([403, 'ROLE_REQUIRED']);
    }
    await stranger.post(`/api/servers/${server.id}/join-requests`);
    const kept = await codeNow();
    expect((await ban(moderator, stranger, { reason: '' })).body).to.include({ reason: null });
    expect(await codeNow()).to.equal(kept);
    expect((await alice.get(`/api/servers/${server.id}/join-requests`)).body).to.deep.equal([]);
    expect(code(await stranger.post(`/api/servers/${server.id}/join-requests`))).to.deep.equal([403, 'BANNED']);
    expect(code(await ban(alice, { id: crypto.randomUUID() }))).to.deep.equal([404, 'USER_NOT_FOUND']);
    expect(code(await stranger.get(bans()))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'member' });
    expect(code(await bob.get(bans()))).to.deep.equal([403, 'ROLE_REQUIRED']);
  });

  it('is listed in pages, newest first, replaced by a second one, and lifted', async () => {
    const { alice, bob } = here;
    const troll = await guest(await codeNow());
    await ban(alice, troll, { reason: 'first' });
    await ban(alice, troll, { reason: 'second' });
    const first = await alice.get(`${bans()}?limit=1`);
    expect([first.body.length, first.body[0].reason, first.headers.get('x-has-more')]).to.deep.equal([
      1,
      'second',
      'true',
    ]);
    expect(first.body[0].bannedByUser.username).to.equal(alice.username);
    const next = await alice.get(`${bans()}?limit=200&cursor=${first.body[0].id}`);
    expect(next.body.map(({ userId }: Loose) => userId)).to.not.include(troll.id);
    const mod = await alice.connect();
    expect(code(await bob.delete(`${bans()}/${troll.id}`))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect((await alice.delete(`${bans()}/${troll.id}`)).status).to.equal(200);
    await mod.next('member:unbanned', ({ userId }) => userId === troll.id);
    expect(code(await alice.delete(`${bans()}/${troll.id}`))).to.deep.equal([404, 'BAN_NOT_FOUND']);
    expect((await troll.post('/api/servers/_/join', { inviteCode: await codeNow() })).status).to.equal(200);
  });

  it("ends by itself, by PostgreSQL's clock", async () => {
    const { alice, cluster } = here;
    const troll = await guest(await codeNow());
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await ban(alice, troll, { until: '2020-01-01T00:00:00.000Z' })).body.code).to.equal('VALIDATION_FAILED');
    expect((await ban(alice, troll, { until })).body.until).to.equal(until);
    const refused = await troll.post('/api/servers/_/join', { inviteCode: await codeNow() });
    expect(refused.body).to.include({ code: 'BANNED', until });
    await query(cluster.databaseUrl, `UPDATE server_bans SET until = clock_timestamp() WHERE user_id = '${troll.id}'`);
    expect((await alice.get(bans())).body.map(({ userId }: Loose) => userId)).to.not.include(troll.id);
    expect((await troll.post('/api/servers/_/join', { inviteCode: await codeNow() })).status).to.equal(200);
  });

  it('lets nobody slip in who joins at the same moment on another node', async () => {
    const { alice, server, cluster } = here;
    for (let round = 0; round < 8; round++) {
      const troll = await guest('');
      const inviteCode = await codeNow();
      const joins = cluster.nodes.map((node) => troll.on(node).post('/api/servers/_/join', { inviteCode }));
      const [banned] = await Promise.all([ban(alice, troll), ...joins]);
      expect(banned.status).to.equal(201);
      const members = await query(cluster.databaseUrl, memberOf(server.id, troll.id));
      expect(members).to.deep.equal([]);
      expect((await troll.on(alice.node).get(`/api/servers/${server.id}`)).status).to.equal(404);
    }
  });

  it('is not lifted by a bot of who is banned', async () => {
    const { alice, server } = here;
    const troll = await guest(await codeNow());
    const robot = await botIn(server, troll);
    await alice.put(`/api/servers/${server.id}/agents/${robot.agentId}/keep`);
    await alice.patch(`/api/servers/${server.id}/members/${robot.id}`, { role: 'admin' });
    await ban(alice, troll);
    expect(code(await robot.delete(`${bans()}/${troll.id}`))).to.deep.equal([403, 'FORBIDDEN']);
    expect(code(await robot.post(`/api/servers/${server.id}/invite/regenerate`))).to.deep.equal([403, 'FORBIDDEN']);
    expect((await robot.get(`/api/servers/${server.id}`)).body).to.not.have.property('inviteCode');
  });
});

describe('a kick', () => {
  it('renews the invite code, unless the operator has set otherwise, and only for people', async () => {
    const cluster = await startCluster({ settings: { servers: { renewInviteOnRemoval: false } } });
    const [asSet, usual] = [await world(cluster), await world()];
    for (const { alice, bob, server } of [asSet, usual]) {
      const codeNow = async () => (await alice.get(`/api/servers/${server.id}`)).body.inviteCode;
      const robot = await botIn(server, alice);
      await alice.delete(`/api/servers/${server.id}/members/${robot.id}`);
      expect(await codeNow()).to.equal(server.inviteCode);
      await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
      const isRenewed = (await codeNow()) !== server.inviteCode;
      expect(isRenewed).to.equal(alice === usual.alice);
      const back = await bob.post('/api/servers/_/join', { inviteCode: server.inviteCode });
      expect(back.status).to.equal(isRenewed ? 404 : 200);
    }
    for (const one of [asSet, usual]) one.close();
    await cluster.stop();
  });
});

const memberOf = (serverId: string, userId: string) =>
  `SELECT role FROM server_members WHERE server_id = '${serverId}' AND user_id = '${userId}'`;
