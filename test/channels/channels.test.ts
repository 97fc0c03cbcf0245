import { expect } from 'chai';
import { botIn } from '../world/bot.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('channels', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const create = async (body: object): Promise<Loose> => {
    const answer = await here.alice.post(`/api/servers/${here.server.id}/channels`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const names = (channels: Loose) => channels.map((channel: Loose) => channel.name);

  it('are made with a type and a topic under both names, and everyone hears of them', async () => {
    const { bob, server } = here;
    const ear = await bob.connect();
    const text = await create({ name: 'plans', topic: 'what next' });
    expect(text).to.include({
      type: 'text',
      description: 'what next',
      topic: 'what next',
      position: 1,
      kind: 'server',
    });
    expect(text).to.include({ serverId: server.id, isPrivate: false, isArchived: false, isMember: true });
    const voice = await create({ name: 'talk', type: 'voice', description: 'aloud' });
    expect(voice).to.include({ type: 'voice', topic: 'aloud', position: 2 });
    expect((await ear.next('channel:created', ({ channel }) => channel.id === voice.id)).channel.name).to.equal('talk');
    expect(names((await bob.get(`/api/servers/${server.id}/channels`)).body)).to.deep.equal([
      'general',
      'plans',
      'talk',
    ]);
  });

  it('refuse what does not fit', async () => {
    const { alice, server } = here;
    const bad = [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'x', type: 'stage' }, { name: 'x', topic: 5 }];
    for (const body of [...bad, { name: 'x', description: 'x'.repeat(1025) }, { name: '\ud800' }]) {
      const { status } = await alice.post(`/api/servers/${server.id}/channels`, body);
      expect(status, JSON.stringify(body).slice(0, 60)).to.equal(400);
    }
  });

  it('are renamed and described, and those in them hear of it', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const changed = await alice.patch(`/api/channels/${channel.id}`, { name: 'lobby', description: 'hello' });
    expect(changed.body).to.include({ name: 'lobby', description: 'hello', topic: 'hello' });
    const { channel: told, ...flat } = await ear.next('channel:updated');
    expect(told).to.include({ id: channel.id, name: 'lobby', topic: 'hello' });
    const { id, type, serverId } = told;
    expect(flat).to.deep.include({ id, name: 'lobby', type, serverId });
    expect((await alice.patch(`/api/channels/${channel.id}`, { topic: null })).body.description).to.equal(null);
    expect((await alice.patch(`/api/channels/${channel.id}`, { name: '' })).status).to.equal(400);
  });

  it('let only admins post where they announce', async () => {
    const { alice, bob, server } = here;
    const news = await create({ name: 'news', type: 'announcement' });
    const send = () => bob.post(`/api/channels/${news.id}/messages`, { content: 'me too' });
    expect((await send()).body.code).to.equal('ROLE_REQUIRED');
    const message = await alice.say(news.id, 'news');
    expect((await bob.get(`/api/channels/${news.id}/messages`)).body.messages).to.have.length(1);
    const emoji = { emoji: '🎉' };
    expect((await bob.post(`/api/messages/${message.id}/reactions`, emoji)).status).to.equal(201);
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'admin' });
    expect((await send()).status).to.equal(201);
  });

  it('are put in order by ids or by positions', async () => {
    const { alice, bob, server, channel } = here;
    const [a, b, c] = [await create({ name: 'a' }), await create({ name: 'b' }), await create({ name: 'c' })];
    const ear = await bob.listen(channel.id, a.id, b.id, c.id);
    const order = (body: object) => alice.patch(`/api/servers/${server.slug}/channels/positions`, body);
    const first = await order({ channelIds: [c.id, a.id, channel.id, b.id] });
    expect(names(first.body)).to.deep.equal(['c', 'a', 'general', 'b']);
    expect(first.body.map((one: Loose) => one.position)).to.deep.equal([0, 1, 2, 3]);
    expect(names((await bob.get(`/api/servers/${server.id}/channels`)).body)).to.deep.equal(['c', 'a', 'general', 'b']);
    expect((await ear.next('channel:updated', (event) => event.channel.id === c.id)).channel.position).to.equal(0);
    expect(names((await order({ channelIds: [b.id] })).body)).to.deep.equal(['b', 'c', 'a', 'general']);
    const positions = [
      { id: channel.id, position: 0 },
      { id: b.id, position: 3 },
    ];
    expect(names((await order({ positions })).body)).to.deep.equal(['general', 'c', 'a', 'b']);
    const foreign = (await alice.post('/api/servers', { name: 'Other' })).body;
    const [elsewhere] = (await alice.get(`/api/servers/${foreign.id}/channels`)).body;
    expect((await order({ channelIds: [elsewhere.id] })).body.code).to.equal('CHANNEL_NOT_FOUND');
    expect((await order({})).status).to.equal(400);
    expect((await order({ channelIds: ['x'] })).status).to.equal(400);
  });

  it('keep an order that someone meant when several put them in order at once', async () => {
    const { alice, server, channel, cluster } = here;
    const ids = [channel.id, (await create({ name: 'a' })).id, (await create({ name: 'b' })).id];
    const wishes = [ids, [...ids].reverse(), [ids[1], ids[2], ids[0]]];
    await Promise.all(
      wishes.map((channelIds, i) =>
        alice
          .on(cluster.nodes[i % cluster.nodes.length] ?? alice.node)
          .patch(`/api/servers/${server.id}/channels/positions`, { channelIds }),
      ),
    );
    const { body } = await alice.get(`/api/servers/${server.id}/channels`);
    expect(wishes).to.deep.include(body.map((one: Loose) => one.id));
    expect(body.map((one: Loose) => one.position)).to.deep.equal([0, 1, 2]);
  });

  it('are archived: still readable, closed to everything new, and brought back', async () => {
    const { alice, bob, server, channel } = here;
    const message = await bob.say(channel.id, 'before');
    const ear = await bob.listen(channel.id);
    expect((await alice.post(`/api/channels/${channel.id}/archive`)).body.isArchived).to.equal(true);
    expect((await ear.next('channel:updated')).channel.isArchived).to.equal(true);
    expect((await bob.get(`/api/servers/${server.id}/channels`)).body).to.deep.equal([]);
    expect(names((await bob.get(`/api/servers/${server.id}/channels/archived`)).body)).to.deep.equal(['general']);
    expect((await bob.get(`/api/channels/${channel.id}/messages`)).body.messages).to.have.length(1);
    const refused = [
      bob.post(`/api/channels/${channel.id}/messages`, { content: 'x' }),
      bob.patch(`/api/messages/${message.id}`, { content: 'x' }),
      bob.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' }),
      alice.put(`/api/channels/${channel.id}/pins/${message.id}`),
      bob.post(`/api/messages/${message.id}/thread`),
    ];
    for (const answer of await Promise.all(refused)) expect(answer.body.code).to.equal('CHANNEL_ARCHIVED');
    expect((await alice.post(`/api/channels/${channel.id}/unarchive`)).body.isArchived).to.equal(false);
    expect((await bob.post(`/api/channels/${channel.id}/messages`, { content: 'after' })).status).to.equal(201);
  });

  it('are told of when they are brought back, also to those who came meanwhile and to bots in them', async () => {
    const { alice, bob, carol, server, channel } = here;
    const secret = await create({ name: 'secret', isPrivate: true });
    const robot = await botIn(server, alice);
    for (const { id } of [channel, secret]) await alice.post(`/api/channels/${id}/archive`);
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const [own, ear, owner] = [await carol.connect(), await robot.connect(), await alice.connect()];
    expect(ear.all('channel:member-added')).to.deep.equal([]);
    for (const { id } of [secret, channel, channel]) await alice.post(`/api/channels/${id}/unarchive`);
    const told = await own.next('channel:created');
    expect(told.channel).to.include({ id: channel.id, isArchived: false });
    const again = await ear.next('channel:member-added');
    expect(again).to.include({ channelId: channel.id, serverId: server.id, existing: true });
    await owner.next('channel:created', (data) => data.channel.id === channel.id);
    expect(owner.all('channel:created').map((data) => data.channel.id)).to.deep.equal([secret.id, channel.id]);
    // Only bots join what they are told of by this; whoever made a private one is in it like them.
    expect(owner.all('channel:member-added')).to.deep.equal([]);
    for (const who of [bob, carol, robot]) {
      const { events }: Loose = (await who.get('/api/events?after=0')).body;
      expect(events.filter(({ data }: Loose) => data.channel?.id === secret.id)).to.deep.equal([]);
    }
    robot.hangUp();
  });

  it('are gone for everyone when they are deleted, after a last event', async () => {
    const { alice, bob, server } = here;
    const doomed = await create({ name: 'doomed' });
    const message = await bob.say(doomed.id, 'last words');
    const thread = (await bob.post(`/api/messages/${message.id}/thread`)).body;
    const ear = await bob.listen(doomed.id);
    const poll = bob.get(`/api/channels/${doomed.id}/events?after=999&wait=20`);
    expect((await alice.delete(`/api/channels/${doomed.id}`)).body).to.include({ ok: true, success: true });
    expect(await ear.next('channel:deleted')).to.include({ id: doomed.id, channelId: doomed.id, serverId: server.id });
    await poll;
    for (const path of [`channels/${doomed.id}`, `channels/${doomed.id}/messages`, `messages/${message.id}`]) {
      expect((await bob.get(`/api/${path}`)).status, path).to.equal(404);
    }
    expect((await bob.get(`/api/threads/${thread.id}`)).status).to.equal(404);
    expect((await bob.get(`/api/channels/${doomed.id}/events?after=0`)).status).to.equal(404);
    expect((await ear.emit('message:send', { channelId: doomed.id, content: 'x' })).code).to.equal('CHANNEL_NOT_FOUND');
    expect(names((await bob.get(`/api/servers/${server.id}/channels`)).body)).to.deep.equal(['general']);
    expect((await alice.delete(`/api/channels/${doomed.id}`)).status).to.equal(404);
  });

  it('let those who were taken out of an open one come back, and only then read it', async () => {
    const { alice, bob, server, channel } = here;
    const [ear, admin] = [await bob.listen(channel.id), await alice.listen(channel.id)];
    expect((await alice.delete(`/api/channels/${channel.id}/members/${bob.id}`)).status).to.equal(200);
    expect((await ear.next('channel:member-removed')).channelId).to.equal(channel.id);
    expect(await admin.next('member:left')).to.include({ userId: bob.id, channelId: channel.id });
    await alice.say(channel.id, 'without bob');
    expect((await bob.get(`/api/channels/${channel.id}/messages`)).body.code).to.equal('NOT_A_MEMBER');
    expect((await bob.get(`/api/servers/${server.id}/channels`)).body[0]).to.include({
      isMember: false,
      unreadCount: 0,
    });
    const ids = async () =>
      (await alice.get(`/api/channels/${channel.id}/members`)).body.map((member: Loose) => member.userId);
    expect(await ids()).to.deep.equal([alice.id]);
    expect((await alice.delete(`/api/channels/${channel.id}/members/${bob.id}`)).body.code).to.equal(
      'MEMBER_NOT_FOUND',
    );
    expect((await bob.post(`/api/channels/${channel.id}/members`, { userId: bob.id })).status).to.equal(201);
    expect((await ear.next('channel:member-added')).channel.id).to.equal(channel.id);
    expect(await ids()).to.have.members([alice.id, bob.id]);
    expect((await bob.get(`/api/channels/${channel.id}/messages`)).status).to.equal(200);
    expect((await bob.get(`/api/channels/${channel.id}`)).body).to.include({ isMember: true, unreadCount: 0 });
    expect(ear.all('message:new')).to.deep.equal([]);
  });

  it('take only members of their server', async () => {
    const { alice, bob, carol, channel } = here;
    const add = (userId: string) => alice.post(`/api/channels/${channel.id}/members`, { userId });
    expect([(await add(carol.id)).status, (await add(carol.id)).body.code]).to.deep.equal([400, 'NOT_IN_SERVER']);
    expect((await add('019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d')).body.code).to.equal('USER_NOT_FOUND');
    expect((await add('nobody')).status).to.equal(400);
    const added = await add(bob.id);
    expect([added.status, added.body.userId]).to.deep.equal([201, bob.id]);
    expect((await add(bob.id)).status).to.equal(200);
  });

  it('open with one call', async () => {
    const { alice, bob, channel, server } = here;
    for (const text of ['one', 'two', 'three']) await alice.say(channel.id, text);
    const { status, body } = await bob.get(`/api/channels/${channel.id}/bootstrap?messagesLimit=2`);
    expect(status).to.equal(200);
    expect(body.access).to.include({ isMember: true, canAccess: true, canManage: false, requiresApproval: false });
    expect(body.channel).to.include({ id: channel.id, unreadCount: 3, lastMessagePreview: 'three' });
    expect(body.server.id).to.equal(server.id);
    expect(body.channels).to.have.length(1);
    expect(body.members).to.have.length(2);
    expect(body.messages.messages.map((message: Loose) => message.content)).to.deep.equal(['three', 'two']);
    expect(body.messages.hasMore).to.equal(true);
  });
});
