// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('the list of channels in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;
  const channels: Record<string, string> = {};

  beforeEach(async () => {
    here = await webWorld();
    for (const name of ['plans', 'news', 'music']) channels[name] = await here.newChannel(name);
    [alice, bob] = [await here.visit(here.alice), await here.visit(here.bob)];
    await alice.open(home());
    await bob.open(home());
  });
  afterEach(() => here.close());

  const home = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const category = async (name: string): Promise<string> =>
    (await here.alice.post(`/api/servers/${here.server.id}/categories`, { name })).body.id;
  const put = (name: string, categoryId: string) =>
    here.alice.patch(`/api/servers/${here.server.id}/channels/positions`, {
      positions: [{ id: channels[name], position: 9, categoryId }],
    });
  /** Headings and entries from top to bottom; headings in capitals. */
  const outline = ({ page }: Visitor): Promise<string> =>
    page.evaluate(
      `[...document.querySelectorAll('.list .folder .name, .list .entry[href*="/s/"] .name')]
        .map((one) => (one.closest('.folder') ? one.textContent.toUpperCase() : one.textContent))
        .filter((name) => !['Files', 'Apps', 'Members'].includes(name)).join(' ')`,
    );
  const shows = (one: Visitor, expected: string) =>
    until(async () => (await outline(one)) === expected).catch(async () =>
      expect(await outline(one)).to.equal(expected),
    );
  const link = ({ page }: Visitor, name: string) =>
    page.locator('.list').getByRole('link', { name, exact: false }).first();
  const choose = async (one: Visitor, name: string, item: string) => {
    await link(one, name).click({ button: 'right' });
    await one.page.getByRole('menu').getByText(item, { exact: true }).click();
  };

  it('has categories that are made, filled, renamed and deleted by menus, for everyone', async () => {
    await choose(alice, 'plans', 'New category');
    await alice.page.getByLabel('Name', { exact: true }).fill('Work');
    await alice.page.getByRole('button', { name: 'Create', exact: true }).click();
    await shows(alice, 'CHANNELS general plans news music WORK');
    await choose(alice, 'plans', 'Move to a category');
    await alice.page.getByLabel('Category', { exact: true }).selectOption('Work');
    await alice.page.getByRole('button', { name: 'Move', exact: true }).click();
    await shows(alice, 'CHANNELS general news music WORK plans');
    await shows(bob, 'CHANNELS general news music WORK plans');
    await alice.page.getByRole('button', { name: 'Create a channel in Work' }).click();
    await alice.page.getByLabel('Name', { exact: true }).fill('tasks');
    await alice.page.getByRole('button', { name: 'Create', exact: true }).click();
    await shows(bob, 'CHANNELS general news music WORK plans tasks');
    const heading = alice.page.getByRole('button', { name: 'Work', exact: true });
    await heading.click({ button: 'right' });
    await alice.page.getByRole('menuitem', { name: 'Rename' }).click();
    await alice.page.getByLabel('Name', { exact: true }).fill('Labour');
    await alice.page.getByRole('button', { name: 'Save' }).click();
    await shows(bob, 'CHANNELS general news music LABOUR plans tasks');
    await alice.page.getByRole('button', { name: 'Labour', exact: true }).click({ button: 'right' });
    await alice.page.getByRole('menuitem', { name: 'Delete the category' }).click();
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await shows(bob, 'CHANNELS general news music plans tasks');
    expect([...alice.complaints, ...bob.complaints]).to.deep.equal([]);
  });

  it('is put in order by dragging, for everyone', async () => {
    await category('Work');
    await put('news', await category('Play'));
    await shows(alice, 'CHANNELS general plans music WORK PLAY news');
    await shows(bob, 'CHANNELS general plans music PLAY news');
    await link(alice, 'music').dragTo(link(alice, 'general'), { targetPosition: { x: 20, y: 3 } });
    await shows(bob, 'CHANNELS music general plans PLAY news');
    await shows(alice, 'CHANNELS music general plans WORK PLAY news');
    await link(alice, 'plans').dragTo(alice.page.getByRole('button', { name: 'Work', exact: true }));
    for (const one of [alice, bob]) await shows(one, 'CHANNELS music general WORK plans PLAY news');
    await link(alice, 'plans').dragTo(link(alice, 'news'), { targetPosition: { x: 20, y: 33 } });
    await shows(bob, 'CHANNELS music general PLAY news plans');
    await shows(alice, 'CHANNELS music general WORK PLAY news plans');
    await alice.page
      .locator('.section', { hasText: 'Play' })
      .dragTo(alice.page.locator('.section', { hasText: 'Work' }), { sourcePosition: { x: 150, y: 20 } });
    await shows(alice, 'CHANNELS music general PLAY news plans WORK');
    // Who may not order channels for everyone drags nothing anywhere else than to their favourites.
    await link(bob, 'plans').dragTo(link(bob, 'music'), { targetPosition: { x: 20, y: 3 } });
    await shows(bob, 'CHANNELS music general PLAY news plans');
  });

  it('folds on this device, and shows what is unread all the same', async () => {
    await put('news', await category('Play'));
    const heading = bob.page.getByRole('button', { name: 'Play', exact: true });
    await shows(bob, 'CHANNELS general plans music PLAY news');
    await heading.press('Enter');
    await shows(bob, 'CHANNELS general plans music PLAY');
    expect(await heading.getAttribute('aria-expanded')).to.equal('false');
    await here.alice.say(channels.news ?? '', 'something new');
    await shows(bob, 'CHANNELS general plans music PLAY news');
    await heading.click({ button: 'right' });
    await bob.page.getByRole('menuitem', { name: 'Mark as read' }).click();
    await shows(bob, 'CHANNELS general plans music PLAY');
    await bob.open(home());
    await shows(bob, 'CHANNELS general plans music PLAY');
  });

  it('has favourites of one’s own at the top, on all devices, also by the keyboard', async () => {
    const phone = await here.visit(here.bob);
    await phone.open(home());
    await choose(bob, 'music', 'Add to favourites');
    // Before the next one, which comes after it in the order of the server.
    await shows(phone, 'FAVOURITES music CHANNELS general plans news');
    await link(bob, 'news').focus();
    await bob.page.keyboard.press('Shift+F10');
    await bob.page.getByRole('menu').waitFor();
    await until(async () => (await bob.page.evaluate('document.activeElement.textContent')) === 'Mark as read');
    await bob.page.keyboard.press('ArrowDown');
    await bob.page.keyboard.press('Enter');
    await shows(phone, 'FAVOURITES music news CHANNELS general plans');
    await until(async () => String(await bob.page.evaluate('document.activeElement.textContent')).includes('news'));
    await link(bob, 'news').dragTo(link(bob, 'music'), { targetPosition: { x: 20, y: 3 } });
    await shows(phone, 'FAVOURITES news music CHANNELS general plans');
    await link(bob, 'news').dragTo(link(bob, 'general'));
    await shows(phone, 'FAVOURITES music CHANNELS general plans news');
    await choose(bob, 'music', 'Remove from favourites');
    await shows(phone, 'CHANNELS general plans news music');
    await shows(alice, 'CHANNELS general plans news music');
  });

  it('opens its menus by a long press, and goes nowhere then', async () => {
    const phone = await here.visit(here.bob, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await phone.open(`/app/s/${here.server.id}`);
    const { page } = phone;
    const box = await link(phone, 'plans').boundingBox();
    const touch = await page.context().newCDPSession(page);
    const at = { x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 10 };
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await page.getByRole('menu').waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('menuitemradio', { name: 'Mentions' }).tap();
    await until(async () => {
      const { body } = await here.bob.get(`/api/channels/${channels.plans}/notification-level`);
      return body.level === 'mentions';
    });
    expect(new URL(page.url()).pathname).to.equal(`/app/s/${here.server.id}`);
    expect(phone.complaints).to.deep.equal([]);
  });

  it('says and changes by its menus what notifies, and marks a server and everything as read', async () => {
    const level = async (): Promise<Loose> =>
      (await here.bob.get(`/api/channels/${channels.plans}/notification-level`)).body.level;
    await choose(bob, 'plans', 'Nothing');
    await until(async () => (await level()) === 'nothing');
    await bob.page.locator('.entry.muted', { hasText: 'plans' }).waitFor();
    await choose(bob, 'plans', 'Same as the server');
    await until(async () => (await level()) === null);
    await choose(bob, 'plans', 'For 1 hour');
    await until(async () => (await level()) === 'nothing');
    await bob.page.locator('.entry.muted', { hasText: 'plans' }).waitFor();
    const { mutedUntil } = (await here.bob.get('/api/notifications/settings')).body;
    expect(Object.keys(mutedUntil)).to.deep.equal([channels.plans]);
    await here.alice.say(channels.music ?? '', 'one');
    await bob.page.locator('.entry.unread', { hasText: 'music' }).waitFor();
    await bob.page.getByRole('link', { name: 'Home' }).first().click({ button: 'right' });
    await bob.page.getByRole('menuitem', { name: 'Mark all as read' }).click();
    await bob.page.locator('.entry.unread').waitFor({ state: 'detached' });
    await here.alice.say(channels.news ?? '', 'two');
    await bob.page.locator('.entry.unread', { hasText: 'news' }).waitFor();
    await bob.page.getByRole('link', { name: 'Friends and messages' }).click({ button: 'right' });
    await bob.page.getByRole('menuitem', { name: 'Mark everything as read' }).click();
    await bob.page.locator('.entry.unread').waitFor({ state: 'detached' });
    expect(bob.complaints).to.deep.equal([]);
  });
});
