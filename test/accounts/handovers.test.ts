import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { overtaken, query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('handing over', () => {
  let here: World;

  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const offer = (from: Person, body: object) => from.post('/api/handovers', body);
  const accept = (person: Person, id: string) => person.post(`/api/handovers/${id}/accept`);
  const roleOf = async (person: Person) => (await person.get(`/api/servers/${here.server.id}`)).body.role;
  const newAgent = async (owner: Person) =>
    (await owner.post('/api/agents', { name: `b${owner.username.slice(1)}` })).body;

  it('makes the member who accepts the owner of a server, and tells both', async () => {
    const { alice, bob, server } = here;
    const [ofAlice, ofBob] = await Promise.all([alice.connect(), bob.connect()]);
    const { status, body } = await offer(alice, { userId: bob.id, serverId: server.id });
    expect(status).to.equal(201);
    expect(body).to.deep.include({ kind: 'server', serverId: server.id, agentId: null, name: 'Home' });
    expect([body.from.id, body.to.id]).to.deep.equal([alice.id, bob.id]);
    for (const socket of [ofAlice, ofBob]) {
      expect((await socket.next('handover:offered')).handover).to.deep.equal(body);
    }
    expect((await ofBob.next('notification:new', ({ kind }) => kind === 'server.offered')).referenceId).to.equal(
      body.id,
    );
    expect((await bob.get('/api/handovers')).body).to.deep.equal({ received: [body], sent: [] });
    expect((await alice.get('/api/handovers')).body).to.deep.equal({ received: [], sent: [body] });
    expect([await roleOf(alice), await roleOf(bob)]).to.deep.equal(['owner', 'member']);
    expect((await accept(bob, body.id)).status).to.equal(200);
    expect([await roleOf(alice), await roleOf(bob)]).to.deep.equal(['admin', 'owner']);
    for (const socket of [ofAlice, ofBob]) {
      expect(await socket.next('handover:ended')).to.deep.include({ handover: body, outcome: 'accepted' });
    }
    await ofBob.next('notification:read', ({ ids }: Loose) => ids?.length === 1);
    expect((await accept(bob, body.id)).body.code).to.equal('HANDOVER_NOT_FOUND');
  });

  it('of an agent overtakes what its old owner was about to do with it', async () => {
    const { alice, bob, cluster } = here;
    const agent = await newAgent(alice);
    const path = `/api/agents/${agent.id}`;
    const begun = [
      () => alice.post(`${path}/token`),
      () => alice.put(`${path}/webhook`, { url: 'https://hooks.example.com/x' }),
      () => alice.delete(path),
    ];
    for (const begin of begun) {
      const handed = {
        lock: 'SELECT FROM agents WHERE id = $1 FOR UPDATE',
        change: `UPDATE agents SET owner_id = '${bob.id}' WHERE id = $1`,
        id: agent.id,
      };
      const { status, body } = await overtaken(cluster.databaseUrl, handed, begin);
      expect([status, body.code]).to.deep.equal([404, 'AGENT_NOT_FOUND']);
      await query(cluster.databaseUrl, 'UPDATE agents SET owner_id = $2 WHERE id = $1', [agent.id, alice.id]);
    }
    expect((await bob.get('/api/agents')).body).to.deep.equal([]);
  });

  it('gives an agent away with nothing by which the old owner could still use it', async () => {
    const { alice, bob, carol, server, channel } = here;
    const agent = await newAgent(alice);
    await alice.post(`/api/servers/${server.id}/agents`, { agentIds: [agent.id] });
    const other = (await alice.post('/api/servers', { name: 'Without bob' })).body;
    await alice.post(`/api/servers/${other.id}/agents`, { agentIds: [agent.id] });
    const bot = new Person(alice.node, {
      id: agent.userId,
      username: agent.name,
      token: agent.token,
      refreshToken: '',
    });
    const socket = await bot.connect();
    const { body } = await offer(alice, { userId: bob.id, agentId: agent.id });
    expect((await accept(carol, body.id)).body.code).to.equal('HANDOVER_NOT_FOUND');
    expect((await accept(bob, body.id)).status).to.equal(200);
    expect((await bot.get('/api/auth/me')).status).to.equal(401);
    await until(() => !socket.socket.connected);
    expect((await alice.get(`/api/agents/${agent.id}`)).body.code).to.equal('AGENT_NOT_FOUND');
    const { token } = (await bob.post(`/api/agents/${agent.id}/token`)).body;
    const again = new Person(bob.node, { ...bot, token });
    const { body: servers } = await again.get('/api/servers');
    expect(servers.map(({ id }: Loose) => id)).to.deep.equal([server.id]);
    await again.say(channel.id, 'still here');
  });

  it('is declined, withdrawn, replaced and expires', async () => {
    const { alice, bob, carol, server } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const what = { serverId: server.id };
    const first = (await offer(alice, { ...what, userId: bob.id })).body;
    expect((await bob.delete(`/api/handovers/${first.id}`)).body.code).to.equal('HANDOVER_NOT_FOUND');
    expect((await bob.post(`/api/handovers/${first.id}/decline`)).status).to.equal(200);
    expect((await accept(bob, first.id)).body.code).to.equal('HANDOVER_NOT_FOUND');
    const second = (await offer(alice, { ...what, userId: bob.id })).body;
    expect((await alice.post(`/api/handovers/${second.id}/decline`)).body.code).to.equal('HANDOVER_NOT_FOUND');
    expect((await alice.delete(`/api/handovers/${second.id}`)).status).to.equal(200);
    const third = (await offer(alice, { ...what, userId: bob.id })).body;
    const fourth = (await offer(alice, { ...what, userId: carol.id })).body;
    expect((await accept(bob, third.id)).body.code).to.equal('HANDOVER_NOT_FOUND');
    await query(here.cluster.databaseUrl, 'UPDATE handovers SET expires_at = now() WHERE id = $1', [fourth.id]);
    expect((await accept(carol, fourth.id)).body.code).to.equal('HANDOVER_NOT_FOUND');
    expect((await carol.get('/api/handovers')).body).to.deep.equal({ received: [], sent: [] });
    expect(await roleOf(alice)).to.equal('owner');
    expect((await offer(alice, { ...what, userId: bob.id })).status).to.equal(201);
  });

  it('follows the rules of membership, ownership and blocks', async () => {
    const { alice, bob, carol, server } = here;
    const agent = await newAgent(alice);
    const [toServer, toAgent] = [{ serverId: server.id }, { agentId: agent.id }];
    const codes = async (from: Person, body: object) => (await offer(from, body)).body.code;
    expect(await codes(alice, { ...toServer, userId: carol.id })).to.equal('NOT_IN_SERVER');
    expect(await codes(alice, { ...toServer, userId: alice.id })).to.equal('OWN_USER');
    expect(await codes(alice, { ...toServer, userId: agent.userId })).to.equal('FORBIDDEN');
    expect(await codes(bob, { ...toServer, userId: alice.id })).to.equal('ROLE_REQUIRED');
    expect(await codes(carol, { ...toServer, userId: bob.id })).to.equal('SERVER_NOT_FOUND');
    expect(await codes(bob, { ...toAgent, userId: carol.id })).to.equal('AGENT_NOT_FOUND');
    expect(await codes(alice, { userId: bob.id })).to.equal('VALIDATION_FAILED');
    expect(await codes(alice, { ...toServer, ...toAgent, userId: bob.id })).to.equal('VALIDATION_FAILED');
    await bob.put(`/api/friends/blocks/${alice.id}`);
    expect(await codes(alice, { ...toAgent, userId: bob.id })).to.equal('USER_NOT_FOUND');
    await bob.delete(`/api/friends/blocks/${alice.id}`);
    // Who has left by then cannot accept, nor can anyone what was handed over in another way.
    const left = (await offer(alice, { ...toServer, userId: bob.id })).body;
    await bob.post(`/api/servers/${server.id}/leave`);
    expect((await accept(bob, left.id)).body.code).to.equal('NOT_IN_SERVER');
    await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    await alice.patch(`/api/servers/${server.id}/members/${carol.id}`, { role: 'owner' });
    expect((await accept(bob, left.id)).body.code).to.equal('HANDOVER_NOT_FOUND');
  });

  it('takes a session of the owner, confirmed, and is bounded', async () => {
    const { alice, bob } = here;
    const agent = await newAgent(alice);
    const { body: pat } = await alice.post('/api/tokens', { name: 'x', scope: 'user:write' });
    const body = { agentId: agent.id, userId: bob.id };
    const headers = { authorization: `Bearer ${pat.token}` };
    const refused = await request(alice.node, 'POST', '/api/handovers', body, headers);
    expect(refused.body.code).to.equal('INSUFFICIENT_PAT_SCOPE');
    const { databaseUrl } = here.cluster;
    await query(databaseUrl, "UPDATE sessions SET created_at = now() - interval '1 hour' WHERE user_id = $1", [
      alice.id,
    ]);
    expect((await offer(alice, body)).body.code).to.equal('CONFIRMATION_REQUIRED');
    await alice.post('/api/auth/confirm', { password: 'correct horse' });
    const giver = await register(alice.node);
    await query(
      databaseUrl,
      `INSERT INTO handovers (id, from_id, to_id, created_at, expires_at)
       SELECT gen_random_uuid(), $1, $2, now(), now() + interval '1 day' FROM generate_series(1, 50)`,
      [giver.id, bob.id],
    );
    expect((await offer(alice, body)).body.code).to.equal('HANDOVER_LIMIT');
  });
});
