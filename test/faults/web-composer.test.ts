// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('the message field of the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.locator('.beginning').waitFor();
  });
  after(() => here.close());

  const composer = () => alice.page.locator('#composer');
  const message = (text: string) => alice.page.locator('article[data-id]', { hasText: text });
  const toSend = () => alice.page.getByRole('list', { name: 'Files to send' });
  const typed = () => composer().inputValue();
  const isTyped = (text: string) => until(async () => (await typed()) === text, { message: `not typed: ${text}` });
  const uploads = '**/api/media/upload';

  const add = (name: string, content = name) =>
    alice.page
      .locator('.composer input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

  /** Selects a part of what is typed, or all of it. */
  const select = (part?: string) =>
    alice.page.evaluate(`{
      const box = document.querySelector('#composer');
      box.focus();
      const part = ${JSON.stringify(part ?? null)} ?? box.value;
      const start = box.value.indexOf(part);
      box.setSelectionRange(start, start + part.length);
    }`);

  /** Pastes into the message field. @returns whether that is left to the browser */
  const paste = (data: Record<string, string>, files: string[] = []) =>
    alice.page.evaluate<boolean>(`{
      const clipboardData = new DataTransfer();
      for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text);
      for (const name of ${JSON.stringify(files)}) clipboardData.items.add(new File(['bytes'], name, { type: 'image/png' }));
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('#composer').dispatchEvent(event);
    }`);

  /** Until it is released, no file arrives. */
  async function holdUploads(): Promise<() => Promise<void>> {
    const held = Promise.withResolvers<void>();
    await alice.page.route(uploads, async (route) => {
      await held.promise;
      await route.continue().catch(() => {});
    });
    return async () => {
      held.resolve();
      await alice.page.unroute(uploads);
    };
  }

  it('sends what waits for a file once that is there, and is free for the next message meanwhile', async () => {
    const release = await holdUploads();
    await add('slow.txt');
    await toSend().getByRole('progressbar', { name: 'slow.txt: uploaded' }).waitFor();
    await composer().fill('with a slow file');
    await composer().press('Enter');
    expect(await typed()).to.equal('');
    const waiting = alice.page.getByRole('list', { name: 'Waiting for files' });
    await waiting.getByText('with a slow file').waitFor();
    await toSend().waitFor({ state: 'detached' });
    await composer().fill('in between');
    await composer().press('Enter');
    await message('in between').waitFor();
    await release();
    await message('with a slow file').getByText('slow.txt').waitFor();
    await waiting.waitFor({ state: 'detached' });
  });

  it('has again what waited for a file, when it is to be changed or the page is loaded anew', async () => {
    const release = await holdUploads();
    await add('later.txt');
    await composer().fill('not yet');
    await composer().press('Enter');
    await alice.page.getByRole('button', { name: 'Edit', exact: true }).click();
    await isTyped('not yet');
    await toSend().getByText('later.txt').waitFor();
    await composer().press('Enter');
    await alice.page.getByRole('list', { name: 'Waiting for files' }).waitFor();
    alice.page.once('dialog', (dialog) => void dialog.accept());
    await Promise.all([
      // From before: it is shown as soon as there is a page, and for some seconds.
      alice.page.getByText('Some files were not uploaded.').waitFor(),
      alice.open(`/app/s/${here.server.id}/${here.channel.id}`),
    ]);
    await isTyped('not yet');
    await release();
    await composer().fill('');
  });

  it('refuses files that are too large before they are sent, and tries again what failed', async () => {
    let sent = 0;
    let isRefused = true;
    await alice.page.route(uploads, (route) => {
      sent++;
      const refusal = { ok: false, code: 'UPLOAD_LIMIT', error: 'Too many.' };
      return isRefused ? route.fulfill({ status: 429, json: refusal }) : route.continue();
    });
    // Made in the page: so much takes long to get there.
    await alice.page.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(26 * 2 ** 20 + 1)], 'huge.txt'));
      const input = document.querySelector('.composer input[type=file]');
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await alice.page.getByText('huge.txt is too large. Files can be up to 26.2 MB.').waitFor();
    await toSend().waitFor({ state: 'detached' });
    expect(sent).to.equal(0);
    await add('refused.txt');
    await toSend().getByRole('alert').waitFor();
    isRefused = false;
    await toSend().getByRole('button', { name: 'Try again' }).click();
    await toSend().getByRole('alert').waitFor({ state: 'detached' });
    await until(async () => (await toSend().getByRole('status').count()) === 0);
    expect(sent).to.equal(2);
    await toSend().getByRole('button', { name: 'Do not send refused.txt' }).click();
    await toSend().waitFor({ state: 'detached' });
    await alice.page.unroute(uploads);
  });

  it('sends a large file in parts, of which only those that failed are sent again', async () => {
    const failed: boolean[] = [];
    await alice.page.route(uploads, (route) => {
      const isFailing = failed.length === 1;
      failed.push(isFailing);
      return isFailing ? route.abort() : route.continue();
    });
    const content = Array.from({ length: 5 * 1024 * 1024 }, (_, at) => String.fromCharCode(97 + (at % 25))).join('');
    await add('large.txt', content);
    await toSend().waitFor();
    // The part that failed waits for some seconds, and they are large.
    await until(async () => (await toSend().getByRole('status').count()) === 0, { timeout: 60_000 });
    expect(failed).to.deep.equal([false, true, false, false]);
    await composer().fill('in parts');
    await composer().press('Enter');
    await message('in parts').getByText('large.txt').waitFor();
    const { messages } = (await here.alice.get(`/api/channels/${here.channel.id}/messages`)).body;
    const [{ id, size }] = messages.find((one: Loose) => one.content === 'in parts').attachments;
    expect(size).to.equal(content.length);
    const headers = { authorization: `Bearer ${here.alice.token}` };
    const stored = await fetch(`${here.alice.node.url}/api/media/${id}`, { headers });
    expect((await stored.text()) === content).to.equal(true);
    await alice.page.unroute(uploads);
  });

  it('ends an upload that is not wanted any more', async () => {
    const aborted = alice.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/media/upload'));
    const release = await holdUploads();
    await add('unwanted.txt');
    await toSend().getByRole('progressbar').waitFor();
    await toSend().getByRole('button', { name: 'Do not send unwanted.txt' }).click();
    await aborted;
    await release();
    expect(await toSend().count()).to.equal(0);
  });

  it('takes the text of a clipboard that has a picture of it too, and files where there is no text', async () => {
    expect(
      await paste({ 'text/plain': 'from a document', 'text/html': '<p>from a document</p>' }, ['image.png']),
    ).to.equal(true);
    expect(await toSend().count()).to.equal(0);
    expect(await paste({ 'text/html': '<img src="x">' }, ['image.png'])).to.equal(false);
    expect(await paste({ 'text/plain': 'copied.png' }, ['copied.png'])).to.equal(false);
    await until(async () => (await toSend().getByRole('listitem').count()) === 2);
    for (const name of ['image.png', 'copied.png']) {
      await toSend()
        .getByRole('button', { name: `Do not send ${name}` })
        .click();
    }
  });

  it('makes Markdown of what is formatted, and a link of an address over a text', async () => {
    await composer().fill('');
    const html = '<p>A <b>bold</b> <a href="https://a.example/">link</a></p><ul><li>one</li></ul>';
    expect(await paste({ 'text/plain': 'A bold link', 'text/html': html })).to.equal(false);
    await isTyped('A **bold** [link](https://a.example/)\n\n- one');
    await composer().fill('see the docs');
    await select('docs');
    expect(await paste({ 'text/plain': 'https://docs.example/a_(b)' })).to.equal(false);
    await isTyped('see the [docs](https://docs.example/a_%28b%29)');
    await alice.page.keyboard.press('ControlOrMeta+z');
    await isTyped('see the docs');
    await composer().press('End');
    expect(await paste({ 'text/plain': 'https://docs.example' })).to.equal(true);
    await composer().fill('');
  });

  it('formats by keys, and by buttons that can be hidden', async () => {
    const { page } = alice;
    await composer().fill('bold');
    await select();
    await page.keyboard.press('ControlOrMeta+b');
    await isTyped('**bold**');
    await page.keyboard.press('ControlOrMeta+i');
    await isTyped('***bold***');
    await page.keyboard.press('ControlOrMeta+b');
    await isTyped('*bold*');
    await composer().fill('one');
    const toggle = page.getByRole('button', { name: 'Formatting', exact: true });
    await toggle.click();
    const bar = page.getByRole('toolbar', { name: 'Formatting' });
    await bar.getByRole('button', { name: 'Bulleted list' }).click();
    await isTyped('- one');
    expect(await page.evaluate('document.activeElement.id')).to.equal('composer');
    await page.keyboard.press('Shift+Enter');
    await isTyped('- one\n- ');
    await page.keyboard.press('Shift+Enter');
    await isTyped('- one\n');
    // One stop for Tab, with arrow keys within it.
    await bar.getByRole('button', { name: 'Bold' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('Italic');
    // That it is shown is kept.
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await bar.waitFor();
    await toggle.click();
    await bar.waitFor({ state: 'detached' });
    await composer().fill('');
  });

  it('completes all emoji by their names, and has the skin tone that was chosen', async () => {
    const { page } = alice;
    await composer().pressSequentially('an :owl');
    await page.getByRole('option', { name: ':owl:', selected: true }).waitFor();
    await composer().press('Tab');
    await isTyped('an 🦉 ');
    await composer().pressSequentially('and :sunglasses:');
    await isTyped('an 🦉 and 😎');
    await composer().fill('');
    await page.getByRole('button', { name: 'Insert an emoji' }).click();
    await page.getByRole('button', { name: 'Skin tone' }).click();
    await page.getByRole('button', { name: '✋🏽', exact: true }).click();
    await page.getByLabel('Find an emoji').fill('thumbs up');
    await page.keyboard.press('Enter');
    await isTyped('👍🏽');
    await page.getByRole('button', { name: 'Insert an emoji' }).click();
    await page.getByRole('button', { name: 'Skin tone' }).click();
    await page.getByRole('button', { name: '✋', exact: true }).click();
    await page.keyboard.press('Escape');
    await composer().fill('');
  });

  it('takes the text from a message that has more than that, and asks before it deletes one that has not', async () => {
    const { page } = alice;
    const { id } = await here.alice.upload('kept.txt', Buffer.from('kept'));
    const captioned = await here.alice.say(here.channel.id, 'a caption', { attachments: [{ id }] });
    const edit = page.getByLabel('Edit the message');
    await message('a caption').focus();
    await page.keyboard.press('e');
    await edit.fill('');
    await edit.press('Enter');
    await edit.waitFor({ state: 'detached' });
    await until(async () => (await here.alice.get(`/api/messages/${captioned.id}`)).body.content === '');
    await page.locator(`[data-id="${captioned.id}"]`).getByText('kept.txt').waitFor();
    const plain = await here.alice.say(here.channel.id, 'nothing but text');
    await message('nothing but text').focus();
    await page.keyboard.press('e');
    await edit.fill('');
    await edit.press('Enter');
    const asked = page.getByRole('dialog', { name: 'Delete this message?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await edit.press('Enter');
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.locator(`[data-id="${plain.id}"]`).waitFor({ state: 'detached' });
  });

  it('begins a thread with its first reply, and not before', async () => {
    const { page } = alice;
    const { id } = await here.bob.say(here.channel.id, 'to be discussed');
    const threads = async (): Promise<Loose[]> =>
      (await here.alice.get(`/api/channels/${here.channel.id}/threads`)).body;
    const before = (await threads()).length;
    await message('to be discussed').focus();
    await page.keyboard.press('t');
    const pane = page.getByRole('complementary', { name: 'New thread' });
    await pane.getByText('to be discussed').waitFor();
    const reply = page.locator('#thread-composer');
    await reply.fill('a first word');
    // What was begun is there after a reload.
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}/thread/new/${id}`);
    expect(await reply.inputValue()).to.equal('a first word');
    expect(await threads()).to.have.length(before);
    await reply.press('Enter');
    await page.locator('.thread article[data-id]', { hasText: 'a first word' }).waitFor();
    expect(await threads()).to.have.length(before + 1);
    expect(await reply.inputValue()).to.equal('');
    await page.getByRole('link', { name: 'Close the thread' }).click();
  });

  it('goes on in the thread that someone else has started meanwhile', async () => {
    const { page } = alice;
    const { id } = await here.bob.say(here.channel.id, 'discussed by others');
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}/thread/new/${id}`);
    await page.locator('#thread-composer').fill('mine');
    const thread = (await here.bob.post(`/api/messages/${id}/thread`, { name: 'theirs' })).body;
    await page.getByRole('complementary', { name: 'Thread theirs' }).waitFor();
    expect(page.url()).to.contain(thread.id);
    expect(await page.locator('#thread-composer').inputValue()).to.equal('mine');
    expect(alice.complaints).to.deep.equal([]);
  });
});
