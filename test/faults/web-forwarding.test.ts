// nodes: own

import { expect } from 'chai';
import { chooseInMenu } from '../rig/message-menu.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('forwarding, links, receipts and statuses in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;
  let dm: string;
  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
    dm = (await here.alice.post('/api/dm/channels', { userId: here.bob.id })).body.id;
  });
  after(() => here.close());

  const talk = () => `/app/s/${here.server.id}/${here.channel.id}`;

  async function shot(name: string): Promise<void> {
    const folder = process.env.PARLEY_SHOTS;
    if (folder) await bob.page.screenshot({ path: `${folder}/${name}.png` });
  }

  it('forward a message with a comment, and lead back to where it was', async () => {
    const { page } = bob;
    const source = await here.alice.say(here.channel.id, 'worth passing on');
    await here.alice.say(dm, 'first');
    await bob.open(talk());
    const message = page.locator(`article[data-id="${source.id}"]`);
    await chooseInMenu(message, 'Forward');
    const dialog = page.getByRole('dialog', { name: 'Forward the message' });
    await dialog.getByLabel('Find a channel or a person').fill(`@${here.alice.username}`);
    await dialog.getByRole('radio').first().check();
    await dialog.getByLabel('Comment').fill('have a look');
    await shot('forward');
    await dialog.getByRole('button', { name: 'Forward', exact: true }).click();
    await page.getByText('The message is forwarded.').waitFor();
    await bob.open(`/app/dm/${dm}`);
    const copy = page.locator('article[data-id]', { hasText: 'have a look' });
    await copy.getByText('worth passing on').waitFor();
    await shot('forwarded');
    await copy.locator('a.place').click();
    await page.locator(`article[data-id="${source.id}"].target`).waitFor();
  });

  it('forward to anywhere one may write, and keep what was typed when that fails', async () => {
    const { page } = bob;
    const { server, carol } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await here.newChannel(`place-${i}`));
    await here.alice.post(`/api/servers/${server.id}/channels`, { name: 'place-of-news', type: 'announcement' });
    const source = await here.alice.say(here.channel.id, 'for someone else');
    await bob.open(talk());
    await chooseInMenu(page.locator(`article[data-id="${source.id}"]`), 'Forward');
    const dialog = page.getByRole('dialog', { name: 'Forward the message' });
    const sought = dialog.getByLabel('Find a channel or a person');
    await sought.fill('place-');
    await until(async () => (await dialog.getByRole('radio').count()) === 12);
    await dialog.getByLabel('#place-3').check();
    await dialog.getByLabel('Comment').fill('for you');
    await here.alice.delete(`/api/channels/${ids[3]}`);
    await dialog.getByRole('button', { name: 'Forward', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Comment').inputValue()).to.equal('for you');
    // Someone without a conversation yet.
    await sought.fill(carol.username);
    await dialog.getByLabel(`@${carol.username}`).check();
    await dialog.getByRole('button', { name: 'Forward', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The message is forwarded.').waitFor();
    const [opened] = (await carol.get('/api/dm/channels')).body;
    const [received] = (await carol.get(`/api/dm/channels/${opened.id}/messages`)).body;
    expect([received.content, received.forwarded.content]).to.deep.equal(['for you', 'for someone else']);
  });

  it('show the beginning of a message that is linked to, however old it is', async () => {
    const { page } = bob;
    const old = await here.alice.say(here.channel.id, 'long ago');
    for (let count = 0; count < 60; count++) await here.alice.say(here.channel.id, `since then ${count}`);
    const link = `/app/s/${here.server.id}/${here.channel.id}/${old.id}`;
    await here.alice.say(dm, `see ${here.alice.node.url}${link}`);
    await bob.open(`/app/dm/${dm}`);
    const quoted = page.locator('.quoted', { hasText: 'long ago' });
    await quoted.waitFor();
    await shot('linked');
    await quoted.locator('a.place').click();
    await page.locator(`article[data-id="${old.id}"].target`).waitFor();
  });

  it('say what others have read, once both have chosen that', async () => {
    const { page } = bob;
    await here.alice.put('/api/read-receipts', { sendsReceipts: true });
    await bob.open('/app/settings/profile');
    await page.getByLabel('Show others what I have read').check();
    // Leaving the page before would end the request.
    await until(async () => (await here.bob.get('/api/read-receipts')).body.sendsReceipts);
    await bob.open(`/app/dm/${dm}`);
    await page.locator('#composer').fill('have you seen this?');
    await page.keyboard.press('Enter');
    const mine = page.locator('article[data-id]', { hasText: 'have you seen this?' });
    await mine.waitFor();
    const [newest] = (await here.alice.get(`/api/dm/channels/${dm}/messages?limit=1`)).body;
    await here.alice.put(`/api/channels/${dm}/read`, { seq: newest.seq });
    await page.locator('.row', { hasText: 'have you seen this?' }).getByText('Read by').waitFor();
    await shot('read-by');
  });

  it('set a status by a common choice, show those of others, and clear it', async () => {
    const { page } = bob;
    await here.alice.put('/api/auth/me/custom-status', { emoji: '🎧', text: 'Listening' });
    await page.getByRole('img', { name: '🎧 Listening' }).first().waitFor();
    const set = async () => {
      await page.getByTitle('Your status').click();
      await page.getByRole('menuitem', { name: 'Set a status…' }).click();
      return page.getByRole('dialog', { name: 'Set a status' });
    };
    await (await set()).getByRole('button', { name: 'On holiday' }).click();
    await page.locator('footer.self .who').getByText('🌴 On holiday').waitFor();
    expect((await here.bob.get('/api/auth/me')).body.customStatus.text).to.equal('On holiday');
    const dialog = await set();
    await shot('status');
    await dialog.getByRole('button', { name: 'Clear' }).click();
    await page.locator('footer.self').getByText(`@${here.bob.username}`).waitFor();
  });
});
