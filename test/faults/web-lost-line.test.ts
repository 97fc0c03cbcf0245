// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what one does in the web client while the line is away', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    await alice.open(conversation());
    await alice.page.locator('.beginning').waitFor();
    await alice.whole();
  });
  after(() => here.close());

  const conversation = () => `/app/s/${here.server.id}/${here.channel.id}`;

  async function cut(): Promise<void> {
    await alice.page.context().setOffline(true);
    await alice.page.locator('.connection', { hasText: 'Offline' }).waitFor();
  }

  async function mend(): Promise<void> {
    await alice.page.context().setOffline(false);
    await alice.page.locator('.connection.live').waitFor();
  }

  it('leaves what is typed into a message where it is, over another page and a reload', async () => {
    const { page } = alice;
    await here.alice.say(here.channel.id, 'to be changed');
    await page.locator('article[data-id]', { hasText: 'to be changed' }).waitFor();
    await page.locator('#composer').press('ArrowUp');
    const box = page.getByLabel('Edit the message');
    await box.fill('changed in the dark');
    await cut();
    await box.press('Enter');
    await page.locator('.toast', { hasText: 'cannot be reached' }).waitFor();
    await alice.go('/app/friends');
    await page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
    await alice.go(conversation());
    expect(await box.inputValue()).to.equal('changed in the dark');
    await mend();
    await alice.open(conversation());
    expect(await box.inputValue()).to.equal('changed in the dark');
    await box.press('Enter');
    await page.locator('article[data-id] .text', { hasText: 'changed in the dark' }).waitFor();
    await page.locator('#composer').press('ArrowUp');
    await box.press('Escape');
    await box.waitFor({ state: 'detached' });
  });

  it('sends files on when it is back, and what was uploaded is there after a reload', async () => {
    const { page } = alice;
    const toSend = page.getByRole('list', { name: 'Files to send' });
    await cut();
    await page.getByLabel('Add files').setInputFiles([
      { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') },
      { name: 'mistake.txt', mimeType: 'text/plain', buffer: Buffer.from('another') },
    ]);
    await toSend.getByText('waits for a connection').first().waitFor();
    await toSend.getByRole('button', { name: 'Do not send mistake.txt' }).click();
    await mend();
    await toSend.getByText('waits for a connection').waitFor({ state: 'detached' });
    await until(async () => (await toSend.getByRole('status').count()) === 0);
    await until(async () => (await toSend.locator('.name').allInnerTexts()).join() === 'plan.txt');
    await alice.open(conversation());
    await toSend.getByText('plan.txt').waitFor();
    await cut();
    await page.locator('#composer').press('Enter');
    await page.locator('article.unsent').getByText('plan.txt').waitFor();
    await mend();
    await page.locator('article[data-id]').getByText('plan.txt').waitFor();
    await until(async () => (await toSend.count()) === 0);
  });

  it('is told to the others when it is back: how far one has read', async () => {
    const { page } = alice;
    const told = page.waitForResponse(/\/read$/);
    await here.bob.say(here.channel.id, 'the last word before');
    await told;
    const other = await here.visit(here.alice);
    await other.open('/app/friends');
    // The word comes while what is read can no longer be told.
    await page.route('**/read', (route) => route.abort());
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/read'));
    await here.bob.say(here.channel.id, 'and one while the line goes');
    const badge = other.page.locator('.rail .badge');
    await badge.waitFor();
    await lost;
    await page.unroute('**/read');
    await cut();
    await mend();
    await badge.waitFor({ state: 'detached' });
    await other.close();
  });

  it('fetches pictures again that did not come', async () => {
    const { page } = alice;
    await page.route('**/api/attachments/*/media-url', (route) => route.abort());
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/media-url'));
    const { id } = await here.bob.upload('dot.png', onePixel);
    await here.bob.say(here.channel.id, 'look', { attachments: [{ id }] });
    await lost;
    await page.unroute('**/api/attachments/*/media-url');
    await until(() => page.evaluate<boolean>(`document.querySelector('img[alt="dot.png"]')?.naturalWidth === 1`));
  });

  const onePixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
});
