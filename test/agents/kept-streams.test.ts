// nodes: one and two

import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const isSoFar = ({ soFar }: Loose) => soFar === true;

describe('replies in progress', () => {
  let here: World;
  let robot: Bot;
  let count = 0;

  before(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
  });
  after(() => {
    robot.hangUp();
    here.close();
  });

  const at = (index: number) => {
    const { nodes } = here.cluster;
    const node = nodes[index % nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const streams = () => `/api/channels/${here.channel.id}/streams`;
  /** A new reply of the bot, by pieces over HTTP, to any node. */
  function reply(more: object = {}, streamId = `reply ${count++}`) {
    const say = async (delta: string, rest: object = {}, node = 0) =>
      robot.on(at(node)).post(streams(), { streamId, delta, ...more, ...rest });
    const stop = (who = here.bob, node = 1) =>
      who.on(at(node)).post(`${streams()}/stop`, { userId: robot.id, streamId });
    return { streamId, say, stop };
  }

  it('are given as far as they go to those who join, wherever they are', async () => {
    const { bob, channel } = here;
    const { say, streamId } = reply();
    await say('Once ');
    expect((await say('upon ')).body).to.deep.equal({ streamId, length: 10 });
    for (const node of [0, 1]) {
      const ear = await bob.on(at(node)).listen(channel.id);
      const soFar = await ear.next('message:stream', isSoFar);
      expect(soFar).to.include({ streamId, delta: 'Once upon ', offset: 0, done: false, userId: robot.id });
      expect(soFar.author.username).to.equal(robot.username);
      expect(soFar.startedAt).to.be.a('string');
      ear.close();
    }
    const listed = (await bob.on(at(1)).get(streams())).body.streams;
    expect(listed).to.have.length(1);
    expect(listed[0]).to.include({ streamId, content: 'Once upon ', length: 10, threadId: null });
    const { message } = (await say('a time', { done: true })).body;
    expect(message).to.include({ content: 'Once upon a time', isEdited: false });
    expect((await bob.get(streams())).body.streams).to.deep.equal([]);
    const late = await bob.listen(channel.id);
    await bob.say(channel.id, 'and then?');
    await late.next('message:new', ({ content }) => content === 'and then?');
    expect(late.all('message:stream')).to.deep.equal([]);
  });

  it('are given to those who return with a position, to those in their thread, and in direct messages', async () => {
    const { bob, channel } = here;
    const parent = await bob.say(channel.id, 'a long story');
    const thread = (await bob.post(`/api/messages/${parent.id}/thread`, {})).body;
    const inThread = reply({ threadId: thread.id });
    await inThread.say('Aside ');
    const back = await bob.connect({ auth: { token: bob.token, resume: { [channel.id]: parent.seq } } });
    expect(await back.next('message:stream', isSoFar)).to.include({ delta: 'Aside ', threadId: thread.id });
    const follower = await bob.on(at(1)).connect();
    await follower.emit('thread:join', { threadId: thread.id });
    expect(await follower.next('message:stream', isSoFar)).to.include({ delta: 'Aside ', threadId: thread.id });
    await inThread.say('done', { done: true });
    const dm = (await bob.post('/api/dm/channels', { userId: robot.id })).body;
    await robot.post(`/api/channels/${dm.id}/streams`, { streamId: 'between us', delta: 'Psst' });
    const own = await bob.on(at(1)).connect();
    expect(await own.next('message:stream', isSoFar)).to.include({ channelId: dm.id, delta: 'Psst' });
    await robot.post(`/api/channels/${dm.id}/streams`, { streamId: 'between us', done: true });
  });

  it('are continued at any node, by sockets and over HTTP, and say how far they are', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const { say, streamId } = reply();
    await say('one ', { offset: 0 }, 0);
    await say('two ', { offset: 4 }, 1);
    const mouth = await robot.on(at(0)).connect();
    const stream = { channelId: here.channel.id, streamId };
    await mouth.emit('message:stream', { ...stream, delta: 'three ', offset: 8 });
    // As after an answer that was lost.
    expect((await say('three ', { offset: 8 }, 1)).body).to.deep.equal({ streamId, length: 14 });
    const { message } = (await say('four', { offset: 14, done: true }, 1)).body;
    expect(message.content).to.equal('one two three four');
    await ear.next('message:stream', (piece) => piece.messageId === message.id);
    expect((await say('', { done: true }, 0)).body.message.id).to.equal(message.id);
    mouth.close();
  });

  it('are stopped by those who may write there: once, for good, with a message that says so', async () => {
    const { bob, carol, channel } = here;
    const ear = await bob.listen(channel.id);
    const own = await robot.connect();
    const question = await bob.say(channel.id, 'tell me all');
    const { say, stop, streamId } = reply({ replyToId: question.id });
    await say('First of all, ');
    await ear.next('message:stream', ({ delta }) => delta === 'First of all, ');
    expect((await stop(carol)).status).to.be.oneOf([403, 404]);
    const both = await Promise.all([stop(bob, 0), stop(bob, 1)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
    const message = await ear.next('message:new', ({ authorId }) => authorId === robot.id);
    expect(message).to.include({ content: 'First of all, ', replyToId: question.id, isEdited: false });
    expect(message.metadata).to.deep.equal({ stream: 'stopped' });
    const end = await ear.next('message:stream', ({ done }) => done);
    expect(end).to.include({ streamId, messageId: message.id, reason: 'stopped', stoppedBy: bob.id });
    const told = await own.next('message:stream-stopped');
    expect(told).to.include({ streamId, channelId: channel.id, replyToId: question.id });
    expect(told.stoppedBy.id).to.equal(bob.id);
    expect(told.eventSeq).to.be.a('number');
    for (const node of [0, 1]) expect((await say('and', {}, node)).body.code).to.equal('STREAM_STOPPED');
    const done = await say('', { done: true, content: 'all of it' }, 1);
    expect(done.body.message).to.include({ id: message.id, content: 'First of all, ' });
    const mouth = await robot.connect();
    const piece = { channelId: channel.id, streamId, delta: 'x' };
    expect(await mouth.emit('message:stream', piece)).to.include({ code: 'STREAM_STOPPED' });
    expect((await stop()).body.code).to.equal('STREAM_NOT_FOUND');
  });

  it('are stopped over sockets, by their own bot, and by no other one; without text nothing comes of them', async () => {
    const { bob, alice, channel } = here;
    const ear = await bob.listen(channel.id);
    const other = await botIn(here.server, alice);
    const mine = reply();
    await mine.say('');
    const stop = { channelId: channel.id, userId: robot.id, streamId: mine.streamId };
    expect((await mine.stop(other)).body.code).to.equal('FORBIDDEN');
    expect(await ear.emit('message:stream-stop', { ...stop, streamId: 'none' })).to.include({
      code: 'STREAM_NOT_FOUND',
    });
    expect(await ear.emit('message:stream-stop', stop)).to.deep.equal({ ok: true });
    const end = await ear.next('message:stream', ({ streamId, done }) => streamId === mine.streamId && done);
    expect(end).to.include({ aborted: true, reason: 'stopped' });
    const next = reply();
    await next.say('Enough');
    expect((await next.stop(robot)).status).to.equal(200);
    await ear.next('message:new', ({ content }) => content === 'Enough');
    other.hangUp();
  });

  it('are a text that is read as it arrives, and end with it', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const body = send('?streamId=text');
    body.write('Es war ');
    await ear.next('message:stream', ({ delta }) => delta === 'Es war ');
    // A character that arrives in halves.
    const [first, second] = [Buffer.from('schön').subarray(0, 4), Buffer.from('schön').subarray(4)];
    body.write(first);
    await ear.next('message:stream', ({ delta }) => delta === 'sch');
    body.end(second);
    const { status, body: answer } = await body.answer;
    expect(status, JSON.stringify(answer)).to.equal(200);
    expect(answer).to.include({ streamId: 'text', length: 12 });
    expect(answer.message.content).to.equal('Es war schön');
    const bad = send('?streamId=bad');
    bad.end(Buffer.from([0xff, 0xff]));
    expect((await bad.answer).body.code).to.equal('VALIDATION_FAILED');
    const unfit = send('?streamId=unfit');
    unfit.end('Zero \0');
    expect((await unfit.answer).body.code).to.equal('VALIDATION_FAILED');
    const nameless = send('');
    nameless.end('text');
    expect((await nameless.answer).body.code).to.equal('VALIDATION_FAILED');
  });

  it('that are a text are answered at once when they are stopped, and continued when they break off', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const body = send('?streamId=stopped-text');
    body.write('On and ');
    await ear.next('message:stream', ({ delta }) => delta === 'On and ');
    await bob.post(`${streams()}/stop`, { userId: robot.id, streamId: 'stopped-text' });
    body.write('on');
    expect((await body.answer).body.code).to.equal('STREAM_STOPPED');
    const broken = send('?streamId=broken-text');
    broken.write('One ');
    await ear.next('message:stream', ({ delta }) => delta === 'One ');
    broken.destroy();
    await broken.answer.catch(() => {});
    const open: Loose[] = (await robot.on(at(1)).get(streams())).body.streams;
    const length = open.find(({ streamId }) => streamId === 'broken-text')?.length;
    const rest = send(`?streamId=broken-text&offset=${length}`, 1);
    rest.end('two');
    expect((await rest.answer).body.message.content).to.equal('One two');
  });

  it('that are a text are shown in few pieces, however many they come in', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const began = performance.now();
    const body = send('?streamId=crumbs');
    for (let i = 0; i < 150; i++) {
      body.write(`${i} `);
      await delay(2);
    }
    body.end();
    const { content } = (await body.answer).body.message;
    const tookMs = performance.now() - began;
    await ear.next('message:stream', (piece) => piece.streamId === 'crumbs' && piece.done);
    const isPiece = ({ streamId, delta, soFar }: Loose) => streamId === 'crumbs' && delta && !soFar;
    const pieces = ear.all('message:stream').filter(isPiece);
    expect(pieces.map(({ delta }) => delta).join('')).to.equal(content);
    // Ten in a second, and one for each 500 characters.
    expect(pieces.length).to.be.at.most(3 + Math.ceil(tookMs / 100) + Math.ceil(content.length / 500));
  });

  it('that are a text end with the right of their bot to speak', async () => {
    const { alice, bob, channel, server } = here;
    const silenced = await botIn(server, alice);
    const ear = await bob.listen(channel.id);
    const body = send('?streamId=silenced', 0, silenced.token);
    body.write('On ');
    await ear.next('message:stream', ({ delta }) => delta === 'On ');
    await alice.post(`/api/agents/${silenced.agentId}/stop`);
    let isAnswered = false;
    const answer = body.answer.finally(() => {
      isAnswered = true;
    });
    for (let i = 0; i < 500 && !isAnswered; i++) {
      body.write('and on ');
      await delay(20);
    }
    expect((await answer).body.code).to.equal('AGENT_STOPPED');
    silenced.hangUp();
  });

  it('left behind without an end become messages, whatever is in one of them', async () => {
    const { bob, channel, cluster } = here;
    const ear = await bob.listen(channel.id);
    const left = `INSERT INTO reply_streams (user_id, channel_id, stream_id, content, shown, is_broken, is_served, state, reason,
      started_at, seen_at) VALUES ($1, $2, $3, $4, 0, false, true, 'ending', 'cut', now(), now() - $5::interval)`;
    const texts = { 'of nobody': 'Zero \0', 'of someone': 'Left behind' };
    for (const [index, [streamId, content]] of Object.entries(texts).entries()) {
      const values = [robot.id, channel.id, streamId, JSON.stringify(content), `${10 - index} min`];
      await query(cluster.databaseUrl, left, values);
    }
    // A node looks after them as it starts.
    const later = await startCluster({ databaseUrl: cluster.databaseUrl });
    const message = await ear.next('message:new', ({ authorId }) => authorId === robot.id);
    expect([message.content, message.metadata]).to.deep.equal(['Left behind', { stream: 'cut' }]);
    const isSettled = `SELECT FROM reply_streams WHERE user_id = $1 AND stream_id = 'of nobody' AND state = 'ended'`;
    await until(async () => (await query(cluster.databaseUrl, isSettled, [robot.id])).length > 0);
    await later.stop();
  });

  it('outlast a start of the server, also without Redis', async () => {
    const cluster = await startCluster({ nodes: 1, redisUrl: null });
    const { databaseUrl } = cluster;
    const there = await world(cluster);
    const bot = await botIn(there.server, there.alice);
    const path = `/api/channels/${there.channel.id}/streams`;
    await bot.post(path, { streamId: 'kept', delta: 'Before ' });
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    const again = await startCluster({ nodes: 1, redisUrl: null, databaseUrl });
    const [node] = again.nodes;
    if (!node) throw new Error('no node');
    const ear = await there.bob.on(node).listen(there.channel.id);
    expect((await bot.on(node).post(path, { streamId: 'kept', delta: 'and ' })).body.length).to.equal(11);
    await ear.next('message:stream', ({ delta, offset }) => delta === 'and ' && offset === 7);
    await there.bob.on(node).post(`${path}/stop`, { userId: bot.id, streamId: 'kept' });
    await ear.next('message:new', ({ content }) => content === 'Before and ');
    ear.close();
    await again.stop();
    there.close();
    await cluster.stop();
  });

  /** A request with a text as its body. */
  function send(query: string, node = 0, token = robot.token) {
    const { port } = at(node);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
    const sent = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: `${streams()}${query}`, headers });
    const answer = new Promise<{ status: number; body: Loose }>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
      });
    });
    answer.catch(() => {});
    sent.flushHeaders();
    return Object.assign(sent, { answer });
  }
});
