// nodes: one and two

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openInstallation } from '../../src/cli/installation.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { startRedis } from '../rig/redis.ts';
import { sideBySide } from '../rig/side-by-side.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { startCluster, testSettings } from '../world/nodes.ts';
import type { Listener, Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** Pieces that follow the end of a stream are not taken for a reply; the whole is. */
async function becomesWholeOnly(mouth: Listener, stream: Loose, rest: string, content: string): Promise<void> {
  expect(await mouth.emit('message:stream', { ...stream, delta: rest })).to.deep.equal({ ok: true });
  expect((await mouth.emit('message:stream', { ...stream, done: true })).code).to.equal('STREAM_BROKEN');
  const end = await mouth.emit('message:stream', { ...stream, done: true, content });
  expect(end.message).to.include({ content });
}

describe('replies that are shown while they are made', () => {
  let here: World;
  let robot: Bot;

  before(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
  });
  after(() => {
    robot.hangUp();
    here.close();
  });

  it('are heard piece by piece on every node, and become one message', async () => {
    const { bob, alice, channel } = here;
    const ears = [await bob.listen(channel.id), await alice.listen(channel.id)];
    const mouth = await robot.listen(channel.id);
    const question = await bob.say(channel.id, 'tell us a story');
    const stream = { channelId: channel.id, streamId: 's1' };
    const first = await mouth.emit('message:stream', { ...stream, delta: 'Once ', replyToId: question.id });
    expect(first).to.deep.equal({ ok: true });
    for (const ear of ears) {
      const piece = await ear.next('message:stream');
      expect(piece).to.include({
        streamId: 's1',
        channelId: channel.id,
        userId: robot.id,
        delta: 'Once ',
        offset: 0,
        done: false,
      });
      expect(piece.author.username).to.equal(robot.username);
    }
    await mouth.emit('message:stream', { ...stream, delta: 'upon' });
    const end = await mouth.emit('message:stream', { ...stream, delta: ' a time', done: true });
    expect(end.message).to.include({ content: 'Once upon a time', replyToId: question.id, authorId: robot.id });
    const kept = (await robot.get(`/api/messages/${end.message.id}`)).body;
    for (const message of [end.message, kept]) expect(message).not.to.have.property('nonce');
    for (const ear of ears) {
      await ear.next('message:stream', (piece) => piece.done && piece.messageId === end.message.id);
      await ear.next('message:new', (message) => message.id === end.message.id);
      // Who has just come may get the text so far besides.
      const told = ear.all('message:stream').filter(({ soFar }) => !soFar);
      const pieces = told.map((piece) => piece.delta ?? '');
      expect(pieces.join('')).to.equal('Once upon a time');
    }
    expect(mouth.all('message:stream').filter((piece) => piece.delta)).to.deep.equal([]);
    // The end is said again, as after a lost answer.
    for (const last of [{ content: 'Once upon a time' }, { delta: ' a time' }, {}]) {
      const again = await mouth.emit('message:stream', { ...stream, ...last, done: true });
      expect(again.message?.id, JSON.stringify(last)).to.equal(end.message.id);
    }
    const { messages } = (await bob.get(`/api/channels/${channel.id}/messages`)).body;
    expect(messages.filter((message: Loose) => message.authorId === robot.id)).to.have.length(1);
  });

  it('are heard in their thread by those who follow only that, and in no thread of another channel', async () => {
    const { bob, alice, channel } = here;
    const parent = await bob.say(channel.id, 'a long story');
    const path = `/api/channels/${channel.id}/threads`;
    const thread = (await bob.post(path, { name: 'aside', parentMessageId: parent.id })).body;
    const follower = await alice.connect();
    await follower.emit('thread:join', { threadId: thread.id });
    const ears = [follower, await bob.listen(channel.id)];
    const mouth = await robot.connect();
    const stream = { channelId: channel.id, streamId: 'aside', threadId: thread.id };
    await mouth.emit('message:stream', { ...stream, delta: 'Once ' });
    for (const ear of ears) {
      const piece = await ear.next('message:stream');
      expect(piece).to.include({ threadId: thread.id, delta: 'Once ' });
    }
    const end = await mouth.emit('message:stream', { ...stream, delta: 'more', done: true });
    expect(end.message).to.include({ threadId: thread.id, content: 'Once more' });
    for (const ear of ears) await ear.next('message:stream', (piece) => piece.messageId === end.message.id);

    const elsewhere = await here.newChannel();
    await alice.post(`/api/channels/${elsewhere}/members`, { userId: robot.id });
    const astray = { ...stream, channelId: elsewhere, streamId: 'astray', delta: 'psst' };
    expect(await mouth.emit('message:stream', astray)).to.include({ code: 'THREAD_NOT_FOUND' });
    await bob.patch(`/api/threads/${thread.id}`, { isArchived: true });
    const late = { ...stream, streamId: 'late', delta: 'psst' };
    expect(await mouth.emit('message:stream', late)).to.include({ code: 'THREAD_ARCHIVED' });
    await robot.say(channel.id, 'the end');
    await ears[1]?.next('message:new', (message) => message.content === 'the end');
    for (const ear of ears) expect(ear.all('message:stream').map(({ streamId }) => streamId)).not.to.include('astray');
  });

  it('are twenty of one bot at most, also where many begin at once', async () => {
    const { channel } = here;
    const mouths = await Promise.all(Array.from({ length: 23 }, () => robot.connect()));
    const begun = await Promise.all(
      mouths.map((mouth, i) =>
        mouth.emit('message:stream', { channelId: channel.id, streamId: `at once ${i}`, delta: 'Well' }),
      ),
    );
    const refused = begun.filter(({ code }) => code === 'STREAM_LIMIT');
    expect(refused, JSON.stringify(begun)).to.have.length(3);
    // Each becomes nothing, and makes room for those of the other tests.
    for (const [i, mouth] of mouths.entries()) {
      const stream = { channelId: channel.id, streamId: `at once ${i}` };
      if (begun[i]?.ok) await mouth.emit('message:stream', { ...stream, offset: 0, delta: ' ', done: true });
      mouth.close();
    }
  });

  it('give the message of their end again where bots must be silent by now, and show nothing anew', async () => {
    const other = await botIn(here.server, here.alice);
    const channel = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'loop' })).body;
    for (const { id } of [robot, other]) await here.alice.post(`/api/channels/${channel.id}/members`, { userId: id });
    const ear = await here.bob.listen(channel.id);
    const mouth = await robot.connect();
    let last = await other.say(channel.id, 'I begin');
    for (let i = 0; i < 7; i++) {
      last = (
        await (i % 2 ? other : robot).post(`/api/channels/${channel.id}/messages`, {
          content: `${i}`,
          replyToId: last.id,
        })
      ).body;
    }
    const voice = await other.connect();
    const stream = { channelId: channel.id, streamId: 'loop', replyToId: last.id };
    const end = await voice.emit('message:stream', { ...stream, delta: 'the eighth', done: true });
    expect(end.ok, JSON.stringify(end)).to.equal(true);
    const again = await voice.emit('message:stream', { ...stream, delta: 'the eighth', done: true });
    expect(again.message?.id, JSON.stringify(again)).to.equal(end.message.id);
    expect(await mouth.emit('message:stream', { ...stream, streamId: 'new', delta: 'x' })).to.include({
      code: 'BOT_LOOP',
    });
    await here.bob.say(channel.id, 'enough');
    await ear.next('message:new', (message) => message.content === 'enough');
    const pieces = ear.all('message:stream').filter(({ delta, soFar }) => delta && !soFar);
    expect(pieces.map((piece) => piece.delta)).to.deep.equal(['the eighth']);
    other.hangUp();
  });

  it('come whole, however fast their pieces follow each other', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const mouth = await robot.connect();
    const stream = { channelId: channel.id, streamId: 'fast' };
    await mouth.emit('message:stream', { ...stream, delta: '0 ' });
    const pieces = Array.from({ length: 100 }, (_, i) => `${i + 1} `);
    await Promise.all(pieces.map((delta) => mouth.emit('message:stream', { ...stream, delta })));
    await mouth.emit('message:stream', { ...stream, delta: 'end', done: true });
    await ear.next('message:stream', (piece) => piece.done);
    // Who has just come may get the text so far besides.
    const told = ear.all('message:stream').filter(({ soFar }) => !soFar);
    const heard = told.map((piece) => piece.delta ?? '');
    expect(heard.join('')).to.equal(`0 ${pieces.join('')}end`);
    // Each says where it stands, so that whoever misses one notices.
    const offsets = told.map((piece) => piece.offset);
    const before = heard.map((_, i) => heard.slice(0, i).join('').length);
    expect(offsets.slice(0, -1)).to.deep.equal(before.slice(0, -1));
  });

  it('are for bots that may write, and bounded', async () => {
    const { bob, alice, channel } = here;
    const person = await bob.listen(channel.id);
    const stream = { channelId: channel.id, streamId: 's2', delta: 'x' };
    expect(await person.emit('message:stream', stream)).to.include({ ok: false, code: 'FORBIDDEN' });
    const mouth = await robot.connect();
    expect((await mouth.emit('message:stream', { ...stream, delta: 'x'.repeat(4097) })).code).to.equal(
      'VALIDATION_FAILED',
    );
    expect((await mouth.emit('message:stream', { ...stream, streamId: 'x'.repeat(65) })).code).to.equal(
      'VALIDATION_FAILED',
    );
    expect((await mouth.emit('message:stream', { ...stream, delta: ' ', done: true })).code).to.equal(
      'VALIDATION_FAILED',
    );
    for (let i = 0; i < 4; i++) {
      const ack = await mouth.emit('message:stream', { ...stream, streamId: 'long', delta: 'y'.repeat(4096) });
      expect(ack.ok).to.equal(i < 3);
    }
    await person.next('message:stream', (piece) => piece.streamId === 'long' && piece.aborted === true);
    const path = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    await mouth.emit('message:stream', { ...stream, streamId: 's3' });
    await alice.put(path, { mode: 'disabled' });
    expect((await mouth.emit('message:stream', { ...stream, streamId: 's3' })).code).to.equal('FORBIDDEN');
    await person.next('message:stream', (piece) => piece.streamId === 's3' && piece.aborted === true);
    await alice.put(path, { mode: 'replyAll' });
    await becomesWholeOnly(mouth, { channelId: channel.id, streamId: 's3' }, 'and so on', 'xx and so on');
    const foreign = { ...stream, channelId: robot.agentId };
    expect((await mouth.emit('message:stream', foreign)).code).to.equal('CHANNEL_NOT_FOUND');
  });

  it('become no message without their beginning when a piece was too much', async () => {
    const mouth = await robot.connect();
    const stream = { channelId: here.channel.id, streamId: 'tail' };
    const acks = [];
    for (let i = 0; i < 5; i++) acks.push(mouth.emit('message:stream', { ...stream, delta: 'z'.repeat(4000) }));
    expect((await Promise.all(acks)).map(({ ok }) => ok)).to.deep.equal([true, true, true, true, false]);
    await becomesWholeOnly(mouth, stream, 'the end', 'a shorter one');
    // Whoever begins anew on another connection has all of it.
    const anew = await robot.connect();
    const whole = { ...stream, streamId: 'long', delta: 'short', done: true };
    expect((await anew.emit('message:stream', whole)).message?.content).to.equal('short');
  });

  it('have no hole where their bot says where each piece stands', async () => {
    const mouth = await robot.connect();
    const say = (streamId: string, delta: string, offset: number, more: object = {}) =>
      mouth.emit('message:stream', { channelId: here.channel.id, streamId, delta, offset, ...more });
    await say('twice', 'one ', 0);
    // As after an answer that was lost.
    await say('twice', 'two ', 4);
    await say('twice', 'two ', 4);
    expect((await say('twice', 'three', 8, { done: true })).message.content).to.equal('one two three');
    // As after a start of the server, which knows nothing of the beginning.
    await say('hole', 'two ', 4);
    expect((await say('hole', 'three', 8, { done: true })).code).to.equal('STREAM_BROKEN');
    await say('hole', 'one ', 0);
    expect((await say('hole', 'more', 4, { done: true })).message.content).to.equal('one more');
  });

  it('beat the heart of the bot over the same socket', async () => {
    const mouth = await robot.connect();
    expect(await mouth.emit('agent:heartbeat')).to.include({ ok: true, status: 'running' });
    const person = await here.bob.connect();
    expect(await person.emit('agent:heartbeat')).to.include({ ok: false, code: 'FORBIDDEN' });
  });

  sideBySide({
    'end by themselves when their bot dies or is silent for too long, for everyone': async () => {
      const cluster = await startCluster({ settings: { agents: { streamIdleSeconds: 2 } } });
      const there = await world(cluster);
      try {
        const dying = await botIn(there.server, there.alice);
        const ear = await there.bob.listen(there.channel.id);
        const mouth = await dying.connect();
        await mouth.emit('message:stream', { channelId: there.channel.id, streamId: 'last', delta: 'I am' });
        mouth.close();
        const end = await ear.next('message:stream', (piece) => piece.done);
        expect(end).to.include({ streamId: 'last', done: true, aborted: true });
        expect((await there.bob.get(`/api/channels/${there.channel.id}/messages`)).body.messages).to.deep.equal([]);
        const slow = await dying.connect();
        const stream = { channelId: there.channel.id, streamId: 'slow' };
        await slow.emit('message:stream', { ...stream, delta: 'Let me think.' });
        await ear.next('message:stream', (piece) => piece.streamId === 'slow' && piece.aborted === true);
        await becomesWholeOnly(slow, stream, 'It is 42.', 'Let me think. It is 42.');
        // The last piece came in time; what comes of it has to wait.
        const held = { channelId: there.channel.id, streamId: 'held' };
        await slow.emit('message:stream', { ...held, delta: 'Almost' });
        await delay(1200);
        await withRows(cluster.databaseUrl, async (rows) => {
          await rows('BEGIN');
          await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [there.channel.id]);
          const sent = slow.emit('message:stream', { ...held, done: true });
          await delay(1200);
          await rows('COMMIT');
          expect((await sent).message).to.include({ content: 'Almost' });
        });
        const isItsEnd = (piece: Loose) => piece.streamId === 'held' && piece.done;
        expect(await ear.next('message:stream', isItsEnd)).not.to.have.property('aborted');
        // A bot that lost its connection for so long goes on from another one.
        const back = await dying.connect();
        await becomesWholeOnly(back, { channelId: there.channel.id, streamId: 'last' }, ' late', 'I am late');
        dying.hangUp();
      } finally {
        there.close();
        await cluster.stop();
      }
    },

    'and left behind by a node that died are ended by a node that serves, not by a command that is run beside it':
      async () => {
        const { bob, channel, cluster } = here;
        const redis = await startRedis();
        const { databaseUrl } = cluster;
        const installation = await openInstallation(testSettings(databaseUrl, redis.url), createLog('silent'));
        const entries = new Redis(redis.url);
        const left = JSON.stringify({ userId: robot.id, streamId: 'left', channelId: channel.id, threadId: null });
        const isLeft = async () => (await entries.zscore('parley:streams', left)) !== null;
        await entries.zadd('parley:streams', 1, left);
        // A node would have looked by then.
        await delay(3000);
        expect(await isLeft()).to.equal(true);
        const serving = await startCluster({ nodes: 1, redisUrl: redis.url, databaseUrl });
        const [node] = serving.nodes;
        if (!node) throw new Error('no node');
        const ear = await bob.on(node).listen(channel.id);
        await entries.zadd('parley:streams', 1, left);
        expect(await ear.next('message:stream')).to.include({ streamId: 'left', done: true, aborted: true });
        expect(await isLeft()).to.equal(false);
        ear.close();
        entries.disconnect();
        await serving.stop();
        await installation.close();
        await redis.stop();
      },
  });
});
