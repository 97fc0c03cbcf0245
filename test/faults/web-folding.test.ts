// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('a very long message in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;
  let phone: Visitor;
  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
    phone = await here.visit(here.bob, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
    for (const one of [bob, phone]) await one.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  // Far from there, what is said is not drawn.
  beforeEach(() => bob.page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: 0 })));
  after(() => here.close());

  const article = (page: Page, text: string) => page.locator('article[data-id]', { hasText: text });
  const height = async (page: Page, text: string) => (await article(page, text).boundingBox())?.height ?? 0;
  /** Where the beginning of a message is, in the window. */
  const top = async (page: Page, text: string) => Math.round((await article(page, text).boundingBox())?.y ?? 0);

  it('takes no more than a screen, of line breaks as of text, until one wants to see all of it', async () => {
    await here.alice.say(here.channel.id, `breaks${'\n'.repeat(8000)}and an end`);
    await here.alice.say(here.channel.id, `words ${'and more '.repeat(1700)}`);
    for (const { page } of [bob, phone]) {
      for (const text of ['breaks', 'words']) {
        await article(page, text).getByRole('button', { name: 'Show more' }).waitFor();
        expect(await height(page, text)).to.be.lessThan(760);
      }
    }
    const { page } = bob;
    await article(page, 'breaks').scrollIntoViewIfNeeded();
    const more = article(page, 'breaks').getByRole('button', { name: 'Show more' });
    await more.focus();
    const before = await top(page, 'breaks');
    await page.keyboard.press('Enter');
    await article(page, 'breaks').getByRole('button', { name: 'Show less' }).waitFor({ state: 'attached' });
    expect(await height(page, 'breaks')).to.be.greaterThan(8000 * 15);
    // One goes on reading where one was.
    expect(await top(page, 'breaks')).to.be.closeTo(before, 2);
    await article(page, 'breaks').getByRole('button', { name: 'Show less' }).focus();
    await page.keyboard.press('Enter');
    await until(async () => (await height(page, 'breaks')) < 760);
    const list = await page.locator('.scroller').boundingBox();
    // The message that one has read is what one sees then.
    expect(await top(page, 'breaks')).to.be.within(-700, (list?.y ?? 0) + (list?.height ?? 0));
  });

  it('is not folded for a few lines, nor when it is short', async () => {
    await here.alice.say(here.channel.id, `some lines${'\nline'.repeat(35)}`);
    await article(bob.page, 'some lines').waitFor();
    expect(await article(bob.page, 'some lines').getByRole('button', { name: 'Show more' }).count()).to.equal(0);
    const { id } = await here.alice.say(here.channel.id, `shortened${'\nline'.repeat(100)}`);
    await article(bob.page, 'shortened').getByRole('button', { name: 'Show more' }).waitFor();
    await here.alice.patch(`/api/messages/${id}`, { content: 'shortened' });
    await article(bob.page, 'shortened').getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  it('is edited in a box of which one sees the end, and what leads out of it', async () => {
    const { id } = await here.bob.say(here.channel.id, `to edit${'\nline'.repeat(300)}\nlast`);
    const { page } = bob;
    const own = page.locator(`article[data-id="${id}"]`);
    await own.focus();
    await page.keyboard.press('e');
    const box = own.getByRole('textbox', { name: 'Edit the message' });
    await box.waitFor();
    expect((await box.boundingBox())?.height).to.be.lessThan(500);
    const below = await box.evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight);
    expect(below).to.be.lessThan(5);
    await own.getByRole('button', { name: 'cancel' }).click();
    await box.waitFor({ state: 'detached' });
  });

  it('is unfolded by whoever gets with Tab to what is hidden', async () => {
    const link = 'https://example.com/at-the-end';
    await here.alice.say(here.channel.id, `a link${'\nline'.repeat(100)}\n${link}`);
    const { page } = bob;
    await article(page, 'a link').getByRole('button', { name: 'Show more' }).waitFor();
    await page.getByRole('link', { name: link }).focus();
    await article(page, 'a link').getByRole('button', { name: 'Show less' }).waitFor({ state: 'attached' });
    await until(async () => {
      const y = (await page.getByRole('link', { name: link }).boundingBox())?.y ?? -1;
      return y > 0 && y < 760;
    });
    expect([...bob.complaints, ...phone.complaints]).to.deep.equal([]);
  });
});
