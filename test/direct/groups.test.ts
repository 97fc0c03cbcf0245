// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { sharedCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

const path = '/api/dm/channels';
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).sort();

describe('groups of people', () => {
  const all: Person[] = [];
  after(() => {
    for (const person of all) person.hangUp();
  });

  /** Strangers, on two nodes where there are two. */
  async function strangers(count: number): Promise<Person[]> {
    const { nodes } = await sharedCluster();
    const made = await Promise.all(
      Array.from({ length: count }, (_, at) => {
        const node = nodes[at % nodes.length];
        if (!node) throw new Error('no node');
        return register(node);
      }),
    );
    all.push(...made);
    return made;
  }
  async function trio(): Promise<[Person, Person, Person]> {
    const [ann, ben, cid] = await strangers(3);
    if (!ann || !ben || !cid) throw new Error('too few');
    return [ann, ben, cid];
  }
  const open = (from: Person, others: { id: string }[], more: object = {}) =>
    from.post(path, { userIds: others.map(({ id }) => id), ...more });
  const listOf = async (person: Person): Promise<Loose[]> => (await person.get(path)).body;

  it('are opened once for a set of people: 201, then 200 for each of them in any order', async () => {
    const [ann, ben, cid] = await trio();
    const ears = await Promise.all([ben.connect(), cid.connect()]);
    const first = await open(ann, [ben, cid], { name: 'Books' });
    expect(first.status).to.equal(201);
    expect(first.body).to.include({ kind: 'group', serverId: null, name: 'Books', isPrivate: true, isMember: true });
    expect(first.body).not.to.have.any.keys('otherUser', 'userAId', 'userBId');
    expect(idsOf(first.body.members)).to.deep.equal(idsOf([ann, ben, cid]));
    const second = await cid.post('/api/channels/dm', { userIds: [ben.id.toUpperCase(), ann.id], name: 'Other' });
    expect([second.status, second.body.id, second.body.name]).to.deep.equal([200, first.body.id, 'Books']);
    for (const ear of ears) {
      const told = await ear.next('dm:created');
      expect(told).to.include({ id: first.body.id, kind: 'group', since: 0 });
      expect(ear.all('dm:created')).to.have.length(1);
    }
    for (const person of [ann, ben, cid]) expect(idsOf(await listOf(person))).to.deep.equal([first.body.id]);
    const one = (await ben.get(`/api/channels/${first.body.id}`)).body;
    expect(one).to.deep.include({ kind: 'group', members: first.body.members });
    expect(one.permissions).to.include.members(['message:post', 'message:pin']);
    const members = (await cid.get(`/api/channels/${first.body.id}/members`)).body;
    expect(members.map(({ userId }: Loose) => userId).sort()).to.deep.equal(idsOf([ann, ben, cid]));
  });

  it('are opened once by many at the same time, on all nodes', async () => {
    const people = await strangers(4);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const from = people[at % people.length];
        if (!from) throw new Error('nobody');
        return open(
          from,
          people.filter((one) => one !== from),
        );
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).to.have.length(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
  });

  it('have 2 to 10 others, who are people with an account, and each named once', async () => {
    const people = await strangers(12);
    const [ann, ben, ...others] = people;
    if (!ann || !ben) throw new Error('too few');
    for (const body of [
      { userIds: [] },
      { userIds: [ben.id] },
      { userIds: [ben.id, ben.id] },
      { userIds: people.slice(1).map(({ id }) => id) },
      { userIds: [ben.id, 'x'] },
      { userIds: 'x' },
      { userId: ben.id, userIds: [ben.id, others[0]?.id] },
      {},
    ]) {
      const { status, body: answer } = await ann.post(path, body);
      expect([status, answer.code], JSON.stringify(body)).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    expect((await open(ann, [ann, ben])).body.code).to.equal('OWN_USER');
    expect((await open(ann, [ben, { id: '01900000-0000-7000-8000-000000000000' }])).body.code).to.equal(
      'USER_NOT_FOUND',
    );
    const full = await open(ann, others);
    expect([full.status, full.body.members.length]).to.deep.equal([201, 11]);
    const more = await ann.post(`${path}/${full.body.id}/members`, { userIds: [ben.id] });
    expect([more.status, more.body.code]).to.deep.equal([400, 'GROUP_LIMIT']);
    // The form of two people is as it was.
    const pair = await ann.post(path, { userId: ben.id });
    expect([pair.status, pair.body.kind, pair.body.otherUser.id]).to.deep.equal([201, 'dm', ben.id]);
    expect(pair.body).not.to.have.property('members');
  });

  it('bring everyone each message, by every way, and notify the others once', async () => {
    const [ann, ben, cid] = await trio();
    const ear = await ben.connect();
    const group = (await open(ann, [ben, cid], { name: 'Books' })).body;
    const sent = await ann.post(`${path}/${group.id}/messages`, { content: `hello @${ben.username}` });
    expect(sent.status).to.equal(201);
    expect(sent.body).to.include({ channelId: group.id, dmChannelId: group.id });
    expect(await ear.next('message:new', ({ id }) => id === sent.body.id)).to.include({ dmChannelId: group.id });
    const late = await cid.connect();
    const bySocket = await (await ann.connect()).emit('message:send', { channelId: group.id, content: 'again' });
    for (const one of [ear, late]) await one.next('message:new', ({ id }) => id === bySocket.message.id);
    const page = (await cid.get(`${path}/${group.id}/messages`)).body;
    expect(page.map(({ content, dmChannelId }: Loose) => [content, dmChannelId])).to.deep.equal([
      ['again', group.id],
      [`hello @${ben.username}`, group.id],
    ]);
    for (const person of [ben, cid]) {
      const note = await until(async () =>
        (await person.get('/api/notifications')).body.find(({ aggregatedCount }: Loose) => aggregatedCount === 2),
      );
      expect(note).to.include({ type: 'dm', kind: 'dm.message', channelId: group.id, serverId: null });
      expect(note.title).to.contain('in Books');
      expect((await person.get('/api/notifications/scoped-unread')).body.dmUnread).to.deep.equal({ [group.id]: 1 });
    }
    expect((await ann.get('/api/notifications')).body).to.deep.equal([]);
    const [listed] = await listOf(ben);
    expect(listed).to.include({ id: group.id, unreadCount: 2, lastMessagePreview: 'again' });
    await ben.put(`/api/channels/${group.id}/read`, { seq: bySocket.message.seq });
    expect((await listOf(ben))[0].unreadCount).to.equal(0);
  });

  it('are silent for who muted them', async () => {
    const [ann, ben, cid] = await trio();
    const group = (await open(ann, [ben, cid])).body;
    await ben.put(`/api/channels/${group.id}/notification-level`, { level: 'nothing' });
    await ann.say(group.id, 'anyone?');
    await until(async () => (await cid.get('/api/notifications')).body.length === 1);
    expect((await ben.get('/api/notifications')).body).to.deep.equal([]);
  });

  it('have threads, reactions, pins and typing like all channels', async () => {
    const [ann, ben, cid] = await trio();
    const group = (await open(ann, [ben, cid])).body;
    const [ear, mouth] = [await cid.connect(), await ben.connect()];
    const { id } = await ann.say(group.id, 'first');
    expect((await ben.post(`/api/messages/${id}/reactions`, { emoji: '👍' })).status).to.equal(201);
    expect((await cid.put(`/api/channels/${group.id}/pins/${id}`)).status).to.equal(200);
    const thread = await ben.post(`/api/channels/${group.id}/threads`, { name: 'more', parentMessageId: id });
    expect(thread.status).to.equal(201);
    expect((await cid.post(`/api/threads/${thread.body.id}/messages`, { content: 'reply' })).status).to.equal(201);
    await mouth.emit('message:typing', { channelId: group.id, typing: true });
    await ear.next('message:typing', ({ userId }) => userId === ben.id);
    const followed = (await ann.get('/api/threads')).body;
    const names = JSON.stringify(followed);
    expect(names).to.contain(thread.body.id);
  });

  it('do not exist for anyone else', async () => {
    const [ann, ben, cid] = await trio();
    const [dan] = await strangers(1);
    if (!dan) throw new Error('nobody');
    const group = (await open(ann, [ben, cid])).body;
    const { id } = await ann.say(group.id, 'ours');
    for (const answer of [
      await dan.get(`/api/channels/${group.id}`),
      await dan.get(`/api/channels/${group.id}/members`),
      await dan.get(`${path}/${group.id}/messages`),
      await dan.post(`${path}/${group.id}/messages`, { content: 'x' }),
      await dan.post(`${path}/${group.id}/leave`),
      await dan.post(`${path}/${group.id}/members`, { userIds: [dan.id] }),
      await dan.patch(`${path}/${group.id}`, { name: 'x' }),
      await dan.get(`/api/messages/${id}`),
    ]) {
      expect(answer.status).to.equal(404);
    }
  });

  it('take a name from anyone in them, which everyone is told, and give it up', async () => {
    const [ann, ben, cid] = await trio();
    const ear = await cid.connect();
    const group = (await open(ann, [ben, cid])).body;
    expect(group.name).to.equal('');
    await ear.next('dm:created');
    const named = await ben.patch(`${path}/${group.id}`, { name: 'Chess' });
    expect([named.status, named.body.name]).to.deep.equal([200, 'Chess']);
    const told = await ear.next('channel:updated');
    expect(told.channel).to.include({ id: group.id, name: 'Chess', kind: 'group' });
    // The same once more is no change.
    await ben.patch(`${path}/${group.id}`, { name: 'Chess' });
    expect((await cid.patch(`${path}/${group.id}`, { name: null })).body.name).to.equal('');
    await ear.next('channel:updated', ({ name }) => name === '');
    expect(ear.all('channel:updated')).to.have.length(2);
    expect((await ben.patch(`${path}/${group.id}`, { name: ' ' })).status).to.equal(400);
    const pair = (await ann.post(path, { userId: ben.id })).body;
    expect((await ann.patch(`${path}/${pair.id}`, { name: 'x' })).status).to.equal(403);
  });

  it('become another group with more people, who read nothing of before', async () => {
    const [ann, ben, cid] = await trio();
    const [dan] = await strangers(1);
    if (!dan) throw new Error('nobody');
    const group = (await open(ann, [ben, cid], { name: 'Old' })).body;
    const { id } = await ann.say(group.id, 'a secret');
    const more = await ben.post(`${path}/${group.id}/members`, { userIds: [dan.id] });
    expect([more.status, more.body.name]).to.deep.equal([201, '']);
    expect(more.body.id).not.to.equal(group.id);
    expect(idsOf(more.body.members)).to.deep.equal(idsOf([ann, ben, cid, dan]));
    expect((await dan.get(`${path}/${more.body.id}/messages`)).body).to.deep.equal([]);
    expect((await dan.get(`/api/messages/${id}`)).status).to.equal(404);
    expect((await dan.get(`/api/channels/${group.id}`)).status).to.equal(404);
    expect(idsOf(await listOf(ann))).to.deep.equal([group.id, more.body.id].sort());
    // Once more, or with nobody new: the one that there is.
    const again = await ann.post(`${path}/${group.id}/members`, { userIds: [dan.id] });
    expect([again.status, again.body.id]).to.deep.equal([200, more.body.id]);
    const same = await ann.post(`${path}/${group.id}/members`, { userIds: [ben.id] });
    expect([same.status, same.body.id]).to.deep.equal([200, group.id]);
    // From a conversation of two.
    const pair = (await ann.post(path, { userId: ben.id })).body;
    const three = await ann.post(`${path}/${pair.id}/members`, { userIds: [cid.id] });
    expect([three.status, three.body.id]).to.deep.equal([200, group.id]);
  });

  it('are left for good: nothing of them arrives from the answer on', async () => {
    const [ann, ben, cid] = await trio();
    const [dan] = await strangers(1);
    if (!dan) throw new Error('nobody');
    const group = (await open(ann, [ben, cid, dan])).body;
    const [leaving, staying] = [await dan.connect(), await ben.connect()];
    await ann.say(group.id, 'before');
    await leaving.next('message:new');
    await until(async () => (await dan.get('/api/notifications/unread-count')).body.count === 1);
    expect((await dan.post(`${path}/${group.id}/leave`)).status).to.equal(200);
    const after = await ann.say(group.id, 'after');
    await staying.next('message:new', ({ id }) => id === after.id);
    expect(await staying.next('member:left')).to.include({ serverId: null, channelId: group.id, userId: dan.id });
    expect(await leaving.next('channel:member-removed')).to.include({ channelId: group.id, serverId: null });
    expect(leaving.all('message:new').map(({ content }: Loose) => content)).to.deep.equal(['before']);
    expect(await listOf(dan)).to.deep.equal([]);
    expect((await dan.get('/api/notifications/unread-count')).body.count).to.equal(0);
    expect((await dan.get(`${path}/${group.id}/messages`)).status).to.equal(404);
    expect((await dan.post(`${path}/${group.id}/leave`)).status).to.equal(404);
    expect(await leaving.emit('channel:join', { channelId: group.id })).to.include({ ok: false });
    expect(idsOf((await ann.get(`/api/channels/${group.id}`)).body.members)).to.deep.equal(idsOf([ann, ben, cid]));
  });

  it('are that of who is left, unless those have one; whoever left is in another one from then on', async () => {
    const [ann, ben, cid] = await trio();
    const [dan] = await strangers(1);
    if (!dan) throw new Error('nobody');
    const four = (await open(ann, [ben, cid, dan])).body;
    await dan.post(`${path}/${four.id}/leave`);
    const three = await open(ben, [ann, cid]);
    expect([three.status, three.body.id]).to.deep.equal([200, four.id]);
    const anew = await open(ann, [ben, cid, dan]);
    expect(anew.status).to.equal(201);
    await dan.post(`${path}/${anew.body.id}/leave`);
    // There is one of the three already: both stay, and opening gives the first.
    expect((await open(cid, [ann, ben])).body.id).to.equal(four.id);
    expect(idsOf(await listOf(ann))).to.deep.equal([four.id, anew.body.id].sort());
  });

  it('stay those of their people when an older one comes to be of the same', async () => {
    const [ann, ben, cid] = await trio();
    const [dan] = await strangers(1);
    if (!dan) throw new Error('nobody');
    const four = (await open(ann, [ben, cid, dan])).body;
    const three = (await open(ann, [ben, cid])).body;
    await dan.post(`${path}/${four.id}/leave`);
    expect((await open(cid, [ann, ben])).body.id).to.equal(three.id);
    expect(idsOf(await listOf(ann))).to.deep.equal([four.id, three.id].sort());
  });

  it('are gone once everyone has left', async () => {
    const [ann, ben, cid] = await trio();
    const group = (await open(ann, [ben, cid])).body;
    await ann.say(group.id, 'bye');
    for (const person of [ann, ben, cid]) expect((await person.post(`${path}/${group.id}/leave`)).status).to.equal(200);
    const { databaseUrl } = await sharedCluster();
    const gone = 'SELECT FROM channels WHERE id = $1 AND deleted_at IS NULL';
    expect(await query(databaseUrl, gone, [group.id])).to.deep.equal([]);
    expect((await open(ann, [ben, cid])).status).to.equal(201);
  });

  it('are opened with nobody who blocked one, or whom one blocked; others are not asked about each other', async () => {
    const [ann, ben, cid] = await trio();
    await ben.put(`/api/friends/blocks/${ann.id}`);
    expect((await open(ann, [ben, cid])).body.code).to.equal('USER_NOT_FOUND');
    expect((await open(ben, [ann, cid])).body.code).to.equal('USER_BLOCKED');
    const group = await open(cid, [ann, ben]);
    expect(group.status).to.equal(201);
    // In it both write, and who blocked someone is not notified of them.
    expect((await ann.post(`${path}/${group.body.id}/messages`, { content: 'hi' })).status).to.equal(201);
    await until(async () => (await cid.get('/api/notifications')).body.length === 1);
    expect((await ben.get('/api/notifications')).body).to.deep.equal([]);
    expect((await ben.get(`${path}/${group.body.id}/messages`)).body).to.have.length(1);
    expect((await ben.post(`${path}/${group.body.id}/messages`, { content: 'well' })).status).to.equal(201);
  });

  it('have bots only with their owners, with whom they leave', async () => {
    const [ann, ben, cid] = await trio();
    const own = await bot(ann);
    all.push(own);
    expect((await open(ben, [cid, own])).body.code).to.equal('FORBIDDEN');
    const group = await open(ben, [ann, own]);
    expect(group.status).to.equal(201);
    const ear = await own.connect();
    const { id } = await ben.say(group.body.id, 'hello bot');
    await ear.next('message:new', (message) => message.id === id);
    expect((await own.post(`${path}/${group.body.id}/messages`, { content: 'hello' })).status).to.equal(201);
    await ann.put(`/api/channels/${group.body.id}/agents/${own.agentId}/policy`, { mode: 'disabled' });
    expect((await own.post(`${path}/${group.body.id}/messages`, { content: 'more' })).status).to.equal(403);
    for (const answer of [
      await open(own, [ann, ben]),
      await own.patch(`${path}/${group.body.id}`, { name: 'x' }),
      await own.post(`${path}/${group.body.id}/members`, { userIds: [cid.id] }),
    ])
      expect(answer.status).to.equal(403);
    await ann.post(`${path}/${group.body.id}/leave`);
    expect(idsOf((await ben.get(`/api/channels/${group.body.id}`)).body.members)).to.deep.equal([ben.id]);
    expect(await listOf(own)).to.deep.equal([]);
  });

  it('are left by a bot that is deleted, or handed over to someone who is not in them', async () => {
    const [ann, ben, cid] = await trio();
    const [dan] = await strangers(1);
    if (!dan) throw new Error('nobody');
    const [given, deleted] = [await bot(ann), await bot(ann)];
    const group = (await open(ann, [ben, cid, given, deleted])).body;
    const members = async () => idsOf((await ben.get(`/api/channels/${group.id}`)).body.members);
    expect((await ann.delete(`/api/agents/${deleted.agentId}`)).status).to.equal(200);
    expect(await members()).to.deep.equal(idsOf([ann, ben, cid, given]));
    const hand = async (from: Person, to: Person) => {
      const offer = await from.post('/api/handovers', { userId: to.id, agentId: given.agentId });
      expect((await to.post(`/api/handovers/${offer.body.id}/accept`)).status).to.equal(200);
    };
    await hand(ann, ben);
    expect(await members()).to.deep.equal(idsOf([ann, ben, cid, given]));
    await hand(ben, dan);
    expect(await members()).to.deep.equal(idsOf([ann, ben, cid]));
  });

  it('are known by a name when they are searched in, and by words in them', async () => {
    const [ann, ben, cid] = await trio();
    const group = (await open(ann, [ben, cid], { name: 'Chess club' })).body;
    const { id } = await ann.say(group.id, 'a marvellous gambit');
    for (const text of ['gambit', 'gambit in:"Chess club"', `gambit in:${group.id}`]) {
      const found = await until(async () => {
        const { body } = await ben.get(`/api/search/messages?query=${encodeURIComponent(text)}`);
        return body.length > 0 && body;
      });
      expect(idsOf(found), text).to.deep.equal([id]);
    }
  });

  it('make people see of each other whether they are there', async () => {
    const [ann, ben, cid] = await trio();
    await open(ann, [ben, cid]);
    const ear = await cid.connect();
    const come = await ben.connect();
    // Those that come at once come together.
    const isOnline = ({ userId, status }: Loose) => userId === ben.id && status === 'online';
    await ear.next('presence:change', ({ changes }) => changes.some(isOnline));
    come.close();
  });
});
