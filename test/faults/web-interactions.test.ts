// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what bots offer in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;
  let robot: Bot;
  let ear: Listener;

  before(async () => {
    here = await webWorld();
    robot = await botIn(here.server, here.alice);
    ear = await robot.connect();
    bob = await here.visit(here.bob, { viewport: { width: 320, height: 640 } });
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => {
    robot.hangUp();
    return here.close();
  });

  const message = (text: string) => bob.page.locator('article[data-id]', { hasText: text });
  const offer = (content: string, ...items: object[]) => robot.say(here.channel.id, content, { components: { items } });
  const told = (messageId: string, fits: (data: Loose) => boolean = () => true) =>
    ear.next('interaction:created', (data) => data.messageId === messageId && fits(data));
  const answer = async (id: string, body: object) =>
    expect((await robot.post(`/api/interactions/${id}/answers`, body)).status).to.equal(200);

  it('is pressed, says how far the bot is, and shows what it replies to that person alone', async () => {
    const link = { type: 'link', label: 'More about it', url: 'https://example.com/' };
    const { id } = await offer('Shall we?', { type: 'button', id: 'go', label: 'Let us go' }, link);
    const shown = message('Shall we?');
    expect(await shown.getByRole('link', { name: 'More about it' }).getAttribute('href')).to.equal(link.url);
    await shown.getByRole('button', { name: 'Let us go' }).press('Enter');
    await shown.getByText(/^Waiting for /).waitFor();
    const use = await told(id);
    await answer(use.id, { type: 'working', note: 'Packing' });
    await shown.getByText(/Packing…$/).waitFor();
    await answer(use.id, { type: 'ephemeral', content: 'Only for **you**.' });
    const reply = bob.page.locator('article.ephemeral');
    await reply.getByText('Only you see this.').waitFor();
    await until(async () => (await shown.getByText(/Packing…$/).count()) === 0);
    await bob.page.reload();
    await reply.locator('strong', { hasText: 'you' }).waitFor();
    await reply.getByRole('button', { name: 'Dismiss' }).click();
    await until(async () => (await reply.count()) === 0);
    const width = await bob.page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).to.be.at.most(320);
  });

  it('is chosen from a list, one or several', async () => {
    const options = ['small', 'large'].map((value) => ({ value, label: `A ${value} one` }));
    const one = { type: 'select', id: 'size', label: 'Which size?', options };
    const { id } = await offer('Pizza', one, { ...one, id: 'sizes', label: 'Which sizes?', max: 2 });
    await message('Pizza').getByRole('combobox', { name: 'Which size?' }).selectOption('large');
    expect((await told(id)).values).to.deep.equal({ size: ['large'] });
    await message('Pizza').getByRole('button', { name: 'Which sizes?' }).click();
    const dialog = bob.page.getByRole('dialog');
    await dialog.getByLabel('A small one').check();
    await dialog.getByLabel('A large one').check();
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect((await told(id, (data) => data.componentId === 'sizes')).values).to.deep.equal({
      sizes: ['small', 'large'],
    });
  });

  it('is filled in, where the bot answers with a form too, and says what is wrong', async () => {
    const fields = [
      { type: 'text', id: 'why', label: 'Your reason' },
      { type: 'number', id: 'days', label: 'Days', max: 5 },
      { type: 'checkbox', id: 'paid', label: 'Paid' },
      { type: 'date', id: 'from', label: 'First day' },
    ];
    const form = { title: 'Leave', submit: 'Ask for it', fields };
    const { id } = await offer('Holidays', { type: 'form', id: 'leave', label: 'Ask for leave', form });
    await message('Holidays').getByRole('button', { name: 'Ask for leave' }).click();
    const dialog = bob.page.getByRole('dialog');
    await dialog.getByLabel('Your reason').fill('Sun');
    await dialog.getByLabel('Days').fill('9');
    await dialog.getByLabel('First day').fill('2026-08-01');
    await dialog.getByLabel('Paid').check();
    await dialog.getByRole('button', { name: 'Ask for it' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/at most 5/)
      .waitFor();
    await dialog.getByLabel('Days').fill('3');
    await dialog.getByRole('button', { name: 'Ask for it' }).click();
    const use = await told(id);
    expect(use.values).to.deep.equal({ why: 'Sun', days: 3, paid: true, from: '2026-08-01' });
    await until(async () => (await dialog.count()) === 0);
    const asked = { title: 'And who stands in?', fields: [{ type: 'text', id: 'who', label: 'Who?' }] };
    await answer(use.id, { type: 'form', form: asked });
    await dialog.getByRole('heading', { name: asked.title }).waitFor();
    await dialog.getByLabel('Who?').fill('Carol');
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect((await told(id, ({ parentId }) => parentId === use.id)).values).to.deep.equal({ who: 'Carol' });
    await until(async () => (await dialog.count()) === 0);
  });

  it('can be filled in later, and on another device, once it was closed', async () => {
    const { page } = bob;
    const { id } = await offer('Feedback', { type: 'button', id: 'ask', label: 'Ask me' });
    await message('Feedback').getByRole('button', { name: 'Ask me' }).click();
    const use = await told(id);
    const form = { title: 'Your feedback', fields: [{ type: 'text', id: 'text', label: 'What do you think?' }] };
    await answer(use.id, { type: 'form', form });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: form.title }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // Whatever else the bot says, it stays closed.
    await answer(use.id, { type: 'working', note: 'Waiting for you' });
    await message('Feedback')
      .getByText(/Waiting for you…$/)
      .waitFor();
    expect(await dialog.count()).to.equal(0);
    await page.reload();
    await message('Feedback').getByRole('button', { name: 'Fill in Your feedback…' }).click();
    await dialog.getByLabel('What do you think?').fill('Fine');
    // What it says meanwhile takes nothing away.
    await answer(use.id, { type: 'ephemeral', content: 'Take your time.' });
    await page.locator('article.ephemeral').getByText('Take your time.').waitFor();
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect((await told(id, ({ parentId }) => parentId === use.id)).values).to.deep.equal({ text: 'Fine' });
    await until(
      async () =>
        (await message('Feedback')
          .getByRole('button', { name: /^Fill in/ })
          .count()) === 0,
    );
  });

  it('says that the bot is stopped', async () => {
    await offer('Anyone?', { type: 'button', id: 'me', label: 'Me' });
    await here.alice.post(`/api/agents/${robot.agentId}/stop`);
    await message('Anyone?').getByRole('button', { name: 'Me' }).click();
    await bob.page.getByText('This bot is stopped; its owner can start it again.').waitFor();
    await here.alice.post(`/api/agents/${robot.agentId}/start`);
  });
});
