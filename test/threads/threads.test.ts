// nodes: one and two

import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { bot as botOf } from '../world/bot.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('threads', () => {
  let here: World;
  let parent: Loose;
  beforeEach(async () => {
    here = await world();
    parent = await here.alice.say(here.channel.id, 'What do you think about this?');
  });
  afterEach(() => here.close());

  const start = (body: object = { name: 'ideas', parentMessageId: parent.id }) =>
    here.bob.post(`/api/channels/${here.channel.id}/threads`, body);

  it('start from a message, once, whoever asks first', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const made = await start();
    expect(made.status).to.equal(201);
    expect(made.body).to.include({
      channelId: channel.id,
      name: 'ideas',
      parentMessageId: parent.id,
      creatorId: bob.id,
    });
    expect(made.body).to.include({ isArchived: false, messageCount: 0, lastMessageAt: null });
    expect(await ear.next('thread:created')).to.deep.include(made.body);
    const again = await start({ name: 'other', parentMessageId: parent.id });
    expect([again.status, again.body]).to.deep.equal([200, made.body]);
    const short = await alice.post(`/api/messages/${parent.id}/thread`);
    expect([short.status, short.body]).to.deep.equal([200, made.body]);
    expect((await bob.get(`/api/threads/${made.body.id}`)).body).to.deep.equal(made.body);
    expect((await bob.get(`/api/messages/${parent.id}`)).body.thread).to.deep.equal({
      id: made.body.id,
      name: 'ideas',
      messageCount: 0,
      lastMessageAt: null,
    });
  });

  it('are one, also when eight ask at once on two nodes', async () => {
    const { bob, cluster, channel } = here;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        bob
          .on(cluster.nodes[i % cluster.nodes.length] ?? bob.node)
          .post(`/api/channels/${channel.id}/threads`, { name: `n${i}`, parentMessageId: parent.id }),
      ),
    );
    expect(new Set(answers.map((answer) => answer.body.id)).size).to.equal(1);
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(1);
    expect((await bob.get(`/api/channels/${channel.id}/threads`)).body).to.have.length(1);
  });

  it('are called by how their message begins, if by nothing else', async () => {
    const { alice, channel } = here;
    const long = await alice.say(channel.id, `  ${'word '.repeat(40)}`);
    const { body } = await alice.post(`/api/messages/${long.id}/thread`);
    expect(body.name).to.equal('word '.repeat(40).slice(0, 100).trim());
    const lines = await alice.say(channel.id, '\nFirst line\r\n\n\tsecond\u0007 line');
    expect((await alice.post(`/api/messages/${lines.id}/thread`)).body.name).to.equal('First line second line');
    expect((await alice.post(`/api/messages/${parent.id}/thread`, { name: 'given' })).body.name).to.equal('given');
  });

  it('have messages, which are counted and told to the channel and to those in the thread', async () => {
    const { alice, bob, channel } = here;
    const thread = (await start()).body;
    const [inChannel, inThread] = [await alice.listen(channel.id), await bob.connect()];
    const joined = await inThread.emit('thread:join', { threadId: thread.id });
    expect(joined).to.deep.include({ ok: true, threadId: thread.id, channelId: channel.id, events: [] });
    // Whoever is in both gets each event once.
    await inChannel.emit('thread:join', thread.id);
    const one = (await bob.post(`/api/threads/${thread.id}/messages`, { content: 'one' })).body;
    expect(one).to.include({ threadId: thread.id, channelId: channel.id, content: 'one' });
    const two = await alice.say(channel.id, 'two', { threadId: thread.id, replyToId: one.id });
    await alice.say(channel.id, 'elsewhere');
    await alice.patch(`/api/messages/${two.id}`, { content: 'two!' });
    await alice.post(`/api/messages/${one.id}/reactions`, { emoji: '👍' });
    await inThread.next('reaction:updated');
    expect(inThread.all('message:new').map((event) => event.content)).to.deep.equal(['one', 'two']);
    expect(inThread.all('message:updated').map((event) => event.content)).to.deep.equal(['two!']);
    await inChannel.next('reaction:updated');
    expect(inChannel.all('message:new').map((event) => event.content)).to.deep.equal(['one', 'two', 'elsewhere']);
    const now = (await bob.get(`/api/threads/${thread.id}`)).body;
    expect(now).to.include({ messageCount: 2, lastMessageAt: two.createdAt });
    const list = await bob.get(`/api/threads/${thread.id}/messages`);
    expect(list.body.map((message: Loose) => message.content)).to.deep.equal(['two!', 'one']);
    await alice.delete(`/api/messages/${one.id}`);
    expect((await bob.get(`/api/threads/${thread.id}`)).body.messageCount).to.equal(1);
    expect((await inThread.next('message:deleted')).threadId).to.equal(thread.id);
    expect((await inThread.emit('thread:leave', thread.id)).ok).to.equal(true);
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'three' });
    await inChannel.next('message:new', (event) => event.content === 'three');
    expect(inThread.all('message:new')).to.have.length(2);
  });

  it('count and date what is left when messages of theirs are deleted', async () => {
    const { alice, bob, channel } = here;
    const thread = (await start()).body;
    const one = await alice.say(channel.id, 'one', { threadId: thread.id });
    const two = await alice.say(channel.id, 'two', { threadId: thread.id });
    for (const [gone, left] of [
      [two, { messageCount: 1, lastMessageAt: one.createdAt }],
      [one, { messageCount: 0, lastMessageAt: null }],
    ] as const) {
      await alice.delete(`/api/messages/${gone.id}`);
      expect((await bob.get(`/api/threads/${thread.id}`)).body).to.include(left);
      expect((await bob.get(`/api/messages/${thread.parentMessageId}`)).body.thread).to.include(left);
    }
  });

  it('tell those who are only in them of nothing else, and of all that is theirs, however much is written at once', async () => {
    const { alice, bob, channel } = here;
    const thread = (await start()).body;
    const inThread = await bob.connect();
    await inThread.emit('thread:join', { threadId: thread.id });
    const numbers = Array.from({ length: 40 }, (_, i) => i);
    const said = numbers.map((i) => alice.say(channel.id, `${i}`, i % 2 ? { threadId: thread.id } : {}));
    const theirs = (await Promise.all(said)).filter(({ threadId }) => threadId === thread.id);
    const last = await alice.say(channel.id, 'last', { threadId: thread.id });
    await inThread.next('message:new', ({ id }) => id === last.id);
    const ids = [...theirs.sort((a, b) => a.seq - b.seq), last].map(({ id }) => id);
    expect(inThread.all('message:new').map(({ id }) => id)).to.deep.equal(ids);
  });

  it('tell those who are only in them that their channel is gone, once', async () => {
    const { alice, bob, channel } = here;
    const thread = (await start()).body;
    const [inBoth, inThread] = [await alice.listen(channel.id), await bob.connect()];
    for (const ear of [inBoth, inThread]) await ear.emit('thread:join', { threadId: thread.id });
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'last' });
    expect((await alice.delete(`/api/channels/${channel.id}`)).status).to.equal(200);
    for (const ear of [inBoth, inThread]) {
      const gone = await ear.next('channel:deleted', ({ id }) => id === channel.id);
      expect(gone.eventSeq).to.equal((await ear.next('message:new')).eventSeq + 1);
    }
    await alice.post('/api/servers', { name: 'later' });
    await inBoth.next('server:joined');
    expect(inBoth.all('channel:deleted').filter(({ id }) => id === channel.id)).to.have.length(1);
  });

  it('give those who come back what they missed of them', async () => {
    const { alice, bob, channel } = here;
    const thread = (await start()).body;
    const ear = await bob.connect();
    const { seq } = await ear.emit('thread:join', { threadId: thread.id });
    await ear.emit('thread:leave', thread.id);
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'missed' });
    await alice.say(channel.id, 'not of the thread');
    const back = await ear.emit('thread:join', { threadId: thread.id, after: seq });
    expect(back.events.map((entry: Loose) => entry.data.content)).to.deep.equal(['missed']);
    expect(back.recovered).to.equal(true);
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'live' });
    expect((await ear.next('message:new')).content).to.equal('live');
  });

  it('hear of nobody typing who is not in their channel', async () => {
    const { alice, bob, carol } = here;
    const thread = (await start()).body;
    const ear = await alice.connect();
    await ear.emit('thread:join', { threadId: thread.id });
    const own = (await carol.post('/api/servers', { name: 'elsewhere' })).body;
    const [elsewhere] = (await carol.get(`/api/servers/${own.id}/channels`)).body;
    const typing = { channelId: elsewhere.id, threadId: thread.id };
    const stranger = await carol.connect();
    expect((await stranger.emit('message:typing', typing)).code).to.equal('THREAD_NOT_FOUND');
    const mouth = await bob.connect();
    await mouth.emit('message:typing', { channelId: here.channel.id, threadId: thread.id });
    await ear.next('message:typing');
    expect(ear.all('message:typing').map((event) => event.userId)).to.deep.equal([bob.id]);
  });

  it('page like everything else, and send once for one nonce', async () => {
    const { alice, bob } = here;
    const thread = (await start()).body;
    const at = `/api/threads/${thread.id}/messages`;
    for (let i = 0; i < 5; i++) await alice.post(at, { content: `${i}` });
    const first = await bob.get(`${at}?limit=2`);
    expect(first.headers.get('x-has-more')).to.equal('true');
    const rest = await bob.get(`${at}?limit=3&cursor=${first.body[1].id}`);
    expect(rest.headers.get('x-has-more')).to.equal('false');
    expect([...first.body, ...rest.body].map((message: Loose) => message.content)).to.deep.equal([...'43210']);
    const newer = await bob.get(`${at}?after=${first.body[1].id}`);
    expect(newer.body.map((message: Loose) => message.content)).to.deep.equal(['4']);
    const body = { content: 'once', nonce: 'n1' };
    const [one, two] = [await alice.post(at, body), await alice.post(at, body)];
    expect([one.status, two.status, two.body.id]).to.deep.equal([201, 200, one.body.id]);
    expect((await bob.get(`/api/threads/${thread.id}`)).body.messageCount).to.equal(6);
  });

  it('are renamed and archived by those who may, and everyone hears of it', async () => {
    const { alice, bob, carol, channel, server } = here;
    const thread = (await start()).body;
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const ear = await alice.listen(channel.id);
    expect((await carol.patch(`/api/threads/${thread.id}`, { name: 'x' })).body.code).to.equal('FORBIDDEN');
    const renamed = await bob.patch(`/api/threads/${thread.id}`, { name: 'better' });
    expect(renamed.body.name).to.equal('better');
    expect((await ear.next('thread:updated')).name).to.equal('better');
    expect((await alice.patch(`/api/threads/${thread.id}`, { isArchived: true })).body.isArchived).to.equal(true);
    const refused = await bob.post(`/api/threads/${thread.id}/messages`, { content: 'x' });
    expect(refused.body.code).to.equal('THREAD_ARCHIVED');
    await alice.patch(`/api/threads/${thread.id}`, { isArchived: false });
    expect((await bob.post(`/api/threads/${thread.id}/messages`, { content: 'x' })).status).to.equal(201);
    expect((await bob.patch(`/api/threads/${thread.id}`, { name: '' })).status).to.equal(400);
  });

  it('stay as they are in a channel that was archived, where only deleting is left', async () => {
    const { alice, bob, channel } = here;
    const { id, name } = (await start()).body;
    await alice.post(`/api/channels/${channel.id}/archive`);
    for (const change of [{ name: 'later' }, { isArchived: true }]) {
      const refused = await bob.patch(`/api/threads/${id}`, change);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'CHANNEL_ARCHIVED']);
    }
    expect((await bob.get(`/api/threads/${id}`)).body).to.include({ name, isArchived: false });
    expect((await bob.delete(`/api/threads/${id}`)).status).to.equal(200);
  });

  it('keep the name that someone chose, also where it is the one that they had by themselves', async () => {
    const { alice, channel } = here;
    const said = await alice.say(channel.id, 'as it began');
    const { id, name } = (await alice.post(`/api/messages/${said.id}/thread`)).body;
    await alice.patch(`/api/threads/${id}`, { name });
    await alice.patch(`/api/messages/${said.id}`, { content: 'something else' });
    expect((await alice.get(`/api/threads/${id}`)).body.name).to.equal('as it began');
  });

  it('are deleted with their messages, and another can start', async () => {
    const { alice, bob, carol, channel, server } = here;
    const thread = (await start()).body;
    const inside = (await alice.post(`/api/threads/${thread.id}/messages`, { content: 'inside' })).body;
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    expect((await carol.delete(`/api/threads/${thread.id}`)).body.code).to.equal('FORBIDDEN');
    const ear = await alice.listen(channel.id);
    // Whoever started it erases nothing of others; moderators may.
    expect((await bob.delete(`/api/threads/${thread.id}`)).body.code).to.equal('FORBIDDEN');
    expect((await alice.delete(`/api/threads/${thread.id}`)).body.ok).to.equal(true);
    const gone = { id: thread.id, channelId: channel.id, parentMessageId: parent.id };
    expect(await ear.next('thread:deleted')).to.deep.include(gone);
    expect((await bob.get(`/api/threads/${thread.id}`)).status).to.equal(404);
    expect((await bob.get(`/api/messages/${inside.id}`)).status).to.equal(404);
    expect((await alice.say(channel.id, 'x', {})).threadId).to.equal(null);
    const late = await alice.post(`/api/channels/${channel.id}/messages`, { content: 'x', threadId: thread.id });
    expect(late.body.code).to.equal('THREAD_NOT_FOUND');
    expect((await bob.get(`/api/messages/${parent.id}`)).body.thread).to.equal(null);
    expect((await start()).status).to.equal(201);
  });

  it('are not deleted in a DM with what the other wrote in them, which each deletes alone', async () => {
    const { alice, bob } = here;
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    const asked = await bob.say(dm.id, 'Have you seen it?');
    const thread = (await bob.post(`/api/messages/${asked.id}/thread`)).body;
    const own = await bob.say(dm.id, 'I have', { threadId: thread.id });
    const answer = await alice.say(dm.id, 'So have I', { threadId: thread.id });
    await alice.put(`/api/friends/blocks/${bob.id}`);
    expectError(await bob.delete(`/api/threads/${thread.id}`), 'FORBIDDEN');
    const left: Loose[] = (await alice.get(`/api/threads/${thread.id}/messages`)).body;
    expect(left.map(({ id }) => id)).to.deep.equal([answer.id, own.id]);
    await alice.delete(`/api/messages/${answer.id}`);
    expect((await bob.delete(`/api/threads/${thread.id}`)).status).to.equal(200);
    expect((await alice.get(`/api/messages/${own.id}`)).status).to.equal(404);
  });

  it('are deleted in a DM with what the bot wrote in them, by its owner', async () => {
    const { bob } = here;
    const bot = await botOf(bob);
    const dm = (await bob.post('/api/dm/channels', { userId: bot.id })).body;
    const asked = await bob.say(dm.id, 'Are you there?');
    const thread = (await bob.post(`/api/messages/${asked.id}/thread`)).body;
    await bot.say(dm.id, 'I am', { threadId: thread.id });
    expect((await bob.delete(`/api/threads/${thread.id}`)).status).to.equal(200);
  });

  it('keep their count under a race of messages and deletions on two nodes', async () => {
    const { alice, bob } = here;
    const thread = (await start()).body;
    const at = `/api/threads/${thread.id}/messages`;
    await Promise.all(
      [alice, bob].flatMap((who) =>
        Array.from({ length: 10 }, async (_, i) => {
          const { body } = await who.post(at, { content: `${i}` });
          if (i % 2) await who.delete(`/api/messages/${body.id}`);
        }),
      ),
    );
    expect((await bob.get(`/api/threads/${thread.id}`)).body.messageCount).to.equal(10);
    expect((await bob.get(at)).body).to.have.length(10);
  });

  it('take no message that is answered after they are gone', async () => {
    const { alice, bob } = here;
    for (let round = 0; round < 5; round++) {
      const thread = (await start()).body;
      const at = `/api/threads/${thread.id}/messages`;
      const [sent] = await Promise.all([
        Promise.all(Array.from({ length: 5 }, () => bob.post(at, { content: 'x' }))),
        alice.delete(`/api/threads/${thread.id}`),
      ]);
      for (const { status, body } of sent) {
        expect(status).to.be.oneOf([201, 404]);
        if (status === 201) expect((await bob.get(`/api/messages/${body.id}`)).status).to.equal(404);
      }
    }
  });

  it('refuse what does not fit', async () => {
    const { alice, bob, channel, server } = here;
    const thread = (await start()).body;
    const inside = (await bob.post(`/api/threads/${thread.id}/messages`, { content: 'x' })).body;
    const nested = await start({ name: 'x', parentMessageId: inside.id });
    expect([nested.status, nested.body.code]).to.deep.equal([400, 'THREAD_IN_THREAD']);
    const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'other' })).body;
    const elsewhere = await alice.say(other.id, 'x');
    expect((await start({ name: 'x', parentMessageId: elsewhere.id })).body.code).to.equal('WRONG_CHANNEL');
    const wrong = { content: 'x', threadId: thread.id };
    expect((await bob.post(`/api/channels/${other.id}/messages`, wrong)).body.code).to.equal('THREAD_NOT_FOUND');
    for (const body of [{}, { name: 'x' }, { parentMessageId: parent.id }, { name: 'x', parentMessageId: 'x' }]) {
      expect((await start(body)).status, JSON.stringify(body)).to.equal(400);
    }
    expect((await start({ name: 'x'.repeat(101), parentMessageId: parent.id })).status).to.equal(400);
    expect((await bob.get(`/api/channels/${channel.id}/threads?limit=0`)).status).to.equal(400);
    expect((await bob.get('/api/threads/not-an-id')).status).to.equal(404);
  });

  it('are listed newest first, in pages', async () => {
    const { alice, bob, channel } = here;
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const message = await alice.say(channel.id, `${i}`);
      ids.unshift((await alice.post(`/api/messages/${message.id}/thread`)).body.id);
    }
    const first = await bob.get(`/api/channels/${channel.id}/threads?limit=3`);
    expect(first.headers.get('x-has-more')).to.equal('true');
    const rest = await bob.get(`/api/channels/${channel.id}/threads?limit=3&cursor=${first.body[2].id}`);
    expect([...first.body, ...rest.body].map((thread: Loose) => thread.id)).to.deep.equal(ids);
  });

  it('refuse what comes in for them after their end by a node that has not heard of it', async () => {
    const cluster = await startCluster({ nodes: 2, redisUrl: null });
    const far = await world(cluster);
    try {
      const { alice, bob, channel } = far;
      const ends = {
        THREAD_ARCHIVED: (path: string) => alice.patch(path, { isArchived: true }),
        THREAD_NOT_FOUND: (path: string) => alice.delete(path),
      };
      for (const [code, end] of Object.entries(ends)) {
        const { id } = await alice.say(channel.id, 'root');
        const thread = (await alice.post(`/api/messages/${id}/thread`)).body;
        const path = `/api/threads/${thread.id}`;
        expect((await bob.post(`${path}/messages`, { content: 'in time' })).status).to.equal(201);
        expect((await end(path)).status).to.equal(200);
        expect((await bob.post(`${path}/messages`, { content: 'too late' })).body.code).to.equal(code);
      }
    } finally {
      far.close();
      await cluster.stop();
    }
  });
});
