// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { finish, leave, passWeek, placesOf } from './leaving.ts';
import { dataFolder } from './mailbox.ts';

const folder = dataFolder();

describe('the deletion of an account', () => {
  let cluster: Cluster;
  let here: World;
  const at = (i: number): Node => {
    const node = cluster.nodes[i];
    if (!node) throw new Error('no node');
    return node;
  };
  const signIn = (node: Node, name: string) =>
    request(node, 'POST', '/api/auth/login', { email: name, password: 'correct horse' });
  const again = async (node: Node, person: Person): Promise<{ person: Person; body: Loose }> => {
    const { body } = await signIn(node, person.username);
    const { accessToken: token, refreshToken } = body;
    return { person: new Person(node, { id: person.id, username: person.username, token, refreshToken }), body };
  };
  const pageOf = async (person: Person, channelId: string): Promise<Loose[]> =>
    (await person.get(`/api/channels/${channelId}/messages`)).body.messages;
  const befriend = async (one: Person, other: Person) => {
    const { body } = await one.post('/api/friends/request', { username: other.username });
    expect((await other.post(`/api/friends/${body.id}/accept`)).status).to.equal(200);
  };

  before(async () => {
    cluster = await startCluster({ settings: { dataDir: folder.dataDir }, nodes: 2 });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    here = await world(cluster);
  });
  afterEach(() => here.close());

  it('shuts it at once on all nodes, says what goes with it, and mails until when it can be kept', async () => {
    const { alice, bob, server } = here;
    const agent = (await alice.post('/api/agents', { name: `${alice.username}bot` })).body;
    const { body: pat } = await alice.post('/api/tokens', { name: 'x', scope: 'user:write' });
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    const sockets = await Promise.all([alice.connect(), alice.on(at(1)).connect()]);
    const { status, body } = await leave(alice, { servers: [{ id: server.id, to: bob.id }] });
    expect(status).to.equal(200);
    expect((Date.parse(body.deletesAt) - Date.now()) / 86_400_000).to.be.within(6.9, 7.1);
    expect(body.servers).to.have.lengthOf(1);
    expect(body.servers[0]).to.deep.include({ id: server.id, name: 'Home', goes: 'offered' });
    expect(body.servers[0].to.id).to.equal(bob.id);
    expect(body.agents).to.deep.equal([{ id: agent.id, name: agent.displayName, goes: 'deleted' }]);
    for (const node of cluster.nodes) {
      expect((await alice.on(node).get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
      for (const token of [pat.token, agent.token]) {
        const headers = { authorization: `Bearer ${token}` };
        expect((await request(node, 'GET', '/api/auth/me', undefined, headers)).status).to.equal(401);
      }
      expect((await bob.on(node).post(`/api/dm/channels/${dm.id}/messages`, { content: 'there?' })).body.code).to.equal(
        'FORBIDDEN',
      );
      const { body: refused } = await here.carol.on(node).post('/api/dm/channels', { userId: alice.id });
      expect(refused.code).to.equal('FORBIDDEN');
    }
    for (const { socket } of sockets) await until(() => !socket.connected);
    await until(async () =>
      (await folder.mails()).some((mail) => mail.to?.[0]?.address === `${alice.username}@example.com`),
    );
    const mail = (await folder.mails()).find(({ to }) => to?.[0]?.address === `${alice.username}@example.com`);
    expect(mail?.text).to.contain(body.deletesAt.slice(0, 10));
  });

  it('is undone by signing in, on any node, which says so', async () => {
    const { alice, bob, server } = here;
    const agent = (await alice.post('/api/agents', { name: `${alice.username}bot` })).body;
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    expect((await leave(alice)).status).to.equal(200);
    const back = await again(at(1), alice);
    expect(back.body.restored).to.equal(true);
    await passWeek(cluster.databaseUrl, alice);
    expect((await back.person.get(`/api/servers/${server.id}`)).body.role).to.equal('owner');
    expect((await back.person.get(`/api/agents/${agent.id}`)).body.status).to.equal('stopped');
    expect((await bob.post(`/api/dm/channels/${dm.id}/messages`, { content: 'welcome' })).status).to.equal(201);
    expect((await again(at(0), alice)).body).not.to.have.property('restored');
  });

  it('is not done when a node of an earlier version has signed them in', async () => {
    const { alice } = here;
    const { body } = await signIn(at(0), alice.username);
    await leave(alice);
    // An earlier version knows nothing of the deletion.
    await query(cluster.databaseUrl, 'UPDATE sessions SET revoked_at = NULL WHERE user_id = $1', [alice.id]);
    await finish(cluster.databaseUrl, alice);
    const back = new Person(at(1), { ...alice, token: body.accessToken });
    expect((await back.get('/api/auth/me')).body.username).to.equal(alice.username);
  });

  it('takes a session of a person', async () => {
    const { alice } = here;
    const { body: pat } = await alice.post('/api/tokens', { name: 'x', scope: 'user:write' });
    const { body: agent } = await alice.post('/api/agents', { name: `${alice.username}bot` });
    for (const [token, code] of [
      [pat.token, 'INSUFFICIENT_PAT_SCOPE'],
      [agent.token, 'FORBIDDEN'],
    ]) {
      const { status, body } = await leave(new Person(at(0), { ...alice, token }));
      expect([status, body.code]).to.deep.equal([403, code]);
    }
    const unknown = await leave(alice, { servers: [{ id: here.server.id, to: here.carol.id }] });
    expect(unknown.body.code).to.equal('NOT_IN_SERVER');
    expect((await alice.get('/api/auth/me')).status).to.equal(200);
  });

  it('leaves messages in their place by a deleted user, and nothing else of the person anywhere', async () => {
    const { alice, bob, carol, server, channel } = here;
    const name = `Nowhere${alice.username}`;
    const leaver = await register(at(0), { displayName: name });
    const email = `${leaver.username}@example.com`;
    await leaver.patch('/api/auth/me', { avatarUrl: `https://example.com/${name}.png` });
    await leaver.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const first = await leaver.say(channel.id, 'first');
    const second = await bob.say(channel.id, 'second', { replyToId: first.id });
    await leaver.say(channel.id, `third, to @${bob.username}`);
    await befriend(leaver, bob);
    await carol.post('/api/friends/request', { username: leaver.username });
    await leaver.put(`/api/friends/blocks/${alice.id}`);
    const dm = (await leaver.post('/api/dm/channels', { userId: bob.id })).body;
    await leaver.post(`/api/dm/channels/${dm.id}/messages`, { content: 'between us' });
    await leaver.post('/api/agents', { name: `${leaver.username}bot` });
    const own = (await leaver.post('/api/servers', { name: 'Mine' })).body;
    await bob.post(`/api/servers/${own.id}/join`, { inviteCode: own.inviteCode });
    await leaver.post('/api/invites', { count: 2, note: name });
    await leaver.upload('unsent.txt', new TextEncoder().encode('unsent'));
    const kinds = async () => (await bob.get('/api/notifications')).body.map(({ kind }: Loose) => kind);
    await until(async () => (await kinds()).includes('message.mention') && (await kinds()).includes('dm.message'));
    const listener = await bob.listen(channel.id);
    // Nodes know them, and the page.
    for (const node of cluster.nodes) expect(await pageOf(bob.on(node), channel.id)).to.have.lengthOf(3);
    const before = await pageOf(bob, channel.id);

    expect((await leave(leaver)).status).to.equal(200);
    await finish(cluster.databaseUrl, leaver);

    for (const node of cluster.nodes) {
      const page = await pageOf(bob.on(node), channel.id);
      expect(page.map(({ id, seq, content }) => [id, seq, content])).to.deep.equal(
        before.map(({ id, seq, content }) => [id, seq, content]),
      );
      const authors = page.map(({ author }) => author.displayName);
      expect(authors.filter((author) => author === 'Deleted user')).to.have.lengthOf(2);
      expect(page.find(({ id }) => id === second.id)).to.deep.equal(before.find(({ id }) => id === second.id));
      const { body: dms } = await bob.on(node).get('/api/dm/channels');
      expect(dms.find(({ id }: Loose) => id === dm.id).otherUser.displayName).to.equal('Deleted user');
      expect((await bob.on(node).get(`/api/auth/users/${leaver.id}`)).body.code).to.equal('USER_NOT_FOUND');
      expect((await signIn(node, email)).body.code).to.equal('INVALID_CREDENTIALS');
      expect((await bob.on(node).get('/api/friends')).body).to.deep.equal([]);
      expect((await bob.on(node).get(`/api/servers/${own.id}`)).body.code).to.equal('SERVER_NOT_FOUND');
    }
    await listener.next('friend:removed', ({ userId }) => userId === leaver.id);
    await listener.next('server:deleted', ({ serverId }) => serverId === own.id);
    const left = await listener.next('member:left', ({ userId }) => userId === leaver.id);
    expect(left.displayName).to.equal('Deleted user');
    await until(
      async () => !(await kinds()).some((kind: string) => kind === 'message.mention' || kind === 'dm.message'),
    );

    // What others wrote stays as it is, and the logs keep what was told for as long as they keep anything.
    for (const text of [leaver.username, name, email]) {
      const places = await placesOf(cluster.databaseUrl, text);
      expect(
        places.filter((place) => !place.startsWith('log_entries: ')),
        text,
      ).to.deep.equal([]);
    }
    const ownLog = 'SELECT FROM log_entries WHERE stream_id = $1';
    expect(await query(cluster.databaseUrl, ownLog, [leaver.id])).to.have.lengthOf(0);
    // The id alone stays, as who made what stays, and how much that takes; and for minutes in what nodes tell each other.
    // Jobs that follow the last steps may name them for a moment.
    const places = await until(
      async () => {
        const found = await placesOf(cluster.databaseUrl, leaver.id);
        return !found.some((place) => /^(notification_)?jobs: /.test(place)) && found;
      },
      { message: 'a job is left' },
    );
    // What is stored is summed up by a chore, sooner or later.
    const tables = new Set(places.map((place) => place.split(':')[0]?.replace('storage_changes', 'storage_usage')));
    const passing = ['invalidations', 'moved_logs'];
    expect([...tables].filter((table) => !passing.includes(table ?? '')).sort()).to.deep.equal([
      'channel_members',
      'channels',
      'dm_channels',
      'log_entries',
      'messages',
      'storage_usage',
      'streams',
      'users',
    ]);

    const taken = await request(at(1), 'POST', '/api/auth/register', {
      email,
      password: 'correct horse',
      username: leaver.username,
    });
    expect(taken.body.code).to.equal('USERNAME_TAKEN');
    expect((await register(at(1), { email })).id).not.to.equal(leaver.id);
    await query(cluster.databaseUrl, "UPDATE former_names SET kept_until = now() - interval '1 second'");
    expect((await register(at(1), { username: leaver.username })).username).to.equal(leaver.username);
  });

  it('takes what was typed for bots out of their logs, and what could be used once stays used', async () => {
    const { alice, bob, server, channel } = here;
    const leaver = await register(at(0));
    await leaver.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const robot = await botIn(server, alice);
    const options = [
      { type: 'user', name: 'whom' },
      { type: 'text', name: 'why' },
    ];
    await alice.put(`/api/agents/${robot.agentId}/slash-commands`, { commands: [{ name: 'thank', options }] });
    const fields = [{ type: 'text', id: 'word', label: 'Word' }];
    const items = [
      { type: 'button', id: 'first', label: 'Me', uses: 'once' },
      { type: 'form', id: 'ask', label: 'Ask', form: { title: 'Ask', fields } },
    ];
    const { id } = await robot.say(channel.id, '', { components: { items } });
    const use = (who: Person, componentId: string, values?: object) =>
      who.post(`/api/messages/${id}/uses`, { componentId, values });
    expect((await use(leaver, 'first')).status).to.equal(201);
    expect((await use(leaver, 'ask', { word: 'wombat' })).status).to.equal(201);
    expect((await use(bob, 'ask', { word: 'quokka' })).status).to.equal(201);
    const body = { agentId: robot.agentId, command: 'thank', options: { whom: bob.id, why: 'wombat' } };
    expect((await leaver.post(`/api/channels/${channel.id}/commands`, body)).status).to.equal(201);

    expect((await leave(leaver)).status).to.equal(200);
    await finish(cluster.databaseUrl, leaver);

    expect(await placesOf(cluster.databaseUrl, 'wombat')).to.deep.equal([]);
    const told = await query<{ data: Loose }>(
      cluster.databaseUrl,
      "SELECT data FROM log_entries WHERE stream_id = $1 AND event = 'interaction:created' ORDER BY seq",
      [robot.id],
    );
    const nobody = { name: 'thank', resolved: { users: {}, channels: {}, files: {} } };
    expect(told.map(({ data }) => [data.kind, data.values, data.command])).to.deep.equal([
      ['button', {}, null],
      ['form', {}, null],
      ['form', { word: 'quokka' }, null],
      ['command', {}, nobody],
    ]);
    const again = await use(bob, 'first');
    expect([again.status, again.body.code]).to.deep.equal([409, 'COMPONENT_USED']);
    robot.hangUp();
  });

  it('leaves its groups with its bots, in which the others go on', async () => {
    const { bob, carol } = here;
    const leaver = await register(at(0));
    const agent = (await leaver.post('/api/agents', { name: `${leaver.username}bot` })).body;
    const userIds = [bob.id, carol.id, agent.userId];
    const group = (await leaver.post('/api/dm/channels', { userIds })).body;
    const { id } = await leaver.say(group.id, 'goodbye');
    const listener = await bob.connect();
    expect((await leave(leaver)).status).to.equal(200);
    const refused = await bob.post('/api/dm/channels', { userIds: [leaver.id, carol.id] });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'FORBIDDEN']);
    await finish(cluster.databaseUrl, leaver);
    await listener.next('member:left', ({ userId }) => userId === leaver.id);
    const now = (await bob.get(`/api/channels/${group.id}`)).body;
    expect(now.members.map((member: Loose) => member.id).sort()).to.deep.equal([bob.id, carol.id].sort());
    const [message] = await pageOf(bob, group.id);
    expect([message.id, message.author.displayName]).to.deep.equal([id, 'Deleted user']);
    const groups = 'SELECT FROM group_members WHERE user_id = ANY($1::uuid[])';
    expect(await query(cluster.databaseUrl, groups, [[leaver.id, agent.userId]])).to.deep.equal([]);
    await bob.say(group.id, 'we go on');
  });

  it('erases what was written on request, with an event for each, and nothing of others', async () => {
    const { bob, server, channel } = here;
    const leaver = await register(at(0));
    await leaver.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const file = await leaver.upload('secret.txt', new TextEncoder().encode('a secret of the leaver'));
    const root = await leaver.say(channel.id, 'platypus with a file', { attachmentIds: [file.id] });
    const reply = await bob.say(channel.id, 'a reply', { replyToId: root.id });
    await bob.post(`/api/messages/${root.id}/reactions`, { emoji: '👍' });
    const thread = (await bob.post(`/api/messages/${root.id}/thread`, {})).body;
    await leaver.say(channel.id, 'platypus in the thread', { threadId: thread.id });
    const dm = (await leaver.post('/api/dm/channels', { userId: bob.id })).body;
    await leaver.post(`/api/dm/channels/${dm.id}/messages`, { content: 'platypus in private' });
    for (let i = 0; i < 50; i++) await leaver.say(channel.id, `platypus ${i}`);
    const listeners = await Promise.all(cluster.nodes.map((node) => bob.on(node).listen(channel.id)));
    const search = async (node: Node) => (await bob.on(node).get('/api/search/messages?query=platypus')).body;
    const isNamed = ({ content }: Loose) => content.startsWith('platypus');
    // The index follows a moment later, here and after the deletion.
    await until(async () => (await search(at(1))).some(isNamed), { message: 'they are not found' });

    expect((await leave(leaver, { messages: 'erase' })).status).to.equal(200);
    expect((await search(at(1))).some(isNamed)).to.equal(true);
    await finish(cluster.databaseUrl, leaver);

    for (const listener of listeners) {
      await until(() => listener.all('message:deleted').length === 53);
      expect(new Set(listener.all('message:deleted').map(({ id }) => id)).size).to.equal(53);
    }
    for (const node of cluster.nodes) {
      expect(await search(node)).to.deep.equal([]);
      expect(await pageOf(bob.on(node), channel.id)).to.have.lengthOf(1);
      const { body } = await bob.on(node).get(`/api/messages/${reply.id}`);
      expect([body.content, body.replyTo.content, body.replyTo.deleted]).to.deep.equal(['a reply', '', true]);
      expect((await bob.on(node).get(`/api/threads/${thread.id}`)).body.messageCount).to.equal(0);
      expect((await bob.on(node).get(file.url)).status).to.equal(404);
    }
    await until(async () => (await placesOf(cluster.databaseUrl, 'platypus')).length === 0, { message: 'it is left' });
    const log = (await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body;
    const numbers = log.events.map(({ seq }: Loose) => seq);
    expect(numbers).to.deep.equal(numbers.map((_: number, at: number) => numbers[0] + at));
  });
});
