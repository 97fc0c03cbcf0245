// nodes: own

import { expect } from 'chai';
import { dataFolder, tokenIn } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import { request } from '../world/person.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

describe('addresses of the web client', () => {
  const outbox = dataFolder();
  let here: WebWorld;

  before(async () => {
    here = await webWorld({ settings: { dataDir: outbox.dataDir } });
  });
  after(() => here.close());

  it('may have the short name of a server, which is what it is for', async () => {
    const alice = await here.visit(here.alice);
    const said = await here.alice.say(here.channel.id, 'by a short name');
    await alice.open(`/app/s/${here.server.slug}/${here.channel.id}/${said.id}`);
    await alice.page.locator('article.target', { hasText: 'by a short name' }).waitFor();
    await alice.page.waitForURL(`**/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.locator('.list').getByRole('link', { name: 'general' }).waitFor();
    expect(alice.complaints).to.deep.equal([]);
    await alice.close();
  });

  it('let one join a public server to which a link to a message leads, and show that message', async () => {
    await here.alice.patch(`/api/servers/${here.server.id}`, { isPublic: true });
    const said = await here.alice.say(here.channel.id, 'look at this, Carol');
    const carol = await here.visit(here.carol);
    await carol.open(`/app/s/${here.server.id}/${here.channel.id}/${said.id}`);
    await carol.page.getByRole('button', { name: 'Join' }).click();
    await carol.page.locator('article.target', { hasText: 'look at this, Carol' }).waitFor();
    await carol.close();
  });

  it('lead from a mail over a new password to signing in with it', async () => {
    const bob = await here.visit(null);
    const { email } = (await here.bob.get('/api/auth/me')).body;
    await request(here.bob.node, 'POST', '/api/auth/password-reset/start', { email });
    const mail = await until(async () => (await outbox.mails())[0]);
    await bob.open(`/app/reset-password?token=${tokenIn(mail)}`);
    await bob.page.getByLabel('New password', { exact: true }).fill('battery staple');
    await bob.page.getByLabel('Repeat the new password').fill('battery staple');
    await bob.page.getByRole('button', { name: 'Set password' }).click();
    await bob.page.getByText('Your new password is set.').waitFor();
    await bob.page.getByRole('link', { name: 'Sign in' }).click();
    await bob.page.getByLabel('E-mail or username').fill(here.bob.username);
    await bob.page.getByLabel('Password').fill('battery staple');
    await bob.page.keyboard.press('Enter');
    await bob.page.getByText(`@${here.bob.username}`).waitFor();
    await bob.close();
  });
});
