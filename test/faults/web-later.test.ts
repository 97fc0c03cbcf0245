// nodes: own

import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { chooseInMenu } from '../rig/message-menu.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what is put off, in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;
  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const talk = () => `/app/s/${here.server.id}/${here.channel.id}`;
  /** Within a year, as it is typed. */
  const aheadLocal = `${new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 10)}T09:30`;
  const items = () => bob.page.locator('.held > li');

  async function act(message: Locator, name: string): Promise<void> {
    await message.hover();
    await message.getByRole('toolbar').getByRole('button', { name, exact: true }).click();
  }

  async function shot(name: string): Promise<void> {
    const folder = process.env.PARLEY_SHOTS;
    if (folder) await bob.page.screenshot({ path: `${folder}/${name}.png` });
  }

  it('has messages that were saved, with reminders, until they are done', async () => {
    const { page } = bob;
    await bob.open(talk());
    for (const text of ['read me later', 'answer me']) await here.alice.say(here.channel.id, text);
    const [first, second] = ['read me later', 'answer me'].map((hasText) =>
      page.locator('article[data-id]', { hasText }),
    );
    if (!first || !second) throw new Error('no messages');
    await second.waitFor();
    await act(first, 'Save');
    await page.getByText('Saved for later.').waitFor();
    await first.getByRole('link', { name: 'Saved for later' }).waitFor();
    const { id: removed } = await here.alice.say(here.channel.id, 'changed my mind');
    await here.bob.post('/api/later', { messageId: removed });
    const third = page.locator(`[data-id="${removed}"]`);
    await third.getByRole('link', { name: 'Saved for later' }).waitFor();
    await act(third, 'Remove from saved');
    await third.getByRole('link', { name: 'Saved for later' }).waitFor({ state: 'detached' });
    await chooseInMenu(second, 'Remind me');
    const dialog = page.getByRole('dialog', { name: 'Remind me' });
    await dialog.getByLabel('When').selectOption('tomorrow');
    await dialog.getByLabel('Note').fill('politely');
    await shot('remind');
    await dialog.getByRole('button', { name: 'Remind me' }).click();
    await page.getByText('You will be reminded').waitFor();
    await second.getByRole('link', { name: 'Saved for later, with a reminder' }).waitFor();
    await bob.open('/app/friends');
    await bob.open(talk());
    await first.getByRole('link', { name: 'Saved for later' }).waitFor();
    await bob.open('/app/later/saved');
    await items().nth(1).waitFor();
    await items().filter({ hasText: 'politely' }).getByText('you will be reminded').waitFor();
    await shot('saved');
    const list: Loose[] = (await here.bob.get('/api/later')).body;
    expect(new Date(list[0]?.remindAt).getTime()).to.be.greaterThan(Date.now());
    await items().filter({ hasText: 'read me later' }).getByRole('button', { name: 'Done' }).click();
    await items().filter({ hasText: 'read me later' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Done' }).click();
    await items().filter({ hasText: 'read me later' }).waitFor();
    await page.getByRole('link', { name: 'Saved' }).click();
    await items().filter({ hasText: 'answer me' }).getByRole('link', { name: 'Show the message' }).click();
    await second.waitFor();
  });

  it('says that a time is over, or too far ahead, and reminds of nothing then', async () => {
    const { page } = bob;
    await bob.open('/app/later/saved');
    await items().first().waitFor();
    const before = (await here.bob.get('/api/later')).body.length;
    await page.getByRole('button', { name: 'New reminder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remind me' });
    await dialog.getByLabel('When').selectOption('other');
    await dialog.getByLabel('What to remind you of').fill('The past');
    for (const [year, said] of [
      ['2020', 'This time is in the past.'],
      ['2100', 'Choose a time within a year.'],
    ] as const) {
      await dialog.getByLabel('Date and time').fill(`${year}-05-01T10:00`);
      await dialog.getByRole('button', { name: 'Remind me' }).click();
      await dialog.getByRole('alert').getByText(said).waitFor();
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await here.bob.get('/api/later')).body).to.have.lengthOf(before);
  });

  it('tells of a reminder, by a link that leads to it', async () => {
    const { page } = bob;
    await bob.open('/app/notifications');
    // So far ahead that it is not over when it arrives: then it would be refused.
    const remindAt = new Date(Date.now() + 3000).toISOString();
    await here.bob.post('/api/later', { note: 'Water the plants', remindAt });
    await page.getByRole('link', { name: 'Water the plants' }).click();
    await items().first().getByText('Water the plants').waitFor();
    await items().first().getByText('due since').waitFor();
  });

  it('has messages to be sent later, which can be changed, cancelled and sent', async () => {
    const { page } = bob;
    await bob.open(talk());
    for (const text of ['in the morning', 'never mind']) {
      await page.locator('#composer').fill(text);
      await page.getByRole('button', { name: 'Schedule for later' }).click();
      const dialog = page.getByRole('dialog', { name: 'Send later' });
      await dialog.getByLabel('When').selectOption('other');
      await dialog.getByLabel('Date and time').fill(aheadLocal);
      await shot('send-later');
      await dialog.getByRole('button', { name: 'Schedule' }).click();
      await page.getByText('It will be sent').waitFor();
      await until(async () => (await page.locator('#composer').inputValue()) === '');
    }
    const [made] = (await here.bob.get('/api/scheduled-messages')).body;
    const local = await page.evaluate((text) => new Date(text).toISOString(), aheadLocal);
    expect(made.sendAt).to.equal(local);
    await bob.open('/app/later/scheduled');
    await items().nth(1).waitFor();
    await shot('scheduled');
    const cancelled = items().filter({ hasText: 'never mind' });
    await cancelled.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Cancel' }).click();
    await cancelled.waitFor({ state: 'detached' });
    // Its place among others of that time stays with its time, to the second.
    const toTheSecond = new Date(Date.parse(made.sendAt) + 30_000).toISOString();
    await here.bob.patch(`/api/scheduled-messages/${made.id}`, { sendAt: toTheSecond });
    await items().first().getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Scheduled message' });
    await dialog.getByLabel('Message').fill('at noon');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await items().filter({ hasText: 'at noon' }).waitFor();
    expect((await here.bob.get(`/api/scheduled-messages/${made.id}`)).body.sendAt).to.equal(toTheSecond);
    await items().first().getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Send now' }).click();
    await page.getByText('Nothing is scheduled').waitFor();
    const sent = async (): Promise<Loose[]> =>
      (await here.alice.get(`/api/channels/${here.channel.id}/messages`)).body.messages;
    await until(async () => (await sent()).some(({ content }) => content === 'at noon'));
  });

  it('has drafts, which are marked in the list of channels', async () => {
    const { page } = bob;
    await bob.open(talk());
    await page.locator('#composer').fill('half a thought');
    await until(async () => (await here.bob.get('/api/drafts')).body.length === 1);
    const other = await here.visit(here.bob);
    await other.open(`/app/s/${here.server.id}/home`);
    await other.page.locator('.list .entry', { hasText: 'draft' }).waitFor();
    await bob.open('/app/later/drafts');
    await page.locator('.people li', { hasText: 'half a thought' }).waitFor();
    await shot('drafts');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No drafts').waitFor();
    expect((await here.bob.get('/api/drafts')).body).to.deep.equal([]);
    await other.page.locator('.list .entry', { hasText: 'draft' }).waitFor({ state: 'detached' });
  });

  it('fits a narrow screen, and complains of nothing', async () => {
    const { page } = bob;
    await page.setViewportSize({ width: 320, height: 640 });
    const isWithin = async (what: string) => {
      const html = page.locator('html');
      const overflow = await html.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(overflow, what).to.be.at.most(0);
    };
    const remindAt = new Date(Date.now() + 86_400_000).toISOString();
    await here.bob.post('/api/later', { note: 'w'.repeat(200), remindAt });
    const path = `/api/channels/${here.channel.id}/scheduled-messages`;
    await here.bob.post(path, { content: 'w'.repeat(200), sendAt: remindAt });
    for (const section of ['saved', 'scheduled']) {
      await bob.open(`/app/later/${section}`);
      await items().first().waitFor();
      await shot(`narrow-${section}`);
      await isWithin(section);
    }
    await bob.open(talk());
    const message = page.locator('article[data-id]').last();
    await message.hover();
    const { x = -1, width = 0 } = (await message.getByRole('toolbar').boundingBox()) ?? {};
    await shot('narrow-toolbar');
    expect([x >= 0, x + width <= 320]).to.deep.equal([true, true]);
    await isWithin('talk');
    expect(bob.complaints).to.deep.equal([]);
  });
});
