// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('followed threads and unread marks in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let parent: Loose;
  let thread: Loose;
  beforeEach(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    parent = await here.bob.say(here.channel.id, 'What do you think about this?');
    thread = (await here.bob.post(`/api/messages/${parent.id}/thread`, { name: 'ideas' })).body;
  });
  afterEach(() => here.close());

  const talk = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const reply = async (content: string) =>
    (await here.bob.post(`/api/threads/${thread.id}/messages`, { content })).body;
  const stateOf = async () => (await here.alice.get(`/api/threads/${thread.id}/state`)).body;

  it('mark a thread at its message and its channel, until it is read, for whoever does not follow it', async () => {
    const { page } = alice;
    await alice.open('/app/friends');
    await reply('one');
    await alice.open(talk());
    const link = page.locator('.thread-link');
    await link.getByText('1 new').waitFor();
    await reply('two');
    await link.getByText('2 new').waitFor();
    await page.getByRole('link', { name: /general.*new replies in threads/ }).waitFor();
    await link.click();
    await page.locator('.thread article', { hasText: 'two' }).waitFor();
    await link.getByText('2 new').waitFor({ state: 'detached' });
    await until(async () => (await stateOf()).unreadCount === 0);
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.getByRole('button', { name: 'Unfollow' }).waitFor();
    expect((await stateOf()).state).to.equal('following');
  });

  it('are in an inbox, live, with unread ones first, and leave it', async () => {
    const { page } = alice;
    await here.alice.put(`/api/threads/${thread.id}/follow`, {});
    const other = await here.alice.say(here.channel.id, 'another');
    const { id } = (await here.alice.post(`/api/messages/${other.id}/thread`, { name: 'newer' })).body;
    await here.alice.post(`/api/threads/${id}/messages`, { content: 'my own' });
    await alice.open('/app/threads');
    const entries = page.locator('.threads li');
    await until(async () => (await entries.count()) === 2);
    await reply('something new');
    await entries.first().getByText('ideas').waitFor();
    await entries.first().getByText('1 new').waitFor();
    await entries.first().getByText('something new').waitFor();
    await page.getByRole('link', { name: /Threads.*1 unread/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for ideas' }).click();
    await page.getByRole('menuitem', { name: 'Mark as read' }).click();
    await entries.getByText('1 new').waitFor({ state: 'detached' });
    await until(async () => (await stateOf()).unreadCount === 0);
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    await reply('and more');
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await until(async () => (await stateOf()).unreadCount === 0);
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for ideas' }).click();
    await page.getByRole('menuitem', { name: 'Mute' }).click();
    await until(async () => (await entries.count()) === 1);
    await page.getByRole('button', { name: 'Muted' }).click();
    await entries.first().getByText('ideas').waitFor();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByText('No muted threads').waitFor();
  });

  it('mark messages as unread, which stay so while one looks at them', async () => {
    const { page } = alice;
    const sent = [];
    for (const text of ['one', 'two', 'three']) sent.push(await here.bob.say(here.channel.id, text));
    await alice.open(talk());
    const channel = async () => (await here.alice.get(`/api/channels/${here.channel.id}`)).body;
    await until(async () => (await channel()).unreadCount === 0);
    await page.locator(`[data-id="${sent[1].id}"]`).focus();
    await page.keyboard.press('u');
    await until(async () => (await channel()).unreadCount === 2);
    await page.locator('.line.new').waitFor();
    await here.bob.say(here.channel.id, 'four');
    await page.locator('article', { hasText: 'four' }).waitFor();
    await page.getByRole('link', { name: /general.*3 unread/ }).waitFor();
    expect((await channel()).unreadCount).to.equal(3);
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('link', { name: /general/ }).click();
    await until(async () => (await channel()).unreadCount === 0);
  });

  it('settle all notifications of a channel that is loaded directly, however many others are newer', async () => {
    const count = async () => (await here.alice.get('/api/notifications/unread-count')).body.count;
    const before = await count();
    for (let i = 0; i < 4; i++) await here.bob.say(here.channel.id, `@${here.alice.username} ${i}`);
    await until(async () => (await count()) > before);
    // More than the page shows at first, none of which is merged with another.
    const reminders = 55;
    for (let i = 0; i < reminders; i++) {
      // By its own clock: a time that is over is refused, and all of them together take long on a busy machine.
      const remindAt = new Date(Date.now() + 3000).toISOString();
      expect((await here.alice.post('/api/later', { note: `${i}`, remindAt })).status).to.equal(201);
    }
    await until(async () => (await count()) >= before + 1 + reminders);
    await alice.open(talk());
    await until(async () => {
      const all = (await here.alice.get('/api/notifications?unread=true')).body;
      return all.every(({ channelId }: Loose) => channelId !== here.channel.id);
    });
  });

  it('choose what a channel notifies of', async () => {
    const { page } = alice;
    await alice.open(talk());
    const level = async () => (await here.alice.get(`/api/channels/${here.channel.id}/notification-level`)).body.level;
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Notifications' }).click();
    await page.getByRole('radio', { name: /Every message/ }).check();
    await until(async () => (await level()) === 'all');
    await page.getByRole('radio', { name: /Nothing/ }).check();
    await until(async () => (await level()) === 'nothing');
    await page.getByRole('radio', { name: /Same as the server/ }).check();
    await until(async () => (await level()) === null);
  });

  it('choose what a server notifies of in its menu, and speak of a conversation where there is no channel', async () => {
    const { page } = alice;
    await alice.open(talk());
    const level = async () => (await here.alice.get(`/api/servers/${here.server.id}/notification-level`)).body.level;
    await page.getByRole('button', { name: 'Home', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Notifications' }).click();
    await page.getByRole('radio', { name: 'Nothing The server is muted.' }).check();
    await until(async () => (await level()) === 'nothing');
    await page.getByRole('radio', { name: /Same as in your settings/ }).check();
    await until(async () => (await level()) === null);
    const { id } = (await here.alice.post('/api/dm/channels', { userId: here.bob.id })).body;
    await alice.open(`/app/dm/${id}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Notifications' }).click();
    await page.getByRole('radio', { name: 'Nothing The conversation is muted.' }).waitFor();
    expect(await page.getByText('channel is muted').count()).to.equal(0);
  });
});
