// nodes: own

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { halves, moving } from '../pictures/samples.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('pictures in the web client', () => {
  let here: WebWorld;
  let elsewhere: Server;
  let outside: string;
  let alice: Visitor;
  /** From where requests came: the server, or a browser. */
  const agents: string[] = [];

  before(async () => {
    const picture = await (await halves(64, 64)).png().toBuffer();
    elsewhere = createServer(({ headers }, response) => {
      agents.push(String(headers['user-agent']));
      response.end(picture);
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address: AddressInfo | string | null = elsewhere.address();
    const place = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    outside = `http://${place}/face.png`;
    here = await webWorld({ settings: { appProxyAllow: [place] } });
    alice = await here.visit(here.alice);
  });
  after(async () => {
    await here.close();
    elsewhere.close();
  });

  const choose = (page: Page, label: string, name: string, mimeType: string, buffer: Buffer) =>
    page.getByLabel(`${label}: choose a file`).setInputFiles({ name, mimeType, buffer });
  const shown = async (path: string) => Buffer.from(await (await fetch(`${here.alice.node.url}${path}`)).arrayBuffer());
  /** Whether the picture in an element has been drawn. */
  const isDrawn = (page: Page, selector: string) =>
    until(() => page.evaluate<boolean>(`(document.querySelector('${selector}')?.naturalWidth ?? 0) > 0`));
  const mine = async (): Promise<string> => (await here.alice.get('/api/auth/me')).body.avatarUrl;

  it('are cut to a square where the user wants it, and seen by others', async () => {
    const { page } = alice;
    await alice.open('/app/settings/profile');
    const wide = await (await halves(900, 300)).png().toBuffer();
    await choose(page, 'Picture', 'wide.png', 'image/png', wide);
    const dialog = page.getByRole('dialog', { name: 'Choose what is shown' });
    await dialog.getByLabel('Left to right').fill('1');
    await dialog.getByLabel('Zoom').fill('1.5');
    await dialog.getByRole('button', { name: 'Use this part' }).click();
    await page.getByText('Picture: saved.').waitFor();
    const { width, height, format } = await sharp(await shown(await mine())).metadata();
    expect({ width, height, format }).to.deep.equal({ width: 200, height: 200, format: 'webp' });
    // Its right end is blue.
    const [red, , blue] = (await sharp(await shown(await mine())).stats()).channels;
    expect(blue?.mean).to.be.greaterThan(240);
    expect(red?.mean).to.be.lessThan(15);
    await isDrawn(page, '.picture-field img');
    await here.alice.say(here.channel.id, 'with a face');
    const bob = await here.visit(here.bob);
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await bob.page.locator('article', { hasText: 'with a face' }).locator('.avatar img').waitFor();
    await isDrawn(bob.page, 'article .avatar img');
    expect(await bob.page.locator('article .avatar img').first().getAttribute('src')).to.equal(
      `${await mine()}?size=small`,
    );
    expect(bob.complaints).to.deep.equal([]);
    await bob.close();
  });

  it('stay where only the name is changed, move if they moved, and can be taken away', async () => {
    const { page } = alice;
    await alice.open('/app/settings/profile');
    const before = await mine();
    await page.getByLabel('Display name').fill('Alice');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved.').waitFor();
    expect(await mine()).to.equal(before);
    await choose(page, 'Picture', 'dance.gif', 'image/gif', await moving(3, 40));
    await until(async () => (await mine()) !== before);
    expect((await sharp(await shown(await mine()), { animated: true }).metadata()).pages).to.equal(3);
    await page.getByRole('button', { name: 'Remove: Picture' }).click();
    await until(async () => (await mine()) === null);
    await page.locator('.picture-field').getByText('A', { exact: true }).waitFor();
    await choose(page, 'Picture', 'x.png', 'image/png', Buffer.from('no picture'));
    await page.getByText('This browser cannot show this file').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('of servers are an icon and a banner', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/manage/overview`);
    const picture = await (await halves(640, 480)).jpeg().toBuffer();
    for (const label of ['Picture', 'Banner']) {
      await choose(page, label, 'home.jpg', 'image/jpeg', picture);
      await page.getByRole('button', { name: 'Use this part' }).click();
      await page.getByText(`${label}: saved.`).waitFor();
    }
    const { iconUrl, bannerUrl } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    expect(await sharp(await shown(iconUrl)).metadata()).to.include({ width: 480, height: 480 });
    const { width = 0, height = 0 } = await sharp(await shown(bannerUrl)).metadata();
    expect([width, height]).to.deep.equal([639, 213]);
    await isDrawn(page, '.server img');
    await isDrawn(page, '.banner img');
  });

  it('at outside addresses are fetched by the server, and never by a browser', async () => {
    await here.bob.patch('/api/auth/me', { avatarUrl: outside });
    await here.bob.say(here.channel.id, 'from elsewhere');
    const { page } = alice;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    const face = page.locator('article', { hasText: 'from elsewhere' }).locator('.avatar img');
    await face.waitFor();
    expect(await face.getAttribute('src')).to.match(/^\/media\/outside\/[\w-]{43}\?url=http.*&size=small$/);
    await until(async () => agents.length > 0);
    await isDrawn(page, 'article .avatar img');
    expect(new Set(agents)).to.deep.equal(new Set(['Parley-Pictures']));
    expect(
      requested.filter((url) => !url.startsWith(here.alice.node.url.replace('127.0.0.1', 'localhost'))),
    ).to.deep.equal([]);
    // Not even if the page wanted to.
    const complaints = alice.complaints.length;
    await page.evaluate(`document.body.append(Object.assign(new Image(), { src: '${outside}?direct' }))`);
    await until(() => alice.complaints.length > complaints);
    expect(alice.complaints.at(-1)).to.contain('img-src');
    expect(new Set(agents)).to.deep.equal(new Set(['Parley-Pictures']));
  });

  it('that cannot be had leave the first letter', async () => {
    await here.bob.patch('/api/auth/me', { avatarUrl: 'https://nobody.invalid/nobody.png', displayName: 'Bob' });
    await here.bob.say(here.channel.id, 'faceless');
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    const letter = alice.page.locator('article', { hasText: 'from elsewhere' }).locator('.avatar');
    await letter.getByText('B', { exact: true }).waitFor();
  });
});
