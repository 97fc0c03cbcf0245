// nodes: own

import { expect } from 'chai';
import { halves } from '../pictures/samples.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('polls, emoji, spoilers and code in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    bob = await here.visit(here.bob, { viewport: { width: 320, height: 640 } });
    for (const one of [alice, bob]) await one.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const message = (of: Visitor, text: string) => of.page.locator('article[data-id]', { hasText: text });

  it('asks in a poll, counts votes live for everyone, shows who voted, and closes', async () => {
    const { page } = alice;
    await page.getByRole('button', { name: 'New poll' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Question').fill('Where to?');
    await dialog.getByRole('textbox', { name: 'Options' }).fill('Lake\nHills');
    await dialog.getByRole('button', { name: 'Send the poll' }).click();
    const lake = (of: Visitor) => message(of, 'Where to?').getByRole('button', { name: /^Lake/ });
    await lake(bob).click();
    await until(async () => (await lake(bob).getAttribute('aria-pressed')) === 'true');
    await message(alice, 'Where to?').getByRole('button', { name: 'Lake: 1 vote, 100 %' }).waitFor();
    await bob.page.reload();
    await until(async () => (await lake(bob).getAttribute('aria-pressed')) === 'true');
    await message(bob, 'Where to?')
      .getByRole('button', { name: /^Hills/ })
      .press('Enter');
    await message(alice, 'Where to?').getByRole('button', { name: 'Hills: 1 vote, 100 %' }).waitFor();
    await message(alice, 'Where to?').getByRole('button', { name: 'Who voted' }).click();
    await page.getByRole('dialog').getByText(`@${here.bob.username}`).waitFor();
    await page.keyboard.press('Escape');
    // Its end would end the next question, too.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await message(alice, 'Where to?').getByRole('button', { name: 'Close the poll' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close the poll' }).click();
    await message(bob, 'Where to?').getByText('Closed').waitFor();
    expect(await lake(bob).isDisabled()).to.equal(true);
    const width = await bob.page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).to.be.at.most(320);
  });

  it('shows a spoiler to those who ask for it alone, by the keyboard too, and keeps the focus there', async () => {
    await here.bob.say(here.channel.id, 'the end: ||Snape *kills* him||');
    const text = message(alice, 'the end:');
    const button = text.getByRole('button', { name: 'Spoiler: show it' });
    await button.waitFor();
    expect(await alice.page.content()).to.not.contain('Snape');
    await button.press('Enter');
    expect(await text.locator('em').innerText()).to.equal('kills');
    expect(await alice.page.evaluate('document.activeElement.className')).to.equal('spoiler shown');
  });

  it('sends a file as a spoiler, and shows it by a click', async () => {
    const picture = {
      name: 'secret.png',
      mimeType: 'image/png',
      buffer: await (await halves(80, 60)).png().toBuffer(),
    };
    await alice.page.locator('#composer').fill('a file');
    await alice.page.getByLabel('Add files').setInputFiles(picture);
    const hide = alice.page.getByRole('button', { name: 'Send secret.png as a spoiler' });
    await hide.click();
    await until(async () => (await hide.getAttribute('aria-pressed')) === 'true');
    await alice.page.getByRole('button', { name: 'Send', exact: true }).click();
    const seen = message(bob, 'a file');
    await seen.getByRole('button', { name: 'Spoiler: a file: show it' }).click();
    await seen.getByRole('img', { name: 'secret.png' }).waitFor();
  });

  it('adds an emoji of the server, which is suggested, written, and reacted with', async () => {
    const { page } = alice;
    await alice.go(`/app/s/${here.server.id}/manage/emoji`);
    const picture = { name: 'p.png', mimeType: 'image/png', buffer: await (await halves(80, 60)).png().toBuffer() };
    await page.getByLabel('Name').fill('party_parrot');
    await page.getByLabel('Choose a picture').setInputFiles(picture);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(':party_parrot:', { exact: true }).waitFor();
    // Its picture is beside its name, and not read out a second time.
    await page.getByRole('img', { name: ':party_parrot:', includeHidden: true }).waitFor();
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
    const composer = page.locator('#composer');
    await composer.pressSequentially('look :party');
    await page.getByRole('option').first().waitFor();
    await composer.press('Enter');
    await composer.press('Enter');
    const sent = message(bob, 'look');
    await sent.locator('.text').getByRole('img', { name: ':party_parrot:' }).waitFor();
    await message(alice, 'look').hover();
    await message(alice, 'look').getByRole('button', { name: 'React' }).click();
    await page.getByRole('option', { name: 'party_parrot' }).first().click();
    await sent.getByRole('button', { name: ':party_parrot:, 1' }).locator('img').waitFor();
    const [emoji] = (await here.alice.get(`/api/servers/${here.server.id}/emoji`)).body;
    await here.alice.delete(`/api/servers/${here.server.id}/emoji/${emoji.id}`);
    await sent.getByRole('button', { name: ':party_parrot:, 1' }).getByText(':party_parrot:').waitFor();
    await sent.locator('.text').getByText(':party_parrot:').waitFor();
  });

  it('colours code by its language, names that, and leaves what is very long as it is', async () => {
    await here.bob.say(here.channel.id, 'some code:\n```ts\nconst a = "<b>&";\n```');
    const code = message(alice, 'some code:').locator('.snippet');
    await code.getByText('TypeScript').waitFor();
    await code.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    expect(await code.locator('code').innerText()).to.equal('const a = "<b>&";');
    await here.bob.say(here.channel.id, `long code:\n\`\`\`ts\n${'const a = 1;\n'.repeat(1000)}\n\`\`\``);
    await message(alice, 'long code:').locator('.snippet').getByText('ts', { exact: true }).waitFor();
    await here.bob.say(here.channel.id, 'last code:\n```js\nlet b;\n```');
    await message(alice, 'last code:').locator('.hljs-keyword').waitFor();
    expect(await message(alice, 'long code:').locator('.hljs-keyword').count()).to.equal(0);
  });
});
