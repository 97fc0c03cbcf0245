// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
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

  /** The elements of a message, as they lie in each other. */
  const structure = (text: string) =>
    message(text)
      .locator('.text')
      .evaluate((element) => element.innerHTML.replace(/ (dir|class|tabindex)="[^"]*"|<button.*?<\/button>/g, ''));

  it('has headings, quotations and lists, numbered as they were typed', async () => {
    await here.bob.say(
      here.channel.id,
      '# The *plan*\n\nfor us:\n- one\n  1. deep\n  3. deeper\n- two\n  goes on\n\n> said `he`\n> > once\n\nend',
    );
    expect(await structure('The plan')).to.equal(
      '<h3>The <em>plan</em></h3>for us:' +
        '<ul><li>one<ol><li value="1">deep</li><li value="3">deeper</li></ol></li><li>two\ngoes on</li></ul>' +
        '<blockquote>said <code>he</code><blockquote>once</blockquote></blockquote>end',
    );
  });

  it('stays as it is where it is code, or only looks like a list', async () => {
    await here.bob.say(here.channel.id, 'code:\n```\n# a\n> b\n- c\n```\n-5 degrees\n#1\n>_<\n2026. no\n---');
    expect(await structure('code:')).to.equal(
      'code:<div><pre><code># a\n&gt; b\n- c</code></pre></div>-5 degrees\n#1\n&gt;_&lt;\n2026. no\n---',
    );
    const nested = `${'> '.repeat(300)}<b>bottom</b>`;
    await here.bob.say(here.channel.id, nested);
    await message('bottom').waitFor();
    expect(await message('bottom').locator('blockquote').count()).to.equal(4);
    expect(await message('bottom').locator('b').count()).to.equal(0);
  });

  it('can be copied where it is code', async () => {
    await alice.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await here.bob.say(here.channel.id, 'to copy:\n```\nlet a = `b`;\n\n  a += 1;\n```');
    await message('to copy:').getByRole('button', { name: 'Copy the code' }).click();
    await alice.page.getByText('Copied.').waitFor();
    expect(await alice.page.evaluate('navigator.clipboard.readText()')).to.equal('let a = `b`;\n\n  a += 1;');
  });

  it('is large where it is emoji and nothing else', async () => {
    for (const text of ['🎉👍🏽 ❤️', '🇩🇪👨‍👩‍👧', '🎉 yes', '🐱'.repeat(9), '12']) {
      const { id } = await here.bob.say(here.channel.id, text);
      const said = alice.page.locator(`article[data-id="${id}"] .text`);
      await said.waitFor();
      const isAlone = text.startsWith('🎉👍') || text.startsWith('🇩🇪');
      expect(await said.evaluate((element) => element.classList.contains('large')), text).to.equal(isAlone);
    }
  });

  it('begins with an invitation for others where one is alone', async () => {
    const server = (await here.alice.post('/api/servers', { name: 'Solo' })).body;
    await alice.open(`/app/s/${server.id}`);
    await alice.page.getByRole('link', { name: 'general' }).click();
    await alice.page.getByRole('button', { name: 'Invite people' }).click();
    const link = alice.page.getByLabel('With this link anyone can join');
    expect(await link.inputValue()).to.contain(server.inviteCode);
    await alice.page.keyboard.press('Escape');
    // Those who come are seen to come, and to go.
    await here.bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const invite = alice.page.getByRole('button', { name: 'Invite people' });
    await invite.waitFor({ state: 'detached' });
    await here.bob.post(`/api/servers/${server.id}/leave`);
    await invite.waitFor();
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    expect(await alice.page.getByRole('button', { name: 'Invite people' }).count()).to.equal(0);
  });

  it('is slanted between underscores, too, where they are not in a word', async () => {
    await here.bob.say(here.channel.id, 'slanted: _very much_ (_so_) snake_case_name _a_b_ __init__ _ x_ a_');
    expect(await structure('slanted:')).to.equal(
      'slanted: <em>very much</em> (<em>so</em>) snake_case_name _a_b_ __init__ _ x_ a_',
    );
  });

  it('is bold and slanted at once between three asterisks, and has the one in the other', async () => {
    const said = [
      ['a ***both*** b', 'a <strong><em>both</em></strong> b'],
      ['***both* bold**', '<strong><em>both</em> bold</strong>'],
      ['**bold *both***', '<strong>bold <em>both</em></strong>'],
      ['**a *b* c** and **d**', '<strong>a <em>b</em> c</strong> and <strong>d</strong>'],
      ['**_both_**', '<strong><em>both</em></strong>'],
      ['f*****g, *****, *** and 2 ** 3 * 4', 'f*****g, *****, *** and 2 ** 3 * 4'],
    ];
    await here.bob.say(here.channel.id, `asterisks:\n${said.map(([text]) => text).join('\n')}`);
    expect(await structure('asterisks:')).to.equal(`asterisks:\n${said.map(([, html]) => html).join('\n')}`);
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

  it('has emoji by their names, as they are typed and as they are sent', async () => {
    await here.bob.say(here.channel.id, 'emoji: :tada: (:+1:) :not_one: 10:100:30 `:tada:`');
    expect(await structure('emoji:')).to.equal('emoji: 🎉 (👍) :not_one: 10:100:30 <code>:tada:</code>');
    await composer().pressSequentially('look :rock');
    await isOffered(':rocket:');
    await composer().press('Enter');
    expect(await composer().inputValue()).to.equal('look 🚀 ');
    await composer().fill('');
    await message('emoji:').hover();
    await message('emoji:').getByRole('button', { name: 'React' }).click();
    await message('emoji:').getByLabel('Another emoji').fill(':unicorn:');
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

  it('has links with names, whose addresses are never hidden behind another address', async () => {
    await here.bob.say(
      here.channel.id,
      'links: **see [the `docs`](https://a.example/x_(y)?z=1), now** [b.example](https://c.example/) [x](javascript:alert)',
    );
    const link = (url: string, rest = '') =>
      `<a href="${url}"${rest} target="_blank" rel="noopener noreferrer nofollow">`;
    const docs = 'https://a.example/x_(y)?z=1';
    expect(await structure('links:')).to.equal(
      `links: <strong>see ${link(docs, ` title="${docs}"`)}the <code>docs</code></a>, now</strong> ` +
        `[b.example](${link('https://c.example/')}https://c.example/</a>) [x](javascript:alert)`,
    );
  });

  it('has tables', async () => {
    await here.bob.say(
      here.channel.id,
      'a table:\n| what | how *much* |\n|---|--:|\n| a \\| b | 1 |\n| c | 2 | 3 |\n| d |\nafter\n| no | table |',
    );
    expect(await structure('a table:')).to.equal(
      'a table:<div><table><thead><tr><th>what</th><th>how <em>much</em></th></tr></thead>' +
        '<tbody><tr><td>a | b</td><td>1</td></tr><tr><td>c</td><td>2</td></tr><tr><td>d</td><td></td></tr></tbody>' +
        '</table></div>after\n| no | table |',
    );
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
    await alice.page.locator(`article[data-id="${id}"]`).hover();
    await alice.page.locator(`article[data-id="${id}"]`).getByRole('button', { name: 'Edit' }).click();
    await alice.page.getByLabel('Edit the message').fill('changed in vain');
    await here.alice.delete(`/api/messages/${id}`);
    await alice.page.getByText('The message was deleted. What you changed is in the message field.').waitFor();
    expect(await composer().inputValue()).to.equal('written before\nchanged in vain');
    await composer().fill('');
  });

  it('is told to be too long, and stays', async () => {
    await composer().fill('x'.repeat(16_001));
    await composer().press('Enter');
    await alice.page.getByText('A message has at most 16000 characters').waitFor();
    expect((await composer().inputValue()).length).to.equal(16_001);
    await composer().fill('');
  });

  it('is found however much there is', async () => {
    for (let i = 0; i < 60; i++) await here.bob.say(here.channel.id, `a needle, number ${i}`);
    await alice.page.getByRole('button', { name: 'Search' }).click();
    await alice.page.getByLabel('Words to look for').fill('needle');
    await alice.page.keyboard.press('Enter');
    const found = alice.page.getByRole('dialog').locator('.quoted');
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
    const isInReactions = () =>
      until(async () => page.evaluate<boolean>(`document.activeElement.closest('fieldset') !== null`));
    await here.bob.say(here.channel.id, 'to be reacted to');
    const react = message('to be reacted to').getByRole('button', { name: 'React' });
    await message('to be reacted to').focus();
    await react.focus();
    await page.keyboard.press('Enter');
    await isInReactions();
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Reactions' }).waitFor({ state: 'detached' });
    await until(async () => (await focused()) === 'React');
    await page.keyboard.press('Enter');
    await isInReactions();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await message('to be reacted to').getByRole('button', { name: '❤️, 1' }).waitFor();
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
    await page.getByRole('group', { name: 'Reactions' }).waitFor();
    const outside = `[...document.querySelectorAll('.actions *')].filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      return right - left > 1 && (left < 0 || right > innerWidth) && getComputedStyle(one).visibility === 'visible';
    }).length`;
    expect(await page.evaluate(outside)).to.equal(0);
    await narrow.go(`/app/s/${here.server.id}`);
    const rail = () => page.locator('.rail').evaluate((element) => element.getBoundingClientRect().width);
    await until(async () => (await rail()) === 68);
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
