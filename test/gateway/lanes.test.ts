import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError } from '../../src/contract/errors.ts';
import { type Place, takePlace } from '../../src/gateway/dispatch.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Listener, Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('what a socket sends without waiting for the answers', () => {
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

  /** Sends all at once, each other one with the id in capitals. @returns the answers in the order of the sends */
  const sendAll = (mouth: Listener, channelId: string, messages: object[]): Promise<Loose[]> => {
    const spelled = [channelId, channelId.toUpperCase()];
    const send = (message: object, i: number) => mouth.emit('message:send', { channelId: spelled[i % 2], ...message });
    return Promise.all(messages.map(send));
  };

  it('is said in that order, whatever has to be looked up for one message and not for the next', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel('lanes');
    const first = await alice.say(channelId, 'first', { nonce: 'used' });
    const thread = await alice.post(`/api/channels/${channelId}/threads`, { name: 't', parentMessageId: first.id });
    const files = await Promise.all(
      range(1, 8).map((i) => alice.upload('a.txt', new TextEncoder().encode(`no. ${i}`))),
    );
    const more = (i: number): object => {
      const content = `m${i}`;
      const kinds = [
        { content, replyToId: first.id },
        { content },
        { content: `${content} @${bob.username} #lanes` },
        { content, nonce: `n${i}` },
        { content, attachments: [{ id: files[Math.floor(i / 7)]?.id }] },
        { content: '' },
        { content, threadId: thread.body.id },
      ];
      return kinds[i % kinds.length] ?? {};
    };
    const ear = await bob.listen(channelId);
    const answers = await sendAll(await alice.connect(), channelId, [
      ...range(0, 48).map(more),
      { nonce: 'used', content: 'x' },
    ]);
    const codes = answers.map((answer, i) => (i % 7 === 5 ? answer.code : answer.ok));
    expect(codes).to.deep.equal(range(0, 49).map((i) => (i % 7 === 5 ? 'VALIDATION_FAILED' : true)));
    expect(answers[49].message.id).to.equal(first.id);
    const said = answers.slice(0, 49).flatMap((answer) => (answer.ok ? [answer.message] : []));
    await ear.next('message:new', ({ id }) => id === said.at(-1).id);
    expect(ear.all('message:new').map(({ id }) => id)).to.deep.equal(said.map(({ id }) => id));
  });

  it('is said in that order by a bot, each of whose messages is looked at', async () => {
    const channelId = here.channel.id;
    const answers = await sendAll(
      await robot.connect(),
      channelId,
      range(1, 30).map((i) => ({ content: `${i}` })),
    );
    const numbers: number[] = answers.map(({ message }) => message.seq);
    expect(numbers).to.deep.equal(numbers.toSorted((a, b) => a - b));
  });

  it('makes the reply of which it is the pieces', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const mouth = await robot.connect();
    for (const streamId of ['a', 'b', 'c']) {
      const pieces = [...'in the right order'].map((delta, at, all) => ({ delta, done: at === all.length - 1 }));
      const answers = await Promise.all(
        pieces.map((piece) => mouth.emit('message:stream', { channelId: channel.id, streamId, ...piece })),
      );
      expect(answers.at(-1).message.content).to.equal('in the right order');
      await ear.next('message:stream', (piece) => piece.streamId === streamId && piece.done);
      const shown = ear.all('message:stream').filter((piece) => piece.streamId === streamId && !piece.soFar);
      expect(shown.map(({ delta = '' }) => delta).join('')).to.equal('in the right order');
    }
  });

  it('leaves a message, its reactions and a room as the last of it wants them', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const mouth = await alice.connect();
    for (let round = 0; round < 5; round++) {
      const { id: messageId } = await alice.say(channelId, 'first');
      const sends = range(1, 9).flatMap((i) => [
        mouth.emit('message:edit', { messageId, content: `edit ${i}` }),
        mouth.emit(i % 2 ? 'reaction:add' : 'reaction:remove', { messageId, emoji: '👍' }),
        mouth.emit(i % 2 ? 'channel:leave' : 'channel:join', { channelId }),
        mouth.emit('presence:update', { status: i % 2 ? 'online' : 'dnd' }),
      ]);
      for (const answer of await Promise.all(sends)) expect(answer.ok).to.equal(true);
      const { content, reactions } = (await bob.get(`/api/messages/${messageId}`)).body;
      expect([content, reactions.length]).to.deep.equal(['edit 9', 1]);
      const ear = await bob.listen(channelId);
      await until(async () => {
        const { users } = await ear.emit('presence:subscribe', { userIds: [alice.id] });
        return users[0]?.status === 'online';
      });
      await alice.say(channelId, 'are you there?');
      await ear.next('message:new');
      ear.close();
    }
    expect(mouth.all('message:new')).to.deep.equal([]);
  });

  it('is not said where its session has ended while it waited for its turn', async () => {
    const { alice, bob, cluster, server } = here;
    const channelId = await here.newChannel();
    const root = await alice.say(channelId, 'first');
    const thread = await alice.post(`/api/channels/${channelId}/threads`, { name: 't', parentMessageId: root.id });
    const dora = await register(bob.node);
    await dora.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const { socket } = await dora.listen(channelId);
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('LOCK TABLE threads IN ACCESS EXCLUSIVE MODE');
      socket.emit('message:send', { channelId, threadId: thread.body.id, content: 'looked up' });
      socket.emit('message:send', { channelId, content: 'behind it' });
      const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%threads%'`;
      await until(async () => (await query(cluster.databaseUrl, waiting)).length > 0, {
        message: 'nothing is looked up',
      });
      expect((await dora.post('/api/auth/logout')).status).to.equal(200);
      await rows('COMMIT');
    });
    await until(() => !socket.connected);
    // What the node still did for the socket is done before this.
    await bob.say(channelId, 'last');
    const { messages } = (await bob.get(`/api/channels/${channelId}/messages`)).body;
    expect(messages.map(({ content }: Loose) => content)).to.deep.equal(['last', 'first']);
  });
});

describe('what a socket sends while a node has too much to write', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster({ settings: { delivery: { queueBytes: 4000 } } });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('is refused behind the message that is refused, which it would overtake', async () => {
    const { alice, bob, channel } = here;
    const mouth = await alice.connect();
    // The first one has to be looked at for the name, so that the others wait behind it.
    const contents = [`@${bob.username} ${'x'.repeat(3000)}`, 'short', 'shorter'];
    const answers = await Promise.all(
      contents.map((content) => mouth.emit('message:send', { channelId: channel.id, content })),
    );
    expect(answers.map(({ code }) => code)).to.deep.equal(['SERVER_BUSY', 'SERVER_BUSY', 'SERVER_BUSY']);
    expect((await mouth.emit('message:send', { channelId: channel.id, content: 'short' })).ok).to.equal(true);
  });
});

describe('the lane of what a socket sends about one thing', () => {
  const wentWell = async (place: Place) => {
    await place.turn();
    place.leave(null);
  };

  it('lets the next one begin when it is said to, be the one before done or not, and none before', async () => {
    const socket = {};
    const began: number[] = [];
    const places = [true, true, true, false, true].map((beside) => takePlace(socket, 'one', beside));
    const turns = places.map(async (place, i) => {
      await place.turn();
      began.push(i);
    });
    const [first, second, third, alone, last] = places;
    // Only the one whose turn it is has a say.
    third?.letNext();
    second?.letNext();
    await setImmediate();
    expect(began).to.deep.equal([0]);
    first?.letNext();
    await setImmediate();
    expect(began).to.deep.equal([0, 1]);
    first?.leave(null);
    await setImmediate();
    expect(began).to.deep.equal([0, 1]);
    second?.leave(null);
    await setImmediate();
    expect(began).to.deep.equal([0, 1, 2]);
    third?.letNext();
    await setImmediate();
    expect(began, 'what is to wait until all is done').to.deep.equal([0, 1, 2]);
    third?.leave(null);
    await setImmediate();
    expect(began).to.deep.equal([0, 1, 2, 3]);
    alone?.leave(null);
    await Promise.all(turns);
    expect(began).to.deep.equal([0, 1, 2, 3, 4]);
    last?.leave(null);
  });

  it('lets nothing overtake what fails and is sent again, and lets that go on which came before it', async () => {
    const socket = {};
    const [running, before, failing, behind] = range(1, 4).map(() => takePlace(socket, 'one', false));
    if (!running || !before || !failing || !behind) throw new Error('four places were asked for');
    const turns = Promise.allSettled([wentWell(before), wentWell(behind)]);
    // While it waits for its turn it is seen that nobody can tell whose it is.
    failing.leave(new AppError('DATABASE_UNAVAILABLE'));
    await wentWell(running);
    const [first, second] = await turns;
    expect(first?.status).to.equal('fulfilled');
    expect(second?.status === 'rejected' && second.reason.code).to.equal('DATABASE_UNAVAILABLE');
  });

  it('turns away what comes to its turn after that, and keeps the order behind what left before it began', async () => {
    const socket = {};
    const [failing, asking, silent] = range(1, 3).map(() => takePlace(socket, 'one', false));
    if (!failing || !asking || !silent) throw new Error('three places were asked for');
    const asked = Promise.resolve(asking.turn()).catch((error) => error.code);
    await failing.turn();
    failing.leave(new AppError('SERVER_BUSY'));
    expect(await asked).to.equal('SERVER_BUSY');
    // What was still being read has not asked for its turn by then.
    expect(() => silent.turn())
      .to.throw(AppError)
      .with.property('code', 'SERVER_BUSY');
    for (const place of [asking, silent]) place.leave(null);
    const [first, gone, last] = [true, true, false].map((beside) => takePlace(socket, 'one', beside));
    gone?.leave(null);
    let began = false;
    const turn = Promise.resolve(last?.turn()).then(() => {
      began = true;
    });
    first?.letNext();
    await setImmediate();
    expect(began).to.equal(false);
    first?.leave(null);
    await turn;
    last?.leave(null);
  });

  it('lets what is to wait until all is done wait for one that let the next begin, though that one is done', async () => {
    const socket = {};
    const [first, second] = [true, true].map((beside) => takePlace(socket, 'one', beside));
    first?.letNext();
    second?.leave(null);
    const alone = takePlace(socket, 'one', false);
    let began = false;
    const turn = Promise.resolve(alone.turn()).then(() => {
      began = true;
    });
    await setImmediate();
    expect(began).to.equal(false);
    first?.leave(null);
    await turn;
    alone.leave(null);
  });

  it('turns away what has waited for longer than its client does', async () => {
    const socket = {};
    const [slow, late] = [takePlace(socket, 'one', false), takePlace(socket, 'one', false)];
    const turn = Promise.resolve(late.turn()).catch((error) => error.code);
    const { now } = performance;
    performance.now = () => now.call(performance) + 31_000;
    try {
      slow.leave(null);
      expect(await turn).to.equal('SERVER_BUSY');
    } finally {
      performance.now = now;
    }
    late.leave(null);
  });

  it('takes a thousand that wait, and turns away what comes then', () => {
    const socket = {};
    const places = range(1, 1002).map(() => takePlace(socket, 'one', false));
    expect(places[0]?.turn()).to.equal(false);
    expect(() => places[1001]?.turn())
      .to.throw(AppError)
      .with.property('code', 'SERVER_BUSY');
    for (const place of places) place.leave(null);
    expect(takePlace(socket, 'one', false).turn()).to.equal(false);
  });
});
