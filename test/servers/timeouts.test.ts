import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. */
describe('a timeout', () => {
  let here: World;
  const others: Person[] = [];
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => {
    for (const other of others.splice(0)) other.hangUp();
    here.close();
  });

  const at = (userId: string) => `/api/servers/${here.server.id}/members/${userId}/timeout`;
  const timeOut = (userId: string, body: object = { seconds: 600 }, who = here.alice) => who.put(at(userId), body);
  const code = ({ status, body }: Answer) => [status, body.code];
  const give = (userId: string, role: string) =>
    here.alice.patch(`/api/servers/${here.server.id}/members/${userId}`, { role });
  const write = (who: Person, channelId = here.channel.id) =>
    who.post(`/api/channels/${channelId}/messages`, { content: 'x' });
  /** Moves the end into the past, as the passing of time would. */
  const end = (userId: string) =>
    query(
      here.cluster.databaseUrl,
      `UPDATE server_timeouts SET until = now() - interval '1 second' WHERE user_id = '${userId}'`,
    );

  async function guest(): Promise<Person> {
    const made = await register(here.bob.node);
    others.push(made);
    const { inviteCode } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    expect((await made.post('/api/servers/_/join', { inviteCode })).status).to.equal(200);
    return made;
  }

  it('is told to the one it holds and to those who may time out, and holds on every node when the answer is there', async () => {
    const { alice, bob, channel, server, cluster } = here;
    const seer = await guest();
    await give(seer.id, 'moderator');
    const other = await guest();
    for (const node of cluster.nodes) expect((await write(bob.on(node))).status).to.equal(201);
    const [own, mods, rest] = await Promise.all([bob.listen(channel.id), seer.connect(), other.connect()]);
    const made = await timeOut(bob.id, { seconds: 600, reason: 'calm down' });
    expect(made.status).to.equal(200);
    expect(made.body.timeoutReason).to.equal('calm down');
    expect(Date.parse(made.body.timedOutUntil) - Date.now()).to.be.within(500_000, 700_000);
    for (const node of cluster.nodes) {
      const refused = await write(bob.on(node));
      expect(code(refused)).to.deep.equal([403, 'TIMED_OUT']);
      expect(refused.body).to.include({ until: made.body.timedOutUntil, reason: 'calm down' });
    }
    const acked = await own.emit('message:send', { channelId: channel.id, content: 'x' });
    expect(acked).to.include({ ok: false, code: 'TIMED_OUT', until: made.body.timedOutUntil });
    for (const ear of [own, mods]) {
      const told = await ear.next('member:timed-out');
      expect(told).to.include({ serverId: server.id, userId: bob.id, reason: 'calm down' });
      expect(told.by.id).to.equal(alice.id);
    }
    const noted = await own.next('notification:new', ({ kind }) => kind === 'server.timed_out');
    expect(noted.body).to.equal('calm down');
    // They go on seeing everything.
    await alice.say(channel.id, 'still heard');
    await own.next('message:new', ({ content }) => content === 'still heard');
    expect((await bob.get(`/api/channels/${channel.id}/messages`)).status).to.equal(200);
    expect(rest.all('member:timed-out')).to.deep.equal([]);
  });

  it('shows in the records of members to those who may time out, and to oneself', async () => {
    const { alice, bob, server } = here;
    const other = await guest();
    await timeOut(bob.id, { seconds: 600, reason: 'why' });
    const seenBy = async (who: Person) => {
      const members: Answer = await who.get(`/api/servers/${server.id}/members`);
      return members.body.find(({ userId }: { userId: string }) => userId === bob.id);
    };
    for (const who of [alice, bob]) expect((await seenBy(who)).timeoutReason).to.equal('why');
    expect(await seenBy(other)).to.not.have.any.keys('timedOutUntil', 'timeoutReason');
    expect((await seenBy(alice)).timedOutUntil).to.be.a('string');
    const [own] = (await bob.get('/api/servers')).body;
    expect(own.member.timeoutReason).to.equal('why');
    expect((await other.get('/api/servers')).body[0].member.timedOutUntil).to.equal(null);
  });

  it('ends what someone shows that they are doing', async () => {
    const { alice, bob, channel } = here;
    const [ear, mouth] = [await alice.listen(channel.id), await bob.listen(channel.id)];
    expect((await mouth.emit('presence:activity', { channelId: channel.id, activity: 'shouting' })).ok).to.equal(true);
    await ear.next('presence:activity', ({ activity }) => activity === 'shouting');
    await timeOut(bob.id);
    await ear.next('presence:activity', ({ userId, activity }) => userId === bob.id && activity === null);
  });

  it('leaves direct messages and other servers alone', async () => {
    const { alice, bob } = here;
    const there = (await alice.post('/api/servers', { name: 'Other' })).body;
    await bob.post('/api/servers/_/join', { inviteCode: there.inviteCode });
    const [general] = (await bob.get(`/api/servers/${there.id}/channels`)).body;
    await timeOut(bob.id);
    expectError(await write(bob), 'TIMED_OUT');
    expect((await write(bob, general.id)).status).to.equal(201);
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    expect((await bob.post(`/api/dm/channels/${dm.id}/messages`, { content: 'x' })).status).to.equal(201);
  });

  it('ends by itself, by a moderator, and at once on every node', async () => {
    const { alice, bob, cluster } = here;
    await timeOut(bob.id);
    for (const node of cluster.nodes) expectError(await write(bob.on(node)), 'TIMED_OUT');
    const ear = await bob.connect();
    expect((await alice.delete(at(bob.id))).status).to.equal(200);
    await ear.next('member:timed-out', (told) => told.until === null);
    for (const node of cluster.nodes) expect((await write(bob.on(node))).status).to.equal(201);
    expect((await alice.delete(at(bob.id))).status).to.equal(200);
    // A short one ends while nobody does anything.
    const { timedOutUntil } = (await timeOut(bob.id, { seconds: 3 })).body;
    const first = await write(bob);
    if (Date.now() < Date.parse(timedOutUntil) - 500) expectError(first, 'TIMED_OUT');
    await until(async () => (await write(bob)).status === 201, { message: 'it did not end' });
  });

  it('is found by nodes when the database alone was changed', async () => {
    const { bob } = here;
    await timeOut(bob.id);
    expectError(await write(bob), 'TIMED_OUT');
    await end(bob.id);
    await until(async () => (await write(bob)).status === 201, { message: 'it did not end' });
  });

  it('is not shaken off by leaving and coming back, nor by a kick, but a ban replaces it', async () => {
    const { alice, bob, server } = here;
    const join = async () => {
      const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
      expect((await bob.post('/api/servers/_/join', { inviteCode })).status).to.equal(200);
    };
    await timeOut(bob.id);
    await bob.post(`/api/servers/${server.id}/leave`);
    await join();
    expectError(await write(bob), 'TIMED_OUT');
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    await join();
    expectError(await write(bob), 'TIMED_OUT');
    await alice.post(`/api/servers/${server.id}/bans`, { userId: bob.id });
    await alice.delete(`/api/servers/${server.id}/bans/${bob.id}`);
    await join();
    expect((await write(bob)).status).to.equal(201);
    // Someone who is away can be let off as well.
    await timeOut(bob.id);
    await bob.post(`/api/servers/${server.id}/leave`);
    expect((await alice.delete(at(bob.id))).status).to.equal(200);
    expectError(await alice.delete(at(bob.id)), 'MEMBER_NOT_FOUND');
    await join();
    expect((await write(bob)).status).to.equal(201);
  });

  it('holds the bots that someone owns, but not one that the server keeps', async () => {
    const { alice, bob, server, channel } = here;
    const [mine, kept] = [await botIn(server, bob), await botIn(server, bob)];
    const robots = [mine, kept];
    others.push(mine, kept);
    await alice.put(`/api/servers/${server.id}/agents/${kept.agentId}/keep`);
    const mouth = await mine.listen(channel.id);
    for (const robot of robots) expect((await write(robot)).status).to.equal(201);
    await timeOut(bob.id);
    expectError(await write(mine), 'TIMED_OUT');
    const piece = { channelId: channel.id, streamId: 'reply', delta: 'x' };
    expect((await mouth.emit('message:stream', piece)).code).to.equal('TIMED_OUT');
    expect((await write(kept)).status).to.equal(201);
    // Kept no longer, it is held too; and it does not free its owner.
    await give(kept.id, 'admin');
    expectError(await kept.delete(at(bob.id)), 'FORBIDDEN');
    await alice.delete(`/api/servers/${server.id}/agents/${kept.agentId}/keep`);
    expectError(await write(kept), 'TIMED_OUT');
    await alice.delete(at(bob.id));
    for (const robot of robots) expect((await write(robot)).status).to.equal(201);
  });

  it('is for those who may time out, of those whom they outrank', async () => {
    const { alice, bob, carol } = here;
    const [moderator, member] = [await guest(), await guest()];
    await give(moderator.id, 'moderator');
    await give(bob.id, 'admin');
    expect(code(await timeOut(moderator.id, { seconds: 5 }, member))).to.deep.equal([403, 'ROLE_REQUIRED']);
    for (const whom of [alice, bob, moderator]) {
      expect(code(await timeOut(whom.id, { seconds: 5 }, moderator))).to.deep.equal([403, 'ROLE_REQUIRED']);
    }
    expect((await timeOut(member.id, { seconds: 5 }, moderator)).status).to.equal(200);
    expect(code(await timeOut(carol.id))).to.deep.equal([404, 'MEMBER_NOT_FOUND']);
    expect(code(await carol.put(at(bob.id), { seconds: 5 }))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    // Someone who is timed out decides nothing any more.
    await timeOut(bob.id);
    expect(code(await bob.delete(at(member.id)))).to.deep.equal([403, 'TIMED_OUT']);
    expect(code(await timeOut(member.id, { seconds: 5 }, bob))).to.deep.equal([403, 'TIMED_OUT']);
    expect(code(await bob.delete(at(bob.id)))).to.deep.equal([403, 'TIMED_OUT']);
  });

  it('goes with the server that is handed over', async () => {
    const { bob, alice, server } = here;
    await timeOut(bob.id);
    expect((await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'owner' })).status).to.equal(200);
    expect((await write(bob)).status).to.equal(201);
  });

  it('lasts up to 28 days, and has one end', async () => {
    const { bob } = here;
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const wrong = [
      {},
      { seconds: 0 },
      { seconds: 28 * 86_400 + 1 },
      { until: inDays(-1) },
      { until: inDays(29) },
      { until: inDays(1), seconds: 60 },
    ];
    for (const body of wrong) expectError(await timeOut(bob.id, body), 'VALIDATION_FAILED');
    const end = inDays(27);
    expect((await timeOut(bob.id, { until: end })).body.timedOutUntil).to.equal(end);
    expect((await timeOut(bob.id, { seconds: 28 * 86_400 })).status).to.equal(200);
  });
});
