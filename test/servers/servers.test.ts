import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Loose, request } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const slug = () => `s-${randomBytes(5).toString('hex')}`;

describe('servers', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  it('can be changed by their admins, and every member hears of it', async () => {
    const { alice, bob, server } = here;
    const ear = await bob.connect();
    const homepageHtml = '<h1>Home</h1>';
    const change = { name: 'New', description: 'About', slug: slug(), homepageHtml, isPublic: true };
    const changed = await alice.patch(`/api/servers/${server.slug}`, change);
    expect(changed.status).to.equal(200);
    expect(changed.body).to.include({ ...change, id: server.id, role: 'owner' });
    const heard = await ear.next('server:updated');
    const { permissions } = heard.server;
    expect(permissions).to.include('server:invite').and.not.include('server:update');
    expect(heard.server).to.deep.equal({ ...changed.body, role: 'member', permissions });
    expect((await bob.get(`/api/servers/${change.slug}`)).body).to.deep.equal(heard.server);
  });

  it('show no more home pages in a list than fit into one answer', async () => {
    const { alice } = here;
    const homepageHtml = 'x'.repeat(256 * 1024);
    const name = `Long ${slug()}`;
    const made: string[] = [];
    while (made.length < 6) {
      const { body } = await alice.post('/api/servers', { name, homepageHtml, isPublic: true });
      made.push(body.id);
    }
    const own = (await alice.get('/api/servers')).body;
    const found = (await alice.get(`/api/servers/discover?query=${encodeURIComponent(name)}`)).body;
    for (const list of [own, found]) {
      const listed = list.filter((server: { name: string }) => server.name === name);
      const pages = listed.map((server: { homepageHtml: string | null }) => server.homepageHtml);
      expect(listed).to.have.length(6);
      expect(pages.slice(0, 4)).to.deep.equal(Array(4).fill(homepageHtml));
      expect(pages.slice(4)).to.deep.equal([null, null]);
    }
    expect((await alice.get(`/api/servers/${made.at(-1)}`)).body.homepageHtml).to.equal(homepageHtml);
  });

  it('take null to clear a field and leave out what is not named', async () => {
    const { alice, server } = here;
    await alice.patch(`/api/servers/${server.id}`, { description: 'About' });
    const { body } = await alice.patch(`/api/servers/${server.id}`, { slug: null });
    expect(body).to.include({ slug: null, description: 'About', name: 'Home' });
  });

  it('keep slugs unique, and refuse those that do not fit', async () => {
    const { alice, server } = here;
    const other = (await alice.post('/api/servers', { name: 'Other', slug: slug() })).body;
    expect((await alice.patch(`/api/servers/${server.id}`, { slug: other.slug })).body.code).to.equal('SLUG_TAKEN');
    for (const bad of [
      'Upper',
      'with space',
      'discover',
      'invite',
      'join-requests',
      '_',
      '-x',
      other.id,
      // What has the form of an id is looked for among the ids, also where nothing makes such ones.
      '12345678-1234-1234-1234-123456789abc',
      'é',
      'a'.repeat(101),
    ]) {
      const { status, body } = await alice.patch(`/api/servers/${server.id}`, { slug: bad });
      expect([status, body.code], bad).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
  });

  it('are found by anyone when they are public, those with the most members first', async () => {
    const { alice, bob, carol, server } = here;
    const word = slug();
    const small = (await carol.post('/api/servers', { name: `${word} small`, isPublic: true })).body;
    await alice.patch(`/api/servers/${server.id}`, { name: `${word} large`, isPublic: true });
    const found = await request(alice.node, 'GET', `/api/servers/discover?query=${word.toUpperCase()}`);
    expect(found.status).to.equal(200);
    expect(found.body.map((one: { id: string }) => one.id)).to.deep.equal([server.id, small.id]);
    expect(found.body[0]).to.not.have.any.keys('inviteCode', 'ownerId');
    expect(found.body[0]).to.include({ memberCount: 2, role: null });
    for (const [token, role] of [
      [bob.token, 'member'],
      [carol.token, null],
      ['not.a.token', null],
    ] as const) {
      const headers = { authorization: `Bearer ${token}` };
      for (const path of [`discover?query=${word}`, `invite/${server.inviteCode}`]) {
        const { status, body } = await request(alice.node, 'GET', `/api/servers/${path}`, undefined, headers);
        const shown = [body].flat()[0];
        expect([status, shown.id, shown.role], path).to.deep.equal([200, server.id, role]);
        expect(shown).to.not.have.any.keys('inviteCode', 'ownerId');
      }
    }
    const second = await request(alice.node, 'GET', `/api/servers/discover?query=${word}&limit=1&offset=1`);
    expect(second.body.map((one: { id: string }) => one.id)).to.deep.equal([small.id]);
    await alice.patch(`/api/servers/${server.id}`, { isPublic: false });
    const after = await request(bob.node, 'GET', `/api/servers/discover?query=${word}`);
    expect(after.body.map((one: { id: string }) => one.id)).to.deep.equal([small.id]);
    for (const bad of ['limit=0', 'limit=101', 'offset=-1', 'limit=x']) {
      expect((await request(bob.node, 'GET', `/api/servers/discover?${bad}`)).status, bad).to.equal(400);
    }
    expect((await request(bob.node, 'GET', '/api/servers/discover?query=%25')).status).to.equal(200);
  });

  it('show a public server to strangers, with its open channels and nothing more', async () => {
    const { alice, carol, server, channel } = here;
    expect((await carol.get(`/api/servers/${server.id}`)).status).to.equal(404);
    expect((await carol.get(`/api/servers/${server.id}/channels`)).status).to.equal(404);
    await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true });
    await alice.say(channel.id, 'not for strangers');
    await alice.patch(`/api/servers/${server.id}`, { isPublic: true });
    const seen = await carol.get(`/api/servers/${server.id}`);
    expect(seen.body).to.not.have.any.keys('inviteCode', 'ownerId');
    const channels = (await carol.get(`/api/servers/${server.id}/channels`)).body;
    expect(channels).to.have.length(1);
    expect(channels[0]).to.include({ name: 'general', isMember: false, lastMessagePreview: null, unreadCount: 0 });
    expect((await carol.get(`/api/channels/${channel.id}/messages`)).body.code).to.equal('NOT_A_MEMBER');
    expect((await carol.get(`/api/channels/${channel.id}/members`)).body.code).to.equal('NOT_A_MEMBER');
    expect((await carol.get(`/api/servers/${server.id}/members`)).body.code).to.equal('NOT_A_MEMBER');
    expect((await carol.post(`/api/channels/${channel.id}/messages`, { content: 'x' })).status).to.equal(403);
    const ear = await carol.connect();
    expect((await ear.emit('channel:join', { channelId: channel.id })).code).to.equal('NOT_A_MEMBER');
  });

  it('give new invite codes, and the old ones lead nowhere from then on', async () => {
    const { alice, bob, carol, server } = here;
    const ear = await bob.connect();
    const old = await request(alice.node, 'GET', `/api/servers/invite/${server.inviteCode}`);
    expect(old.body).to.include({ id: server.id, memberCount: 2 });
    expect(old.body).to.not.have.any.keys('inviteCode', 'ownerId');
    const { status, body } = await alice.post(`/api/servers/${server.slug}/invite/regenerate`);
    expect(status).to.equal(200);
    expect(body.inviteCode).to.be.a('string').that.is.not.equal(server.inviteCode);
    expect((await ear.next('server:updated')).server.inviteCode).to.equal(body.inviteCode);
    expect((await request(alice.node, 'GET', `/api/servers/invite/${server.inviteCode}`)).status).to.equal(404);
    const stale = await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    expect(stale.status).to.equal(404);
    expect((await carol.post('/api/servers/_/join', { inviteCode: body.inviteCode })).status).to.equal(200);
  });

  it('need their code to be joined when they are private', async () => {
    const { alice, bob, carol, server } = here;
    expect((await carol.post(`/api/servers/${server.id}/join`)).body.code).to.equal('INVITE_CODE_REQUIRED');
    expect((await carol.post(`/api/servers/${server.id}/join`, { inviteCode: 'wrong' })).status).to.equal(404);
    const other = (await carol.post('/api/servers', { name: 'Other' })).body;
    const astray = await carol.post(`/api/servers/${server.id}/join`, { inviteCode: other.inviteCode });
    expectError(astray, 'SERVER_NOT_FOUND');
    expect((await carol.get(`/api/servers/${server.id}`)).status).to.equal(404);
    const again = await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    expect(again.body).to.include({ code: 'ALREADY_MEMBER' });
    expect(again.body.server.id).to.equal(server.id);
    for (const body of [{}, { inviteCode: 'wrong' }]) {
      expect((await bob.post(`/api/servers/${server.id}/join`, body)).body.code).to.equal('ALREADY_MEMBER');
    }
    const ear = await alice.listen(here.channel.id);
    const own = await carol.connect();
    const joined = await carol.post(`/api/servers/${server.slug}/join`, { inviteCode: server.inviteCode });
    expect(joined.body).to.include({ id: server.id, role: 'member', memberCount: 3 });
    expect((await ear.next('member:joined')).userId).to.equal(carol.id);
    const { ok, success, status, channelId, ...record } = joined.body;
    expect([ok, success, status, channelId]).to.deep.equal([true, true, 'joined', null]);
    const told = await own.next('server:joined');
    expect(told).to.deep.include({ serverId: record.id, serverName: record.name, server: record });
  });

  it('count a join once, however often it is asked for at the same time on two nodes', async () => {
    const { alice, carol, cluster, server } = here;
    const nodes = Array.from({ length: 8 }, (_, i) => carol.on(cluster.nodes[i % cluster.nodes.length] ?? carol.node));
    const code = { inviteCode: server.inviteCode };
    const answers = await Promise.all(nodes.map((one) => one.post(`/api/servers/${server.id}/join`, code)));
    expect(answers.map((answer) => answer.status).sort()).to.deep.equal([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await alice.get(`/api/servers/${server.id}`)).body.memberCount).to.equal(3);
  });

  it('list their members in pages', async () => {
    const { alice, bob, carol, server, channel } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const all = await bob.get(`/api/servers/${server.id}/members`);
    const ids = all.body.map((member: { userId: string }) => member.userId);
    expect(ids).to.have.members([alice.id, bob.id, carol.id]);
    expect(all.headers.get('x-has-more')).to.equal('false');
    expect(all.body.find((member: { userId: string }) => member.userId === alice.id)).to.include({ role: 'owner' });
    const first = await bob.get(`/api/servers/${server.id}/members?limit=2`);
    expect(first.headers.get('x-has-more')).to.equal('true');
    const rest = await bob.get(`/api/servers/${server.id}/members?limit=2&cursor=${first.body[1].userId}`);
    expect([...first.body, ...rest.body]).to.deep.equal(all.body);
    for (const path of [`/api/servers/${server.id}/members`, `/api/channels/${channel.id}/members`]) {
      for (const cursor of ['x', '']) expectError(await bob.get(`${path}?cursor=${cursor}`), 'INVALID_CURSOR');
    }
  });

  it('are handed over by their owner, who becomes an admin', async () => {
    const { alice, bob, carol, server } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const [ear, other] = [await alice.connect(), await carol.connect()];
    expect((await alice.post(`/api/servers/${server.id}/leave`)).body.code).to.equal('OWNER_CANNOT_LEAVE');
    const handed = await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'owner' });
    expect(handed.body).to.include({ userId: bob.id, role: 'owner' });
    expect((await alice.get(`/api/servers/${server.id}`)).body).to.include({ role: 'admin', ownerId: bob.id });
    await ear.next('server:updated', ({ server: now }) => now.role === 'admin' && now.ownerId === bob.id);
    await other.next('server:updated', ({ server: now }) => now.role === 'member' && now.ownerId === bob.id);
    expect((await alice.delete(`/api/servers/${server.id}`)).body.code).to.equal('ROLE_REQUIRED');
    expect((await alice.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
    expect((await bob.post(`/api/servers/${server.id}/leave`)).body.code).to.equal('OWNER_CANNOT_LEAVE');
  });

  it('have one owner, whoever hands them over to whom at once', async () => {
    const { alice, bob, carol, server } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    await Promise.all([
      alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'owner' }),
      alice.on(bob.node).patch(`/api/servers/${server.id}/members/${carol.id}`, { role: 'owner' }),
    ]);
    const members = (await carol.get(`/api/servers/${server.id}/members`)).body;
    const owners = members.filter((member: { role: string }) => member.role === 'owner');
    expect(owners).to.have.length(1);
    expect((await carol.get(`/api/servers/${server.id}`)).body.ownerId).to.equal(owners[0].userId);
  });

  it('are gone for everyone when they are deleted', async () => {
    const { alice, bob, server, channel } = here;
    const message = await alice.say(channel.id, 'soon gone');
    const bot = await botIn(server, bob);
    const [ear, botEar] = [await bob.listen(channel.id), await bot.connect()];
    expect((await bob.delete(`/api/servers/${server.id}`)).body.code).to.equal('ROLE_REQUIRED');
    expect((await alice.delete(`/api/servers/${server.slug}`)).body).to.include({ ok: true, success: true });
    expect((await ear.next('server:deleted')).serverId).to.equal(server.id);
    expect((await botEar.next('server:deleted')).serverId).to.equal(server.id);
    bot.hangUp();
    for (const person of [alice, bob]) {
      for (const path of [`servers/${server.id}`, `channels/${channel.id}`, `messages/${message.id}`]) {
        expect((await person.get(`/api/${path}`)).status, path).to.equal(404);
      }
      expect((await person.get('/api/servers')).body).to.deep.equal([]);
      expect((await person.post(`/api/channels/${channel.id}/messages`, { content: 'x' })).status).to.equal(404);
    }
    expect((await ear.emit('channel:join', { channelId: channel.id })).code).to.equal('CHANNEL_NOT_FOUND');
    expect((await alice.post('/api/servers', { name: 'Again', slug: server.slug })).status).to.equal(201);
  });

  it('can be found by slug wherever an id is taken', async () => {
    const { alice, bob, server } = here;
    const at = `/api/servers/${server.slug}`;
    expect((await bob.get(at)).body.id).to.equal(server.id);
    expect((await bob.get(`${at}/members`)).body).to.have.length(2);
    expect((await bob.get(`${at}/channels`)).body).to.have.length(1);
    expect((await bob.get(`${at}/access`)).body).to.include({ isMember: true, canAccess: true, canManage: false });
    expect((await alice.post(`${at}/channels`, { name: 'more' })).status).to.equal(201);
    expect((await bob.get('/api/servers/no-such-slug')).body.code).to.equal('SERVER_NOT_FOUND');
    expect((await bob.get('/api/servers/%F0%9F%92%A9')).body.code).to.equal('SERVER_NOT_FOUND');
  });

  it('invite others, who hear where to join', async () => {
    const { bob, carol, server } = here;
    const ear = await carol.connect();
    expect((await bob.post(`/api/servers/${server.id}/invite-member`, { userId: carol.id })).status).to.equal(200);
    const invitation = await ear.next('server:invited');
    expect(invitation.inviteCode).to.equal(server.inviteCode);
    expect((await carol.post('/api/servers/_/join', { inviteCode: invitation.inviteCode })).status).to.equal(200);
    const again = await bob.post(`/api/servers/${server.id}/invite-member`, { userId: carol.id });
    expect(again.body.code).to.equal('ALREADY_MEMBER');
  });

  it('are neither owned by bots nor for bots to be invited to', async () => {
    const { alice, bob, server } = here;
    const robot = await botIn(server, alice);
    const seat = `/api/servers/${server.id}/members/${robot.id}`;
    expectError(await alice.patch(seat, { role: 'owner' }), 'FORBIDDEN');
    expect((await bob.get(`/api/servers/${server.id}`)).body.ownerId).to.equal(alice.id);
    const own = (await bob.post('/api/servers', { name: 'Away' })).body;
    const ear = await robot.connect();
    expectError(await bob.post(`/api/servers/${own.id}/invite-member`, { userId: robot.id }), 'FORBIDDEN');
    expect(ear.all('server:invited')).to.deep.equal([]);
    robot.hangUp();
  });

  it('invite nobody who has blocked the one who does it', async () => {
    const { alice, bob, server } = here;
    const dora = await register(bob.node);
    const ear = await dora.connect();
    await dora.put(`/api/friends/blocks/${bob.id}`);
    const refused = await bob.post(`/api/servers/${server.id}/invite-member`, { userId: dora.id });
    expect(refused.body.code).to.equal('USER_NOT_FOUND');
    expect((await alice.post(`/api/servers/${server.id}/invite-member`, { userId: dora.id })).status).to.equal(200);
    expect((await ear.next('server:invited')).invitedBy.id).to.equal(alice.id);
    dora.hangUp();
  });

  it('invite those who are away, who find the way in among their notifications', async () => {
    const { bob, server } = here;
    const dora = await register(bob.node);
    expect((await bob.post(`/api/servers/${server.id}/invite-member`, { userId: dora.id })).status).to.equal(200);
    await until(async () => (await dora.get('/api/notifications')).body.length === 1);
    const [notice] = (await dora.get('/api/notifications')).body;
    expect(notice).to.include({ kind: 'server.invite', serverId: server.id, body: server.inviteCode });
    expect((await dora.post(`/api/servers/${server.id}/join`, { inviteCode: notice.body })).status).to.equal(200);
  });

  it('let people in who ask, when an admin agrees', async () => {
    const { alice, bob, carol, server } = here;
    const [admin, asker] = [await alice.connect(), await carol.connect()];
    const before = (await carol.get(`/api/servers/${server.id}/access`)).body;
    expect(before).to.deep.include({ server: { id: server.id, isPublic: false }, isMember: false, canAccess: false });
    expect(before).to.include({ requiresApproval: true, joinRequestStatus: null });
    const asked = await carol.post(`/api/servers/${server.id}/join-requests`);
    expect([asked.status, asked.body.status]).to.deep.equal([202, 'pending']);
    expect((await carol.post(`/api/servers/${server.id}/join-requests`)).body).to.deep.equal(asked.body);
    expect((await admin.next('join-request:created')).request.userId).to.equal(carol.id);
    const at = `/api/servers/join-requests/${asked.body.requestId}`;
    expect((await bob.patch(at, { status: 'approved' })).body.code).to.equal('JOIN_REQUEST_NOT_FOUND');
    expect((await carol.patch(at, { status: 'approved' })).body.code).to.equal('ROLE_REQUIRED');
    expect((await alice.get(`/api/servers/${server.id}/join-requests`)).body).to.have.length(1);
    expect((await alice.patch(at, { status: 'rejected' })).body.status).to.equal('rejected');
    expect((await asker.next('join-request:decided')).request.status).to.equal('rejected');
    expect((await alice.patch(at, { status: 'approved' })).body.code).to.equal('JOIN_REQUEST_DECIDED');
    await carol.post(`/api/servers/${server.id}/join-requests`);
    expect((await alice.patch(at, { status: 'approved' })).status).to.equal(200);
    await asker.next('server:joined');
    await asker.next('join-request:decided', ({ request }) => request.status === 'approved');
    expect(asker.all('join-request:decided')).to.have.length(2);
    expect((await carol.get(`/api/servers/${server.id}`)).body.role).to.equal('member');
    expect((await carol.post(`/api/servers/${server.id}/join-requests`)).body.code).to.equal('ALREADY_MEMBER');
  });

  it('are asked for only as long as the asker is outside: who came in by an invite and left again is not let in', async () => {
    const { alice, carol, server } = here;
    const statusOf = async () => (await carol.get(`/api/servers/${server.id}/access`)).body.joinRequestStatus;
    const pending = async () => (await alice.get(`/api/servers/${server.id}/join-requests`)).body;
    const [admin, asker] = await Promise.all([alice.connect(), carol.connect()]);
    const { requestId } = (await carol.post(`/api/servers/${server.id}/join-requests`)).body;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    for (const ear of [admin, asker]) {
      const { request } = await ear.next('join-request:decided');
      expect(request).to.include({ id: requestId, userId: carol.id, status: 'approved' });
    }
    expect([await statusOf(), await pending()]).to.deep.equal(['approved', []]);
    const channel = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'p', isPrivate: true })).body;
    expect((await carol.post(`/api/channels/${channel.id}/join-requests`)).status).to.equal(202);
    await carol.post(`/api/servers/${server.id}/leave`);
    expect([await statusOf(), await pending()]).to.deep.equal([null, []]);
    const late = await alice.patch(`/api/servers/join-requests/${requestId}`, { status: 'approved' });
    expect([late.status, (await carol.get(`/api/servers/${server.id}`)).status]).to.deep.equal([404, 404]);
    expect((await carol.post(`/api/servers/${server.id}/join-requests`)).body.status).to.equal('pending');
    expect(await pending()).to.have.length(1);
  });

  it('are asked for one by one: who is let into one, or leaves it, still asks for the others, as others do for it', async () => {
    const { alice, bob, carol, server } = here;
    const dora = await register(bob.node);
    const other = (await bob.post('/api/servers', { name: 'Other' })).body;
    for (const [who, { id }] of [
      [carol, server],
      [carol, other],
      [dora, server],
    ] as const) {
      expect((await who.post(`/api/servers/${id}/join-requests`)).status).to.equal(202);
    }
    const waiting = async () => {
      const lists = [await alice.get(`/api/servers/${server.id}/join-requests`)];
      lists.push(await bob.get(`/api/servers/${other.id}/join-requests`));
      return lists.map(({ body }) => body.map(({ userId }: { userId: string }) => userId));
    };
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    expect(await waiting()).to.deep.equal([[dora.id], [carol.id]]);
    expect((await carol.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
    expect(await waiting()).to.deep.equal([[dora.id], [carol.id]]);
    expect((await carol.get(`/api/servers/${other.id}/access`)).body.joinRequestStatus).to.equal('pending');
    expect((await alice.get(`/api/servers/${server.id}/access`)).body).to.include({ isMember: true, canAccess: true });
  });

  it('refuse names and texts that do not fit', async () => {
    const { alice, server } = here;
    const bad = [
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'a\u0000b' },
      { description: 'x'.repeat(1025) },
      { isPublic: 'yes' },
      { iconUrl: 'javascript:alert(1)' },
      { bannerUrl: 'http://example.com/wide.png' },
      { homepageHtml: 'x'.repeat(256 * 1024 + 1) },
    ];
    for (const change of bad) {
      const { status } = await alice.patch(`/api/servers/${server.id}`, change);
      expect(status, JSON.stringify(change).slice(0, 60)).to.equal(400);
    }
    const stranger = await register(alice.node);
    expect((await stranger.patch(`/api/servers/${server.id}`, { name: 'x' })).status).to.equal(404);
  });

  it('show one member to the others', async () => {
    const { alice, bob, carol, server } = here;
    const all = (await alice.get(`/api/servers/${server.id}/members`)).body;
    const one = await alice.get(`/api/servers/${server.id}/members/${bob.id}`);
    expect(one.body).to.deep.equal(all.find(({ userId }: Loose) => userId === bob.id));
    expect((await bob.get(`/api/servers/${server.id}/members/${alice.id}`)).body.role).to.equal('owner');
    expect((await alice.get(`/api/servers/${server.id}/members/${carol.id}`)).body.code).to.equal('MEMBER_NOT_FOUND');
    expect((await carol.get(`/api/servers/${server.id}/members/${bob.id}`)).status).to.be.oneOf([403, 404]);
  });
});
