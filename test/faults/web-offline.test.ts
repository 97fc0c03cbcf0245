// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('pages of the web client that are opened without a connection', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  /** Goes somewhere in the dark, and switches the light on. */
  async function openInTheDark(path: string): Promise<void> {
    await alice.open('/app/friends');
    // What is asked for just then would be cut off.
    await alice.whole();
    await alice.page.locator(`a[href="/app/s/${here.server.id}"]`).first().waitFor();
    await alice.page.context().setOffline(true);
    await alice.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await alice.go(path);
    await alice.page.locator('.toast', { hasText: 'cannot be reached' }).waitFor();
    expect(await alice.page.locator('.toast').count()).to.equal(1);
    await alice.page.context().setOffline(false);
  }

  it('show the channels of a server when there is one', async () => {
    await openInTheDark(`/app/s/${here.server.id}`);
    await alice.page.locator(`.list a[href$="${here.channel.id}"]`).waitFor();
    await alice.page.locator('#composer').waitFor();
  });

  it('show a conversation when there is one', async () => {
    await here.bob.say(here.channel.id, 'said before');
    await openInTheDark(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.locator('article', { hasText: 'said before' }).waitFor();
  });

  it('show a thread when there is one, with what it starts from', async () => {
    const message = await here.bob.say(here.channel.id, 'what it is about');
    const thread = (await here.bob.post(`/api/messages/${message.id}/thread`, { name: 'Of this and that' })).body;
    await here.bob.post(`/api/threads/${thread.id}/messages`, { content: 'said in it' });
    await openInTheDark(`/app/s/${here.server.id}/${here.channel.id}/thread/${thread.id}`);
    const aside = alice.page.locator('aside');
    await aside.locator('article', { hasText: 'said in it' }).waitFor();
    await aside.locator('.opening', { hasText: 'what it is about' }).waitFor();
    await aside.getByRole('heading', { name: 'Of this and that' }).waitFor();
  });

  it('show a list when there is one', async () => {
    await openInTheDark('/app/settings/devices');
    await alice.page.getByText('This device').waitFor();
    expect(alice.complaints.filter((text) => !text.includes('ERR_'))).to.deep.equal([]);
  });

  it('show what one said from when it was sent, also while nothing is heard so far', async () => {
    const again = await here.visit(here.alice);
    const { page } = again;
    const held = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, async (socket) => {
      await held.promise;
      socket.connectToServer();
    });
    await page.goto(`${here.alice.node.url}/app/s/${here.server.id}/${here.channel.id}`);
    const said = page.locator('article', { hasText: 'by another way' });
    await page.locator('article', { hasText: 'said before' }).waitFor();
    const sent = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.status() === 201);
    await page.locator('#composer').fill('by another way');
    await page.keyboard.press('Enter');
    await sent;
    await until(async () => (await page.locator('article.unsent').count()) === 0);
    expect(await said.getAttribute('aria-label')).to.equal('Sent');
    held.resolve();
    await page.locator('article[data-id]', { hasText: 'by another way' }).waitFor();
    expect(await said.count()).to.equal(1);
    await again.close();
  });

  it('show what happened before anything was heard, also when that could not be read at once', async () => {
    const bob = await here.visit(here.bob);
    const { page } = bob;
    const held = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, async (socket) => {
      await held.promise;
      socket.connectToServer();
    });
    let reads = 0;
    await page.route('**/api/servers', (route) => (++reads === 2 ? route.abort() : route.continue()));
    await page.goto(`${here.bob.node.url}/app/friends`);
    await page.locator('.side[aria-busy=false]').waitFor();
    await here.bob.post('/api/servers', { name: 'Meanwhile' });
    held.resolve();
    await page.locator('.toast', { hasText: 'cannot be reached' }).waitFor();
    await page.getByRole('link', { name: 'Meanwhile' }).waitFor();
    await bob.close();
  });
});
