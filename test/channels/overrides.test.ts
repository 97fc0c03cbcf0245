import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { ownRole } from '../world/own-roles.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('an override', () => {
  let here: World;
  let channelId: string;

  beforeEach(async () => {
    here = await world();
    channelId = await here.newChannel('garden');
  });
  afterEach(() => here.close());

  const at = (path: string) => `/api/channels/${channelId}/overrides${path}`;
  const role = (name: string) => at(`/roles/${name}`);
  const user = (person: Person) => at(`/users/${person.id}`);
  const reads = async (person: Person) => (await person.get(`/api/channels/${channelId}/messages`)).status;
  const setRole = (person: Person, name: string) =>
    here.alice.patch(`/api/servers/${here.server.id}/members/${person.id}`, { role: name });

  async function newMember(): Promise<Person> {
    const person = await register(here.bob.node);
    await person.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    return person;
  }

  it('is listed for those who set it, and shown to others as what they may do', async () => {
    const { alice, bob } = here;
    const roleId = await ownRole(here, [bob]);
    const set = await alice.put(role('member'), { deny: ['post', 'attach', 'post'] });
    expect(set.body).to.deep.equal({
      builtIn: 'member',
      roleId: null,
      userId: null,
      allow: [],
      deny: ['post', 'attach'],
    });
    await alice.put(role(roleId), { allow: ['post'], deny: ['react'] });
    await alice.put(user(bob), { allow: ['view'], deny: ['thread'] });
    expect((await alice.get(at(''))).body).to.deep.equal([
      { builtIn: 'member', roleId: null, userId: null, allow: [], deny: ['post', 'attach'] },
      { builtIn: null, roleId, userId: null, allow: ['post'], deny: ['react'] },
      { builtIn: null, roleId: null, userId: bob.id, allow: ['view'], deny: ['thread'] },
    ]);
    expect((await bob.get(at(''))).body.code).to.equal('ROLE_REQUIRED');
    const { permissions } = (await bob.get(`/api/channels/${channelId}`)).body;
    expect(permissions).to.deep.equal(['message:post', 'channel:announce', 'message:skip-slow-mode']);
    const items: Loose[] = (await bob.get(`/api/servers/${here.server.id}/channels`)).body;
    expect(items.find(({ id }) => id === channelId).permissions).to.deep.equal(permissions);
    expect(items.find(({ id }) => id === here.channel.id).permissions).to.include.members([
      'message:post',
      'thread:start',
    ]);
    expect((await alice.delete(role(roleId))).status).to.equal(200);
    expect((await alice.delete(role(roleId))).body.code).to.equal('OVERRIDE_NOT_FOUND');
    expect((await bob.post(`/api/channels/${channelId}/messages`, { content: 'x' })).body.requiredPermission).to.equal(
      'message:post',
    );
  });

  it('gives nothing that its maker does not have, and is set on nobody whom its maker does not outrank', async () => {
    const { alice, bob } = here;
    const [peer, admin] = [await newMember(), await newMember()];
    await setRole(admin, 'admin');
    const mine = await ownRole(here, [bob], { position: 5, permissions: ['channel:override'] });
    const above = await ownRole(here, [peer], { position: 6 });
    const below = await ownRole(here, [], { position: 1 });
    const codeOf = async (path: string, lists: object) => (await bob.put(path, lists)).body.code ?? 'set';
    expect(await codeOf(role(below), { deny: ['post'] })).to.equal('set');
    expect(await codeOf(role(below), { allow: ['post'] })).to.equal('set');
    expect(await codeOf(role(below), { allow: ['manage'] })).to.equal('ROLE_REQUIRED');
    for (const id of [mine, above]) expect(await codeOf(role(id), { deny: ['post'] })).to.equal('ROLE_REQUIRED');
    expect(await codeOf(role('moderator'), { deny: ['post'] })).to.equal('ROLE_REQUIRED');
    for (const person of [peer, admin, alice, bob]) {
      expect(await codeOf(user(person), { deny: ['post'] })).to.equal('ROLE_REQUIRED');
    }
    await alice.put(role('member'), { deny: ['react', 'mentionAll'] });
    // To deny it no longer is to give it.
    expect(await codeOf(role('member'), { deny: ['react'] })).to.equal('ROLE_REQUIRED');
    expect((await alice.put(role('admin'), { deny: ['post'] })).body.code).to.equal('FORBIDDEN');
    expect((await alice.put(role('nobody'), { deny: ['post'] })).body.code).to.equal('ROLE_NOT_FOUND');
    expect((await alice.put(user(here.carol), { deny: ['post'] })).body.code).to.equal('NOT_IN_SERVER');
    expect((await alice.put(role('member'), { allow: ['post'], deny: ['post'] })).body.code).to.equal(
      'VALIDATION_FAILED',
    );
  });

  it('closes a channel to everyone who was not let in, and opens it again', async () => {
    const { alice, bob, cluster } = here;
    await alice.say(channelId, 'planted');
    const ears = await Promise.all(cluster.nodes.map((node) => bob.on(node).listen(channelId)));
    await alice.put(role('member'), { deny: ['view'] });
    expect([await reads(alice), await reads(bob)]).to.deep.equal([200, 404]);
    expect((await alice.get(`/api/channels/${channelId}`)).body.isPrivate).to.equal(true);
    expect((await alice.get(at(''))).body).to.deep.equal([
      { builtIn: 'member', roleId: null, userId: null, allow: [], deny: ['view'] },
    ]);
    await alice.say(channelId, 'whispered');
    await alice.put(role('member'), { allow: ['view'] });
    const last = await alice.say(channelId, 'said aloud');
    for (const ear of ears) {
      await ear.next('channel:member-removed', (event) => event.channelId === channelId);
      await ear.next('channel:member-added', (event) => event.channelId === channelId);
      expect(ear.all('message:new')).to.deep.equal([]);
      const ack = await ear.emit('channel:join', { channelId, after: last.seq - 1 });
      expect(ack.ok).to.equal(true);
    }
    expect(await reads(bob)).to.equal(200);
  });

  it('lets those in and out who get or lose a role, before the answer and on every node', async () => {
    const { alice, bob, cluster } = here;
    await alice.put(role('member'), { deny: ['view'] });
    await alice.put(role('moderator'), { allow: ['view'] });
    await alice.say(channelId, 'for moderators');
    const everywhere = cluster.nodes.map((node) => bob.on(node));
    const ears = await Promise.all(everywhere.map((one) => one.connect()));
    await setRole(bob, 'moderator');
    for (const one of everywhere) expect(await reads(one)).to.equal(200);
    for (const ear of ears) {
      await ear.next('channel:member-added', (event) => event.channel.id === channelId);
      expect((await ear.emit('channel:join', { channelId })).ok).to.equal(true);
    }
    const items: Loose[] = (await bob.get(`/api/servers/${here.server.id}/channels`)).body;
    expect(items.find(({ id }) => id === channelId)).to.include({ isMember: true, unreadCount: 0 });
    await setRole(bob, 'member');
    for (const one of everywhere) expect(await reads(one)).to.equal(404);
    await alice.say(channelId, 'without bob');
    for (const ear of ears) {
      await ear.next('channel:member-removed', (event) => event.channelId === channelId);
      expect(ear.all('message:new')).to.deep.equal([]);
    }
  });

  it('keeps a person out for good, also one who leaves the server and returns, until someone lets them in', async () => {
    const { alice, bob } = here;
    const members = `/api/channels/${channelId}/members`;
    const ear = await bob.listen(channelId);
    await alice.put(user(bob), { deny: ['view'] });
    await alice.say(channelId, 'about bob');
    expect(await reads(bob)).to.equal(404);
    expect((await bob.post(members, { userId: bob.id })).status).to.equal(404);
    await bob.post(`/api/servers/${here.server.id}/leave`);
    await bob.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    expect(await reads(bob)).to.equal(404);
    expect((await alice.post(members, { userId: bob.id })).status).to.equal(201);
    expect(await reads(bob)).to.equal(200);
    expect((await alice.get(at(''))).body).to.deep.equal([
      { builtIn: null, roleId: null, userId: bob.id, allow: ['view'], deny: [] },
    ]);
    expect(ear.all('message:new')).to.deep.equal([]);
  });

  it('takes the bots of those along whom it takes out of a private channel', async () => {
    const { alice, bob } = here;
    await alice.put(role('member'), { deny: ['view'] });
    await setRole(bob, 'moderator');
    await alice.put(role('moderator'), { allow: ['view'] });
    const bot = await botIn(here.server, bob);
    expect((await bob.post(`/api/channels/${channelId}/members`, { userId: bot.id })).status).to.equal(201);
    expect(await reads(bot)).to.equal(200);
    await alice.put(role('moderator'), {});
    expect([await reads(bob), await reads(bot)]).to.deep.equal([404, 404]);
    expect((await alice.put(user(bot), { deny: ['view'] })).body.code).to.equal('FORBIDDEN');
  });

  it('is in effect at once for a role of very many, whom jobs then tell', async () => {
    const { alice, bob, cluster, server } = here;
    const roleId = await ownRole(here, [bob]);
    await withRows(cluster.databaseUrl, async (rows) => {
      const made = await rows<{ id: string }>(
        `INSERT INTO users (id, username, username_key, name_skeleton, display_name, tier, is_bot, created_at, updated_at)
         SELECT id, id::text, id::text, id::text, 'x', 'member', false, now(), now()
         FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 300)) AS given RETURNING id`,
      );
      const ids = made.map(({ id }) => id);
      await rows(
        `INSERT INTO server_members (server_id, user_id, role, joined_at) SELECT $1, unnest($2::uuid[]), 'member', now()`,
        [server.id, ids],
      );
      await rows("INSERT INTO streams (id, kind) SELECT unnest($1::uuid[]), 'user'", [ids]);
      await rows('INSERT INTO member_roles (role_id, user_id, server_id) SELECT $1, unnest($2::uuid[]), $3', [
        roleId,
        ids,
        server.id,
      ]);
    });
    const ear = await bob.listen(channelId);
    await alice.put(role(roleId), { deny: ['view'] });
    expect(await reads(bob)).to.equal(404);
    await alice.say(channelId, 'without them');
    await ear.next('channel:member-removed', (event) => event.channelId === channelId);
    expect(ear.all('message:new')).to.deep.equal([]);
    const told = `SELECT count(*)::int AS count FROM log_entries WHERE event = $1 AND data ->> 'channelId' = $2`;
    const count = async (event: string, id: string) =>
      (await query<{ count: number }>(cluster.databaseUrl, told, [event, id]))[0]?.count;
    const areTold = (event: string, id: string) =>
      until(async () => (await count(event, id)) === 301, { message: `Not everyone got ${event}` });
    await areTold('channel:member-removed', channelId);
    // Without the role they are back here, and out of what it opened: of both the same jobs tell them.
    const vault = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'vault', isPrivate: true })).body.id;
    await alice.put(`/api/channels/${vault}/overrides/roles/${roleId}`, { allow: ['view'] });
    await areTold('channel:member-added', vault);
    expect((await alice.delete(`/api/servers/${server.id}/roles/${roleId}`)).status).to.equal(200);
    expect(await reads(bob)).to.equal(200);
    await areTold('channel:member-added', channelId);
    await areTold('channel:member-removed', vault);
  });
});
