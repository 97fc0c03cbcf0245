import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { judge, LoopGuard, type Said } from '../../src/features/messages/loop-guard.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const limits = { loopInRow: 8, loopPerMinute: 20, loopFollowSeconds: 10 };

/**
 * A conversation in short: `p` a person, `a` and `b` bots; a digit lets so many seconds pass; `>` before an answer to a bot, `!`
 * before one to what a person used.
 */
function conversation(text: string, threadId: string | null = null): Said[] {
  const history: Said[] = [];
  let at = 0;
  let [answersBot, answersUse] = [false, false];
  for (const letter of text) {
    if (/\d/.test(letter)) at += Number(letter) * 1000;
    else if (letter === '>') answersBot = true;
    else if (letter === '!') answersUse = true;
    else {
      const isBot = letter !== 'p';
      history.push({ seq: history.length + 1, authorId: letter, isBot, threadId, at, answersBot, answersUse });
      [answersBot, answersUse] = [false, false];
    }
  }
  return history;
}

describe('the loop guard', () => {
  const loops = (text: string) => judge(conversation(text), null, limits).isLoop;

  it('counts answers of bots to bots in a row', () => {
    expect(loops('pabababab')).to.equal(false);
    expect(loops('pababababa')).to.equal(true);
    expect(loops('pa>b>a>b>a>b>a>b')).to.equal(false);
    expect(loops('pa99>b99>a99>b99>a99>b99>a99>b99>a')).to.equal(true);
  });

  it('lets a bot talk alone, and bots that happen to talk', () => {
    expect(loops('p'.padEnd(60, 'a'))).to.equal(false);
    expect(loops('pa99b99a99b99a99b99a99b99a99b99a99b')).to.equal(false);
  });

  it('is at peace again when a person has spoken', () => {
    expect(loops('pababababap')).to.equal(false);
    expect(loops('pababababapababab')).to.equal(false);
    // What was said too fast before counts no longer, though it is less than a minute ago.
    expect(loops(`${'pababab'.repeat(4)}paba`)).to.equal(false);
  });

  it('is at peace where people use what bots answer, and say nothing', () => {
    expect(loops('!a!b'.repeat(20))).to.equal(false);
    expect(loops('ababababa!a')).to.equal(false);
    expect(loops('ababababa!ababab')).to.equal(false);
    expect(loops('!ababababab')).to.equal(true);
    expect(loops(`${'!ababab'.repeat(4)}!a`)).to.equal(false);
  });

  it('counts what bots say to each other in a minute, whoever speaks between', () => {
    expect(loops('pababab'.repeat(4))).to.equal(true);
    expect(loops(`${'pababab'.repeat(4)}p`)).to.equal(false);
    expect(loops('pababab9999999'.repeat(4))).to.equal(false);
  });

  it('counts each thread for itself', () => {
    const [one, two] = [conversation('pababa', 'one'), conversation('pababa', 'two')];
    expect(judge([...one, ...two], 'one', limits).isLoop).to.equal(false);
    const loop = conversation('pababababa', 'one');
    expect(judge(loop, null, limits).isLoop).to.equal(false);
    expect(judge([...loop, ...conversation('p'), ...conversation('p', 'two')], 'one', limits).isLoop).to.equal(true);
    expect(judge([...loop, ...conversation('p', 'one')], 'one', limits).isLoop).to.equal(false);
  });
});

describe('bots that speak in turn', () => {
  const { now } = performance;
  afterEach(() => {
    performance.now = now;
  });

  /** They begin to speak in this order, each until it is told to stop. */
  function speakers() {
    const guard = new LoopGuard({ rows: async () => [] }, limits);
    const begun: string[] = [];
    const speak = (name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const over = guard.inTurn('channel', () => {
        begun.push(name);
        return promise;
      });
      return { stop: resolve, over };
    };
    return { begun, speak };
  }

  it('do so one after the other, whoever is done before another one comes', async () => {
    const { begun, speak } = speakers();
    const [first, second] = [speak('first'), speak('second')];
    await turn();
    expect(begun).to.deep.equal(['first']);
    first.stop();
    await first.over;
    const third = speak('third');
    await turn();
    expect(begun).to.deep.equal(['first', 'second']);
    second.stop();
    await second.over;
    await turn();
    expect(begun).to.deep.equal(['first', 'second', 'third']);
    third.stop();
    await third.over;
  });

  it('are told to come back where their turn comes too late', async () => {
    const { begun, speak } = speakers();
    const [first, second] = [speak('first'), speak('second')];
    await turn();
    performance.now = () => now.call(performance) + 10_001;
    for (const { stop } of [first, second]) stop();
    const refused = await second.over.catch((error) => error);
    expect(refused).to.include({ code: 'SERVER_BUSY' });
    expect(begun).to.deep.equal(['first']);
  });
});

describe('bots that all answer at once', () => {
  let here: World;

  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('are let through as often as the limit says, on all nodes together', async () => {
    const bots = await Promise.all(Array.from({ length: 4 }, () => botIn(here.server, here.alice)));
    const [first] = bots;
    if (!first) throw new Error('no bot');
    const opening = await first.say(here.channel.id, 'who is there?');
    const path = `/api/channels/${here.channel.id}/messages`;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const robot = bots[i % bots.length] ?? first;
        const { nodes } = here.cluster;
        const body = { content: `me, <@${(robot === first ? bots[1] : first)?.id}>`, replyToId: opening.id };
        return robot.on(nodes[(i >> 2) % nodes.length] ?? robot.node).post(path, body);
      }),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).to.equal(limits.loopInRow);
    // One that was overtaken from another node again and again is told to come back.
    for (const { body } of refused) expect(body.code).to.be.oneOf(['BOT_LOOP', 'SERVER_BUSY']);
    await here.bob.say(here.channel.id, 'enough');
    expect((await first.post(path, { content: 'well' })).status).to.equal(201);
  });

  it('do not hold up each other for long where nobody answers', async () => {
    const [channelId, robot] = [await here.newChannel(), await botIn(here.server, here.alice)];
    await here.alice.post(`/api/channels/${channelId}/members`, { userId: robot.id });
    const said = await Promise.all(Array.from({ length: 40 }, (_, i) => robot.say(channelId, `${i}`)));
    expect(new Set(said.map(({ seq }) => seq)).size).to.equal(40);
  });
});

describe('two bots that answer each other', () => {
  let here: World;
  let one: Bot;
  let two: Bot;

  before(async () => {
    here = await world();
    one = await botIn(here.server, here.alice);
    two = (await botIn(here.server, here.alice)).on(here.bob.node);
  });
  after(() => {
    one.hangUp();
    two.hangUp();
    here.close();
  });

  it('are stopped, all of them, and go on when a person has spoken', async () => {
    const { bob, channel } = here;
    const refused: Loose[] = [];
    for (const robot of [one, two]) {
      const ear = await robot.listen(channel.id);
      ear.socket.on('message:new', async (message: Loose) => {
        if (message.authorId === robot.id) return;
        const metadata = { agentChain: [message.id] };
        const ack = await ear.emit('message:send', {
          channelId: channel.id,
          content: 'and you?',
          replyToId: message.id,
          metadata,
        });
        if (!ack.ok) refused.push(ack);
      });
    }
    await bob.say(channel.id, 'hello, bots');
    await until(() => refused.length > 0, { message: 'they go on for ever' });
    const byBots = async (): Promise<Loose[]> => {
      const { messages } = (await bob.get(`/api/channels/${channel.id}/messages?limit=100`)).body;
      return messages.filter((message: Loose) => message.author.isBot);
    };
    const said = await byBots();
    // Both answered the person, and then each other.
    expect(said.length).to.be.within(8, 10);
    expect(said[0].metadata.agentChain).to.be.an('array');
    for (const ack of refused) expect(ack).to.include({ ok: false, code: 'BOT_LOOP' });
    const again: Answer = await one.post(`/api/channels/${channel.id}/messages`, { content: 'hello?' });
    expect([again.status, again.body.code]).to.deep.equal([429, 'BOT_LOOP']);
    expect(again.headers.get('retry-after')).to.match(/^\d+$/);
    const before = refused.length;
    await bob.say(channel.id, 'go on');
    // What was still under way before he spoke is refused, too.
    await until(async () => (await byBots()).length > said.length, { message: 'they did not go on' });
    await until(() => refused.length > before, { message: 'they go on for ever' });
  });
});
