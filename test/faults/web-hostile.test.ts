// nodes: own

import { expect } from 'chai';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';
import type { World } from '../world/world.ts';

/** What is neither to run nor to become an element, wherever it is said. */
const evil = '"><img src=x onerror="window.hurt=1"><script>window.hurt=1</script><svg onload=window.hurt=1>';
const name = evil.slice(0, 64);

describe('what people call things in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let ids: Record<'channel' | 'message' | 'thread' | 'dm' | 'agent' | 'folder' | 'app', string>;

  before(async () => {
    here = await webWorld();
    ids = await nameAll(here);
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  /** Everything with a name gets the worst one. */
  async function nameAll({ alice, bob, server, channel }: World) {
    const base = `/api/servers/${server.id}`;
    const made = async (path: string, body: object) => (await alice.post(path, body)).body;
    for (const one of [alice, bob]) await one.patch('/api/auth/me', { displayName: name });
    await alice.patch(base, { name: evil, description: evil, isPublic: true, homepageHtml: evil });
    await alice.patch(`/api/channels/${channel.id}`, { name: evil.slice(0, 100), topic: evil });
    const message = await bob.say(channel.id, `@${alice.username} ${evil}`, { metadata: { evil } });
    const upload = await bob.upload(`${evil}.txt`.replaceAll('/', ''), new TextEncoder().encode(evil));
    await bob.say(channel.id, evil, { replyToId: message.id, attachments: [{ id: upload.id }] });
    await alice.put(`/api/channels/${channel.id}/pins/${message.id}`);
    const thread = await made(`/api/messages/${message.id}/thread`, { name: evil.slice(0, 100) });
    await bob.post(`/api/threads/${thread.id}/messages`, { content: evil });
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    await bob.say(dm.id, evil);
    await bob.post('/api/friends/request', { username: alice.username });
    const agent = await made('/api/agents', { name: `bot${Date.now()}`, displayName: name });
    await made(`${base}/agents`, { agentIds: [agent.id] });
    await made(`/api/channels/${channel.id}/members`, { userId: agent.userId });
    await alice.put(`/api/agents/${agent.id}/slash-commands`, { commands: [{ name: 'x', description: evil }] });
    const folder = await made(`${base}/workspace/folders`, { name: evil.replaceAll('/', '') });
    await made(`${base}/workspace/files`, { name: evil.replaceAll('/', ''), content: evil, parentId: folder.id });
    const app = await made(`${base}/apps`, { name: evil, description: evil, htmlContent: evil });
    await made('/api/tokens', { name: evil.slice(0, 100) });
    await made('/api/invite-codes', { count: 1, note: evil.slice(0, 100) });
    const [channelId, messageId] = [channel.id, message.id];
    return {
      channel: channelId,
      message: messageId,
      thread: thread.id,
      dm: dm.id,
      agent: agent.id,
      folder: folder.id,
      app: app.slug,
    };
  }

  it('does not cover what others said, with marks that pile up on a letter', async () => {
    const id = await here.newChannel('marks');
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/${id}`);
    await here.alice.say(id, `first${'\n'.repeat(10)}last`);
    await here.bob.say(id, `o${'\u0301\u0302\u0303'.repeat(200)}`);
    await here.alice.say(id, 'after them');
    await page.locator('article', { hasText: 'after them' }).waitFor();
    const text = await page.locator('article', { hasText: 'first' }).locator('.text').boundingBox();
    if (!text) throw new Error('not shown');
    // Between the first and the last line there is nothing, at one side as at the other.
    const part = { y: Math.ceil(text.y) + 40, width: 20, height: 120 };
    const [x, y] = [Math.floor(text.x) - 4, part.y + part.height];
    expect(y).to.be.lessThan(text.y + text.height - 30);
    const [left, right] = await Promise.all([
      page.screenshot({ clip: { ...part, x } }),
      page.screenshot({ clip: { ...part, x: x + 300 } }),
    ]);
    expect(left.equals(right)).to.equal(true);
  });

  it('is text and nothing else, on every page', async () => {
    const server = `/app/s/${here.server.id}`;
    const pages = [
      `${server}/${ids.channel}/${ids.message}`,
      `${server}/${ids.channel}/thread/${ids.thread}`,
      `/app/dm/${ids.dm}`,
      '/app/friends',
      '/app/notifications',
      '/app/discover',
      `/app/invite/${here.server.inviteCode}`,
      ...['profile', 'notifications', 'agents', 'tokens', 'invites'].map((section) => `/app/settings/${section}`),
      `/app/settings/agents/${ids.agent}`,
      ...['overview', 'members', 'channels', 'invites', 'agents'].map((section) => `${server}/manage/${section}`),
      `${server}/files`,
      `${server}/files/${ids.folder}`,
      `${server}/apps`,
      `${server}/apps/${ids.app}`,
      `${server}/home`,
    ];
    await alice.open('/app/messages');
    for (const path of pages) {
      await alice.go(path);
      // These two show it in fields.
      const shown = /profile|overview/.test(path) ? 'Save' : 'onerror=';
      await alice.page.locator('main').getByText(shown).locator('visible=true').first().waitFor();
      await expectUnhurt(path);
    }
  });

  it('is text in dialogs, menus and suggestions, too', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/${ids.channel}`);
    await page.getByRole('button', { name: 'Pinned messages' }).click();
    await page.getByRole('dialog').locator('li').first().waitFor();
    await expectUnhurt('pinned messages');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Members', exact: true }).click();
    await page.locator('.aside li').first().waitFor();
    await expectUnhurt('members');
    await page.getByRole('button', { name: 'Members', exact: true }).click();
    await page.locator('#composer').pressSequentially('/x');
    await page.getByRole('option').waitFor();
    await page.locator('#composer').fill('');
    await page.locator('#composer').pressSequentially(`@${here.bob.username.slice(0, 5)}`);
    await page.getByRole('option').first().waitFor();
    await expectUnhurt('suggestions');
    await page.locator('#composer').fill(evil);
    await page.locator('#composer').press('Enter');
    await page.locator('article.unsent').waitFor({ state: 'detached' });
    await expectUnhurt('composer');
    // The server's home page may complain that its picture does not load: that is in a frame of its own.
    expect(alice.complaints.filter((text) => !text.includes('default-src https:'))).to.deep.equal([]);
  });

  async function expectUnhurt(where: string): Promise<void> {
    const { page } = alice;
    expect(await page.evaluate('window.hurt'), where).to.equal(undefined);
    expect(await page.locator('#app :is(script, [onerror], [onload], img[src=x])').count(), where).to.equal(0);
  }
});
