// nodes: own

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { halves } from '../pictures/samples.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

const page = `<!doctype html><head><meta property="og:title" content="A page of a stand-in">
  <meta property="og:description" content="What it says of itself.">
  <meta property="og:image" content="/p.png"></head>`;

describe('link previews, thumbnails and voice messages in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let site: Server;
  let at: string;

  before(async () => {
    const picture = await (await halves(600, 400)).png().toBuffer();
    site = createServer((request, response) => {
      if (request.url === '/p.png') response.setHeader('content-type', 'image/png').end(picture);
      else response.setHeader('content-type', 'text/html').end(page);
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    const address: AddressInfo | string | null = site.address();
    at = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    here = await webWorld({ settings: { appProxyAllow: [at], linkPreviews: 'all' } });
    alice = await here.visit(here.alice, { permissions: ['microphone'] });
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.locator('.beginning').waitFor();
  });
  after(async () => {
    await here.close();
    site.closeAllConnections();
    site.close();
  });

  const message = (text: string) => alice.page.locator('article[data-id]', { hasText: text });

  it('shows a card of a page, its picture by this site, and takes it away for good', async () => {
    await here.alice.say(here.channel.id, `see http://${at}/page`);
    const card = message('see http').getByRole('link', { name: 'A page of a stand-in' });
    await card.waitFor();
    await card.getByText('What it says of itself.').waitFor();
    await card.getByText('127.0.0.1').waitFor();
    const before = await card.boundingBox();
    const src = () => card.locator('img').getAttribute('src');
    await until(async () => (await src())?.startsWith('/media/outside/'));
    await until(() => alice.page.evaluate<boolean>(`document.querySelector('.preview img').naturalWidth > 0`));
    expect((await card.boundingBox())?.height).to.equal(before?.height);
    await message('see http').getByRole('button', { name: 'Remove the preview of A page of a stand-in' }).click();
    await card.waitFor({ state: 'detached' });
    const [{ previews } = { previews: null }] = (await here.alice.get(`/api/channels/${here.channel.id}/messages`)).body
      .messages;
    expect(previews).to.deep.equal([]);
  });

  it('loads the thumbnail of a large picture, in the place that the picture takes', async () => {
    const bytes = await (await halves(1800, 1200)).jpeg().toBuffer();
    const { id } = await here.bob.upload('large.jpg', Uint8Array.from(bytes));
    const url = `/api/media/${id}?size=thumbnail`;
    const headers = { authorization: `Bearer ${here.bob.token}` };
    await until(async () => (await fetch(here.bob.node.url + url, { headers })).ok);
    await here.bob.say(here.channel.id, 'a large picture', { attachments: [{ id }] });
    const image = message('a large picture').locator('img[alt="large.jpg"]');
    await until(async () => (await image.getAttribute('src'))?.includes('size=thumbnail'));
    await until(() =>
      alice.page.evaluate<boolean>(`document.querySelector('img[alt="large.jpg"]').naturalWidth === 800`),
    );
    const { width, height } = (await image.boundingBox()) ?? { width: 0, height: 0 };
    expect([width, height]).to.deep.equal([420, 280]);
  });

  it('records a voice message, sends it with its wave and duration, and plays it', async () => {
    const { page } = alice;
    const record = page.getByRole('button', { name: 'Record a voice message' });
    await record.click();
    await page.getByRole('button', { name: 'Discard the recording' }).click();
    await record.click();
    // Each second is shown for a second only.
    await page
      .locator('.recording')
      .getByText(/0:(?!00)\d\d/)
      .waitFor();
    await page.getByRole('button', { name: 'Stop recording' }).click();
    const files = page.getByRole('list', { name: 'Files to send' });
    await files.getByText('Voice message').waitFor();
    await until(async () => (await files.getByRole('status').count()) === 0);
    await page.locator('#composer').fill('listen');
    await page.locator('#composer').press('Enter');
    const play = message('listen').getByRole('button', { name: 'Play the voice message' });
    await play.click();
    // At its end it is at its beginning again.
    await until(() => page.evaluate<boolean>(`document.querySelector('.voice audio').played.length > 0`));
    const [sent] = (await here.bob.get(`/api/channels/${here.channel.id}/messages`)).body.messages;
    const [file] = sent.attachments;
    expect(file).to.include({ voice: true, contentType: 'audio/webm' });
    expect(file.durationMs).to.be.at.least(1000);
    expect(Buffer.from(file.waveform, 'base64').length).to.be.within(3, 60);
    await message('listen').getByRole('slider', { name: 'Place in the voice message' }).waitFor();
    expect(alice.complaints).to.deep.equal([]);
  });

  it('keeps within a phone', async () => {
    await alice.page.setViewportSize({ width: 320, height: 640 });
    await here.alice.say(here.channel.id, `again http://${at}/other`);
    await message('again http').getByRole('link', { name: 'A page of a stand-in' }).waitFor();
    for (const part of ['.preview', '.voice', '.picture']) {
      const { x, width } = (await alice.page.locator(part).last().boundingBox()) ?? { x: 0, width: 9999 };
      expect(x + width, part).to.be.at.most(320);
    }
  });
});
