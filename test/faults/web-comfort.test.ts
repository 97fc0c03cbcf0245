// nodes: own

import { expect } from 'chai';
import { chooseInMenu } from '../rig/message-menu.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('reading and writing in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let phone: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    const viewport = { width: 390, height: 844 };
    phone = await here.visit(here.bob, { viewport, hasTouch: true, isMobile: true });
    for (const one of [alice, phone]) await one.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const message = (text: string) => alice.page.locator('article[data-id]', { hasText: text });
  const focused = () => alice.page.evaluate('document.activeElement.id');

  it('lets each line run in the direction of its language', async () => {
    await here.bob.say(here.channel.id, 'שלום\nHello, everyone');
    await message('Hello, everyone').waitFor();
    // In which half of the box each line begins.
    const pieces = await alice.page.evaluate<boolean[]>(`{
      const text = [...document.querySelectorAll('article .text')].at(-1);
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, width } = text.getBoundingClientRect();
      [...range.getClientRects()].filter((rect) => rect.width > 0).map((rect) => rect.left > left + width / 2);
    }`);
    expect(pieces).to.deep.equal([true, false]);
  });

  it('has no empty lines around a block of code', async () => {
    await here.bob.say(here.channel.id, 'see:\n```\none\n```\nand that is all');
    const text = message('see:').locator('.text');
    expect(await text.evaluate((element) => element.lastChild?.textContent)).to.equal('and that is all');
  });

  it('begins a new line with Enter on a phone, where a button sends', async () => {
    const composer = phone.page.locator('#composer');
    await composer.fill('one');
    await composer.press('Enter');
    await composer.pressSequentially('two');
    await phone.page.getByRole('button', { name: 'Send', exact: true }).tap();
    await message('two').waitFor();
    expect(await message('two').locator('.text').innerText()).to.equal('one\ntwo');
  });

  it('has room for the name of a channel on a phone: what is pinned is in the menu', async () => {
    await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
    await phone.page.getByRole('menuitem', { name: 'Pinned messages' }).tap();
    await phone.page.getByRole('dialog').getByText('Nothing is pinned here.').waitFor();
    await phone.page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap();
    expect(await phone.page.getByRole('button', { name: 'Threads' }).isVisible()).to.equal(false);
  });

  it('keeps every button of a channel on the screen of a phone, however long its name is', async () => {
    const id = await here.newChannel('a-channel-with-a-very-long-name-that-does-not-fit-anywhere');
    await phone.go(`/app/s/${here.server.id}/${id}`);
    await phone.page.getByRole('heading', { level: 1, name: 'a-channel-with' }).waitFor();
    const more = await phone.page.getByRole('button', { name: 'More', exact: true }).boundingBox();
    expect(more && more.x + more.width).to.be.at.most(390);
    await phone.go(`/app/s/${here.server.id}/${here.channel.id}`);
  });

  it('has all of a menu on the screen of a phone, also at the end of a list', async () => {
    const base = `/api/servers/${here.server.id}/workspace`;
    for (let i = 0; i < 14; i++) await here.alice.post(`${base}/files`, { name: `note ${i}`, content: '' });
    await phone.go(`/app/s/${here.server.id}/files`);
    await phone.page.getByRole('button', { name: 'Actions for note 13' }).tap();
    const last = await phone.page.getByRole('menuitem', { name: 'Delete' }).boundingBox();
    expect(last && last.y + last.height).to.be.at.most(phone.page.viewportSize()?.height ?? 0);
    await phone.page.keyboard.press('Escape');
    await phone.go(`/app/s/${here.server.id}/${here.channel.id}`);
  });

  it('acts on a message by few buttons, and the rest by a menu that is on the screen', async () => {
    const { id } = await here.alice.say(here.channel.id, 'something to act on');
    for (const one of [alice, phone]) {
      const { page } = one;
      const acted = page.locator(`article[data-id="${id}"]`);
      // On a phone its middle may be the name of its author, which opens what one can do with them.
      await (one === phone ? acted.getByText('something to act on').tap() : acted.hover());
      const buttons = acted.getByRole('toolbar').getByRole('button');
      await buttons.last().waitFor();
      const labels = await buttons.evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')));
      expect(labels).to.deep.equal(['React', 'Reply', 'Thread', 'Save', 'More actions']);
      await acted.getByRole('button', { name: 'More actions' }).press('Enter');
      await acted.getByRole('menuitem').last().waitFor();
      const items = await acted.getByRole('menuitem').locator('span:not(.key)').allInnerTexts();
      const own = one === alice ? ['Pin', 'Edit', 'Delete'] : ['Report'];
      expect(items).to.deep.equal(['Copy link', 'Forward', 'Remind me', 'Mark unread from here', ...own]);
      const { x = -1, y = -1, width = 0, height = 0 } = (await acted.getByRole('menu').boundingBox()) ?? {};
      const screen = page.viewportSize() ?? { width: 0, height: 0 };
      expect([x >= 0, y >= 0, x + width <= screen.width, y + height <= screen.height]).to.not.include(false);
      // It has the keys while it is open: neither the toolbar nor the list of messages moves the focus by them.
      const focused = () => page.evaluate(`document.activeElement.querySelector('span')?.textContent`);
      for (const key of ['ArrowUp', 'ArrowLeft', 'ArrowRight']) await page.keyboard.press(key);
      await until(async () => (await focused()) === items.at(-1));
      await page.keyboard.press('Escape');
      await acted.getByRole('menu').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('More actions');
    }
  });

  it('shows all of a channel’s name, however long its topic is', async () => {
    const { page } = alice;
    await here.alice.patch(`/api/channels/${here.channel.id}`, { topic: 'What it is about, at length. '.repeat(20) });
    await page.locator('.topic').waitFor();
    const name = page.locator('h1 .name');
    await until(() => name.evaluate((element) => element.scrollWidth <= element.clientWidth));
    await here.alice.patch(`/api/channels/${here.channel.id}`, { topic: null });
  });

  it('has the caret where one writes when a dialog opens, and where one was when it closes', async () => {
    const { page } = alice;
    for (const [opener, field, box] of [
      ['Search', 'Words to look for', page.getByRole('region', { name: 'Search' })],
      ['Create a channel', 'Name', page.getByRole('dialog')],
    ] as const) {
      await page.getByRole('button', { name: opener, exact: true }).click();
      await box.getByLabel(field, { exact: true }).waitFor();
      await until(async () => await page.evaluate(`document.activeElement.tagName === 'INPUT'`));
      await page.keyboard.press('Escape');
      await box.waitFor({ state: 'detached' });
      await until(async () => (await page.evaluate(`document.activeElement.ariaLabel`)) === opener);
    }
  });

  it('tells where a message was found, and closes the search with one key', async () => {
    await here.alice.say(here.channel.id, `needle ${'in a haystack '.repeat(200)}`);
    // A search waits for the index for a while, and the page does not ask again.
    await until(async () => (await here.alice.get('/api/search/messages?query=needle')).body.length === 1, {
      message: 'it is not indexed',
    });
    const panel = alice.page.getByRole('region', { name: 'Search' });
    await alice.page.getByRole('button', { name: 'Search' }).click();
    await alice.page.getByLabel('Words to look for').fill('needle');
    await alice.page.keyboard.press('Enter');
    const found = panel.getByRole('listitem');
    await found.getByText('in #general').waitFor();
    expect(await found.evaluate((item) => item.clientHeight)).to.be.below(200);
    await alice.page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('leaves one where one writes after a deletion', async () => {
    await here.alice.say(here.channel.id, 'to be deleted');
    await message('to be deleted').hover();
    await chooseInMenu(message('to be deleted'), 'Delete');
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await until(async () => (await message('to be deleted').count()) === 0);
    await until(async () => (await focused()) === 'composer');
  });

  it('names a file that is too large, and its size in words, beside the text box', async () => {
    await alice.page.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(26 * 2 ** 20)], 'film.bin'));
      const input = document.querySelector('input[type=file]');
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    const toast = alice.page.locator('.toast', { hasText: 'film.bin is too large. Files can be up to 26.2 MB.' });
    await toast.waitFor({ timeout: 30_000 });
    const bottom = await toast.evaluate((element) => element.getBoundingClientRect().bottom);
    expect(bottom).to.be.below(
      await alice.page.locator('#composer').evaluate((box) => box.getBoundingClientRect().top),
    );
    expect(alice.complaints).to.deep.equal([]);
  });
});
