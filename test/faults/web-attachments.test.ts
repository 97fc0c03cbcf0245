// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('files for a message in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.locator('.beginning').waitFor();
  });
  after(() => here.close());

  const toSend = () => alice.page.getByRole('list', { name: 'Files to send' });

  /** Until then another line stands in its place, and nothing can be sent. */
  const uploaded = async (name: string) => {
    await toSend().getByText(name).waitFor();
    await until(async () => (await toSend().getByRole('status').count()) === 0);
  };

  /** Drops a file on something. @returns whether the browser would open it in place of the app */
  const drop = (target: string, name: string) =>
    alice.page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['text'], '${name}'));
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector('${target}').dispatchEvent(event);
    }`);

  const drawn = async (width: number, height: number) => {
    const data = await alice.page.evaluate<string>(`{
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [${width}, ${height}];
      const drawing = canvas.getContext('2d');
      drawing.fillStyle = 'teal';
      drawing.fillRect(0, 0, ${width}, ${height / 2});
      canvas.toDataURL('image/png').split(',')[1];
    }`);
    return Buffer.from(data, 'base64');
  };

  /** A message with files, in the order in which they are named. */
  const withFiles = async (content: string, files: Record<string, Buffer<ArrayBuffer>>) => {
    const attachments: { id: string }[] = [];
    for (const [name, bytes] of Object.entries(files))
      attachments.push({ id: (await here.bob.upload(name, bytes)).id });
    return here.bob.say(here.channel.id, content, { attachments });
  };

  it('can be dropped anywhere on the conversation, and nowhere take the place of the app', async () => {
    expect(await drop('.scroller', 'notes.txt')).to.equal(false);
    await toSend().getByText('notes.txt').waitFor();
    expect(await drop('.side', 'missed.txt')).to.equal(false);
  });

  it('wait for those who look elsewhere meanwhile', async () => {
    await alice.page.locator('#composer').fill('with notes');
    await alice.go('/app/friends');
    await alice.page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
    await uploaded('notes.txt');
    await alice.page.locator('#composer').press('Enter');
    await alice.page.locator('article[data-id]', { hasText: 'with notes' }).getByText('notes.txt').waitFor();
    await until(async () => (await toSend().count()) === 0);
  });

  it('keep within a phone, whatever they are called', async () => {
    const name = `${'a very long name '.repeat(8)}.txt`;
    await alice.page.setViewportSize({ width: 375, height: 700 });
    await alice.page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('x') });
    const right = async (box: { boundingBox(): Promise<{ x: number; width: number } | null> }) => {
      const { x, width } = (await box.boundingBox()) ?? { x: 0, width: 9999 };
      return x + width;
    };
    await uploaded('very long');
    expect(await right(toSend().getByRole('button', { name: /Do not send/ }))).to.be.at.most(375);
    await alice.page.getByRole('button', { name: 'Send', exact: true }).click();
    const file = alice.page.locator('article[data-id] .file', { hasText: 'very long' });
    await file.waitFor();
    expect(await right(file.getByText('1 B'))).to.be.at.most(375);
    await alice.page.setViewportSize({ width: 1100, height: 760 });
  });

  it('have their room before they are there, where they are pictures', async () => {
    const { page } = alice;
    const held = Promise.withResolvers<void>();
    await page.route('**/api/attachments/*/media-url', async (route) => {
      await held.promise;
      await route.continue();
    });
    const { id } = await here.bob.upload('wide.png', await drawn(900, 600));
    await here.bob.say(here.channel.id, 'a wide picture', { attachments: [{ id }] });
    const message = page.locator('article[data-id]', { hasText: 'a wide picture' });
    await message.locator('img').waitFor({ state: 'attached' });
    const before = await message.boundingBox();
    held.resolve();
    await until(() => page.evaluate<boolean>(`document.querySelector('img[alt="wide.png"]').naturalWidth > 0`));
    const picture = await message.locator('img').boundingBox();
    expect([picture?.width, picture?.height]).to.deep.equal([420, 280]);
    expect((await message.boundingBox())?.height).to.equal(before?.height);
  });

  it('open large in place, where they are pictures, one after the other by keys or buttons', async () => {
    const { page } = alice;
    const notes = Buffer.from('between them');
    await withFiles('two pictures', {
      'hill.png': await drawn(1600, 900),
      'notes.txt': notes,
      'dot.png': await drawn(8, 8),
    });
    const small = page.getByRole('link', { name: 'hill.png' });
    await small.and(page.locator('[href]')).focus();
    await page.keyboard.press('Enter');
    const hill = page.getByRole('dialog', { name: 'hill.png' });
    const dot = page.getByRole('dialog', { name: 'dot.png' });
    const large = hill.getByRole('img', { name: 'hill.png' });
    await until(async () => ((await large.boundingBox())?.width ?? 0) > 1000);
    await hill.getByRole('status').getByText('1 of 2').waitFor();
    const newTab = page.context().waitForEvent('page');
    await hill.getByRole('link', { name: 'Open the original' }).click();
    const original = await newTab;
    await original.waitForURL('**/api/media/**');
    await original.close();
    for (const [key, next] of [
      ['ArrowRight', dot],
      ['ArrowRight', hill],
      ['ArrowLeft', dot],
    ] as const) {
      await page.keyboard.press(key);
      await next.waitFor();
    }
    // They stay where they are under the finger, however large each picture is.
    const next = page.getByRole('button', { name: 'Next picture' });
    const before = await next.boundingBox();
    await next.click();
    await hill.waitFor();
    expect(await next.boundingBox()).to.deep.equal(before);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await small.evaluate((link) => link.ownerDocument.activeElement === link)).to.equal(true);
    // Who asks for another tab gets it.
    const other = page.context().waitForEvent('page');
    await small.click({ modifiers: ['ControlOrMeta'] });
    await (await other).close();
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('say why they do not come, where they are opened, come once they can, and go with their message', async () => {
    const { page } = alice;
    const links = '**/api/attachments/*/media-url';
    const shown = (name: string) => page.getByRole('dialog', { name });
    await page.route(links, (route) =>
      route.fulfill({ status: 404, json: { ok: false, error: 'It is gone.', code: 'ATTACHMENT_NOT_FOUND' } }),
    );
    await withFiles('lost', { 'lost.png': await drawn(300, 200) });
    await page.locator('a', { has: page.getByAltText('lost.png') }).click();
    await shown('lost.png').getByRole('status').getByText('It is gone.').waitFor();
    await page.keyboard.press('Escape');
    await shown('lost.png').waitFor({ state: 'detached' });
    await page.unroute(links);
    await page.route(links, (route) => route.abort());
    const message = await withFiles('late', { 'late.png': await drawn(300, 200) });
    await page.locator('a', { has: page.getByAltText('late.png') }).click();
    await shown('late.png').getByText('One moment…').waitFor();
    await page.unroute(links);
    await until(async () => ((await shown('late.png').getByRole('img').boundingBox())?.width ?? 0) > 0);
    await shown('late.png').getByRole('status').waitFor({ state: 'detached' });
    await here.bob.delete(`/api/messages/${message.id}`);
    await shown('late.png').waitFor({ state: 'detached' });
  });

  it('open without a connection, where they were seen already', async () => {
    const { page } = alice;
    await withFiles('seen', { 'seen.png': await drawn(300, 200) });
    await until(() => page.evaluate<boolean>(`document.querySelector('img[alt="seen.png"]')?.naturalWidth === 300`));
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'seen.png' }).click();
    const dialog = page.getByRole('dialog', { name: 'seen.png' });
    await until(() => page.evaluate<boolean>(`document.querySelector('dialog img')?.naturalWidth === 300`));
    await dialog.getByRole('status').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
  });

  it('are ten at most, which is said', async () => {
    const files = Array.from({ length: 12 }, (_, i) => ({
      name: `${i}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`${i}`),
    }));
    await alice.page.locator('input[type=file]').setInputFiles(files);
    await alice.page.locator('.toast', { hasText: '10 files at most' }).waitFor();
    await until(async () => (await toSend().getByRole('listitem').count()) === 10);
    expect(alice.complaints).to.deep.equal([]);
  });
});
