// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what the server refused, in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;
  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const unsent = (page: Page, text: string) => page.locator('article.failed', { hasText: text });

  /** Says something in a channel without a connection, while the channel is archived. @returns its address */
  async function sayTooLate(text: string): Promise<{ id: string; path: string }> {
    const { id } = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'old' })).body;
    const path = `/app/s/${here.server.id}/${id}`;
    await bob.open(path);
    await bob.page.context().setOffline(true);
    await bob.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await bob.page.locator('#composer').fill(text);
    await bob.page.keyboard.press('Enter');
    await bob.page.locator('article.unsent', { hasText: text }).waitFor();
    await here.alice.post(`/api/channels/${id}/archive`);
    return { id, path };
  }

  it('is there after a reload, in all tabs, until it is sent again, once', async () => {
    const { id, path } = await sayTooLate('said too late');
    await bob.page.context().setOffline(false);
    await unsent(bob.page, 'said too late').getByText('Not sent: ').waitFor();
    await bob.open(path);
    await unsent(bob.page, 'said too late').getByText('Not sent: ').waitFor();
    const other = await bob.page.context().newPage();
    await other.goto(bob.page.url());
    await unsent(other, 'said too late').waitFor();
    await here.alice.post(`/api/channels/${id}/unarchive`);
    await bob.page.locator('#composer').waitFor();
    await unsent(bob.page, 'said too late').getByRole('button', { name: 'Send again' }).click();
    await bob.page.locator('article[data-id]', { hasText: 'said too late' }).waitFor();
    await unsent(other, 'said too late').waitFor({ state: 'detached' });
    await bob.open(path);
    await bob.page.locator('article[data-id]', { hasText: 'said too late' }).waitFor();
    expect(await unsent(bob.page, 'said too late').count()).to.equal(0);
    const { messages } = (await here.bob.get(`/api/channels/${id}/messages`)).body;
    expect(messages.map(({ content }: { content: string }) => content)).to.deep.equal(['said too late']);
    await other.close();
  });

  it('is told of where only the channel of its thread is open', async () => {
    const path = `/app/s/${here.server.id}/${here.channel.id}`;
    const { id } = await here.alice.say(here.channel.id, 'what it is about');
    const thread = (await here.alice.post(`/api/messages/${id}/thread`, {})).body;
    await bob.open(`${path}/thread/${thread.id}`);
    const box = bob.page.locator('#thread-composer');
    await box.waitFor();
    await bob.page.context().setOffline(true);
    await bob.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await box.fill('too late for the thread');
    await box.press('Enter');
    await bob.page.locator('article.unsent', { hasText: 'too late for the thread' }).waitFor();
    await bob.go(path);
    await box.waitFor({ state: 'detached' });
    await here.alice.delete(`/api/threads/${thread.id}`);
    await bob.page.context().setOffline(false);
    await bob.page
      .locator('.toast', { hasText: 'A message was not sent: ' })
      .getByRole('link', { name: 'Show' })
      .click();
    await bob.page.getByRole('heading', { name: 'A thread in #general' }).waitFor();
    await bob.page.getByRole('button', { name: 'Send to the channel' }).click();
    await bob.page.getByText('All your messages were sent.').waitFor();
    await bob.page.goBack();
    await bob.page.locator('article[data-id]', { hasText: 'too late for the thread' }).waitFor();
  });

  it('is found from everywhere, also if it was written in a channel that is deleted', async () => {
    const { id } = await sayTooLate('nowhere to be found');
    await bob.go(`/app/s/${here.server.id}/${here.channel.id}`);
    await here.alice.delete(`/api/channels/${id}`);
    await bob.page.context().setOffline(false);
    const link = bob.page.getByRole('link', { name: '1 message was not sent' });
    await link.waitFor();
    // The same for those who come back later.
    await bob.open('/app/friends');
    await link.click();
    await bob.page.getByRole('heading', { name: 'A conversation you are no longer in' }).waitFor();
    await bob.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await unsent(bob.page, 'nowhere to be found').getByRole('button', { name: 'Copy' }).click();
    await bob.page.locator('.toast', { hasText: 'Copied.' }).waitFor();
    expect(await bob.page.evaluate('navigator.clipboard.readText()')).to.equal('nowhere to be found');
    await unsent(bob.page, 'nowhere to be found').getByRole('button', { name: 'Discard' }).click();
    await link.waitFor({ state: 'detached' });
  });

  it('is told of where another conversation is open, and is gone when it is discarded', async () => {
    const { path } = await sayTooLate('and nobody looked');
    await bob.go(`/app/s/${here.server.id}/${here.channel.id}`);
    await bob.page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    await bob.page.context().setOffline(false);
    await bob.page.locator('.toast', { hasText: 'A message was not sent: ' }).waitFor();
    await bob.go(path);
    await unsent(bob.page, 'and nobody looked').getByRole('button', { name: 'Discard' }).click();
    await unsent(bob.page, 'and nobody looked').waitFor({ state: 'detached' });
    await bob.open(path);
    expect(await unsent(bob.page, 'and nobody looked').count()).to.equal(0);
    expect(bob.complaints.filter((text) => !text.includes('ERR_'))).to.deep.equal([]);
  });
});
