import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Cluster, sharedCluster } from '../world/nodes.ts';
import { Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('personal access tokens', () => {
  let cluster: Cluster;
  let here: World;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const make = async (person: Person, body: object) => {
    const made = await person.post('/api/tokens', { name: 'my script', ...body });
    expect(made.status).to.equal(201);
    return made.body;
  };
  const holder = (person: Person, token: string, i = 0) => new Person(at(i), { ...person, token });

  before(async () => {
    cluster = await sharedCluster();
    here = await world();
  });
  after(() => here.close());

  it('are shown once, listed without the secret, and kept as a hash', async () => {
    const { alice } = here;
    const made = await make(alice, { scope: 'user:write', expiresInDays: 30 });
    expect(made.token).to.match(/^pat_[\w-]{43}$/);
    expect(made).to.include({ name: 'my script', scope: 'user:write', lastUsedAt: null });
    const days = (new Date(made.expiresAt).getTime() - new Date(made.createdAt).getTime()) / 86_400_000;
    expect(days).to.equal(30);
    const [listed] = (await alice.get('/api/tokens')).body;
    expect(listed).to.have.all.keys('id', 'name', 'scope', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt');
    expect((await make(alice, {})).scope).to.equal('user:read');
    const rows = await query(cluster.databaseUrl, 'SELECT row_to_json(t)::text AS text FROM personal_tokens t');
    expect(JSON.stringify(rows)).not.to.contain(made.token).and.not.contain(made.token.slice(4));
  });

  it('are made once for a repeated Idempotency-Key, which does not show the secret again', async () => {
    const person = await register(at(0));
    const headers = { 'idempotency-key': 'a key' };
    const first = await person.post('/api/tokens', { name: 'once' }, headers);
    const second = await person.on(at(1)).post('/api/tokens', { name: 'once' }, headers);
    expect(second.status).to.equal(201);
    expect(second.body).to.deep.equal({ ...first.body, token: null });
    expect((await person.get('/api/tokens')).body).to.have.lengthOf(1);
  });

  it('that read may look and nothing else, over REST and sockets', async () => {
    const { alice, channel } = here;
    const reader = holder(alice, (await make(alice, { scope: 'user:read' })).token, 1);
    expect((await reader.get('/api/auth/me')).body.id).to.equal(alice.id);
    const refused = await reader.post(`/api/channels/${channel.id}/messages`, { content: 'no' });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    const socket = await reader.listen(channel.id);
    const message = await alice.say(channel.id, 'heard by a script');
    await socket.next('message:new', ({ id }) => id === message.id);
    const ack = await socket.emit('message:send', { channelId: channel.id, content: 'no' });
    expect(ack).to.include({ ok: false, code: 'INSUFFICIENT_PAT_SCOPE' });
    reader.hangUp();
  });

  it('that write may, but not where one signs in', async () => {
    const { alice, channel } = here;
    const writer = holder(alice, (await make(alice, { scope: 'user:write' })).token);
    await writer.say(channel.id, 'by a script');
    const refused = [
      await writer.post('/api/tokens', { name: 'another' }),
      await writer.get('/api/tokens'),
      await writer.get('/api/auth/sessions'),
      await writer.post('/api/auth/logout'),
      await writer.put('/api/auth/password', { oldPassword: 'correct horse', newPassword: 'battery staple' }),
    ];
    for (const { status, body } of refused) expect([status, body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
  });

  it('for some areas may do what is there, and are told what else they would need', async () => {
    const { alice, channel, server } = here;
    const files = `/api/servers/${server.id}/workspace/folders`;
    const calls = {
      'messages:read': (who: Person) => who.get(`/api/channels/${channel.id}/messages`),
      'messages:write': (who: Person) => who.put(`/api/channels/${channel.id}/read`, { seq: 0 }),
      'servers:read': (who: Person) => who.get('/api/servers'),
      'servers:write': (who: Person) => who.patch(`/api/channels/${channel.id}`, { description: 'by a script' }),
      'workspace:read': (who: Person) => who.get(`/api/servers/${server.id}/workspace/tree`),
      'workspace:write': (who: Person) => who.post(files, { name: `folder ${Math.random()}` }),
      'agents:read': (who: Person) => who.get('/api/agents'),
      'agents:write': (who: Person) => who.post(`/api/servers/${server.id}/agents`, {}),
      'account:read': (who: Person) => who.get('/api/auth/me'),
      'account:write': (who: Person) => who.patch('/api/auth/me', {}),
    };
    for (const area of ['messages', 'servers', 'workspace', 'agents', 'account']) {
      for (const right of ['read', 'write']) {
        const who = holder(alice, (await make(alice, { scope: `${area}:${right}` })).token, 1);
        for (const [needed, call] of Object.entries(calls)) {
          const { status, body } = await call(who);
          const isHeld = needed === `${area}:${right}` || needed === `${area}:read`;
          expect(body.code === 'INSUFFICIENT_PAT_SCOPE', `${needed} with ${area}:${right}`).to.equal(!isHeld);
          if (!isHeld) expect([status, body.error]).to.satisfy(([, text]: string[]) => text?.includes(needed));
        }
      }
    }
    const both = await make(alice, { scopes: ['messages:read', 'servers:read', 'messages:read'] });
    expect(both).to.deep.include({ scope: 'messages:read servers:read', scopes: ['messages:read', 'servers:read'] });
    const start = `/api/channels/${channel.id}/bootstrap`;
    expect((await holder(alice, both.token).get(start)).status).to.equal(200);
    const half = await make(alice, { scope: 'servers:read' });
    expect((await holder(alice, half.token).get(start)).body.code).to.equal('INSUFFICIENT_PAT_SCOPE');
  });

  it('connect a socket only if they may read messages', async () => {
    const { alice, channel } = here;
    const files = holder(alice, (await make(alice, { scope: 'workspace:write account:write' })).token).dial();
    const error = await new Promise<Error & { data?: unknown }>((resolve) => files.socket.on('connect_error', resolve));
    expect(error.data).to.include({ code: 'INSUFFICIENT_PAT_SCOPE' });
    files.close();
    const reader = holder(alice, (await make(alice, { scope: 'messages:read' })).token, 1);
    const socket = await reader.listen(channel.id);
    const ack = await socket.emit('message:send', { channelId: channel.id, content: 'no' });
    expect(ack).to.include({ ok: false, code: 'INSUFFICIENT_PAT_SCOPE' });
    const other = (await make(alice, { scope: 'account:read' })).token;
    expect(await socket.emit('auth:renew', { token: other })).to.include({ code: 'INSUFFICIENT_PAT_SCOPE' });
    reader.hangUp();
  });

  it('that are revoked are refused on every node at once, and their sockets are closed', async () => {
    const { alice } = here;
    const { id, token } = await make(alice, {});
    const socket = await holder(alice, token, 1).connect();
    const own = await alice.connect();
    for (const node of cluster.nodes)
      expect((await holder(alice, token).on(node).get('/api/auth/me')).status).to.equal(200);
    const foreign = await here.bob.delete(`/api/tokens/${id}`);
    expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'TOKEN_NOT_FOUND']);
    expect((await alice.delete(`/api/tokens/${id}`)).status).to.equal(200);
    for (const node of cluster.nodes) {
      const refused = await holder(alice, token).on(node).get('/api/auth/me');
      expect([refused.status, refused.body.code]).to.deep.equal([401, 'PAT_TOKEN_INVALID']);
    }
    await until(() => socket.socket.disconnected);
    expect(own.socket.connected).to.equal(true);
    expect((await alice.delete(`/api/tokens/${id}`)).status).to.equal(404);
    own.close();
  });

  it('that have expired say so', async () => {
    const { alice } = here;
    const { id, token } = await make(alice, { expiresInDays: 1 });
    const end = `UPDATE personal_tokens SET expires_at = now() - interval '1 second' WHERE id = $1`;
    await query(cluster.databaseUrl, end, [id]);
    const refused = await holder(alice, token).get('/api/auth/me');
    expect([refused.status, refused.body.code]).to.deep.equal([401, 'PAT_TOKEN_EXPIRED']);
    const socket = holder(alice, token).dial();
    const error = await new Promise<Error & { data?: unknown }>((resolve) =>
      socket.socket.on('connect_error', resolve),
    );
    expect(error.data).to.include({ code: 'PAT_TOKEN_EXPIRED' });
    socket.close();
  });

  it('refuse what does not fit', async () => {
    for (const body of [
      {},
      { name: ' ' },
      { name: 'x', scope: 'admin' },
      { name: 'x', scope: '' },
      { name: 'x', scope: 'messages' },
      { name: 'x', scope: 'messages:read  servers:read' },
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['messages:all'] },
      { name: 'x', expiresInDays: 366 },
      { name: 'x', expiresInDays: 0 },
    ]) {
      expect((await here.alice.post('/api/tokens', body)).body.code).to.equal('VALIDATION_FAILED');
    }
  });
});
