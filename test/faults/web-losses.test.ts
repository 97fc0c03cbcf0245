// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what is taken from one who looks on, in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const at = () => `/api/servers/${here.server.id}`;
  const gone = () => bob.page.getByRole('heading', { name: 'Conversation not found' });
  const hears = async (channelId: string, text: string) => {
    await here.alice.say(channelId, text);
    await bob.page.locator('article', { hasText: text }).waitFor();
  };

  it('is not shown on: a channel that is deleted, with its thread', async () => {
    const { id } = (await here.alice.post(`${at()}/channels`, { name: 'doomed' })).body;
    const message = await here.alice.say(id, 'not for long');
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
    await bob.open(`/app/s/${here.server.id}/${id}/thread/${thread.id}`);
    await bob.page.locator('aside .opening').waitFor();
    await bob.page.locator('aside textarea').fill('half an answer');
    await here.alice.delete(`/api/channels/${id}`);
    await gone().waitFor();
    await bob.page.getByRole('region', { name: 'Your unsent message' }).getByText('half an answer').waitFor();
    await until(async () => (await bob.page.locator('textarea').count()) === 0);
  });

  it('is not in the list any more: a channel that is deleted while one has no connection', async () => {
    const { id } = (await here.alice.post(`${at()}/channels`, { name: 'short-lived' })).body;
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    const entry = bob.page.getByRole('link', { name: 'short-lived' });
    await entry.waitFor();
    await bob.page.context().setOffline(true);
    await bob.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await here.alice.delete(`/api/channels/${id}`);
    await bob.page.context().setOffline(false);
    await entry.waitFor({ state: 'detached' });
  });

  it('is not written in any more: a thread that is deleted', async () => {
    const message = await here.alice.say(here.channel.id, 'what it is about');
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
    const aside = bob.page.locator('aside.thread');
    const path = `/app/s/${here.server.id}/${here.channel.id}/thread/${thread.id}`;
    await bob.open(path);
    await aside.locator('.opening').waitFor();
    await here.alice.delete(`/api/threads/${thread.id}`);
    await aside.getByText('This thread was deleted.').waitFor();
    expect(await aside.locator('textarea').count()).to.equal(0);
    // The same for those who come by a link.
    await bob.open(path);
    await aside.getByText('This thread was deleted.').waitFor();
  });

  describe('what one was writing in a thread that is deleted', () => {
    const aside = () => bob.page.locator('aside.thread');
    const leftover = () => aside().getByRole('region', { name: 'Your unsent message' });
    const composer = () => bob.page.locator('#composer');
    const inChannel = () => `/app/s/${here.server.id}/${here.channel.id}`;

    /** Writes in a thread of its own, and sends nothing. @returns the id of the thread */
    async function writeInThread(text: string): Promise<string> {
      const message = await here.alice.say(here.channel.id, `about ${text}`);
      const { id } = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
      await bob.open(`${inChannel()}/thread/${id}`);
      await aside().locator('textarea').fill(text);
      return id;
    }

    it('can be moved to the channel, behind what is being written there', async () => {
      const id = await writeInThread('half a\nsentence');
      await aside()
        .locator('input[type=file]')
        .setInputFiles({
          name: 'a file.txt',
          mimeType: 'text/plain',
          buffer: Buffer.from('its bytes'),
        });
      await aside().getByText('a file.txt').waitFor();
      await composer().fill('before');
      await here.alice.delete(`/api/threads/${id}`);
      await leftover().getByText('half a\nsentence').waitFor();
      await leftover().getByText('a file.txt').waitFor();
      // It is there still when one comes back.
      await bob.open(`${inChannel()}/thread/${id}`);
      await leftover().getByRole('button', { name: 'Move it to the channel' }).click();
      await aside().waitFor({ state: 'detached' });
      expect(await composer().inputValue()).to.equal('before\nhalf a\nsentence');
      await bob.page.locator('#composer:focus').waitFor();
      await bob.page.keyboard.press('Enter');
      const sent = bob.page.locator('article[data-id]', { hasText: 'before' });
      await sent.getByText('a file.txt').waitFor();
      await bob.open(`${inChannel()}/thread/${id}`);
      await aside().getByText('This thread was deleted.').waitFor();
      expect(await leftover().count()).to.equal(0);
    });

    it('can be copied and discarded', async () => {
      await bob.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const id = await writeInThread('to be copied');
      await here.alice.delete(`/api/threads/${id}`);
      await leftover().getByRole('button', { name: 'Copy' }).click();
      await bob.page.locator('.toast', { hasText: 'Copied.' }).waitFor();
      expect(await bob.page.evaluate('navigator.clipboard.readText()')).to.equal('to be copied');
      await leftover().getByRole('button', { name: 'Discard' }).click();
      await leftover().waitFor({ state: 'detached' });
      expect(await composer().inputValue()).to.equal('');
    });

    it('is in the message field of the channel, where the thread is not open', async () => {
      const id = await writeInThread('left behind');
      const { id: said } = (await here.bob.post(`/api/threads/${id}/messages`, { content: 'as it was' })).body;
      const own = aside().locator(`article[data-id="${said}"]`);
      await own.focus();
      await bob.page.keyboard.press('e');
      await own.locator('textarea').fill('as it was to be');
      await bob.go(inChannel());
      await aside().waitFor({ state: 'detached' });
      await here.alice.delete(`/api/threads/${id}`);
      await bob.page.locator('.toast', { hasText: 'A thread was deleted.' }).waitFor();
      expect(await composer().inputValue()).to.equal('left behind\nas it was to be');
      await composer().fill('');
    });

    it('is in the message field of the channel, too, when one goes away from where the thread was', async () => {
      const closing = await writeInThread('undecided');
      await here.alice.delete(`/api/threads/${closing}`);
      await leftover().waitFor();
      await aside().getByRole('link', { name: 'Close the thread' }).click();
      await bob.page.locator('.toast', { hasText: 'A thread was deleted.' }).waitFor();
      expect(await composer().inputValue()).to.equal('undecided');
      await composer().fill('');
      // The same for whoever deletes it.
      const own = (await here.bob.post(`/api/messages/${(await here.bob.say(here.channel.id, 'own')).id}/thread`, {}))
        .body;
      await bob.open(`${inChannel()}/thread/${own.id}`);
      await aside().locator('textarea').fill('not yet said');
      await aside().getByRole('button', { name: 'Thread menu' }).click();
      await bob.page.getByRole('menuitem', { name: 'Delete' }).click();
      await bob.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await aside().waitFor({ state: 'detached' });
      await until(async () => (await composer().inputValue()) === 'not yet said');
      await composer().fill('');
    });

    it('is shown also if it was on its way', async () => {
      const id = await writeInThread('sent too late');
      await bob.page.context().setOffline(true);
      await bob.page.locator('.connection', { hasText: 'Offline' }).waitFor();
      await aside().locator('textarea').press('Enter');
      await aside().locator('article.unsent', { hasText: 'sent too late' }).waitFor();
      await here.alice.delete(`/api/threads/${id}`);
      await bob.page.context().setOffline(false);
      const refused = aside().locator('article.failed', { hasText: 'sent too late' });
      await refused.getByRole('button', { name: 'Discard' }).click();
      await refused.waitFor({ state: 'detached' });
    });
  });

  it('can be copied where nobody writes any more: what one was writing in a channel that is archived', async () => {
    const { id } = (await here.alice.post(`${at()}/channels`, { name: 'closing' })).body;
    await bob.open(`/app/s/${here.server.id}/${id}`);
    await bob.page.locator('#composer').fill('not sent in time');
    await here.alice.post(`/api/channels/${id}/archive`);
    const leftover = bob.page.getByRole('region', { name: 'Your unsent message' });
    await leftover.getByText('not sent in time').waitFor();
    await here.alice.post(`/api/channels/${id}/unarchive`);
    await bob.page.locator('#composer').waitFor();
    expect(await bob.page.locator('#composer').inputValue()).to.equal('not sent in time');
    await here.alice.delete(`/api/channels/${id}`);
    await gone().waitFor();
    await leftover.getByText('not sent in time').waitFor();
  });

  it('changes where a thread starts from it, and goes from there: a message', async () => {
    const message = await here.alice.say(here.channel.id, 'as it was');
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
    await here.alice.post(`/api/threads/${thread.id}/messages`, { content: 'an answer' });
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}/thread/${thread.id}`);
    const opening = bob.page.locator('aside .opening');
    await opening.getByText('as it was').waitFor();
    await here.alice.patch(`/api/messages/${message.id}`, { content: 'as it is' });
    await opening.getByText('as it is').waitFor();
    await here.alice.delete(`/api/messages/${message.id}`);
    await bob.page.locator('aside.thread').getByText('The thread begins here.').waitFor();
    await bob.page.locator('aside article', { hasText: 'an answer' }).waitFor();
  });

  it('is read on, but not written in: a channel that is archived', async () => {
    const { id } = (await here.alice.post(`${at()}/channels`, { name: 'old' })).body;
    await bob.open(`/app/s/${here.server.id}/${id}`);
    await hears(id, 'of former times');
    const closed = bob.page.getByText('This channel is archived');
    const isCalled = () => bob.page.getByRole('heading', { level: 1, name: 'old' }).waitFor();
    await here.alice.post(`/api/channels/${id}/archive`);
    await closed.waitFor();
    await isCalled();
    // The same for those who come by a link.
    await bob.page.reload();
    await closed.waitFor();
    await isCalled();
    await bob.page.locator('article', { hasText: 'of former times' }).waitFor();
    expect(await bob.page.locator('textarea').count()).to.equal(0);
    await here.alice.post(`/api/channels/${id}/unarchive`);
    await bob.page.locator('#composer').waitFor();
    await hears(id, 'once again');
  });

  it('is heard of again when one is let in again: a private channel', async () => {
    const { id } = (await here.alice.post(`${at()}/channels`, { name: 'secret', isPrivate: true })).body;
    const letIn = () => here.alice.post(`/api/channels/${id}/members`, { userId: here.bob.id });
    await letIn();
    await bob.open(`/app/s/${here.server.id}/${id}`);
    await hears(id, 'before');
    await here.alice.delete(`/api/channels/${id}/members/${here.bob.id}`);
    await bob.page.getByRole('heading', { name: 'This channel is private' }).waitFor();
    await here.alice.say(id, 'meanwhile');
    await letIn();
    await bob.page.locator('#composer').waitFor();
    await hears(id, 'afterwards');
    expect(await bob.page.locator('article[data-id] .text').allInnerTexts()).to.include('meanwhile');
  });

  it('is heard of again when one comes back: a server', async () => {
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await hears(here.channel.id, 'in the server');
    await here.alice.delete(`${at()}/members/${here.bob.id}`);
    await until(async () => (await bob.page.locator('textarea').count()) === 0);
    // The kick has renewed the code.
    const { inviteCode } = (await here.alice.get(at())).body;
    await bob.go(`/app/invite/${inviteCode}`);
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await bob.page.locator('#composer').waitFor();
    await hears(here.channel.id, 'in the server again');
    expect(bob.complaints).to.deep.equal([]);
  });
});
