// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { chooseInMenu } from '../rig/message-menu.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what is written in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let tablet: Visitor;
  let narrow: Visitor;

  before(async () => {
    here = await webWorld();
    const touched = { hasTouch: true, isMobile: true };
    alice = await here.visit(here.alice);
    tablet = await here.visit(here.bob, { viewport: { width: 1024, height: 768 }, ...touched });
    narrow = await here.visit(here.alice, { viewport: { width: 280, height: 640 }, ...touched });
    for (const one of [alice, tablet, narrow]) await one.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const message = (text: string, page: Page = alice.page) => page.locator('article[data-id]', { hasText: text });
  const composer = () => alice.page.locator('#composer');

  /** Waits until a key would take it; a slow list may still be that of the letters before. */
  const isOffered = (name: string) => alice.page.getByRole('option', { name, selected: true }).waitFor();

  /** The elements of a message, as they lie in each other, without buttons that are no part of what was said. */
  const structure = (text: string) =>
    message(text)
      .locator('.text')
      .evaluate((element) =>
        element.innerHTML
          .replace(/<button(?![^>]* class="mention").*?<\/button>/g, '')
          .replace(/ (dir|class|tabindex|type|aria-haspopup)="[^"]*"/g, ''),
      );

  it('is shown as elements, and whatever else it contains as text', async () => {
    await here.bob.say(
      here.channel.id,
      '# The *plan*\n- one\n  1. deep\n  3. deeper\n\n> said `he`\n\n```\n<b>code</b>\n```\n' +
        '| what | how |\n|---|--:|\n| **a** | ~~b~~ |\n[docs](https://a.example/?z=1) <b>x</b>',
    );
    expect(await structure('The plan')).to.equal(
      '<h3>The <em>plan</em></h3><ul><li>one<ol><li value="1">deep</li><li value="3">deeper</li></ol></li></ul>' +
        '<blockquote>said <code>he</code></blockquote><div><pre><code>&lt;b&gt;code&lt;/b&gt;</code></pre></div>' +
        '<div><table><thead><tr><th>what</th><th>how</th></tr></thead>' +
        '<tbody><tr><td><strong>a</strong></td><td><s>b</s></td></tr></tbody></table></div>' +
        '<a href="https://a.example/?z=1" title="https://a.example/?z=1" target="_blank" ' +
        'rel="noopener noreferrer nofollow">docs</a> &lt;b&gt;x&lt;/b&gt;',
    );
    await here.bob.say(here.channel.id, '🎉👍🏽 ❤️');
    await message('🎉👍🏽').locator('.text.large').waitFor();
  });

  it('can be copied where it is code', async () => {
    await alice.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await here.bob.say(here.channel.id, 'to copy:\n```\nlet a = `b`;\n\n  a += 1;\n```');
    await message('to copy:').getByRole('button', { name: 'Copy the code' }).click();
    await alice.page.getByText('Copied.').waitFor();
    expect(await alice.page.evaluate('navigator.clipboard.readText()')).to.equal('let a = `b`;\n\n  a += 1;');
  });

  it('begins with an invitation for others where one is alone', async () => {
    const server = (await here.alice.post('/api/servers', { name: 'Solo' })).body;
    await alice.open(`/app/s/${server.id}`);
    await alice.page.getByRole('link', { name: 'general' }).click();
    await alice.page.getByRole('button', { name: 'Invite people' }).click();
    const link = alice.page.getByLabel('Anyone with this link can join');
    expect(await link.inputValue()).to.contain(server.inviteCode);
    await alice.page.keyboard.press('Escape');
    // Those who come are seen to come, and to go.
    await here.bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const done = alice.page.getByRole('button', { name: 'Invite people (done)' });
    await done.waitFor();
    await here.bob.post(`/api/servers/${server.id}/leave`);
    await done.waitFor({ state: 'detached' });
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    // It is done where others are already.
    await done.waitFor();
    expect(await alice.page.getByRole('button', { name: 'Invite people', exact: true }).count()).to.equal(0);
  });

  it('leads to channels that it names', async () => {
    const id = await here.newChannel('elsewhere');
    await here.bob.say(here.channel.id, 'see #elsewhere, `#elsewhere` and #nowhere');
    await message('see #elsewhere').getByRole('link', { name: '#elsewhere' }).click();
    await alice.page.getByRole('heading', { level: 1, name: 'elsewhere' }).waitFor();
    expect(alice.page.url()).to.contain(id);
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
    await message('see #elsewhere').waitFor();
    expect(await message('see #elsewhere').getByRole('link').count()).to.equal(1);
  });

  it('leads by links to places here without another tab', async () => {
    const said = await here.bob.say(here.channel.id, 'what is linked to');
    const path = `/app/s/${here.server.id}/${here.channel.id}/${said.id}`;
    await here.bob.say(here.channel.id, `${new URL(path, alice.page.url()).href} to look at`);
    // Its middle may be below the buttons of the message.
    await message('look at')
      .getByRole('link')
      .first()
      .click({ position: { x: 8, y: 6 } });
    await alice.page.locator('article.target', { hasText: 'what is linked to' }).waitFor();
    expect(alice.page.context().pages()).to.have.length(1);
    expect(alice.complaints).to.deep.equal([]);
  });

  it('has emoji by their names, as they are typed and as they are sent', async () => {
    await here.bob.say(here.channel.id, 'emoji: :tada:');
    await composer().pressSequentially('look :rocke');
    await isOffered(':rocket:');
    await composer().press('Enter');
    expect(await composer().inputValue()).to.equal('look 🚀 ');
    await composer().fill('');
    await message('emoji:').hover();
    await message('emoji:').getByRole('button', { name: 'React' }).click();
    await message('emoji:').getByLabel('Find an emoji').fill(':unicorn:');
    await alice.page.keyboard.press('Enter');
    await message('emoji:').getByRole('button', { name: '🦄, 1' }).waitFor();
  });

  it('stands out for those whom it names', async () => {
    await here.bob.say(here.channel.id, `for you, @${here.alice.username}`);
    await here.alice.say(here.channel.id, `from me, @${here.alice.username}`);
    for (const [text, isForMe] of [
      ['for you', true],
      ['from me', false],
    ] as const) {
      await message(text).waitFor();
      expect(await message(text).evaluate((element) => element.classList.contains('for-me'))).to.equal(isForMe);
    }
  });

  it('shows as mentions what mentions someone, in all scripts, and nothing else', async () => {
    const [bob, me] = [`@${here.bob.username}`, here.alice];
    const text = `names 请${bob}看一下 _${bob}_ 안녕<@${me.id}>님\n> ${bob}\nmail${bob} \`${bob}\` video.example/${bob} @nobody`;
    await here.alice.say(here.channel.id, text);
    await message('names 请').waitFor();
    const shown = await message('names 请').locator('.mention').allTextContents();
    expect(shown).to.deep.equal([bob, bob, `@${me.username}`]);
    expect(await structure('names 请')).to.contain(`<em><button title="${here.bob.username}">${bob}</button></em>`);
  });

  it('is completed within a text without spaces', async () => {
    const name = here.bob.username;
    await composer().pressSequentially(`请@${name.slice(0, 6)}`);
    await isOffered(name);
    await composer().press('Enter');
    expect(await composer().inputValue()).to.equal(`请@${name} `);
    await composer().fill('');
  });

  it('is completed at the caret, wherever that is', async () => {
    const name = here.bob.username;
    await composer().pressSequentially('hello , how are you?');
    for (let i = 0; i < ', how are you?'.length; i++) await composer().press('ArrowLeft');
    await composer().pressSequentially(`@${name.slice(0, 6)}`);
    await isOffered(name);
    await composer().press('Tab');
    expect(await composer().inputValue()).to.equal(`hello @${name} , how are you?`);
    await composer().pressSequentially('and #gen');
    await isOffered('general');
    await composer().press('Enter');
    expect(await composer().inputValue()).to.equal(`hello @${name} and #general , how are you?`);
    await composer().fill('');
  });

  it('is not completed by walking through it', async () => {
    await composer().pressSequentially(`@${here.bob.username.slice(0, 6)}`);
    await alice.page.getByRole('option').first().waitFor();
    await composer().press('ArrowLeft');
    await alice.page.getByRole('option').first().waitFor({ state: 'detached' });
    await composer().fill('');
  });

  it('is completed while it is changed, too', async () => {
    await here.alice.say(here.channel.id, 'to be changed');
    await message('to be changed').waitFor();
    await composer().press('ArrowUp');
    const box = alice.page.getByLabel('Edit the message');
    await box.pressSequentially(` by @${here.bob.username.slice(0, 6)}`);
    await isOffered(here.bob.username);
    await box.press('Enter');
    expect(await box.inputValue()).to.equal(`to be changed by @${here.bob.username} `);
    await box.press('Enter');
    await message(`to be changed by @${here.bob.username} (edited)`).waitFor();
  });

  it('is sent by the key right after the one that completed it', async () => {
    const name = here.bob.username;
    await composer().pressSequentially(`at once @${name.slice(0, 6)}`);
    await isOffered(name);
    // Both before the page is painted again.
    await alice.page.evaluate(`new Promise((then) => {
      const enter = () => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }),
      );
      enter();
      setTimeout(() => then(enter()));
    })`);
    await message(`at once @${name}`).waitFor();
    expect(await composer().inputValue()).to.equal('');
  });

  it('is not lost with the message that it was to change: it goes behind what is being written', async () => {
    const { id } = await here.alice.say(here.channel.id, 'soon gone');
    await message('soon gone').waitFor();
    await composer().fill('written before');
    await chooseInMenu(alice.page.locator(`article[data-id="${id}"]`), 'Edit');
    await alice.page.getByLabel('Edit the message').fill('changed in vain');
    await here.alice.delete(`/api/messages/${id}`);
    await alice.page.getByText('The message was deleted. What you changed is in the message field.').waitFor();
    expect(await composer().inputValue()).to.equal('written before\nchanged in vain');
    await composer().fill('');
  });

  it('is told to be too long, and stays', async () => {
    await composer().fill('x'.repeat(16_001));
    await composer().press('Enter');
    await alice.page.getByText('A message has at most 16,000 characters').waitFor();
    expect((await composer().inputValue()).length).to.equal(16_001);
    await composer().fill('');
  });

  it('is found however much there is', async () => {
    for (let i = 0; i < 60; i++) await here.bob.say(here.channel.id, `a needle, number ${i}`);
    // A search waits for the index for a while, and the page does not ask again.
    await until(async () => (await here.alice.get('/api/search/messages?query=needle&limit=100')).body.length === 60, {
      message: 'they are not indexed',
    });
    await alice.page.getByRole('button', { name: 'Search' }).click();
    await alice.page.getByLabel('Words to look for').fill('needle');
    await alice.page.keyboard.press('Enter');
    const found = alice.page.locator('.aside .quoted');
    const more = alice.page.getByRole('button', { name: 'Show more' });
    for (const count of [25, 50, 60]) {
      await until(async () => (await found.count()) === count);
      if (count < 60) await more.click();
    }
    await more.waitFor({ state: 'detached' });
    const texts = await found.locator('.text').allInnerTexts();
    expect(texts).to.deep.equal(Array.from({ length: 60 }, (_, i) => `a needle, number ${59 - i}`));
    await alice.page.keyboard.press('Escape');
  });

  it('gets reactions by keys, and Escape leads back to where one was', async () => {
    const { page } = alice;
    const focused = () => page.evaluate(`document.activeElement.getAttribute('aria-label')`);
    await here.bob.say(here.channel.id, 'to be reacted to');
    const react = message('to be reacted to').getByRole('button', { name: 'React' });
    await message('to be reacted to').focus();
    await react.focus();
    await page.keyboard.press('Enter');
    await until(async () => (await focused()) === 'Find an emoji');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Emoji' }).waitFor({ state: 'detached' });
    await until(async () => (await focused()) === 'React');
    await page.keyboard.press('Enter');
    await until(async () => (await focused()) === 'Find an emoji');
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'ArrowRight']) {
      await page.keyboard.press(key);
    }
    const second = await page.getByRole('option').nth(1).getAttribute('data-emoji');
    expect(await page.evaluate('document.activeElement.dataset.emoji')).to.equal(second);
    await page.keyboard.press('Enter');
    await message('to be reacted to')
      .getByRole('button', { name: `${second}, 1` })
      .waitFor();
    await until(async () => (await focused()) === 'React');
  });

  it('is sent by Enter on a tablet that has a keyboard', async () => {
    const box = tablet.page.locator('#composer');
    await box.pressSequentially('one');
    await box.press('Enter');
    await box.press('Shift');
    await box.pressSequentially('two');
    await box.press('Shift+Enter');
    await box.pressSequentially('three');
    await box.press('Enter');
    await message('three').waitFor();
    expect(await message('three').locator('.text').innerText()).to.equal('one\ntwo\nthree');
  });

  it('has room on the narrowest phone, where a finger presses nothing that it did not see', async () => {
    const { page } = narrow;
    await here.bob.say(here.channel.id, 'under a thumb');
    await message('under a thumb', page).tap();
    const react = message('under a thumb', page).getByRole('button', { name: 'React' });
    await react.waitFor();
    const pressed = `document.activeElement.closest('button') !== null`;
    expect(await page.evaluate(pressed)).to.equal(false);
    await react.tap();
    await page.getByRole('dialog', { name: 'Emoji' }).waitFor();
    const outside = `[...document.querySelectorAll('.actions *')].filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      return right - left > 1 && (left < 0 || right > innerWidth) && getComputedStyle(one).visibility === 'visible';
    }).length`;
    expect(await page.evaluate(outside)).to.equal(0);
    await narrow.go(`/app/s/${here.server.id}`);
    const rail = () => page.locator('.rail').evaluate((element) => element.getBoundingClientRect().width);
    await until(async () => (await rail()) === 72);
    await here.alice.patch(`/api/servers/${here.server.id}`, { name: 'A name that is long '.repeat(5).trim() });
    await narrow.go(`/app/s/${here.server.id}/manage/members`);
    await page.getByRole('heading', { level: 1, name: /A name that is long/ }).waitFor();
    const field = await page.getByPlaceholder('Find a member').boundingBox();
    expect(field && field.x + field.width).to.be.below(page.viewportSize()?.width ?? 0);
  });

  it('comes with an icon, and without a complaint', async () => {
    const icon = await fetch(`${here.alice.node.url}/favicon.ico`);
    expect([icon.status, icon.headers.get('content-type')]).to.deep.equal([200, 'image/svg+xml']);
    for (const { complaints } of [alice, tablet, narrow]) expect(complaints).to.deep.equal([]);
  });
});
