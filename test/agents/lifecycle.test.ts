import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, bot, botIn } from '../world/bot.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('the life of an agent', () => {
  let here: World;
  let owner: Person;
  let stranger: Person;
  /** The owner on the other node, where there is one. */
  let elsewhere: Person;

  before(async () => {
    here = await world();
    owner = here.alice;
    stranger = here.bob;
    elsewhere = owner.on(stranger.node);
  });
  after(() => here.close());

  it('begins with a record, a running bot and a token that works on every node', async () => {
    const answer = await owner.post('/api/agents', { username: 'Robbie.R', displayName: 'Robbie', config: { a: [1] } });
    expect(answer.status).to.equal(201);
    const { token, botUser, ...agent } = answer.body;
    expect(agent).to.include({ ownerId: owner.id, name: 'Robbie.R', displayName: 'Robbie', status: 'running' });
    expect(agent).to.include({ avatarUrl: null, lastHeartbeat: null, totalOnlineSeconds: 0 });
    expect(agent.config).to.deep.equal({ a: [1] });
    expect(botUser).to.include({ id: agent.userId, username: 'Robbie.R', isBot: true });
    expect(JSON.stringify(answer.body)).to.not.match(/hash/i);
    const asBot = { authorization: `Bearer ${token}` };
    const me = await stranger.get('/api/auth/me', asBot);
    expect(me.body).to.include({ id: agent.userId, agentId: agent.id, isBot: true });
    expect(me.body.membership.capabilities).to.deep.equal([]);
    expect((await owner.post('/api/agents', { name: 'robbie.r' })).body.code).to.equal('USERNAME_TAKEN');
    expect((await owner.post('/api/agents', { name: 'x' })).status).to.equal(400);
  });

  it('goes on under another name, under which it is found in any case', async () => {
    const robot = await bot(owner);
    const name = `ΝΙΚΟΣ${Date.now()}`;
    expect((await owner.patch(`/api/agents/${robot.agentId}`, { name })).body).to.include({ name });
    expect((await owner.post('/api/agents', { name: name.toLowerCase() })).body.code).to.equal('USERNAME_TAKEN');
  });

  it('is seen by its owner and its bot, and by nobody else', async () => {
    const robot = await bot(owner);
    expect((await owner.get('/api/agents')).body.map((agent: { id: string }) => agent.id)).to.include(robot.agentId);
    expect((await stranger.get('/api/agents')).body).to.deep.equal([]);
    expect((await robot.get(`/api/agents/${robot.agentId}`)).body.id).to.equal(robot.agentId);
    const path = `/api/agents/${robot.agentId}`;
    for (const answer of [
      await stranger.get(path),
      await stranger.patch(path, { displayName: 'Mine' }),
      await stranger.delete(path),
      await stranger.post(`${path}/token`),
      await stranger.post(`${path}/stop`),
      await stranger.post(`${path}/heartbeat`),
      await stranger.get(`${path}/config`),
      await owner.get('/api/agents/none'),
    ]) {
      expect(answer.status).to.equal(404);
      expect(answer.body.code).to.equal('AGENT_NOT_FOUND');
    }
    for (const way of ['token', 'stop', 'start']) expect((await robot.post(`${path}/${way}`)).status).to.equal(403);
    expect((await robot.delete(path)).status).to.equal(403);
    expect((await robot.post('/api/agents', { name: 'child' })).status).to.equal(403);
    expect((await robot.post('/api/servers', { name: 'Bots only' })).status).to.equal(403);
  });

  it('can be renamed, and every node says so at once', async () => {
    const robot = await bot(owner);
    await robot.on(stranger.node).get('/api/auth/me');
    const path = `/api/agents/${robot.agentId}`;
    const changed = await owner.patch(path, { name: `${robot.username}x`, avatarUrl: 'https://example.com/a.png' });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.include({ name: `${robot.username}x`, avatarUrl: 'https://example.com/a.png' });
    expect((await robot.on(stranger.node).get('/api/auth/me')).body.username).to.equal(`${robot.username}x`);
    const picture = { avatarUrl: '/avatars/of-this-site.png' };
    expect((await owner.patch(path, picture)).body, 'as a bot itself may set it').to.include(picture);
    expect((await owner.patch(path, { avatarUrl: null })).body.avatarUrl).to.equal(null);
    expect((await owner.patch(path, { name: stranger.username })).body.code).to.equal('USERNAME_TAKEN');
  });

  it('stops on all nodes before the answer, and starts again with the same token', async () => {
    const robot = await bot(owner);
    const sockets = [await robot.connect(), await robot.on(stranger.node).connect()];
    const stopped = await elsewhere.post(`/api/agents/${robot.agentId}/stop`);
    expect(stopped.body).to.include({ ok: true, status: 'stopped' });
    for (const node of here.cluster.nodes) {
      const refused = await robot.on(node).post(`/api/agents/${robot.agentId}/heartbeat`);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'AGENT_STOPPED']);
      expect((await robot.on(node).get('/api/auth/me')).body.code).to.equal('AGENT_STOPPED');
    }
    for (const { socket } of sockets) await until(() => !socket.connected, { message: 'still connected' });
    const late = robot.dial({ reconnection: false });
    const refusal = await new Promise<Error & { data?: { code: string } }>((resolve) =>
      late.socket.once('connect_error', resolve),
    );
    expect([refusal.message, refusal.data?.code]).to.deep.equal(['Invalid token', 'AGENT_STOPPED']);
    expect((await owner.get(`/api/agents/${robot.agentId}`)).body.status).to.equal('stopped');
    const started = await owner.post(`/api/agents/${robot.agentId}/start`);
    expect(started.body).to.include({ ok: true, status: 'running' });
    await robot.on(stranger.node).connect();
    robot.hangUp();
  });

  it('is told by heartbeats, of the bot itself alone', async () => {
    const robot = await bot(owner);
    const beat = await robot.post(`/api/agents/${robot.agentId}/heartbeat`);
    expect(beat.body).to.include({ ok: true, status: 'running' });
    expect(Date.parse(beat.body.expiresAt) - Date.parse(beat.body.lastHeartbeat)).to.equal(90_000);
    expect((await owner.get(`/api/agents/${robot.agentId}`)).body.lastHeartbeat).to.equal(beat.body.lastHeartbeat);
    expect((await owner.post(`/api/agents/${robot.agentId}/heartbeat`)).status).to.equal(403);
    const ill = await robot.post(`/api/agents/${robot.agentId}/heartbeat`, { status: 'error' });
    expect(ill.body.status).to.equal('error');
    expect((await elsewhere.get(`/api/agents/${robot.agentId}`)).body.status).to.equal('error');
    expect((await robot.post(`/api/agents/${robot.agentId}/heartbeat`, { status: 'stopped' })).status).to.equal(400);
    const mouth = await robot.connect();
    for (const payload of [{ status: 'running' }, undefined, null, {}]) {
      expect((await mouth.emit('agent:heartbeat', payload)).status).to.equal('running');
    }
    expect((await mouth.emit('agent:heartbeat', { status: 'stopped' })).code).to.equal('VALIDATION_FAILED');
    robot.hangUp();
  });

  it('counts its uptime', async () => {
    const robot = await bot(owner);
    const path = `/api/agents/${robot.agentId}`;
    const begun = Date.now();
    await robot.post(`${path}/heartbeat`);
    const uptime = await until(
      async () => {
        await robot.post(`${path}/heartbeat`);
        return (await owner.get(path)).body.totalOnlineSeconds;
      },
      { message: 'no uptime' },
    );
    expect(uptime).to.be.within(1, (Date.now() - begun) / 1000);
  });

  it('ends with its tokens, at once, while what it wrote stays', async () => {
    const robot = await bot(owner);
    await robot.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const listener = await robot.on(stranger.node).connect();
    const gone = await owner.delete(`/api/agents/${robot.agentId}`);
    expect(gone.body).to.deep.equal({ ok: true, success: true });
    await until(() => !listener.socket.connected, { message: 'still connected' });
    robot.hangUp();
    for (const node of here.cluster.nodes) {
      const refused = await robot.on(node).get('/api/auth/me');
      expect([refused.status, refused.body.code]).to.deep.equal([401, 'ACCESS_TOKEN_INVALID']);
    }
    expect((await owner.get(`/api/agents/${robot.agentId}`)).status).to.equal(404);
    // The name is free again.
    expect((await owner.post('/api/agents', { name: robot.username })).status).to.equal(201);
  });

  it('ends also where somebody took the name that it is shown under from then on', async () => {
    const robot = await botIn(here.server, owner);
    const said = (await robot.post(`/api/channels/${here.channel.id}/messages`, { content: 'farewell' })).body;
    const shown = `deleted-${robot.id.replaceAll('-', '').slice(-20)}`;
    await bot(stranger, { name: shown });
    expect((await owner.delete(`/api/agents/${robot.agentId}`)).status).to.equal(200);
    expect((await owner.get(`/api/messages/${said.id}`)).body.author).to.include({ username: shown, id: robot.id });
  });

  it('ends wholly, whatever it is given in the same moment', async () => {
    const { id: serverId, inviteCode } = here.server;
    const give: ((path: string, robot: Bot) => ReturnType<Person['post']>)[] = [
      (path) => elsewhere.post(`${path}/token`),
      (path) => elsewhere.put(`${path}/webhook`, { url: 'https://93.184.216.34/hook' }),
      (path) => elsewhere.put(`${path}/policies`, { channelId: here.channel.id, reply: true }),
      (_, { agentId }) => elsewhere.post(`/api/servers/${serverId}/agents`, { agentIds: [agentId] }),
      (_, robot) => robot.on(stranger.node).post(`/api/servers/${serverId}/join`, { inviteCode }),
    ];
    for (const one of [...give, ...give, ...give]) {
      const robot = await bot(owner);
      const path = `/api/agents/${robot.agentId}`;
      const answers = await Promise.all([...[1, 2, 3].map(() => one(path, robot)), owner.delete(path)]);
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).to.be.below(500);
      expect(answers.at(-1)?.status).to.equal(200);
    }
    const members = (await owner.get(`/api/servers/${serverId}/members`)).body;
    expect(members.filter(({ user }: Loose) => user.username.startsWith('deleted-'))).to.deep.equal([]);
  });

  it('has a limit to how many one may have', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { agents: { maxPerOwner: 1 } } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const someone = await register(node);
      const names = ['first', 'second', 'third', 'fourth'];
      const answers = await Promise.all(names.map((name) => someone.post('/api/agents', { name })));
      const told = answers.map(({ status, body }) => body.code ?? status).sort();
      expect(told).to.deep.equal([201, 'AGENT_LIMIT', 'AGENT_LIMIT', 'AGENT_LIMIT']);
    } finally {
      await cluster.stop();
    }
  });
});

describe('the tokens of an agent', () => {
  it('hold for a while after a newer one was made, and then no longer', async () => {
    const cluster = await startCluster({ settings: { agents: { tokenOverlapSeconds: 3 } } });
    const here = await world(cluster);
    try {
      const robot = await bot(here.alice);
      const older = await robot.on(here.bob.node).connect();
      const { body, status } = await here.alice.post(`/api/agents/${robot.agentId}/token`);
      expect(status).to.equal(201);
      const newer = robot.on(here.bob.node);
      newer.token = body.token;
      expect((await newer.get('/api/auth/me')).status).to.equal(200);
      expect((await robot.get('/api/auth/me')).status).to.equal(200);
      await until(async () => (await robot.get('/api/auth/me')).body.code === 'ACCESS_TOKEN_INVALID');
      await until(() => !older.socket.connected, { message: 'the socket of the older token is still connected' });
      expect((await newer.get('/api/auth/me')).status).to.equal(200);
      robot.hangUp();
    } finally {
      here.close();
      await cluster.stop();
    }
  });

  it('take along the sockets that went on with them', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { agents: { tokenOverlapSeconds: 1 } } });
    const here = await world(cluster);
    try {
      const robot = await bot(here.alice);
      const ear = await robot.connect();
      const newToken = () => here.alice.post(`/api/agents/${robot.agentId}/token`);
      expect(await ear.emit('auth:renew', { token: (await newToken()).body.token })).to.include({ ok: true });
      await newToken();
      await until(() => !ear.socket.connected, { message: 'still connected with a token that ended' });
      robot.hangUp();
    } finally {
      here.close();
      await cluster.stop();
    }
  });

  it('are left alone by newer ones once they end anyway', async () => {
    const here = await world();
    const robot = await bot(here.alice);
    const more = () => here.alice.post(`/api/agents/${robot.agentId}/token`);
    const first = () =>
      withRows(here.cluster.databaseUrl, async (rows) => {
        const text = 'SELECT ends_at, xmin::text AS changed FROM agent_tokens WHERE agent_id = $1 ORDER BY id LIMIT 1';
        return JSON.stringify(await rows(text, [robot.agentId]));
      });
    const before = await first();
    await more();
    const ending = await first();
    expect(ending).not.to.equal(before);
    await more();
    expect(await first()).to.equal(ending);
    here.close();
  });

  it('end for all but one of those that were asked for at once', async () => {
    const cluster = await startCluster({ settings: { agents: { tokenOverlapSeconds: 1 } } });
    const here = await world(cluster);
    try {
      const robot = await bot(here.alice);
      const owners = [here.alice, here.alice.on(here.bob.node)];
      const tokens = await withRows(cluster.databaseUrl, async (rows) => {
        await rows('BEGIN');
        await rows('SELECT id FROM agent_tokens WHERE agent_id = $1 FOR UPDATE', [robot.agentId]);
        const asked = [...owners, ...owners].map((owner) => owner.post(`/api/agents/${robot.agentId}/token`));
        const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        // In one transaction it would always give the same answer.
        await withRows(cluster.databaseUrl, (others) =>
          until(async () => (await others(waiting)).length === asked.length),
        );
        await rows('COMMIT');
        return Promise.all(asked);
      });
      const bots = tokens.map(({ body }) => Object.assign(robot.on(here.bob.node), { token: body.token }));
      await until(async () => {
        const answers = await Promise.all(bots.map((one) => one.get('/api/auth/me')));
        return answers.filter(({ status }) => status === 200).length === 1;
      });
    } finally {
      here.close();
      await cluster.stop();
    }
  });
});
