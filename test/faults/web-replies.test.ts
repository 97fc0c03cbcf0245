// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('replies that bots are making, in the web client', () => {
  let here: WebWorld;
  let robot: Bot;
  let bob: Visitor;
  let count = 0;

  before(async () => {
    here = await webWorld({ nodes: 2 });
    robot = await botIn(here.server, here.alice);
    bob = await here.visit(here.bob);
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await bob.page.locator('.beginning').waitFor();
  });
  after(async () => {
    robot.hangUp();
    await here.close();
  });

  /** The bot at a reply of its own. */
  async function reply(more: Record<string, unknown> = {}) {
    const mouth = await robot.connect();
    const stream = { channelId: here.channel.id, streamId: `r${count++}`, ...more };
    const piece = (payload: object) => mouth.emit('message:stream', { ...stream, ...payload });
    return {
      say: (delta: string) => piece({ delta }),
      end: async (delta: string) => (await piece({ delta, done: true })).message,
      /** Says more than a message can hold, so that nothing comes of it. */
      overdo: () => until(async () => !(await piece({ delta: 'x'.repeat(4096) })).ok),
    };
  }

  const making = () => bob.page.locator('article.making');
  const madeText = () => making().locator('.text').innerText();
  const announced = () => bob.page.locator('p.hidden[aria-live=polite]').innerText();
  const heightOf = (selector: string) =>
    bob.page.locator(selector).evaluate((element) => element.getBoundingClientRect().height);

  it('grow, and give way to the message without a move of the page', async () => {
    const question = await here.alice.say(here.channel.id, 'tell me more');
    const { say, end } = await reply({ replyToId: question.id });
    await say('It **was** a dark ');
    await making().locator('strong', { hasText: 'was' }).waitFor();
    expect(await making().locator('.reply').innerText()).to.contain('tell me more');
    expect(await making().getAttribute('aria-busy')).to.equal('true');
    await until(async () => (await announced()).endsWith('is writing…'));
    await say('and stormy night.\n```js\nlet it = rain;\n');
    await making().locator('pre', { hasText: 'let it = rain;' }).waitFor();
    const height = await heightOf('article.making');
    const most = await bob.page.evaluateHandle(`(() => {
      const seen = { most: 0, least: 9 };
      const rows = () => document.querySelectorAll('article.making, article[data-id] pre').length;
      new MutationObserver(() => { seen.most = Math.max(seen.most, rows()); seen.least = Math.min(seen.least, rows()); })
        .observe(document.querySelector('.messages'), { childList: true, subtree: true });
      return seen;
    })()`);
    const message = await end('```');
    await bob.page.locator(`article[data-id="${message.id}"]`).waitFor();
    await until(async () => (await making().count()) === 0);
    expect(await most.jsonValue()).to.deep.equal({ most: 1, least: 1 });
    expect(await heightOf(`article[data-id="${message.id}"]`)).to.equal(height);
    await until(async () => (await announced()).includes('a dark and stormy night'));
  });

  it('stay as long as they are for those who read along, and are folded for those who come later', async () => {
    await here.alice.say(here.channel.id, 'and a long one');
    const { say, end } = await reply();
    await say(`A long story.${'\nline'.repeat(100)}`);
    await until(async () => (await madeText()).endsWith('line'));
    await bob.page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: -700 }));
    const height = await heightOf('article.making');
    const place = () =>
      bob.page.locator('article', { hasText: 'A long story.' }).evaluate((one) => one.getBoundingClientRect().top);
    const before = await place();
    const message = await end('');
    const article = bob.page.locator(`article[data-id="${message.id}"]`);
    await article.waitFor();
    expect(await heightOf(`article[data-id="${message.id}"]`)).to.equal(height);
    expect(await place()).to.be.closeTo(before, 2);
    const more = article.getByRole('button', { name: 'Show more' });
    expect(await more.count()).to.equal(0);
    await bob.page.reload();
    await more.waitFor();
    await bob.page.getByRole('button', { name: /newest|New messages/ }).click();
  });

  it('are whole for those who come later, and for those who come back', async () => {
    const { say, end } = await reply();
    await say('Once upon ');
    await until(async () => (await madeText()) === 'Once upon ');
    await bob.go('/app/friends');
    await bob.page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
    await say('a time ');
    await bob.page.goBack();
    await until(async () => (await madeText()) === 'Once upon a time ');
    await bob.page.reload();
    await bob.page.locator('.connection.live').waitFor({ state: 'attached' });
    await until(async () => (await madeText()) === 'Once upon a time ');
    await say('there ');
    await until(async () => (await madeText()) === 'Once upon a time there ');
    const message = await end('a bot.');
    await bob.page.locator(`article[data-id="${message.id}"]`).waitFor();
    await until(async () => (await making().count()) === 0);
  });

  it('are stopped by those who may write, and say so', async () => {
    const { say } = await reply();
    await say('On and on and');
    await making().waitFor();
    const height = await heightOf('article.making');
    // That it was stopped is said too, and which of both comes last depends on when another message came.
    const said = await bob.page.evaluateHandle<string[]>(`(() => {
      const live = document.querySelector('p.hidden[aria-live=polite]');
      const said = [];
      new MutationObserver(() => said.push(live.innerText))
        .observe(live, { childList: true, characterData: true, subtree: true });
      return said;
    })()`);
    await making()
      .getByRole('button', { name: /^Stop the reply of/ })
      .click();
    const article = bob.page.locator('article[data-id]', { hasText: 'On and on and' });
    await article.getByText('(stopped)').waitFor();
    await until(async () => (await making().count()) === 0);
    expect(await article.evaluate((element) => element.getBoundingClientRect().height)).to.be.closeTo(height, 1);
    expect((await say(' on')).code).to.equal('STREAM_STOPPED');
    await until(async () => (await said.jsonValue()).some((text) => text.includes('On and on and')));
  });

  it('go away when nothing comes of them', async () => {
    const { say, overdo } = await reply();
    await say('I will just');
    await making().waitFor();
    await overdo();
    await making().waitFor({ state: 'detached' });
    expect(await bob.page.getByText('I will just').count()).to.equal(0);
    await until(async () => (await announced()) === 'The reply was not finished.');
  });

  it('leave those in peace who read what was said before', async () => {
    for (let i = 0; i < 40; i++) await here.alice.say(here.channel.id, `line ${i}`);
    await bob.page.locator('article', { hasText: 'line 39' }).waitFor();
    await bob.page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: -600 }));
    await bob.page.getByRole('button', { name: /newest|New messages/ }).waitFor();
    const place = () =>
      bob.page
        .locator('article', { hasText: 'line 20' })
        .evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const before = await place();
    const { say, end } = await reply();
    for (let i = 0; i < 12; i++) await say(`line of the bot ${i}\n`);
    await until(async () => (await making().innerText()).includes('line of the bot 11'));
    expect(await place()).to.be.within(before - 2, before + 2);
    const message = await end('the end');
    await bob.page.locator(`article[data-id="${message.id}"]`).waitFor();
    await until(async () => (await making().count()) === 0);
    expect(await place()).to.be.within(before - 2, before + 2);
    await bob.page.getByRole('button', { name: /newest|New messages/ }).click();
  });

  it('are shown in their thread alone', async () => {
    const parent = await here.alice.say(here.channel.id, 'a matter of its own');
    const thread = (await here.alice.post(`/api/messages/${parent.id}/thread`, {})).body;
    await bob.go(`/app/s/${here.server.id}/${here.channel.id}/thread/${thread.id}`);
    await bob.page.locator('aside .opening').waitFor();
    const { say, end } = await reply({ threadId: thread.id });
    await say('In the thread');
    await bob.page.locator('aside article.making').waitFor();
    expect(await making().count()).to.equal(1);
    await end(' it stays');
    await bob.page.locator('aside article[data-id]', { hasText: 'In the thread it stays' }).waitFor();
    await until(async () => (await making().count()) === 0);
  });

  it('are shown in direct messages', async () => {
    const dm = (await here.bob.post('/api/dm/channels', { userId: robot.id })).body;
    await bob.go(`/app/dm/${dm.id}`);
    await bob.page.locator('.beginning').waitFor();
    const { say, end } = await reply({ channelId: dm.id });
    await say('Between the two');
    await until(async () => (await madeText()) === 'Between the two');
    await end(' of us');
    await bob.page.locator('article[data-id]', { hasText: 'Between the two of us' }).waitFor();
    await until(async () => (await making().count()) === 0);
    expect(bob.complaints).to.deep.equal([]);
  });
});
