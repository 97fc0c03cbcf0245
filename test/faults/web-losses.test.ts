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
  const gone = () => bob.page.getByRole('heading', { name: 'This conversation is not here' });
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
    await here.alice.delete(`/api/channels/${id}`);
    await gone().waitFor();
    await until(async () => (await bob.page.locator('textarea').count()) === 0);
  });

  it('is not written in any more: a thread that is deleted', async () => {
    const message = await here.alice.say(here.channel.id, 'what it is about');
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
    const aside = bob.page.locator('aside');
    const path = `/app/s/${here.server.id}/${here.channel.id}/thread/${thread.id}`;
    await bob.open(path);
    await aside.locator('.opening').waitFor();
    await here.alice.delete(`/api/threads/${thread.id}`);
    await aside.getByText('This thread is not here.').waitFor();
    expect(await aside.locator('textarea').count()).to.equal(0);
    // The same for those who come by a link.
    await bob.open(path);
    await aside.getByText('This thread is not here.').waitFor();
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
    await bob.page.locator('aside').getByText('The thread begins here.').waitFor();
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
    await bob.go(`/app/invite/${here.server.inviteCode}`);
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await bob.page.locator('#composer').waitFor();
    await hears(here.channel.id, 'in the server again');
    expect(bob.complaints).to.deep.equal([]);
  });
});
