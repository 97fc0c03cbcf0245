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

  it('comes past the lists of a phone to what is shown, which nothing covers then', async () => {
    const phone = await here.visit(here.alice, { viewport: { width: 390, height: 760 } });
    const { page } = phone;
    const skip = page.getByRole('button', { name: 'Skip to the content' });
    const height = () => skip.evaluate((element) => element.getBoundingClientRect().height);
    await phone.open('/app/messages');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    await until(async () => (await height()) > 20);
    await page.keyboard.press('Enter');
    await until(async () => (await height()) <= 1);
    expect(await page.locator('.list :focus').count()).to.equal(1);
    await phone.go(conversation());
    await page.getByRole('link', { name: 'Back to the list' }).press('Enter');
    await page.locator('.list').getByRole('link', { name: 'general' }).waitFor();
    await until(() => page.evaluate('document.activeElement !== document.body'));
    expect(await page.evaluate(`document.activeElement.closest('.side') !== null`)).to.equal(true);
    expect(await height()).to.be.at.most(1);
    await phone.close();
  });

  it('leads to places and messages by single keys where nobody types, and says which there are', async () => {
    const { page } = alice;
    await here.bob.say(here.channel.id, 'the last word');
    await alice.open(conversation());
    const last = page.locator('article[data-id]', { hasText: 'the last word' });
    await last.waitFor();
    const isOn = (text: string) =>
      until(async () => String(await page.evaluate(`document.activeElement.innerText ?? ''`)).includes(text));
    await page.locator('#composer').press('?');
    expect(await page.locator('#composer').inputValue()).to.equal('?');
    await page.locator('#composer').fill('');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('k');
    await isOn('the last word');
    await page.keyboard.press('k');
    await until(async () => (await page.locator('article:focus').count()) === 1);
    expect(await last.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(false);
    await page.keyboard.press('j');
    await isOn('the last word');
    await page.keyboard.press('+');
    await isFocused('Find an emoji');
    await page.keyboard.press('Escape');
    await last.focus();
    await page.keyboard.press('r');
    await page.getByText('Replying to').waitFor();
    await page.getByRole('button', { name: 'Do not reply' }).click();
    await last.focus();
    await page.keyboard.press('g');
    await page.getByText('Go to:').waitFor();
    await page.keyboard.press('Escape');
    // The second key of a jump, which has to follow within seconds, is no key of the message.
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('1');
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    await page.keyboard.press('Control+/');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Copy link').waitFor();
    await sheet.getByLabel('Use single-key shortcuts').uncheck();
    await sheet.getByText('Go to', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    expect(await sheet.count()).to.equal(0);
    await page.keyboard.press('Control+/');
    await sheet.getByLabel('Use single-key shortcuts').check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('F6');
    await until(() => page.evaluate(`document.activeElement !== document.body`));
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
    await page.locator('.aside').getByRole('status').filter({ hasText: '12 messages' }).waitFor();
    expect(alice.complaints).to.deep.equal([]);
  });
});
