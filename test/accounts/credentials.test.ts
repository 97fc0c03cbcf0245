import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, type Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('credentials', () => {
  let cluster: Cluster;
  let here: World;
  let robot: Bot;
  /** The owner of the bot, with a personal token that may write. */
  let program: Person;
  const hook = 'http://127.0.0.1:9/hook';

  before(async () => {
    cluster = await startCluster({ settings: { appProxyAllow: ['127.0.0.1'] } });
    here = await world(cluster);
    robot = await botIn(here.server, here.alice);
    const { alice } = here;
    const { body } = await alice.post('/api/tokens', { name: 'program', scope: 'user:write' });
    program = new Person(alice.node, { id: alice.id, username: alice.username, token: body.token, refreshToken: '' });
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  /** Every way to make one. */
  const ways: [string, (by: Person) => Promise<Answer>][] = [
    ['a personal token', (by) => by.post('/api/tokens', { name: 'another' })],
    ['an agent', (by) => by.post('/api/agents', { name: `made-by-${by.token.slice(-8).toLowerCase()}` })],
    ["an agent's token", (by) => by.post(`/api/agents/${robot.agentId}/token`)],
    ['a model token', (by) => by.post('/api/ai/tokens', { runtimeId: 'runtime' })],
    ['a webhook', (by) => by.put(`/api/agents/${robot.agentId}/webhook`, { url: hook })],
    ["a webhook's secret", (by) => by.post(`/api/agents/${robot.agentId}/webhook/secret`)],
    ['a confirmed webhook', (by) => by.post(`/api/agents/${robot.agentId}/webhook/enable`)],
    ['an invite code', (by) => by.post('/api/invite-codes')],
  ];

  it('are made by people who are signed in, not by their personal tokens', async () => {
    for (const [what, make] of ways) {
      expect((await make(program)).body.code, what).to.equal('INSUFFICIENT_PAT_SCOPE');
      expect((await make(here.alice)).status, what).to.be.below(300);
    }
    expect((await program.get('/api/invite-codes')).body.code).to.equal('INSUFFICIENT_PAT_SCOPE');
  });

  it('do not include invite codes for a personal token: not in records, lists, events, invitations, on no door', async () => {
    const { alice, bob, carol, server } = here;
    const socket = await program.connect();
    const first = server.inviteCode;
    const { body } = await alice.post(`/api/servers/${server.id}/invite/regenerate`);
    const codes = [first, body.inviteCode];
    await alice.patch(`/api/servers/${server.id}`, { description: 'changed' });
    await socket.next('server:updated', ({ server: told }) => told.description === 'changed');
    const seen = [
      socket.received,
      ...(await Promise.all([
        program.get('/api/servers'),
        program.get(`/api/servers/${server.id}`),
        program.get('/api/events?after=0'),
        program.get(`/api/channels/${here.channel.id}/bootstrap`),
        program.patch(`/api/servers/${server.id}`, { description: 'again' }),
        program.post(`/api/servers/${server.id}/join`),
        program.post(`/api/servers/${server.id}/invite/regenerate`),
      ])),
    ];
    for (const code of codes) expect(JSON.stringify(seen)).not.to.contain(code);
    expect((await alice.get(`/api/servers/${server.id}`)).body.inviteCode).to.equal(codes[1]);
    // The same for an invitation that comes to its owner.
    const token = (await carol.post('/api/tokens', { name: 'reader' })).body.token;
    const reader = new Person(carol.node, { id: carol.id, username: carol.username, token, refreshToken: '' });
    const ear = await reader.connect();
    await bob.post(`/api/servers/${server.id}/invite-member`, { userId: carol.id });
    await ear.next('notification:new', ({ kind }) => kind === 'server.invite');
    await ear.next('server:invited');
    const told = [ear.received, await reader.get('/api/notifications'), await reader.get('/api/events?after=0')];
    expect(JSON.stringify(told)).not.to.contain(codes[1]);
    for (const one of [program, reader]) one.hangUp();
    expect(JSON.stringify((await carol.get('/api/notifications')).body)).to.contain(codes[1]);
  });

  it('are not made by bots', async () => {
    for (const [what, make] of ways) expect((await make(robot)).status, what).to.equal(403);
    const path = `/api/agents/${robot.agentId}/webhook`;
    expect((await robot.delete(path)).status).to.equal(403);
    expect((await robot.post(`${path}/test`)).status).to.equal(403);
    expect((await robot.get(path)).body.url).to.equal(hook);
  });

  it('are not made once their session has ended, however far the request has come', async () => {
    const { body } = await here.alice.post('/api/auth/login', {
      email: here.alice.username,
      password: 'correct horse',
    });
    const signedIn = new Person(here.alice.node, { ...here.alice, token: body.accessToken, refreshToken: '' });
    const before = (await here.alice.get('/api/tokens')).body.length;
    const making = Array.from({ length: 10 }, () => signedIn.post('/api/tokens', { name: 'late' }));
    await signedIn.post('/api/auth/logout');
    const here2 = (await here.alice.get('/api/tokens')).body.length;
    const made = (await Promise.all(making)).filter(({ status }) => status === 201).length;
    expect((await here.alice.get('/api/tokens')).body.length).to.equal(here2);
    expect(here2 - before).to.equal(made);
  });

  it("tell the bot's owner of each new token and address", async () => {
    const kinds = async () => {
      const { body } = await here.alice.get('/api/notifications');
      return body.filter((notice: Loose) => notice.senderId === robot.id).map((notice: Loose) => notice.kind);
    };
    await until(async () => (await kinds()).includes('agent.token_created'));
    await until(async () => (await kinds()).includes('agent.webhook_set'));
  });

  it('of a bot that are renewed pause its webhook until the owner confirms it', async () => {
    const path = `/api/agents/${robot.agentId}/webhook`;
    await here.alice.put(path, { url: hook });
    await here.alice.post(`/api/agents/${robot.agentId}/token`);
    const paused = await here.alice.get(path);
    expect(paused.body).to.include({ state: 'paused' });
    expect(paused.body.stoppedAt).to.be.a('string');
    const { body } = await here.alice.post(`${path}/enable`, { skip: true });
    expect(body).to.include({ state: 'active', stoppedAt: null });
  });
});
