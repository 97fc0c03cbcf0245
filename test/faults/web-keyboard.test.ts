// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('the keyboard in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  const conversation = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const focused = () =>
    alice.page.evaluate<string>(
      `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.slice(0, 60)`,
    );
  const isFocused = (name: string) => until(async () => (await focused()) === name, { message: name });

  it('comes from where one writes to the head of a conversation by few stops, with the newest message on the way', async () => {
    const { page } = alice;
    for (let i = 0; i < 12; i++) {
      await here.bob.say(here.channel.id, `Look at https://example.com/${i}`);
      await here.alice.say(here.channel.id, `Thanks for ${i}`);
    }
    await alice.open(conversation());
    await page.locator('article[data-id]', { hasText: 'Thanks for 11' }).waitFor();
    await page.locator('#composer').focus();
    const stops: string[] = [];
    while (stops.at(-1) !== 'More' && stops.length < 20) {
      await page.keyboard.press('Shift+Tab');
      stops.push(await focused());
    }
    expect(stops).to.include('Add files');
    expect(stops.at(-1)).to.equal('More');
    expect(stops.length).to.be.below(10);
    expect(await page.locator('.scroller').evaluate((list) => list.scrollTop)).to.equal(0);
    // Arrows lead to the others, where Tab stops then.
    await page.locator('article').last().focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal(here.bob.username);
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('https://example.com/11');
  });

  it('comes from one conversation to the next, or to the next one that is unread, by one key', async () => {
    const { page } = alice;
    const ids = [await here.newChannel('second'), await here.newChannel('third')];
    await here.alice.say(ids[0] ?? '', 'not to be edited');
    await alice.open(conversation());
    await page.getByRole('link', { name: 'third' }).waitFor();
    await page.locator('#composer').fill('half a thought');
    const isAt = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await isAt('second');
    await page.locator('article', { hasText: 'not to be edited' }).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await isAt('general');
    expect(await page.locator('#composer').inputValue()).to.equal('half a thought');
    await page.locator('#composer').fill('');
    await here.bob.say(ids[1] ?? '', 'news');
    await page.locator('.entry.unread', { hasText: 'third' }).waitFor();
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await isAt('third');
    await page.keyboard.press('Alt+ArrowUp');
    await isAt('second');
    expect(await page.getByLabel('Edit the message').count()).to.equal(0);
    await alice.go(conversation());
    await isAt('general');
  });

  it('comes past servers and channels by one key', async () => {
    const { page } = alice;
    await alice.open('/app/settings/profile');
    await page.getByLabel('Display name').waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    await isFocused('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator('main :focus').count()).to.equal(1);
  });

  it('has its place when a thread is closed', async () => {
    const { page } = alice;
    const [message] = (await here.alice.get(`/api/channels/${here.channel.id}/messages`)).body.messages;
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, { name: 'Aside' })).body;
    await alice.open(`${conversation()}/thread/${thread.id}`);
    await page.getByLabel('Close the thread').focus();
    await page.keyboard.press('Enter');
    await isFocused('Message #general');
  });

  it('has its place when a message is taken away that one was changing', async () => {
    const { page } = alice;
    const { id } = await here.alice.say(here.channel.id, 'soon gone');
    await page.locator('article[data-id]', { hasText: 'soon gone' }).waitFor();
    await page.locator('#composer').press('ArrowUp');
    await isFocused('Edit the message');
    await here.alice.delete(`/api/messages/${id}`);
    await isFocused('Message #general');
  });

  it('has its place when a line of a list is dealt with', async () => {
    const { page } = alice;
    await here.alice.put(`/api/friends/blocks/${here.bob.id}`);
    await here.alice.put(`/api/friends/blocks/${here.carol.id}`);
    await alice.open('/app/friends');
    const buttons = page.getByRole('button', { name: 'Unblock' });
    await buttons.first().focus();
    await page.keyboard.press('Enter');
    await until(async () => (await buttons.count()) === 1);
    await isFocused('Unblock');
    await page.keyboard.press('Enter');
    await until(async () => (await buttons.count()) === 0);
    await until(async () => (await page.evaluate('document.activeElement.tagName')) === 'INPUT');
  });

  it('is followed by a word on what a search has found', async () => {
    const { page } = alice;
    await alice.open(conversation());
    await page.getByRole('button', { name: 'Search' }).press('Enter');
    await page.keyboard.type('Thanks');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('status').filter({ hasText: '12 messages' }).waitFor();
    expect(alice.complaints).to.deep.equal([]);
  });
});
