import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, bot, botIn } from '../world/bot.ts';
import { startCluster } from '../world/nodes.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes the owner and the admin are on different ones. */
describe('a bot is where its owner is', () => {
  let here: World;
  const people: Person[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const person of people) person.hangUp();
    here.close();
  });

  /** A member with a bot, both on bob's node. */
  async function pair(): Promise<{ owner: Person; robot: Bot }> {
    const { alice, bob, server } = here;
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    const owner = await register(bob.node);
    await owner.post('/api/servers/_/join', { inviteCode });
    const robot = await botIn(server, owner);
    people.push(owner, robot);
    return { owner, robot };
  }
  const code = ({ status, body }: Answer) => [status, body.code];
  const seat = async (robot: Bot) =>
    (await here.alice.get(`/api/servers/${here.server.id}/members`)).body.find(
      ({ userId }: Loose) => userId === robot.id,
    );
  const keepPath = (robot: Bot) => `/api/servers/${here.server.id}/agents/${robot.agentId}/keep`;

  const ways: Record<string, (owner: Person) => Promise<Answer>> = {
    'leaves the server': (owner) => owner.post(`/api/servers/${here.server.id}/leave`),
    'is kicked': (owner) => here.alice.delete(`/api/servers/${here.server.id}/members/${owner.id}`),
    'is banned': (owner) => here.alice.post(`/api/servers/${here.server.id}/bans`, { userId: owner.id }),
  };
  for (const [way, go] of Object.entries(ways)) {
    it(`goes along when the owner ${way}, on every node, before the answer`, async () => {
      const { owner, robot } = await pair();
      const { alice, channel, cluster } = here;
      const [ear, watcher] = [await robot.listen(channel.id), await alice.listen(channel.id)];
      expect((await go(owner)).status).to.be.lessThan(300);
      for (const node of cluster.nodes) {
        const post = robot.on(node).post(`/api/channels/${channel.id}/messages`, { content: 'still here' });
        expect((await post).status).to.equal(404);
        expect((await robot.on(node).get(`/api/channels/${channel.id}/messages`)).status).to.equal(404);
        expect((await robot.on(node).get(`/api/channels/${channel.id}/events?after=0`)).status).to.equal(404);
      }
      const said = await ear.emit('message:send', { channelId: channel.id, content: 'still here' });
      expect(said.ok).to.equal(false);
      await alice.say(channel.id, 'after');
      await ear.next('server:left');
      for (const id of [owner.id, robot.id]) await watcher.next('member:left', ({ userId }) => userId === id);
      expect(ear.all('message:new')).to.deep.equal([]);
      expect(await seat(robot)).to.equal(undefined);
    });
  }

  it('goes along from a private channel, and enters one only where its owner is', async () => {
    const { alice, server, cluster } = here;
    const { owner, robot } = await pair();
    const secret = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'secret', isPrivate: true })).body;
    const members = `/api/channels/${secret.id}/members`;
    expect(code(await alice.post(members, { userId: robot.id }))).to.deep.equal([403, 'FORBIDDEN']);
    for (const take of [() => alice.delete(`${members}/${owner.id}`), () => owner.delete(`${members}/${owner.id}`)]) {
      await alice.post(members, { userId: owner.id });
      expect((await owner.post(members, { userId: robot.id })).status).to.equal(201);
      const ear = await robot.listen(secret.id);
      expect((await take()).status).to.equal(200);
      for (const node of cluster.nodes) {
        expect((await robot.on(node).get(`/api/channels/${secret.id}/messages`)).status).to.equal(404);
      }
      await alice.say(secret.id, 'after');
      await ear.next('channel:member-removed', ({ channelId }) => channelId === secret.id);
      expect(ear.all('message:new')).to.deep.equal([]);
    }
    expect((await seat(robot)).agent.kept).to.equal(false);
  });

  it('enters a server only where its owner is, by whatever way', async () => {
    const { alice, carol, server } = here;
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    const robot = await bot(carol);
    people.push(robot);
    const at = `/api/servers/${server.id}`;
    expect(code(await robot.post('/api/servers/_/join', { inviteCode }))).to.deep.equal([403, 'FORBIDDEN']);
    expect(code(await carol.post(`${at}/agents`, { agentIds: [robot.agentId] }))).to.deep.equal([
      404,
      'SERVER_NOT_FOUND',
    ]);
    await alice.patch(at, { isPublic: true });
    expect(code(await robot.post(`${at}/join`))).to.deep.equal([403, 'FORBIDDEN']);
    await alice.patch(at, { isPublic: false });
    await carol.post('/api/servers/_/join', { inviteCode });
    expect((await robot.post('/api/servers/_/join', { inviteCode })).status).to.equal(200);
    await carol.post(`${at}/leave`);
  });

  it('does not slip in while its owner is thrown out on another node', async () => {
    const { alice, server, cluster } = here;
    for (let round = 0; round < 5; round++) {
      const { owner } = await pair();
      const late = await bot(owner);
      people.push(late);
      await Promise.all([
        alice.delete(`/api/servers/${server.id}/members/${owner.id}`),
        owner.post(`/api/servers/${server.id}/agents`, { agentIds: [late.agentId] }),
      ]);
      const left = `SELECT user_id FROM server_members WHERE server_id = '${server.id}' AND user_id = '${late.id}'`;
      expect(await query(cluster.databaseUrl, left)).to.deep.equal([]);
    }
  });

  it('stays without its owner where admins keep it, who alone set its policy there', async () => {
    const { alice, bob, server, channel } = here;
    const { owner, robot } = await pair();
    const policy = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    await owner.put(policy, { mode: 'mentionOnly' });
    expect(code(await bob.put(keepPath(robot)))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect((await alice.put(keepPath(robot))).body.agent).to.include({ id: robot.agentId, kept: true });
    expect((await alice.get(policy)).body).to.deep.include({ mode: 'replyAll', owner: null, server: null });
    expect(code(await owner.put(policy, { mode: 'replyAll' }))).to.deep.equal([403, 'FORBIDDEN']);
    await alice.delete(`/api/servers/${server.id}/members/${owner.id}`);
    await robot.say(channel.id, 'still here');
    expect((await seat(robot)).agent.kept).to.equal(true);
    const list = `/api/agents/${robot.agentId}/policies`;
    await alice.put(policy, { mode: 'mentionOnly' });
    expect(code(await owner.put(list, { channelId: channel.id, mode: 'replyAll' }))).to.deep.equal([
      404,
      'CHANNEL_NOT_FOUND',
    ]);
    expect(code(await owner.put(list, { serverId: server.id, mode: 'replyAll' }))).to.deep.equal([
      404,
      'SERVER_NOT_FOUND',
    ]);
    expect(code(await owner.put(policy, { mode: 'replyAll' }))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    expect((await owner.get(list)).body).to.deep.equal([]);
    expect((await owner.get(`/api/agents/${robot.agentId}/config`)).body.servers).to.deep.equal([]);
    expect((await robot.get(`/api/servers/${server.id}`)).body).to.not.have.property('inviteCode');
    expect((await alice.delete(keepPath(robot))).status).to.equal(200);
    expect(code(await robot.get(`/api/channels/${channel.id}/messages`))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    expect(await seat(robot)).to.equal(undefined);
  });

  it('sees no invite codes: in records, lists, events, errors or logs', async () => {
    const { alice, server } = here;
    const { robot } = await pair();
    const ear = await robot.connect();
    await alice.patch(`/api/servers/${server.id}/members/${robot.id}`, { role: 'admin' });
    await ear.next('server:updated');
    const { inviteCode } = (await alice.post(`/api/servers/${server.id}/invite/regenerate`)).body;
    const at = `/api/servers/${server.id}`;
    const seen = [
      await robot.get('/api/servers'),
      await robot.get(at),
      await robot.get(`${at}/access`),
      await robot.patch(at, { description: 'by a bot' }),
      await robot.post(`${at}/join`, { inviteCode }),
      await robot.get(`/api/agents/${robot.agentId}/config`),
      await robot.get('/api/events?after=0'),
      await robot.post('/api/invites', { count: 1 }),
      await robot.post(`${at}/invite/regenerate`),
      await robot.post(`${at}/invite-member`, { userId: here.carol.id }),
    ];
    for (const text of [...seen.map(({ body }) => body), ...ear.received].map((one) => JSON.stringify(one))) {
      expect(text).to.not.contain('"inviteCode"');
      expect(text).to.not.contain(inviteCode);
      expect(text).to.not.contain(server.inviteCode);
    }
    expect(seen.slice(-2).map(code)).to.deep.equal([
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
    ]);
  });
});

describe('a bot that an earlier version has left without its owner', () => {
  it('is taken out once a node of this version runs, and everyone is told', async () => {
    const cluster = await startCluster();
    const { alice, bob, server, channel } = await world(cluster);
    const [robot, kept] = [await botIn(server, bob), await botIn(server, bob)];
    await alice.put(`/api/servers/${server.id}/agents/${kept.agentId}/keep`);
    const secret = (await bob.on(alice.node).post('/api/servers', { name: 'Of bob' })).body;
    const hidden = (await bob.post(`/api/servers/${secret.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    const inside = await botIn(secret, bob);
    await bob.post(`/api/channels/${hidden.id}/members`, { userId: inside.id });
    const ear = await robot.listen(channel.id);
    const insideEar = await inside.listen(hidden.id);
    await query(
      cluster.databaseUrl,
      `DELETE FROM server_members WHERE server_id = '${server.id}' AND user_id = '${bob.id}'`,
    );
    await query(
      cluster.databaseUrl,
      `DELETE FROM channel_members WHERE channel_id = '${hidden.id}' AND user_id = '${bob.id}'`,
    );
    const later = await startCluster({ databaseUrl: cluster.databaseUrl });
    await ear.next('server:left', ({ serverId }) => serverId === server.id, 20_000);
    await insideEar.next('channel:member-removed', ({ channelId }) => channelId === hidden.id, 20_000);
    await until(async () => (await robot.get(`/api/channels/${channel.id}/messages`)).status === 404);
    expect((await kept.get(`/api/channels/${channel.id}/messages`)).status).to.equal(200);
    for (const one of [alice, bob, robot, inside]) one.hangUp();
    await later.stop();
    await cluster.stop();
  });
});
