// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';
import type { World } from '../world/world.ts';

describe('the web client for everyone', () => {
  let here: WebWorld;

  before(async () => {
    here = await webWorld();
    await furnish(here);
  });
  after(() => here.close());

  /** Something to go through, with a link in it. */
  async function furnish({ alice, bob, channel }: World): Promise<void> {
    const message = await bob.say(channel.id, 'Look at https://example.com, `code` and **that**');
    await alice.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' });
    await alice.say(channel.id, `Thanks @${bob.username}`, { replyToId: message.id });
  }

  const conversation = () => `/app/s/${here.server.id}/${here.channel.id}`;

  it('can be used with the keyboard alone', async () => {
    const alice = await here.visit(here.alice);
    const { page } = alice;
    // Asked again from here: a script in the page that asks again by itself is stopped by its policy.
    const focused = () => page.evaluate(`document.activeElement.getAttribute('aria-label') ?? ''`);
    const isFocused = (name: string) => until(async () => (await focused()) === name);
    await alice.open(conversation());
    await page.locator('#composer').waitFor();
    // A menu: arrows go through it, Escape closes it and gives the focus back.
    const more = page.getByRole('button', { name: 'More', exact: true });
    const isAt = (text: string) =>
      until(async () => (await page.evaluate('document.activeElement.textContent')) === text, { message: text });
    await more.focus();
    await page.keyboard.press('Enter');
    await isAt('Notifications');
    await page.keyboard.press('ArrowDown');
    await isAt('Mute');
    await page.keyboard.press('Escape');
    await isFocused('More');
    // A dialog keeps the focus, and gives it back however it ends.
    await page.keyboard.press('Enter');
    await isAt('Notifications');
    for (const name of ['Mute', 'All channels', 'Edit the channel']) {
      await page.keyboard.press('ArrowDown');
      await isAt(name);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await until(async () => (await page.evaluate('document.activeElement.name')) === 'name');
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      const inside = await page.evaluate(
        `document.activeElement === document.body || !!document.activeElement.closest('dialog')`,
      );
      expect(inside).to.equal(true);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await isFocused('More');
    // The focus can be seen.
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).to.equal('solid');
    // Messages are gone through with arrows and acted on with keys.
    await page.locator('article').last().focus();
    await page.keyboard.press('r');
    await page.getByText('Replying to').waitFor();
    await isFocused('Message #general');
    await page.keyboard.press('Escape');
    await page.getByText('Replying to').waitFor({ state: 'detached' });
    // The focus moves with what is drawn: what is typed next must not go elsewhere, nor who went on be fetched back.
    const focusedAtOnce = (key: string) =>
      page.evaluate(`(async () => {
        const message = [...document.querySelectorAll('article')].at(-1);
        message.focus();
        message.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
        for (let i = 0; i < 20; i++) await null;
        return document.activeElement.getAttribute('aria-label');
      })()`);
    expect(await focusedAtOnce('r')).to.equal('Message #general');
    expect(await focusedAtOnce('e')).to.equal('Edit the message');
    await page.keyboard.press('Escape');
    await page.getByLabel('Edit the message').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByText('Replying to').waitFor({ state: 'detached' });
    // What can be done with a message is one stop for Tab; arrows lead on in it, and Escape to where one writes.
    await page.locator('article').last().focus();
    await page.locator('article').last().getByRole('button', { name: 'React' }).focus();
    await page.keyboard.press('ArrowRight');
    await isFocused('Reply');
    await page.keyboard.press('ArrowLeft');
    await isFocused('React');
    await page.keyboard.press('ArrowLeft');
    await isFocused('More actions');
    const stops = `[...document.querySelectorAll('.actions')].map((one) => one.querySelectorAll('button:not([tabindex="-1"])').length)`;
    expect(new Set(await page.evaluate<number[]>(stops))).to.deep.equal(new Set([1]));
    await page.keyboard.press('Escape');
    await isFocused('Message #general');
    await alice.close();
  });

  it('reads out what others say, once', async () => {
    const alice = await here.visit(here.alice);
    await alice.open(conversation());
    await alice.page.locator('article').first().waitFor();
    await here.bob.say(here.channel.id, 'a word from Bob');
    const live = alice.page.locator('#app > [aria-live=polite]:not(.toasts)');
    await live.filter({ hasText: `${here.bob.username}: a word from Bob` }).waitFor({ state: 'attached' });
    await alice.close();
  });
});
