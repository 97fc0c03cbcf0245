// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const path = '/api/dm/channels';

describe('a group that becomes a channel', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const groupOf = async (from: Person, ...others: { id: string }[]): Promise<Loose> =>
    (await from.post(path, { userIds: others.map(({ id }) => id) })).body;
  const turn = (from: Person, id: string, more: object = {}) =>
    from.post(`${path}/${id}/channel`, { serverId: here.server.id, name: 'plans', ...more });
  const join = async (person: Person) =>
    person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });

  it('takes everyone to be a member of the server, and the right to create channels there', async () => {
    const { alice, bob, carol } = here;
    const group = await groupOf(alice, bob, carol);
    await alice.say(group.id, 'a plan');
    const refused = await turn(alice, group.id);
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'NOT_IN_SERVER']);
    expect(JSON.stringify(refused.body)).to.contain(carol.username);
    expect((await alice.get(`/api/channels/${group.id}`)).body.kind).to.equal('group');
    expect((await turn(carol, group.id)).body.code).to.be.oneOf(['SERVER_NOT_FOUND', 'NOT_A_MEMBER']);
    await join(carol);
    expect((await turn(bob, group.id)).body.code).to.equal('ROLE_REQUIRED');
    const pair = (await alice.post(path, { userId: bob.id })).body;
    expect((await turn(alice, pair.id)).status).to.equal(403);
    expect((await turn(alice, here.channel.id)).status).to.equal(404);
    expect((await turn(alice, group.id, { name: '' })).status).to.equal(400);
  });

  it('keeps all that was written, is private, and is no group any more', async () => {
    const { alice, bob, carol, cluster, server } = here;
    await join(carol);
    const own = await bot(alice);
    const group = await groupOf(alice, bob, carol, own);
    const { id } = await bob.say(group.id, 'an extraordinary plan');
    const unread = async () => (await carol.get('/api/notifications/scoped-unread')).body.dmUnread;
    await until(async () => group.id in (await unread()));
    const ear = await carol.connect();
    const turned = await turn(alice, group.id);
    expect(turned.status).to.equal(200);
    expect(turned.body).to.include({
      id: group.id,
      serverId: server.id,
      kind: 'server',
      name: 'plans',
      isPrivate: true,
    });
    expect(await ear.next('channel:member-removed')).to.include({ channelId: group.id, serverId: null });
    expect(await ear.next('channel:member-added')).to.include({ channelId: group.id, serverId: server.id });
    for (const node of cluster.nodes) {
      const there = carol.on(node);
      expect((await there.get(path)).body.map((one: Loose) => one.id)).not.to.include(group.id);
      const listed = (await there.get(`/api/servers/${server.id}/channels`)).body;
      expect(listed.map((one: Loose) => one.id)).to.include(group.id);
      const page = (await there.get(`/api/channels/${group.id}/messages`)).body;
      expect(page.messages.map(({ content, dmChannelId }: Loose) => [content, dmChannelId])).to.deep.equal([
        ['an extraordinary plan', undefined],
      ]);
      expect((await there.get(`${path}/${group.id}/messages`)).status).to.equal(404);
    }
    expect(await unread()).not.to.have.property(group.id);
    const members = (await alice.get(`/api/channels/${group.id}/members`)).body;
    expect(members.map(({ userId }: Loose) => userId).sort()).to.deep.equal([alice.id, bob.id, carol.id].sort());
    expect((await own.get(`/api/channels/${group.id}`)).status).to.equal(404);
    // Its messages are found as those of the server, and a group of the same people is another one.
    const search = `/api/search/messages?query=extraordinary&serverId=${server.id}`;
    await until(async () => (await bob.get(search)).body.some((found: Loose) => found.id === id));
    const words = "SELECT FROM search_words WHERE message_id = $1 AND words::text LIKE '%#s%'";
    await until(async () => (await query(cluster.databaseUrl, words, [id])).length > 0);
    expect((await alice.post(path, { userIds: [bob.id, carol.id] })).body.id).not.to.equal(group.id);
    const audit = (await alice.get(`/api/servers/${server.id}/audit`)).body;
    expect(JSON.stringify(audit)).to.contain(group.id);
  });

  it('is followed as any channel, and lost with the server', async () => {
    const { alice, bob, carol, server } = here;
    await join(carol);
    const group = await groupOf(alice, bob, carol, await bot(alice));
    const ear = await carol.connect();
    expect((await turn(alice, group.id, { name: 'ways' })).status).to.equal(200);
    await ear.next('channel:member-added', ({ channelId }) => channelId === group.id);
    expect(await ear.emit('channel:join', { channelId: group.id })).to.include({ ok: true });
    const { id } = await bob.say(group.id, 'there');
    await ear.next('message:new', (message) => message.id === id);
    await alice.delete(`/api/servers/${server.id}/members/${carol.id}`);
    const later = await bob.say(group.id, 'without her');
    expect((await carol.get(`/api/channels/${group.id}/messages`)).status).to.equal(404);
    expect(ear.all('message:new').some((message: Loose) => message.id === later.id)).to.equal(false);
  });
});
