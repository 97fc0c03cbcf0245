import { expect } from 'chai';
import { Bot, MemoryStore } from '../../src/client/index.ts';
import { until } from '../rig/until.ts';
import { botIn, bot as makeBot } from '../world/bot.ts';
import type { Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

type Account = Awaited<ReturnType<typeof botIn>>;

describe('the helper for bots', () => {
  let here: World;
  let running: Bot[] = [];

  before(async () => {
    here = await world();
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
    running = [];
  });
  after(() => here.close());

  /** A bot with its handlers, started. */
  async function start(account: Account, prepare: (one: Bot) => void, store = new MemoryStore()): Promise<Bot> {
    const one = new Bot({ url: account.node.url, token: account.token, store });
    prepare(one);
    running.push(one);
    await one.start();
    await until(() => one.parley.state.status === 'live');
    return one;
  }

  async function stop(one: Bot): Promise<void> {
    running = running.filter((each) => each !== one);
    await one.stop();
  }

  /** What someone said in a channel, in order. */
  async function saidBy(reader: Person, channelId: string, author: { id: string }): Promise<string[]> {
    const { body } = await reader.get(`/api/channels/${channelId}/messages?limit=100`);
    const own = body.messages.filter(({ authorId }: { authorId: string }) => authorId === author.id);
    return own.map(({ content }: { content: string }) => content).reverse();
  }

  const greet = (one: Bot) => one.on('mention', (turn) => turn.reply(`Hello, ${turn.message.author.username}!`));

  it('answers those who name it, there where they did, and nobody else', async () => {
    const account = await botIn(here.server, here.alice);
    await start(account, greet);
    const ear = await here.bob.listen(here.channel.id);
    await here.bob.say(here.channel.id, 'nothing for bots');
    const asked = await here.bob.say(here.channel.id, `@${account.username}, hello?`);
    const answer = await ear.next('message:new', ({ authorId }) => authorId === account.id);
    expect(answer).to.include({ content: `Hello, ${here.bob.username}!`, replyToId: asked.id });
    const { body: thread } = await here.bob.post(`/api/messages/${asked.id}/thread`);
    const inside = await here.bob.post(`/api/threads/${thread.id}/messages`, { content: `@${account.username} again` });
    const second = await ear.next('message:new', ({ replyToId }) => replyToId === inside.body.id);
    expect(second.threadId).to.equal(thread.id);
    expect(await saidBy(here.bob, here.channel.id, account)).to.have.lengthOf(1);
  });

  it('answers in channels that it is added to later, and what is written to it alone', async () => {
    const account = await botIn(here.server, here.alice);
    await start(account, greet);
    const later = await here.newChannel('later');
    await here.alice.post(`/api/channels/${later}/members`, { userId: account.id });
    await here.alice.say(later, `<@${account.id}>, are you here?`);
    await until(async () => (await saidBy(here.alice, later, account)).length === 1, {
      message: 'nothing in the channel',
    });
    const { body: direct } = await here.bob.post('/api/dm/channels', { userId: account.id });
    await here.bob.say(direct.id, 'psst');
    await until(async () => (await saidBy(here.bob, direct.id, account)).length === 1, { message: 'nothing to bob' });
  });

  it('hears what was said while it was stopped, from the beginning of where it was added meanwhile, and each once', async () => {
    const account = await botIn(here.server, here.alice);
    const store = new MemoryStore();
    const heard: string[] = [];
    const listen = (one: Bot) => one.on('message', ({ message }) => heard.push(message.content));
    const first = await start(account, listen, store);
    await here.alice.say(here.channel.id, 'before');
    await until(() => heard.length === 1);
    await stop(first);
    const added = await here.newChannel('meanwhile');
    await here.alice.post(`/api/channels/${added}/members`, { userId: account.id });
    for (const [place, content] of [
      [here.channel.id, 'away 1'],
      [here.channel.id, 'away 2'],
      [added, 'elsewhere'],
    ] as const)
      await here.alice.say(place, content);
    await start(account, listen, store);
    await until(() => heard.length >= 4, { message: 'not all was heard' });
    await here.alice.say(here.channel.id, 'after');
    await until(() => heard.includes('after'));
    expect(heard.filter((content) => content !== 'elsewhere')).to.deep.equal(['before', 'away 1', 'away 2', 'after']);
    expect(heard.filter((content) => content === 'elsewhere')).to.have.lengthOf(1);
  });

  it('keeps where a channel begins before it keeps that it knows of the channel', async () => {
    const account = await botIn(here.server, here.alice);
    const kept: { key: string; value: number }[] = [];
    class Noting extends MemoryStore {
      override setItem(key: string, value: string): void {
        kept.push({ key, value: Number(value) });
        super.setItem(key, value);
      }
    }
    let told = Number.POSITIVE_INFINITY;
    const channelId = await here.newChannel('kept');
    const note = (one: Bot) =>
      one.parley.on('channel:member-added', (added) => {
        if (added.channelId === channelId) told = added.eventSeq ?? told;
      });
    await start(account, note, new Noting());
    await here.alice.post(`/api/channels/${channelId}/members`, { userId: account.id });
    const knows = () => kept.findIndex(({ key, value }) => key.endsWith(':own') && value >= told);
    await until(() => knows() >= 0, { message: 'it does not keep that it was added' });
    expect(kept.findIndex(({ key }) => key.endsWith(channelId))).to.be.within(0, knows() - 1);
  });

  it('says nothing twice when it is given a message again that it was answering as it died', async () => {
    const account = await botIn(here.server, here.alice);
    const channelId = await here.newChannel('again');
    await here.alice.post(`/api/channels/${channelId}/members`, { userId: account.id });
    const store = new MemoryStore();
    let replied = 0;
    const never = new Promise<void>(() => {});
    const answer = (end: () => Promise<void> | undefined) => (one: Bot) =>
      one.on('message', async (turn) => {
        await turn.reply('one');
        await turn.reply('two');
        replied++;
        await end();
      });
    const dying = await start(
      account,
      answer(() => never),
      store,
    );
    await here.alice.say(channelId, 'go');
    await until(() => replied === 1);
    // It is gone without having finished: what it kept does not go beyond the message.
    dying.parley.disconnect();
    running = running.filter((each) => each !== dying);
    await start(
      account,
      answer(() => undefined),
      store,
    );
    await until(() => replied === 2, { message: 'it was not given again' });
    expect(await saidBy(here.alice, channelId, account)).to.deep.equal(['one', 'two']);
  });

  it('shows an answer piece by piece, and says it once', async () => {
    const account = await botIn(here.server, here.alice);
    async function* words() {
      yield 'That ';
      yield 'is a ';
      yield 'good question.';
    }
    await start(account, (one) => one.on('mention', (turn) => turn.stream(words())));
    const ear = await here.bob.listen(here.channel.id);
    const asked = await here.bob.say(here.channel.id, `@${account.username}, why?`);
    const answer = await ear.next('message:new', ({ authorId }) => authorId === account.id);
    expect(answer).to.include({ content: 'That is a good question.', replyToId: asked.id });
    // Over another node the pieces take another way than the message.
    await ear.next('message:stream', ({ delta }) => delta === 'is a ');
  });

  it('gives commands that are typed their options, and says how they are used where one is missing', async () => {
    const account = await botIn(here.server, here.alice);
    const calls: object[] = [];
    await start(account, (one) =>
      one
        .command(
          'Weather',
          {
            description: 'Tells the weather',
            aliases: ['w'],
            typed: true,
            options: [
              { type: 'number', name: 'days', required: true },
              { type: 'choice', name: 'unit', choices: [{ value: 'c', label: 'Celsius' }], required: true },
              { type: 'user', name: 'for' },
              { type: 'text', name: 'city' },
            ],
          },
          ({ options: { days, unit, for: whom, city = 'here' }, reply }) => {
            const sum: number = days + 1;
            calls.push({ sum, unit, whom, city });
            return reply(`In ${city}`);
          },
        )
        .on('message', () => calls.push({})),
    );
    const ear = await here.bob.listen(here.channel.id);
    await here.bob.say(here.channel.id, `/weather 2 celsius @${here.alice.username} New York`);
    await ear.next('message:new', ({ content }) => content === 'In New York');
    expect(calls).to.deep.equal([{ sum: 3, unit: 'c', whom: here.alice.id, city: 'New York' }]);
    await here.bob.say(here.channel.id, `/w@${account.username} 3 C`);
    await ear.next('message:new', ({ content }) => content === 'In here');
    await here.bob.say(here.channel.id, '/weather soon');
    await ear.next('message:new', ({ content }) => content === '`/Weather <days> <unit> [for] [city]`');
    expect(calls).to.have.lengthOf(2);
  });

  it('reports what a handler throws, and goes on with the next', async () => {
    const account = await botIn(here.server, here.alice);
    const failures: unknown[] = [];
    const heard: string[] = [];
    await start(account, (one) =>
      one
        .on('mention', ({ message }) => {
          heard.push(message.content);
          if (heard.length === 1) throw new Error('no idea');
        })
        .on('error', (error) => failures.push(error)),
    );
    await here.bob.say(here.channel.id, `@${account.username} first`);
    await until(() => failures.length === 1);
    await here.bob.say(here.channel.id, `@${account.username} second`);
    await until(() => heard.length === 2);
    expect(String(failures[0])).to.equal('Error: no idea');
  });

  it('is refused with the token of a person, and as a bot that is stopped', async () => {
    const refusal = (token: string) => new Bot({ url: here.alice.node.url, token }).start().catch((error) => error);
    expect(String(await refusal(here.alice.token))).to.contain('not the token of a bot');
    const account = await makeBot(here.alice);
    await here.alice.post(`/api/agents/${account.agentId}/stop`);
    expect(await refusal(account.token)).to.include({ code: 'AGENT_STOPPED' });
  });
});
