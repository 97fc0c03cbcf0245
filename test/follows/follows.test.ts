// nodes: one and two

import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('following threads', () => {
  let here: World;
  let dora: Person;
  let parent: Loose;
  let thread: Loose;
  beforeEach(async () => {
    here = await world();
    dora = await register(here.alice.node);
    await dora.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    parent = await here.alice.say(here.channel.id, 'What do you think about this?');
    thread = (await here.alice.post(`/api/messages/${parent.id}/thread`, { name: 'ideas' })).body;
  });
  afterEach(() => {
    here.close();
    dora.hangUp();
  });

  const reply = async (person: Person, content: string) =>
    (await person.post(`/api/threads/${thread.id}/messages`, { content })).body;
  const stateOf = async (person: Person) => (await person.get(`/api/threads/${thread.id}/state`)).body;
  const inboxOf = async (person: Person, query = '') => (await person.get(`/api/threads${query}`)).body;
  const unreadOf = async (person: Person) => (await person.get(`/api/channels/${here.channel.id}/threads/unread`)).body;
  const channelOf = async (person: Person) => (await person.get(`/api/channels/${here.channel.id}`)).body;
  const told = (person: Person, fits: (each: Loose) => boolean): Promise<Loose> =>
    until(async () => (await person.get('/api/notifications')).body.find(fits), { message: 'not notified' });

  it('is by those who started one, said what it starts from, wrote in it or are named in it', async () => {
    const { alice, bob, channel } = here;
    expect(await stateOf(alice)).to.include({ state: 'following', unreadCount: 0, lastSeq: 0 });
    expect((await stateOf(bob)).state).to.equal('none');
    const first = await reply(bob, `well, @${dora.username}`);
    expect(await stateOf(bob)).to.include({ state: 'following', unreadCount: 0, lastReadSeq: first.seq });
    expect(await stateOf(dora)).to.include({ state: 'following', unreadCount: 1, lastSeq: first.seq });
    const second = await reply(bob, 'to whom?');
    await here.carol.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    await bob.patch(`/api/messages/${second.id}`, { content: `to @${here.carol.username}` });
    await until(async () => (await stateOf(here.carol)).state === 'following');
    expect(await stateOf(here.carol)).to.include({ unreadCount: 1, lastReadSeq: second.seq - 1 });
    const other = await bob.say(channel.id, 'another');
    const { id } = (await dora.post(`/api/messages/${other.id}/thread`)).body;
    for (const person of [bob, dora]) {
      expect((await person.get(`/api/threads/${id}/state`)).body.state).to.equal('following');
    }
    expect((await alice.get(`/api/threads/${id}/state`)).body.state).to.equal('none');
  });

  it('marks all followed threads as read at once, with what notified of them, on all devices', async () => {
    const { alice, bob, carol, channel } = here;
    const device = await alice.connect();
    const more = await alice.say(channel.id, 'another');
    const other = (await alice.post(`/api/messages/${more.id}/thread`)).body;
    const one = await reply(bob, `@${alice.username} one`);
    const two = (await bob.post(`/api/threads/${other.id}/messages`, { content: 'two' })).body;
    const mention = await bob.say(channel.id, `@${alice.username} outside`);
    await told(alice, ({ referenceId }) => referenceId === mention.id);
    await until(async () => (await inboxOf(alice)).unreadThreads === 2);
    // Each of them: two nodes tell of them in no order.
    for (const { id } of [one, two]) await told(alice, ({ referenceId }) => referenceId === id);
    const { id: muted } = (await bob.post(`/api/messages/${mention.id}/thread`)).body;
    await alice.put(`/api/threads/${muted}/follow`, { muted: true });
    expect((await alice.post('/api/threads/read-all')).body).to.deep.equal({ ok: true, updated: 2 });
    for (const id of [thread.id, other.id]) {
      await device.next('thread:state', ({ threadId, unreadCount }) => threadId === id && unreadCount === 0);
    }
    expect((await inboxOf(alice)).unreadThreads).to.equal(0);
    const left = (await alice.get('/api/notifications?unread=true')).body;
    const ofMessages = left.filter(({ referenceType }: Loose) => referenceType === 'message');
    expect(ofMessages.map(({ referenceId }: Loose) => referenceId)).to.deep.equal([mention.id]);
    expect((await alice.post('/api/threads/read-all')).body.updated).to.equal(0);
    expect((await carol.post('/api/threads/read-all')).body.updated).to.equal(0);
    await reply(bob, 'three');
    await until(async () => (await inboxOf(alice)).unreadThreads === 1);
  });

  it('shows what is unread first, and reading a thread on one device is known on the others', async () => {
    const { alice, bob, channel } = here;
    await reply(bob, 'one');
    const second = await reply(bob, 'two');
    await until(async () => (await inboxOf(alice)).unreadThreads === 1);
    const other = await alice.say(channel.id, 'another');
    const { id: quiet } = (await alice.post(`/api/messages/${other.id}/thread`)).body;
    await alice.post(`/api/threads/${quiet}/messages`, { content: 'my own, and later' });
    const inbox = await until(async () => {
      const found = await inboxOf(alice);
      return found.threads.length === 2 ? found : undefined;
    });
    expect(inbox.threads.map(({ threadId }: Loose) => threadId)).to.deep.equal([thread.id, quiet]);
    expect(inbox.threads[0]).to.deep.include({ unreadCount: 2, lastSeq: second.seq, channelName: 'general' });
    expect(inbox.threads[0].thread).to.include({ id: thread.id, name: 'ideas', messageCount: 2 });
    expect(inbox.threads[0].lastReply).to.deep.include({ id: second.id, content: 'two' });
    expect(inbox.threads[0].lastReply.author.id).to.equal(bob.id);
    const page = await inboxOf(alice, '?limit=1');
    const rest = await inboxOf(alice, `?limit=1&cursor=${page.cursor}`);
    expect([...page.threads, ...rest.threads].map(({ threadId }) => threadId)).to.deep.equal([thread.id, quiet]);
    expect(rest.cursor).to.equal(null);
    const ears = [await alice.connect(), await alice.on(bob.node).connect()];
    const isRead = (event: Loose) => event.threadId === thread.id && event.lastReadSeq === second.seq;
    const read = await alice.put(`/api/threads/${thread.id}/read`, { messageId: second.id });
    expect(read.body).to.include({ lastReadSeq: second.seq, unreadCount: 0, state: 'following' });
    for (const ear of ears) {
      const event = await ear.next('thread:state', isRead);
      expect(event).to.include({ state: 'following', unreadCount: 0 });
    }
    // The same again, and going back by reading, change nothing.
    await alice.put(`/api/threads/${thread.id}/read`, { seq: second.seq });
    expect((await alice.put(`/api/threads/${thread.id}/read`, { seq: 1 })).body.lastReadSeq).to.equal(second.seq);
    expect((await inboxOf(alice)).unreadThreads).to.equal(0);
    expect(ears.map((ear) => ear.all('thread:state').filter(isRead).length)).to.deep.equal([1, 1]);
  });

  it('tells followers live of what is new, also those who are in no room but their own, and nobody else', async () => {
    const { alice, bob } = here;
    const [follower, other] = [await alice.connect(), await dora.connect()];
    const first = await reply(bob, 'one');
    const event = await follower.next('thread:state', ({ unreadCount }) => unreadCount === 1);
    expect(event).to.include({ threadId: thread.id, channelId: here.channel.id, state: 'following' });
    expect(event.lastSeq).to.equal(first.seq);
    const second = await reply(bob, 'two');
    await follower.next('thread:state', ({ unreadCount }) => unreadCount === 2);
    await bob.delete(`/api/messages/${second.id}`);
    await follower.next('thread:state', ({ lastSeq, unreadCount }) => unreadCount === 1 && lastSeq === first.seq);
    await bob.delete(`/api/messages/${first.id}`);
    await until(async () => (await inboxOf(alice)).unreadThreads === 0);
    expect(other.all('thread:state')).to.deep.equal([]);
  });

  it('brings notifications of replies, until one leaves or mutes the thread', async () => {
    const { alice, bob } = here;
    const isOf = (message: Loose) => (each: Loose) => each.referenceId === message.id;
    await dora.patch('/api/notifications/preferences', { strategy: 'mention_only' });
    await dora.put(`/api/threads/${thread.id}/follow`, {});
    const first = await reply(bob, 'one');
    // Who asked to follow wants to hear of it.
    expect(await told(dora, isOf(first))).to.include({ kind: 'thread.reply', senderId: bob.id });
    await dora.delete(`/api/threads/${thread.id}/follow`);
    const second = await reply(bob, `two, @${here.alice.username}`);
    await told(alice, isOf(second));
    expect((await stateOf(dora)).state).to.equal('none');
    const third = await reply(bob, `three, @${dora.username}`);
    expect(await told(dora, isOf(third))).to.include({ kind: 'message.mention' });
    expect((await stateOf(dora)).state).to.equal('following');
    expect((await dora.put(`/api/threads/${thread.id}/follow`, { muted: true })).body.state).to.equal('muted');
    await reply(bob, `four, @${dora.username}`);
    const last = await reply(bob, `five, @${alice.username}`);
    await told(alice, isOf(last));
    const own = (await dora.get('/api/notifications')).body.filter(
      ({ kind }: Loose) => kind !== 'server.member_joined',
    );
    expect(own.map(({ referenceId }: Loose) => referenceId)).to.deep.equal([third.id, first.id]);
    expect((await inboxOf(dora)).threads).to.deep.equal([]);
    expect((await inboxOf(dora, '?state=muted')).threads).to.have.length(1);
    expect(await unreadOf(dora)).to.deep.equal([]);
  });

  it('is not needed to see that there are replies: the channel and the thread are marked until they are read', async () => {
    const { bob } = here;
    const seen = async (seq: number) => dora.put(`/api/channels/${here.channel.id}/read`, { seq });
    await seen(parent.seq);
    const first = await reply(bob, 'one');
    expect((await channelOf(dora)).unreadThreads).to.equal(1);
    const [mark] = await unreadOf(dora);
    expect(mark).to.include({ threadId: thread.id, parentMessageId: parent.id, state: 'none', unreadCount: 1 });
    await dora.put(`/api/threads/${thread.id}/read`, { seq: first.seq });
    expect([(await channelOf(dora)).unreadThreads, await unreadOf(dora)]).to.deep.equal([0, []]);
    expect((await stateOf(dora)).state).to.equal('none');
    const second = await reply(bob, 'two');
    expect((await channelOf(dora)).unreadThreads).to.equal(1);
    // Whoever reads the channel on has seen the mark; for whoever follows the thread it stays.
    await seen(second.seq);
    expect([(await channelOf(dora)).unreadThreads, await unreadOf(dora)]).to.deep.equal([0, []]);
    await here.alice.put(`/api/channels/${here.channel.id}/read`, { seq: second.seq });
    await until(async () => (await unreadOf(here.alice)).length === 1);
    expect((await unreadOf(bob)).length).to.equal(0);
  });

  it('goes back where a reply is marked as unread, on all devices', async () => {
    const { alice, bob } = here;
    const first = await reply(bob, 'one');
    const second = await reply(bob, 'two');
    for (const person of [alice, dora]) {
      await person.put(`/api/threads/${thread.id}/read`, { seq: second.seq });
      const ear = await person.connect();
      const { status, body } = await person.post(`/api/messages/${second.id}/unread`);
      expect(status).to.equal(200);
      expect(body).to.include({ threadId: thread.id, lastReadSeq: second.seq - 1, unreadCount: 1 });
      const event = await ear.next('thread:state', ({ back }) => back === true);
      expect(event).to.include({ lastReadSeq: second.seq - 1, unreadCount: 1 });
      // What is unread already stays where it is.
      await person.post(`/api/messages/${first.id}/unread`);
      expect((await stateOf(person)).unreadCount).to.equal(2);
      await person.post(`/api/messages/${second.id}/unread`);
      expect((await stateOf(person)).unreadCount).to.equal(2);
      expect(await unreadOf(person)).to.have.length(1);
    }
    expect((await inboxOf(alice)).unreadThreads).to.equal(1);
  });

  it('stays back where a device reads on that has not heard of it, with what notified of that', async () => {
    const { alice, bob, channel } = here;
    const [first, second] = [await reply(bob, 'one'), await reply(bob, 'two')];
    const read = async (person: Person, body: object) =>
      (await person.put(`/api/threads/${thread.id}/read`, body)).body;
    for (const person of [alice, dora]) {
      expect(await read(person, { seq: second.seq, knownSeq: 0 })).to.include({ unreadCount: 0 });
      await person.post(`/api/messages/${first.id}/unread`);
    }
    const named = await reply(bob, `@${alice.username}`);
    await told(alice, ({ referenceId }) => referenceId === named.id);
    const isLeft = async () =>
      (await alice.get('/api/notifications?unread=true')).body.some(
        ({ referenceId }: Loose) => referenceId === named.id,
      );
    for (const person of [alice, dora]) {
      const late = await read(person, { seq: named.seq, knownSeq: second.seq });
      expect(late).to.include({ lastReadSeq: first.seq - 1, unreadCount: 3 });
    }
    expect(await isLeft()).to.equal(true);
    expect(await read(alice, { seq: named.seq, knownSeq: first.seq - 1 })).to.include({ unreadCount: 0 });
    expect(await isLeft()).to.equal(false);
    // The pointer of the channel stands for that of a thread that one does not follow: it may go back by itself.
    const other = await bob.say(channel.id, 'another');
    const { id } = (await bob.post(`/api/messages/${other.id}/thread`)).body;
    const aside = (await bob.post(`/api/threads/${id}/messages`, { content: 'aside' })).body;
    await dora.put(`/api/channels/${channel.id}/read`, { seq: aside.seq });
    const knownSeq = (await dora.get(`/api/threads/${id}/state`)).body.lastReadSeq;
    await dora.post(`/api/messages/${other.id}/unread`);
    expect((await dora.put(`/api/threads/${id}/read`, { seq: aside.seq, knownSeq })).body.unreadCount).to.equal(0);
  });

  it('settles the notifications of a thread with reading it, and leaves those of others', async () => {
    const { alice, bob, channel } = here;
    const aside = await reply(bob, `@${alice.username}`);
    const said = await bob.say(channel.id, `@${alice.username} too`);
    for (const { id } of [aside, said]) await told(alice, (each) => each.referenceId === id);
    const ear = await alice.connect();
    await alice.put(`/api/threads/${thread.id}/read`, { messageId: aside.id });
    expect((await ear.next('notification:read')).unreadCount).to.be.a('number');
    const all = (await alice.get('/api/notifications')).body;
    const isRead = (id: string) => all.find(({ referenceId }: Loose) => referenceId === id).isRead;
    expect([isRead(aside.id), isRead(said.id)]).to.deep.equal([true, false]);
  });

  it('is not by those who are named by someone whom they have blocked', async () => {
    const { bob } = here;
    await dora.put(`/api/friends/blocks/${bob.id}`);
    await reply(bob, `well, @${dora.username}`);
    expect((await stateOf(dora)).state).to.equal('none');
  });

  it('works over sockets', async () => {
    const { bob } = here;
    const first = await reply(bob, 'one');
    const socket = await dora.connect();
    const ack = await socket.emit('thread:follow', { threadId: thread.id });
    expect(ack).to.include({ ok: true, state: 'following', unreadCount: 0, lastReadSeq: first.seq });
    const second = await reply(bob, 'two');
    await socket.next('thread:state', ({ unreadCount }) => unreadCount === 1);
    const read = await socket.emit('thread:read', { threadId: thread.id, messageId: second.id });
    expect(read).to.include({ ok: true, unreadCount: 0 });
    const back = await socket.emit('message:unread', { messageId: second.id });
    expect(back).to.include({ ok: true, threadId: thread.id, unreadCount: 1 });
    expect(await socket.emit('thread:unfollow', { threadId: thread.id })).to.include({ ok: true, state: 'none' });
  });

  it('ends with the thread, the place in the server and the channel', async () => {
    const { alice, bob, server, channel } = here;
    await reply(bob, 'one');
    await reply(dora, 'two');
    await dora.post(`/api/servers/${server.id}/leave`);
    expect((await inboxOf(dora)).threads).to.deep.equal([]);
    const again = await dora.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    expect(again.status, JSON.stringify(again.body)).to.equal(200);
    expect((await stateOf(dora)).state).to.equal('none');
    await alice.put(`/api/channels/${channel.id}/overrides/users/${bob.id}`, { allow: [], deny: ['view'] });
    expect((await inboxOf(bob)).threads).to.deep.equal([]);
    const ear = await alice.connect();
    await alice.delete(`/api/threads/${thread.id}`);
    expect(await ear.next('thread:state', ({ state }) => state === 'none')).to.include({ threadId: thread.id });
    expect(await inboxOf(alice)).to.deep.equal({ threads: [], unreadThreads: 0, cursor: null });
  });

  it('refuses strangers, bots and what does not fit', async () => {
    const { alice, carol, channel } = here;
    const calls = (person: Pick<Person, 'get' | 'put' | 'delete' | 'post'>) => [
      person.get(`/api/threads/${thread.id}/state`),
      person.put(`/api/threads/${thread.id}/follow`, {}),
      person.delete(`/api/threads/${thread.id}/follow`),
      person.put(`/api/threads/${thread.id}/read`, { seq: 1 }),
    ];
    for (const answer of await Promise.all(calls(carol))) expectError(answer, 'THREAD_NOT_FOUND');
    expectError(await carol.post(`/api/messages/${parent.id}/unread`), 'MESSAGE_NOT_FOUND');
    expectError(await carol.get(`/api/channels/${channel.id}/threads/unread`), 'CHANNEL_NOT_FOUND');
    const bot = await botIn(here.server, alice);
    for (const answer of await Promise.all(calls(bot))) expectError(answer, 'FORBIDDEN');
    expectError(await alice.get('/api/threads?cursor=nonsense'), 'INVALID_CURSOR');
    const elsewhere = { messageId: parent.id };
    expectError(await alice.put(`/api/threads/${thread.id}/read`, elsewhere), 'MESSAGE_NOT_FOUND');
  });
});
