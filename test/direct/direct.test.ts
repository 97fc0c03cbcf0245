// nodes: one and two

import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { trimLogs } from '../world/log.ts';
import { type Cluster, sharedCluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const open = (from: Person, to: Person) => from.post('/api/dm/channels', { userId: to.id });

describe('direct messages', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  /** Two strangers with a DM, on two nodes where there are two. */
  async function pair(cluster?: Cluster): Promise<{ ann: Person; ben: Person; dm: Loose }> {
    const [first, second = first] = (cluster ?? (await sharedCluster())).nodes;
    if (!first || !second) throw new Error('no node');
    const [ann, ben] = [await register(first), await register(second)];
    return { ann, ben, dm: (await open(ann, ben)).body };
  }

  it('are opened once: 201, then 200, the same from both sides and under both paths', async () => {
    const { alice, bob } = here;
    const first = await open(alice, bob);
    expect(first.status).to.equal(201);
    const { id } = first.body;
    expect(first.body).to.include({ kind: 'dm', serverId: null, isPrivate: true, lastMessageAt: null, unreadCount: 0 });
    expect([first.body.userAId, first.body.userBId]).to.have.members([alice.id, bob.id]);
    expect(first.body.otherUser).to.include({ id: bob.id, username: bob.username });
    const second = await bob.post('/api/channels/dm', { userId: alice.id.toUpperCase() });
    expect([second.status, second.body.id]).to.deep.equal([200, id]);
    expect(second.body.otherUser.id).to.equal(alice.id);
    const { lastSeq: _, permissions, ...one } = (await bob.get(`/api/channels/${id}`)).body;
    expect(permissions).to.include('message:post');
    expect(second.body).to.deep.include(one);
    expect(one.otherUser).to.deep.equal(second.body.otherUser);
    expect((await alice.get('/api/dm/channels')).body[0]).to.deep.equal((await alice.get('/api/channels/dm')).body[0]);
    expect((await bob.get(`/api/channels/${id}`)).body).to.include({ id, kind: 'dm' });
  });

  it('are opened once by twenty at once, on all nodes', async () => {
    const { ann, ben } = await pair();
    const [carl, dora] = [await register(ann.node), await register(ben.node)];
    const [carlEar, doraEar] = [await carl.connect(), await dora.connect()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? open(carl, dora) : open(dora, carl))),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(19);
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
    for (const ear of [carlEar, doraEar]) {
      await ear.next('dm:created');
      expect(ear.all('dm:created')).to.have.length(1);
      ear.close();
    }
  });

  it('reach both, who need not join anything', async () => {
    const { ann, ben } = await pair();
    const [carl] = [await register(ann.node)];
    const ears = { early: await ben.connect(), own: await ann.connect() };
    const told = carl.connect();
    await told;
    const dm = (await open(carl, ben)).body;
    expect(await ears.early.next('dm:created')).to.deep.include({ id: dm.id, since: 0 });
    const sent = await carl.post(`/api/dm/channels/${dm.id}/messages`, { content: 'psst' });
    expect(sent.status).to.equal(201);
    expect(sent.body).to.include({ channelId: dm.id, dmChannelId: dm.id, content: 'psst', authorId: carl.id });
    expect(await ears.early.next('message:new')).to.include({ id: sent.body.id, dmChannelId: dm.id });
    expect(await (await told).next('message:new')).to.include({ id: sent.body.id });
    const late = await ben.connect();
    const second = await carl.say(dm.id, 'once more');
    await late.next('message:new', (message) => message.id === second.id);
    await ears.early.next('message:new', (message) => message.id === second.id);
    expect(ears.early.all('message:new')).to.have.length(2);
    expect(late.all('message:new')).to.have.length(1);
    expect(ears.own.all('message:new')).to.deep.equal([]);
    for (const person of [ann, ben, carl]) person.hangUp();
  });

  it('go on for whoever joined and left, as clients do that show one place at a time', async () => {
    const { ann, ben, dm } = await pair();
    const ear = await ben.connect();
    expect(await ear.emit('channel:join', { channelId: dm.id })).to.include({ ok: true });
    expect(await ear.emit('channel:leave', { channelId: dm.id })).to.deep.equal({ ok: true });
    const { body } = await ann.post(`/api/dm/channels/${dm.id}/messages`, { content: 'still there?' });
    await ear.next('message:new', ({ id }) => id === body.id);
    expect(ear.all('message:new')).to.have.length(1);
    ear.close();
  });

  it('come by every door of messages', async () => {
    const { ann, ben, dm } = await pair();
    const [ear, mouth] = [await ben.connect(), await ann.connect()];
    const bySocket = await mouth.emit('message:send', { channelId: dm.id, content: 'hello' });
    expect(bySocket.message.dmChannelId).to.equal(dm.id);
    await ear.next('message:new');
    const edited = await ann.patch(`/api/messages/${bySocket.message.id}`, { content: 'hallo' });
    expect(edited.body).to.include({ content: 'hallo', dmChannelId: dm.id });
    expect(await ear.next('message:updated')).to.include({ content: 'hallo', dmChannelId: dm.id });
    expect((await ben.delete(`/api/messages/${bySocket.message.id}`)).status).to.equal(403);
    expect((await ann.delete(`/api/messages/${bySocket.message.id}`)).status).to.equal(200);
    await ear.next('message:deleted');
    for (const person of [ann, ben]) person.hangUp();
  });

  it('are listed newest first, page by page', async () => {
    const { ann, ben, dm } = await pair();
    const sent: string[] = [];
    for (let i = 0; i < 7; i++) sent.unshift((await (i % 2 ? ann : ben).say(dm.id, `${i}`)).id);
    const path = `/api/dm/channels/${dm.id}/messages`;
    const first = await ben.get(`${path}?limit=4`);
    expect(first.body.map((message: Loose) => message.id)).to.deep.equal(sent.slice(0, 4));
    expect(first.headers.get('x-has-more')).to.equal('true');
    const rest = await ben.get(`/api/channels/dm/${dm.id}/messages?limit=4&cursor=${sent[3]}`);
    expect(rest.body.map((message: Loose) => message.id)).to.deep.equal(sent.slice(4));
    expect(rest.headers.get('x-has-more')).to.equal('false');
    const after = await ben.get(`${path}?after=${sent[2]}`);
    expect(after.body.map((message: Loose) => message.id)).to.deep.equal([sent[1], sent[0]]);
    for (const bad of ['limit=0', 'limit=101', 'limit=x'])
      expect((await ben.get(`${path}?${bad}`)).status).to.equal(400);
    const [entry] = (await ann.get('/api/dm/channels')).body;
    expect(entry).to.include({ id: dm.id, lastMessagePreview: '6' });
  });

  it('are listed with the last used first', async () => {
    const { ann, ben, dm } = await pair();
    const carl = await register(ben.node);
    const other = (await open(ann, carl)).body;
    const order = async () => (await ann.get('/api/dm/channels')).body.map((entry: Loose) => entry.id);
    expect(await order()).to.deep.equal([other.id, dm.id]);
    await ben.say(dm.id, 'hi');
    expect(await order()).to.deep.equal([dm.id, other.id]);
  });

  it('are refused to oneself, to nobody and to nonsense', async () => {
    const { alice } = here;
    expect((await open(alice, alice)).body.code).to.equal('OWN_USER');
    expect((await alice.post('/api/dm/channels', { userId: randomUUID() })).body.code).to.equal('USER_NOT_FOUND');
    expect((await alice.post('/api/dm/channels', { userId: 'bob' })).body.code).to.equal('VALIDATION_FAILED');
    expect((await alice.post('/api/dm/channels')).status).to.equal(400);
  });

  it('do not exist for anyone else', async () => {
    const { ann, dm } = await pair();
    const message = await ann.say(dm.id, 'secret');
    const { carol } = here;
    for (const path of [
      `/api/dm/channels/${dm.id}/messages`,
      `/api/channels/${dm.id}`,
      `/api/channels/${dm.id}/events`,
    ]) {
      const { status, body } = await carol.get(`${path}?after=0`);
      expect([status, body.code], path).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    }
    expect((await carol.post(`/api/dm/channels/${dm.id}/messages`, { content: 'me too' })).status).to.equal(404);
    expect((await carol.get(`/api/messages/${message.id}`)).body.code).to.equal('MESSAGE_NOT_FOUND');
    const ear = await carol.connect();
    expect((await ear.emit('channel:join', { channelId: dm.id })).code).to.equal('CHANNEL_NOT_FOUND');
    ear.close();
  });

  it('have both as their members, in lists and where they are opened with one call', async () => {
    const { ann, ben, dm } = await pair();
    const both = [ann.id, ben.id].sort();
    const { body } = await ann.get(`/api/channels/${dm.id}/members`);
    expect(body.map((member: Loose) => member.userId)).to.deep.equal(both);
    expect(body[0]).to.deep.include({ serverId: null, role: 'member', nickname: null, agent: null });
    expect((await ben.get(`/api/channels/${dm.id}/bootstrap`)).body.members).to.deep.equal(body);
    const page = await ben.get(`/api/channels/${dm.id}/members?limit=1&cursor=${both[0]}`);
    expect(page.body.map((member: Loose) => member.userId)).to.deep.equal([both[1]]);
    expect((await here.carol.get(`/api/channels/${dm.id}/members`)).status).to.equal(404);
  });

  it('are not at the addresses of other channels', async () => {
    const { alice, channel } = here;
    expect((await alice.get(`/api/dm/channels/${channel.id}/messages`)).status).to.equal(404);
    expect((await alice.post(`/api/dm/channels/${channel.id}/messages`, { content: 'x' })).status).to.equal(404);
    // Nor are those that someone may know of without being in them.
    const open = (await alice.post('/api/servers', { name: 'Open', isPublic: true })).body;
    const [general] = (await here.carol.get(`/api/servers/${open.id}/channels`)).body;
    expect((await here.carol.get(`/api/dm/channels/${general.id}/messages`)).status).to.equal(404);
  });

  it('stop when one blocks the other, on all nodes, and go on afterwards', async () => {
    const { ann, ben, dm } = await pair();
    // What either has with somebody else is nothing between the two.
    const third = await register(ann.node);
    for (const who of [ann, ben]) {
      await who.put(`/api/friends/blocks/${third.id}`);
      await third.put(`/api/friends/blocks/${who.id}`);
    }
    expect((await open(ben, ann)).status).to.equal(200);
    await ben.say(dm.id, 'before');
    await ann.put(`/api/friends/blocks/${ben.id}`);
    const refused = await ben.post(`/api/dm/channels/${dm.id}/messages`, { content: 'hey!' });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'BLOCKED']);
    expect((await ann.post(`/api/channels/${dm.id}/messages`, { content: 'no' })).body.code).to.equal('USER_BLOCKED');
    expect((await open(ben, ann)).body.code).to.equal('USER_NOT_FOUND');
    expect((await open(ann, ben)).body.code).to.equal('USER_BLOCKED');
    expect((await ben.get(`/api/dm/channels/${dm.id}/messages`)).body).to.have.length(1);
    await ann.delete(`/api/friends/blocks/${ben.id}`);
    await ben.say(dm.id, 'after');
    expect((await open(ben, ann)).status).to.equal(200);
  });

  it('end with the account of one of the two, on all nodes: they can be read, and nothing is sent to nobody', async () => {
    const { ann: owner, ben } = await pair();
    const robot = await bot(owner);
    const dm = (await open(ben, robot)).body;
    const { id } = await ben.say(dm.id, 'are you there?');
    expect((await owner.delete(`/api/agents/${robot.agentId}`)).status).to.equal(200);
    for (const refused of [
      await ben.post(`/api/dm/channels/${dm.id}/messages`, { content: 'hello?' }),
      await ben.post(`/api/channels/${dm.id}/messages`, { content: 'hello?' }),
      await ben.post(`/api/messages/${id}/reactions`, { emoji: '👍' }),
    ]) {
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'FORBIDDEN']);
    }
    const mouth = await ben.connect();
    expect((await mouth.emit('message:send', { channelId: dm.id, content: 'hello?' })).code).to.equal('FORBIDDEN');
    mouth.close();
    expect((await open(ben, robot)).body.code).to.equal('USER_NOT_FOUND');
    expect((await ben.get(`/api/dm/channels/${dm.id}/messages`)).body).to.have.length(1);
    expect((await ben.delete(`/api/messages/${id}`)).status).to.equal(200);
  });

  it('carry nothing of one who is blocked, be it an edit, a reaction, a pin, a thread or what one is doing', async () => {
    const { ann, ben, dm } = await pair();
    const { id } = await ben.say(dm.id, 'before');
    const other = await ben.say(dm.id, 'another');
    const thread = (await ben.post(`/api/messages/${id}/thread`, { name: 'side' })).body;
    await ann.put(`/api/friends/blocks/${ben.id}`);
    const ear = await ann.connect();
    for (const refused of [
      await ben.patch(`/api/threads/${thread.id}`, { name: 'hey!' }),
      await ben.post(`/api/threads/${thread.id}/messages`, { content: 'hey!' }),
      await ben.post(`/api/messages/${other.id}/thread`, { name: 'hey!' }),
      await ben.patch(`/api/messages/${id}`, { content: 'hey!' }),
      await ben.post(`/api/messages/${id}/reactions`, { emoji: '👋' }),
      await ben.put(`/api/channels/${dm.id}/pins/${id}`),
    ]) {
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'BLOCKED']);
    }
    const mouth = await ben.connect();
    expect((await mouth.emit('message:typing', { channelId: dm.id })).code).to.equal('BLOCKED');
    const doing = (activity: string | null) => mouth.emit('presence:activity', { channelId: dm.id, activity });
    expect((await doing('hey!')).code).to.equal('BLOCKED');
    expect((await doing(null)).ok).to.equal(true);
    await ann.delete(`/api/friends/blocks/${ben.id}`);
    await ben.say(dm.id, 'after');
    await ear.next('message:new');
    const told = ear.received.map(({ event }) => event).filter((event) => /^(message|reaction|thread):/.test(event));
    expect(told).to.deep.equal(['message:new']);
    mouth.close();
    ear.close();
  });

  it('that were opened while a client was away come to it when it resumes', async () => {
    const { ann, ben, dm } = await pair();
    const ear = await ben.connect();
    const { seq } = ear.all('ready')[0];
    ear.close();
    const carl = await register(ann.node);
    const opened = (await open(carl, ben)).body;
    const missed = await carl.say(opened.id, 'while you were out');
    const back = await ben.connect({ auth: { resume: { user: seq, [dm.id]: 0 } } });
    await back.next('message:new', (message) => message.id === missed.id);
    await back.next('resumed');
    const next = await carl.say(opened.id, 'now you are in');
    await back.next('message:new', (message) => message.id === next.id);
    expect(back.all('message:new').map((message) => message.content)).to.deep.equal([
      'while you were out',
      'now you are in',
    ]);
    for (const person of [ann, ben, carl]) person.hangUp();
  });

  it('that were opened while a client was away are told as such where their log no longer has all of it', async () => {
    const { ann, ben } = await pair();
    // Else each message stands in his own log too, which is trimmed alike.
    await ben.patch('/api/notifications/preferences', { strategy: 'none' });
    const stock = await ben.connect({ reconnectionDelay: 20 });
    const { seq } = stock.all('ready')[0];
    stock.socket.io.reconnection(false);
    stock.socket.io.engine.close();
    const carl = await register(ann.node);
    const { id } = (await open(carl, ben)).body;
    for (const content of ['one', 'two', 'three', 'four', 'five']) await carl.say(id, content);
    await trimLogs((await sharedCluster()).databaseUrl, 3);
    const back = await ben.connect({ auth: { resume: { user: seq } } });
    const { channels, user } = await back.next('resumed');
    expect(user).to.include({ recovered: true });
    expect(channels[id]).to.deep.equal({ seq: 5, recovered: false, hasMore: false });
    stock.socket.io.reconnection(true);
    const begunAnew = new Promise<void>((resolve) => {
      // Before that it is not in its rooms yet.
      stock.socket.on('ready', () => {
        if (!stock.socket.recovered) resolve();
      });
    });
    stock.socket.connect();
    await begunAnew;
    await carl.say(id, 'six');
    for (const ear of [back, stock]) await ear.next('message:new', ({ content }) => content === 'six');
    for (const ear of [back, stock]) expect(ear.all('message:new')).to.have.lengthOf(1);
    for (const person of [ann, ben, carl]) person.hangUp();
  });
});

describe('more direct messages than a socket is put into', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { sockets: { followedDms: 2 } } });
  });
  after(() => cluster.stop());

  it('are limited to the last used ones', async () => {
    const [first, second = first] = cluster.nodes;
    if (!first || !second) throw new Error('no node');
    const ann = await register(first);
    const others = await Promise.all([0, 1, 2].map(() => register(second)));
    const dms: string[] = [];
    for (const other of others) dms.push((await open(other, ann)).body.id);
    const ear = await ann.connect();
    await until(() => ear.socket.connected);
    for (const [i, other] of others.entries()) await other.say(dms[i] ?? '', `${i}`);
    await ear.next('message:new', (message) => message.content === '2');
    await ear.next('message:new', (message) => message.content === '1');
    ann.hangUp();
  });

  it('bring whatever happens in older ones, and nothing that was before', async () => {
    const [first, second = first] = cluster.nodes;
    if (!first || !second) throw new Error('no node');
    const ann = await register(first);
    const others = await Promise.all([0, 1, 2].map(() => register(second)));
    const [old, ...newer] = others;
    if (!old) throw new Error('no one');
    const { id } = (await open(old, ann)).body;
    const said = await Promise.all(
      ['edited', 'deleted', 'liked', 'pinned', 'a thread'].map((text) => old.say(id, text)),
    );
    await old.post(`/api/messages/${said[2]?.id}/reactions`, { emoji: '👎' });
    const last = await old.say(id, 'the last one');
    for (const other of newer) await other.say((await open(other, ann)).body.id, 'newer');
    const ways: [string, (messageId: string) => Promise<unknown>][] = [
      ['message:updated', (of) => old.patch(`/api/messages/${of}`, { content: 'new text' })],
      ['message:deleted', (of) => old.delete(`/api/messages/${of}`)],
      ['reaction:updated', (of) => old.post(`/api/messages/${of}/reactions`, { emoji: '👍' })],
      ['message:pinned', (of) => old.put(`/api/channels/${id}/pins/${of}`)],
      ['thread:created', (of) => old.post(`/api/messages/${of}/thread`, {})],
    ];
    const ofMessages = /^(message|reaction|thread):/;
    const use = async () => (await ann.get('/api/dm/channels')).body.map((dm: Loose) => dm.id).at(-1);
    let before: number | undefined;
    for (const [i, [event, act]] of ways.entries()) {
      const ear = await ann.connect();
      await act(said[i]?.id ?? '');
      const told = await ear.next(
        event,
        ({ channelId, messageId, id: own, parentMessageId }) =>
          channelId === id && [messageId, own, parentMessageId].includes(said[i]?.id),
      );
      // What follows comes too.
      await old.post(`/api/messages/${last.id}/reactions`, { emoji: `${i}️⃣` });
      await ear.next('reaction:updated', ({ eventSeq }) => eventSeq === told.eventSeq + 1);
      const inRoom = ear.received.filter((heard) => heard.data?.channelId === id && ofMessages.test(heard.event));
      const numbers = inRoom.flatMap(({ data }) => data.eventSeq ?? []);
      expect(numbers.slice(numbers.indexOf(told.eventSeq))).to.deep.equal([told.eventSeq, told.eventSeq + 1], event);
      // Those of the turn before may still be on their way.
      expect(numbers[0]).to.be.at.least(before ?? told.eventSeq);
      before = told.eventSeq;
      expect(await use(), 'no use of it').to.equal(id);
      ear.close();
    }
    ann.hangUp();
  });

  it('come once to someone who is on the way back to one when it is told that this is in use again', async () => {
    const [first, second = first] = cluster.nodes;
    if (!first || !second) throw new Error('no node');
    const ann = await register(first);
    const [rested, long, last] = await Promise.all([0, 1, 2].map(() => register(second)));
    if (!rested || !long || !last) throw new Error('no people');
    const ids: string[] = [];
    for (const other of [rested, long, last]) ids.push((await open(other, ann)).body.id);
    const [id = '', longId = ''] = ids;
    for (let i = 0; i < 20; i++)
      await Promise.all(Array.from({ length: 40 }, () => long.say(longId, 'x'.repeat(14_000))));
    const { seq: own } = (await ann.get('/api/events')).body;
    const hand = new pg.Client(cluster.databaseUrl);
    await hand.connect();
    // Nobody finds out that the DM is in use again.
    await hand.query('BEGIN; LOCK TABLE dm_channels IN EXCLUSIVE MODE');
    const { seq } = await rested.say(id, 'late');
    const ear = await ann.connect({ auth: { resume: { [longId]: 0, [id]: seq } }, reconnection: false });
    await ear.next('message:new');
    const tcp: unknown = Reflect.get(Object(Reflect.get(ear.socket.io.engine.transport, 'ws')), '_socket');
    if (!(tcp instanceof Socket)) throw new Error('the client has changed inside');
    tcp.pause();
    await hand.query('COMMIT');
    await hand.end();
    const told = async () => (await ann.get(`/api/events?after=${own}&limit=500`)).body.events;
    await until(async () =>
      (await told()).some(({ event, data }: Loose) => event === 'dm:created' && data.since === seq - 1),
    );
    tcp.resume();
    await ear.next('resumed');
    await rested.say(id, 'later');
    await ear.next('message:new', ({ content }) => content === 'later');
    expect(ear.all('message:new').filter(({ content }) => content === 'late')).to.deep.equal([]);
    ann.hangUp();
  });
});
