import { expect } from 'chai';
import { startCluster } from '../world/nodes.ts';
import { type Answer, type Listener, type Loose, type Person, request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

function ask(person: Person, method: string, path: string, body: object | undefined): Promise<Answer> {
  const headers = { authorization: `Bearer ${person.token}` };
  return request(person.node, method, path, body, headers);
}

describe('a private channel', () => {
  let here: World;
  let hidden: Loose;
  let message: Loose;
  let thread: Loose;
  let outsiders: Person[];

  beforeEach(async () => {
    here = await world();
    const { alice, bob, carol, server } = here;
    const moderator = await register(bob.node);
    await moderator.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    await alice.patch(`/api/servers/${server.id}/members/${moderator.id}`, { role: 'moderator' });
    hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'cellar', isPrivate: true })).body;
    message = await alice.say(hidden.id, 'buried treasure');
    thread = (await alice.post(`/api/messages/${message.id}/thread`)).body;
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'buried deeper' });
    outsiders = [bob, moderator, carol];
  });
  afterEach(() => here.close());

  const probes = (): [method: string, path: string, body?: object][] => {
    const { bob } = here;
    const at = `/api/channels/${hidden.id}`;
    return [
      ['GET', at],
      ['PATCH', at, { name: 'x' }],
      ['DELETE', at],
      ['GET', `${at}/messages`],
      ['POST', `${at}/messages`, { content: 'x' }],
      ['GET', `${at}/messages/around/${message.id}`],
      ['GET', `${at}/members`],
      ['POST', `${at}/members`, { userId: bob.id }],
      ['DELETE', `${at}/members/${bob.id}`],
      ['GET', `${at}/pins`],
      ['PUT', `${at}/pins/${message.id}`],
      ['DELETE', `${at}/pins/${message.id}`],
      ['GET', `${at}/threads`],
      ['POST', `${at}/threads`, { name: 'x', parentMessageId: message.id }],
      ['PUT', `${at}/read`, { seq: 1 }],
      ['POST', `${at}/archive`],
      ['POST', `${at}/unarchive`],
      ['GET', `${at}/bootstrap`],
      ['GET', `${at}/events?after=0`],
      ['GET', `/api/messages/${message.id}`],
      ['PATCH', `/api/messages/${message.id}`, { content: 'x' }],
      ['DELETE', `/api/messages/${message.id}`],
      ['POST', `/api/messages/${message.id}/pin`],
      ['POST', `/api/messages/${message.id}/thread`],
      ['GET', `/api/messages/${message.id}/reactions`],
      ['POST', `/api/messages/${message.id}/reactions`, { emoji: '👍' }],
      ['DELETE', `/api/messages/${message.id}/reactions/%F0%9F%91%8D`],
      ['GET', `/api/threads/${thread.id}`],
      ['PATCH', `/api/threads/${thread.id}`, { name: 'x' }],
      ['DELETE', `/api/threads/${thread.id}`],
      ['GET', `/api/threads/${thread.id}/messages`],
      ['POST', `/api/threads/${thread.id}/messages`, { content: 'x' }],
      ['GET', `/api/mentions/suggest?channelId=${hidden.id}`],
      ['POST', '/api/mentions/resolve', { channelId: hidden.id, content: '@here' }],
      ['GET', `/api/search/messages?query=treasure&channelId=${hidden.id}`],
    ];
  };

  it('is closed to those taken out of it, also under its id in capital letters', async () => {
    const { alice, bob } = here;
    const channelId = hidden.id.toUpperCase();
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id.toUpperCase() });
    const ear = await bob.connect();
    expect(await ear.emit('channel:join', { channelId })).to.include({ ok: true, channelId: hidden.id });
    expect(await ear.emit('message:send', { channelId, content: 'in' })).to.include({ ok: true });
    await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
    expect(await ear.emit('message:send', { channelId, content: 'still in' })).to.include({
      ok: false,
      code: 'CHANNEL_NOT_FOUND',
    });
  });

  it('answers outsiders on every route as if it were not there', async () => {
    for (const person of outsiders) {
      for (const [method, path, body] of probes()) {
        const answer = await ask(person, method, path, body);
        expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(404);
        expect(JSON.stringify(answer.body)).to.not.match(/cellar|treasure/);
      }
    }
  });

  it('answers outsiders on every event as if it were not there', async () => {
    const channelId = hidden.id;
    const events: [string, object][] = [
      ['channel:join', { channelId }],
      ['channel:read', { channelId, seq: 1 }],
      ['thread:join', { threadId: thread.id }],
      ['message:send', { channelId, content: 'x' }],
      ['message:edit', { messageId: message.id, content: 'x' }],
      ['message:delete', { messageId: message.id }],
      ['message:typing', { channelId }],
      ['reaction:add', { messageId: message.id, emoji: '👍' }],
      ['reaction:remove', { messageId: message.id, emoji: '👍' }],
    ];
    for (const person of outsiders) {
      const ear = await person.connect();
      for (const [event, payload] of events) {
        const ack = await ear.emit(event, payload);
        expect(ack.ok, event).to.equal(false);
        expect(ack.code, event).to.match(/_NOT_FOUND$/);
      }
      ear.close();
    }
  });

  it('is in none of their lists, searches and mentions', async () => {
    const { bob, server, channel } = here;
    const texts = await Promise.all([
      bob.get(`/api/servers/${server.id}/channels`),
      bob.get(`/api/servers/${server.id}/channels/archived`),
      bob.get('/api/search/messages?query=buried'),
      bob.get(`/api/search/messages?query=buried&serverId=${server.slug}`),
      bob.get(`/api/mentions/suggest?channelId=${channel.id}&trigger=%23&q=ce`),
      bob.post('/api/mentions/resolve', { channelId: channel.id, content: `#cellar <#${hidden.id}>` }),
    ]);
    for (const { status, body } of texts) {
      expect(status).to.equal(200);
      expect(JSON.stringify(body))
        .to.not.include(hidden.id)
        .and.not.match(/cellar|treasure/);
    }
    const said = await here.alice.say(channel.id, `look into #cellar, <#${hidden.id}>`);
    expect(said.mentions).to.deep.equal([]);
  });

  it('tells its events only to those in it', async () => {
    const { alice, bob, server, channel } = here;
    const ears: Listener[] = [await bob.listen(channel.id), await alice.listen(hidden.id)];
    await alice.say(hidden.id, 'psst');
    await alice.put(`/api/channels/${hidden.id}/pins/${message.id}`);
    await alice.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' });
    await alice.patch(`/api/channels/${hidden.id}`, { name: 'attic' });
    await alice.post(`/api/servers/${server.id}/channels`, { name: 'secret', isPrivate: true });
    await alice.delete(`/api/channels/${hidden.id}`);
    const last = await alice.say(channel.id, 'done');
    await ears[0]?.next('message:new', (event) => event.id === last.id);
    await ears[1]?.next('channel:deleted');
    const events = (ears[0]?.received ?? []).map((received) => received.event);
    expect(events.filter((event) => event !== 'ready' && !event.startsWith('presence:'))).to.deep.equal([
      'message:new',
    ]);
  });

  it('is seen by admins, who read it when they have entered it', async () => {
    const { alice, bob, server } = here;
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'admin' });
    const listed = (await bob.get(`/api/servers/${server.id}/channels`)).body.find(
      (one: Loose) => one.id === hidden.id,
    );
    expect(listed).to.include({ name: 'cellar', isMember: false, lastMessagePreview: null, unreadCount: 0 });
    expect((await bob.get(`/api/channels/${hidden.id}/messages`)).body.code).to.equal('NOT_A_MEMBER');
    expect((await bob.get('/api/search/messages?query=treasure')).body).to.deep.equal([]);
    const ear = await bob.connect();
    expect((await ear.emit('channel:join', { channelId: hidden.id })).code).to.equal('NOT_A_MEMBER');
    expect((await bob.post(`/api/channels/${hidden.id}/members`, { userId: bob.id })).status).to.equal(201);
    expect((await bob.get(`/api/channels/${hidden.id}/messages`)).body.messages).to.have.length(1);
    expect((await ear.emit('channel:join', { channelId: hidden.id })).ok).to.equal(true);
    expect((await bob.get('/api/search/messages?query=treasure')).body).to.have.length(1);
  });

  it('is told to admins, who see it, when it is made and when it is back from the archive, and to nobody else', async () => {
    const { alice, bob, server } = here;
    const other = await register(bob.node);
    await other.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    await alice.patch(`/api/servers/${server.id}/members/${other.id}`, { role: 'admin' });
    const [maker, owner, member] = await Promise.all([other, alice, bob].map((person) => person.connect()));
    const channels = `/api/servers/${server.id}/channels`;
    const vault = (await other.post(channels, { name: 'vault', isPrivate: true })).body;
    await other.post(`/api/channels/${vault.id}/archive`);
    await other.post(`/api/channels/${vault.id}/unarchive`);
    const open = (await alice.post(channels, { name: 'open' })).body;
    for (const [ear, expected] of [
      [maker, [vault.id, vault.id, open.id]],
      [owner, [vault.id, vault.id, open.id]],
      [member, [open.id]],
    ] as const) {
      await ear?.next('channel:created', ({ channel }) => channel.id === open.id);
      expect(ear?.all('channel:created').map(({ channel }) => channel.id)).to.deep.equal(expected);
    }
    expect((await alice.get(channels)).body.map(({ id }: Loose) => id)).to.include(vault.id);
    for (const ear of [maker, owner, member]) ear?.close();
  });

  it('lets people in and out, and both take hold before the answer, on every node', async () => {
    const { alice, bob, cluster } = here;
    const everywhere = cluster.nodes.map((node) => bob.on(node));
    const ears = await Promise.all(everywhere.map((one) => one.connect()));
    for (let round = 0; round < 2; round++) {
      await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
      for (const one of everywhere) expect((await one.get(`/api/channels/${hidden.id}/messages`)).status).to.equal(200);
      for (const ear of ears) expect((await ear.emit('channel:join', { channelId: hidden.id })).ok).to.equal(true);
      await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
      for (const one of everywhere) expect((await one.get(`/api/channels/${hidden.id}/messages`)).status).to.equal(404);
      for (const ear of ears) {
        const send = { channelId: hidden.id, content: 'x' };
        expect((await ear.emit('message:send', send)).code).to.equal('CHANNEL_NOT_FOUND');
      }
      await alice.say(hidden.id, `without bob ${round}`);
    }
    const members = (await alice.get(`/api/channels/${hidden.id}/members`)).body;
    expect(members.map((member: Loose) => member.userId)).to.deep.equal([alice.id]);
    for (const ear of ears) expect(ear.all('message:new')).to.deep.equal([]);
  });

  it('tells a failure from somebody who is not there', async () => {
    const { alice, bob } = here;
    const path = `/api/channels/${hidden.id}/members/${bob.id}`;
    expect((await alice.delete(path)).body.code).to.equal('MEMBER_NOT_FOUND');
    const back = 'ALTER TABLE server_members RENAME COLUMN gone TO nickname';
    await withRows(here.cluster.databaseUrl, async (rows) => {
      await rows('ALTER TABLE server_members RENAME COLUMN nickname TO gone');
      const { status, body } = await alice.delete(path).finally(() => rows(back));
      expect([status, body.code]).to.deep.equal([500, 'INTERNAL_ERROR']);
    });
    expect((await alice.delete(path)).body.code).to.equal('MEMBER_NOT_FOUND');
  });

  it('lets members of the server ask, who then know no more than its id', async () => {
    const { alice, bob, carol } = here;
    const access = (await bob.get(`/api/channels/${hidden.id}/access`)).body;
    expect(access).to.include({ isMember: false, canAccess: false, requiresApproval: true, joinRequestStatus: null });
    expect(JSON.stringify(access)).to.not.include('cellar');
    expect((await carol.get(`/api/channels/${hidden.id}/access`)).status).to.equal(404);
    expect((await carol.post(`/api/channels/${hidden.id}/join-requests`)).status).to.equal(404);
    const asked = await bob.post(`/api/channels/${hidden.id}/join-requests`);
    expect([asked.status, asked.body.status]).to.deep.equal([202, 'pending']);
    const at = `/api/channel-join-requests/${asked.body.requestId}`;
    expect((await outsiders[1]?.patch(at, { status: 'approved' }))?.status).to.equal(404);
    expect((await alice.patch(at, { status: 'approved' })).body.status).to.equal('approved');
    expect((await bob.get(`/api/channels/${hidden.id}/messages`)).status).to.equal(200);
    expect((await bob.get(`/api/channels/${hidden.id}/access`)).body).to.include({ isMember: true, canAccess: true });
    const requestStatus = async () => (await bob.get(`/api/channels/${hidden.id}/access`)).body.joinRequestStatus;
    await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
    expect(await requestStatus()).to.equal(null);
    const { requestId, status } = (await bob.post(`/api/channels/${hidden.id}/join-requests`)).body;
    expect(status).to.equal('pending');
    const ears = await Promise.all([alice.connect(), bob.connect()]);
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    expect(await requestStatus()).to.equal('approved');
    for (const ear of ears) {
      const { request } = await ear.next('join-request:decided');
      expect(request).to.include({ id: requestId, channelId: hidden.id, status: 'approved' });
    }
  });
});

describe('how one stands to a channel', () => {
  it('is not told, rather than wrongly, while the database does not say', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { database: { statementTimeoutMs: 300 } } });
    const { alice, bob, server, close } = await world(cluster);
    const { id } = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'open' })).body;
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('LOCK TABLE channel_members');
      // The channel and his seat in the server are known by now; whether he was put out of it is asked for.
      await alice.get(`/api/channels/${id}`);
      await bob.get(`/api/servers/${server.id}`);
      const { status, body } = await bob.get(`/api/channels/${id}/access`);
      expect([status, body.code]).to.deep.equal([503, 'DATABASE_UNAVAILABLE']);
      await rows('ROLLBACK');
    });
    expect((await bob.get(`/api/channels/${id}/access`)).body.isMember).to.equal(true);
    close();
    await cluster.stop();
  });
});
