// nodes: own

import { expect } from 'chai';
import { query } from '../world/sql.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

const word = (length: number) => 'W'.repeat(length);

describe('names of one long word in the web client', () => {
  let here: WebWorld;
  let phone: Visitor;
  let ids: Record<'channel' | 'thread' | 'dm', string>;

  before(async () => {
    here = await webWorld();
    ids = await nameAll();
    const viewport = { width: 390, height: 844 };
    phone = await here.visit(here.alice, { viewport, hasTouch: true, isMobile: true });
  });
  after(() => here.close());

  /** Everything gets the longest name that it may have. */
  async function nameAll() {
    const { alice, bob, server, channel } = here;
    for (const one of [alice, bob]) await one.patch('/api/auth/me', { displayName: word(64) });
    await alice.patch(`/api/servers/${server.id}`, { name: word(100), description: word(300) });
    await alice.patch(`/api/channels/${channel.id}`, { name: word(100), topic: word(300) });
    const message = await bob.say(channel.id, `@${alice.username} ${word(300)}`);
    await bob.say(channel.id, word(100), { replyToId: message.id });
    // Of an earlier version.
    await query(
      here.cluster.databaseUrl,
      'INSERT INTO reactions (message_id, emoji, user_id, place) VALUES ($1, $2, $3, 1)',
      [message.id, `:${'w'.repeat(30)}:`, bob.id],
    );
    const thread = (await alice.post(`/api/messages/${message.id}/thread`, { name: word(100) })).body;
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    await bob.say(dm.id, word(100));
    await bob.post('/api/friends/request', { username: alice.username });
    return { channel: channel.id, thread: thread.id, dm: dm.id };
  }

  /** What stands in a box that does not show all of it, and neither says so nor is known to be wider. */
  const cutOff = () =>
    phone.page.evaluate(`[...document.querySelectorAll('main *, dialog *')]
      .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
      .filter((one) => getComputedStyle(one).textOverflow !== 'ellipsis')
      .filter((one) => !one.matches('input, textarea, .hidden, .seen, .person.picture, .tabs'))
      .map((one) => one.tagName + ' ' + one.className)`);

  it('are broken or cut short, and push nothing out of sight on a phone', async () => {
    const server = `/app/s/${here.server.id}`;
    const channel = `${server}/${ids.channel}`;
    const pages = [
      [channel, 'article .text'],
      [`${channel}/thread/${ids.thread}`, 'aside .opening'],
      [`/app/dm/${ids.dm}`, 'article .text'],
      ['/app/notifications', '.quoted'],
      ['/app/settings/notifications', '.levels .field'],
      ['/app/friends', '.people li'],
      [`/app/invite/${here.server.inviteCode}`, '.blank .button'],
      [`${server}/manage/members`, '.people li'],
    ] as const;
    for (const [path, content] of pages) {
      await phone.open(path);
      await phone.page.locator(content).first().waitFor();
      expect(await cutOff(), path).to.deep.equal([]);
    }
  });

  it('leave room for the number of replies to a message', async () => {
    await phone.open(`/app/s/${here.server.id}/${ids.channel}`);
    const count = await phone.page.locator('.thread-link span', { hasText: '0 replies' }).boundingBox();
    expect(count && count.x + count.width).to.be.at.most(390);
  });

  it('are so in what a search has found', async () => {
    const { page } = phone;
    await phone.open(`/app/s/${here.server.id}/${ids.channel}`);
    await page.getByRole('button', { name: 'Search' }).tap();
    await page.getByLabel('Words to look for').fill(word(100));
    await page.keyboard.press('Enter');
    await page.locator('.quoted').first().waitFor();
    expect(await cutOff()).to.deep.equal([]);
    expect(phone.complaints).to.deep.equal([]);
  });
});
