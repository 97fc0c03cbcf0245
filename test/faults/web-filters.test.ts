// nodes: own

import { expect } from 'chai';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('filters in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;
  before(async () => {
    here = await webWorld();
    [alice, bob] = [await here.visit(here.alice), await here.visit(here.bob)];
  });
  after(() => here.close());

  const manage = (section: string) => `/app/s/${here.server.id}/manage/${section}`;
  const talk = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const own = (text: string) => bob.page.locator('article:not([data-id])', { hasText: text });

  async function say(text: string): Promise<void> {
    await bob.page.locator('#composer').fill(text);
    await bob.page.keyboard.press('Enter');
  }

  it('are added, tried and removed', async () => {
    const { page } = alice;
    await alice.open(manage('filters'));
    const words = page.locator('section.block', { has: page.getByRole('heading', { name: 'Words' }) });
    await words.getByLabel('New words').fill('wait*\nnever');
    await words.getByLabel('What happens').selectOption('hold');
    await words.getByRole('button', { name: 'Add' }).click();
    await words.getByText('wait*', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('waiting for it');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('It is held for a moderator, for “wait*”.').waitFor();
    await words.getByRole('button', { name: 'Remove never' }).click();
    await words.getByText('never', { exact: true }).waitFor({ state: 'detached' });
    expect((await here.alice.get(`/api/servers/${here.server.id}/filters`)).body).to.have.length(1);
  });

  it('show their author what waits, also after a reload, and moderators decide by the keyboard', async () => {
    await bob.open(talk());
    await alice.open(manage('held'));
    for (const text of ['waiting one', 'waiting two', 'waiting three']) {
      await say(text);
      await own(text).getByText('is waiting for a moderator').waitFor();
    }
    await bob.open(talk());
    await own('waiting three').getByRole('button', { name: 'Withdraw' }).click();
    await own('waiting three').waitFor({ state: 'detached' });
    const items = alice.page.locator('.held > li');
    await items.nth(1).waitFor();
    await items.filter({ hasText: 'waiting three' }).waitFor({ state: 'detached' });
    await items.first().getByRole('button', { name: 'Approve' }).focus();
    await alice.page.keyboard.press('a');
    await bob.page.locator('article[data-id]', { hasText: 'waiting one' }).waitFor();
    await own('waiting one').waitFor({ state: 'detached' });
    await items.filter({ hasText: 'waiting one' }).waitFor({ state: 'detached' });
    await items.first().getByRole('button', { name: 'Reject' }).focus();
    await alice.page.keyboard.press('r');
    await own('waiting two').getByText('was not approved').waitFor();
    await alice.page.getByText('Nothing is waiting.').waitFor();
    await own('waiting two').getByRole('button', { name: 'Discard' }).click();
    await own('waiting two').waitFor({ state: 'detached' });
  });

  it('say that a change waits, and leave the text as it is', async () => {
    await here.bob.say(here.channel.id, 'fine so far');
    const message = bob.page.locator('article[data-id]', { hasText: 'fine so far' });
    await message.waitFor();
    await bob.page.locator('#composer').focus();
    await bob.page.keyboard.press('ArrowUp');
    await bob.page.getByLabel('Edit the message').fill('wait for it');
    await bob.page.keyboard.press('Enter');
    await own('wait for it').getByText('Your change is waiting for a moderator').waitFor();
    await message.waitFor();
  });

  it('fit a narrow screen, and complain of nothing', async () => {
    await here.bob.post(`/api/channels/${here.channel.id}/messages`, { content: 'waiting again' });
    await alice.page.setViewportSize({ width: 320, height: 640 });
    for (const section of ['filters', 'held']) {
      await alice.open(manage(section));
      await alice.page.locator('section.block').first().waitFor();
      const html = alice.page.locator('html');
      const overflow = await html.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(overflow, section).to.be.at.most(0);
    }
    expect([alice.complaints, bob.complaints]).to.deep.equal([[], []]);
  });
});
