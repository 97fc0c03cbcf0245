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

  it('can be dropped anywhere on the conversation, and nowhere take the place of the app', async () => {
    expect(await drop('.scroller', 'notes.txt')).to.equal(false);
    await toSend().getByText('notes.txt').waitFor();
    expect(await drop('.side', 'missed.txt')).to.equal(false);
  });

  it('wait for those who look elsewhere meanwhile', async () => {
    await alice.page.locator('#composer').fill('with notes');
    await alice.go('/app/friends');
    await alice.page.getByRole('heading', { name: 'Friends' }).waitFor();
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
    expect(await right(toSend().getByRole('button'))).to.be.at.most(375);
    await alice.page.getByRole('button', { name: 'Send', exact: true }).click();
    const file = alice.page.locator('article[data-id] .file', { hasText: 'very long' });
    await file.waitFor();
    expect(await right(file.getByText('1 B'))).to.be.at.most(375);
    await alice.page.setViewportSize({ width: 1100, height: 760 });
  });

  it('have their room before they are there, where they are pictures', async () => {
    const { page } = alice;
    const data = await page.evaluate<string>(`{
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [900, 600];
      canvas.toDataURL('image/png').split(',')[1];
    }`);
    const held = Promise.withResolvers<void>();
    await page.route('**/api/attachments/*/media-url', async (route) => {
      await held.promise;
      await route.continue();
    });
    const { id } = await here.bob.upload('wide.png', Buffer.from(data, 'base64'));
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

  it('open large where they are pictures, and arrow keys lead to the others of the message', async () => {
    const { page } = alice;
    const pictures = await page.evaluate<string[]>(`[[1600, 900], [300, 1200], [40, 40]].map(([width, height]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const brush = canvas.getContext('2d');
      brush.fillStyle = 'teal';
      brush.fillRect(0, 0, width, height);
      return canvas.toDataURL('image/png').split(',')[1];
    })`);
    const files = pictures.map((data, i) => ({
      name: `view ${i + 1}.png`,
      mimeType: 'image/png',
      buffer: Buffer.from(data, 'base64'),
    }));
    await page.locator('input[type=file]').setInputFiles(files);
    for (const { name } of files) await uploaded(name);
    await page.locator('#composer').fill('three views');
    await page.locator('#composer').press('Enter');
    const message = page.locator('article[data-id]', { hasText: 'three views' });
    const small = message.getByRole('button', { name: 'view 1.png' });
    await small.click();
    const dialog = page.getByRole('dialog');
    const isShown = async (name: string, place: string) => {
      await dialog.getByRole('heading', { name }).waitFor();
      await dialog.getByText(place).waitFor();
      await until(() => dialog.getByRole('img', { name }).evaluate((image) => Reflect.get(image, 'naturalWidth') > 0));
      const { x, y, width, height } = (await dialog.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
      const window = page.viewportSize() ?? { width: 0, height: 0 };
      expect([x, y, window.width - x - width, window.height - y - height].every((room) => room >= 0)).to.equal(true);
    };
    await isShown('view 1.png', '1 of 3');
    await page.keyboard.press('ArrowRight');
    await isShown('view 2.png', '2 of 3');
    await dialog.getByRole('button', { name: 'Next picture' }).click();
    await isShown('view 3.png', '3 of 3');
    await page.setViewportSize({ width: 375, height: 700 });
    await page.keyboard.press('ArrowRight');
    await isShown('view 1.png', '1 of 3');
    await page.setViewportSize({ width: 1100, height: 760 });
    await page.keyboard.press('ArrowLeft');
    await isShown('view 3.png', '3 of 3');
    const original = await dialog.getByRole('link', { name: 'Open the original' }).getAttribute('href');
    expect((await fetch(new URL(original ?? '', page.url()))).headers.get('content-type')).to.equal('image/png');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.querySelector("img").alt')).to.equal('view 1.png');
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
