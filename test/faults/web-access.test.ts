// nodes: own

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { shareOf } from '../rig/long.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';
import type { World } from '../world/world.ts';

/** What axe-core finds, as far as it matters here. */
interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the web client for everyone', () => {
  let here: WebWorld;
  let places: [path: string, shows: string][];

  before(async () => {
    here = await webWorld();
    places = await furnish(here);
  });
  after(() => here.close());

  /** Something to be seen on each page. @returns addresses, each with what shows when all of it is there */
  async function furnish({ alice, bob, server, channel }: World): Promise<[path: string, shows: string][]> {
    const base = `/api/servers/${server.id}`;
    const message = await bob.say(channel.id, 'Look at https://example.com, `code` and **that**');
    await alice.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' });
    const pictures = [await bob.upload('dot.png', onePixel), await bob.upload('dot again.png', onePixel)];
    await bob.say(channel.id, 'pictures', { attachments: pictures.map(({ id }) => ({ id })) });
    await alice.say(channel.id, `Thanks @${bob.username}`, { replyToId: message.id });
    const thread = (await bob.post(`/api/messages/${message.id}/thread`, { name: 'More of it' })).body;
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'in the thread' });
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    await bob.say(dm.id, 'Hi Alice');
    await bob.post('/api/friends/request', { username: alice.username });
    const agent = (await alice.post('/api/agents', { name: `bot${Date.now()}`, displayName: 'Helper' })).body;
    await alice.post(`${base}/agents`, { agentIds: [agent.id] });
    await alice.post(`${base}/workspace/files`, { name: 'readme.md', content: '# Hi' });
    await alice.post(`${base}/apps`, { name: 'Poll', htmlContent: '<h1>Poll</h1>' });
    await alice.patch(base, { isPublic: true });
    const home = `/app/s/${server.id}`;
    return [
      [`${home}/${channel.id}`, 'Look at'],
      [`${home}/${channel.id}/${message.id}`, 'Look at'],
      [`${home}/${channel.id}/thread/${thread.id}`, 'in the thread'],
      [`/app/dm/${dm.id}`, 'Hi Alice'],
      ['/app/friends', 'Accept'],
      ['/app/notifications', bob.username],
      ['/app/discover', 'Open'],
      ['/app/settings/profile', 'Display name'],
      ['/app/settings/notifications', '#general'],
      ['/app/settings/agents', 'Running'],
      [`/app/settings/agents/${agent.id}`, 'Everywhere in the server'],
      ['/app/settings/tokens', 'Valid for'],
      [`${home}/manage/overview`, 'Delete the server'],
      [`${home}/manage/members`, `@${bob.username}`],
      [`${home}/manage/channels`, 'New channel'],
      [`${home}/files`, 'readme.md'],
      [`${home}/apps`, 'Poll'],
    ];
  }

  const conversation = () => `/app/s/${here.server.id}/${here.channel.id}`;

  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  /** Both sizes, and both sets of colours. */
  const looks: Record<string, BrowserContextOptions> = {
    'on a wide screen in the light': { colorScheme: 'light' },
    'on a phone in the dark': { ...phone, colorScheme: 'dark' },
  };

  /** What is serious or critical on the page as it stands. */
  async function scan({ page }: Visitor, where: string): Promise<string[]> {
    const options = {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
    };
    const found: { violations: Finding[] } = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
    const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return serious.map(({ id, nodes }) => `${where}: ${id} ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  }

  for (const [at, [look, options]] of Object.entries(looks).entries()) {
    it(`has nothing on its pages that keeps someone out, ${look}`, async () => {
      const context = { ...options, bypassCSP: true, reducedMotion: 'reduce' as const };
      const found: string[] = [];
      const outside = await here.visit(null, context);
      await outside.page.addInitScript(axe);
      for (const path of ['login', 'register', 'code']) {
        await outside.open(`/app/${path}`);
        await outside.page.getByRole('button').first().waitFor();
        found.push(...(await scan(outside, path)));
      }
      await outside.close();
      const alice = await here.visit(here.alice, context);
      await alice.page.addInitScript(axe);
      await alice.open('/app/messages');
      for (const [path, shows] of shareOf(places, 2, at)) {
        await alice.go(path);
        await alice.page.locator('main').getByText(shows).locator('visible=true').first().waitFor();
        found.push(...(await scan(alice, path)));
        const [wide = 0, fits = 0]: number[] = await alice.page.evaluate(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        if (wide > fits) found.push(`${path} is wider than the screen`);
      }
      await alice.page.keyboard.press('Control+k');
      await alice.page.getByRole('option').first().waitFor();
      found.push(...(await scan(alice, 'going somewhere')));
      await alice.page.keyboard.press('Escape');
      await alice.go(conversation());
      await alice.page.getByRole('button', { name: 'Search' }).click();
      const search = alice.page.getByRole('region', { name: 'Search' });
      await search.getByLabel('Words to look for').fill('thanks from:nobody');
      await alice.page.keyboard.press('Enter');
      await search.getByText('Nothing was found').waitFor();
      await search.getByRole('button', { name: 'With', exact: true }).click();
      await alice.page.getByRole('checkbox', { name: 'A picture' }).waitFor();
      found.push(...(await scan(alice, 'searching')));
      await alice.page.keyboard.press('Escape');
      await search.getByRole('button', { name: 'Close' }).click();
      await alice.page.getByRole('button', { name: 'Members', exact: true }).click();
      await alice.page.locator('.beside .people li').first().waitFor();
      found.push(...(await scan(alice, 'members beside')));
      await alice.page.locator('.beside').getByRole('button', { name: 'Close' }).click();
      await alice.page.keyboard.press('Control+/');
      await alice.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      found.push(...(await scan(alice, 'all keys')));
      await alice.page.keyboard.press('Escape');
      await alice.page.getByRole('button', { name: 'Insert an emoji' }).click();
      await alice.page.getByLabel('Find an emoji').fill('heart');
      await alice.page.getByRole('option', { name: 'red heart' }).waitFor();
      found.push(...(await scan(alice, 'choosing an emoji')));
      await alice.page.keyboard.press('Escape');
      await alice.page.getByRole('link', { name: 'dot.png' }).and(alice.page.locator('[href]')).press('Enter');
      await alice.page.getByRole('button', { name: 'Next picture' }).waitFor();
      found.push(...(await scan(alice, 'looking at pictures')));
      await alice.close();
      expect(found).to.deep.equal([]);
    });
  }

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
    await isAt('Mute');
    await page.keyboard.press('ArrowDown');
    await isAt('Edit the channel');
    await page.keyboard.press('Escape');
    await isFocused('More');
    // A dialog keeps the focus, and gives it back however it ends.
    await page.keyboard.press('Enter');
    await isAt('Mute');
    await page.keyboard.press('ArrowDown');
    await isAt('Edit the channel');
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
