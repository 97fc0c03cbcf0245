// nodes: own

import { expect } from 'chai';
import { clientId, clientSecret, startProvider, type TestProvider } from '../accounts/identity-provider.ts';
import { codeIn, dataFolder, proveAddress } from '../accounts/mailbox.ts';
import { freePort } from '../rig/free-port.ts';
import { until } from '../rig/until.ts';
import { request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';
import { register } from '../world/world.ts';

const folder = dataFolder();

describe('settings and people in the web client', () => {
  let here: WebWorld;
  let provider: TestProvider;
  let alice: Visitor;
  let bob: Visitor;

  before(async () => {
    const port = await freePort();
    const publicUrl = `http://localhost:${port}`;
    provider = await startProvider([`${publicUrl}/api/auth/oauth/corp/callback`]);
    const corp = { name: 'corp', kind: 'openid', issuer: provider.issuer, clientId, clientSecret } as const;
    here = await webWorld({ settings: { port, publicUrl, oauthProviders: [corp], dataDir: folder.dataDir } });
    [alice, bob] = [await here.visit(here.alice), await here.visit(here.bob)];
  });
  after(() => here.close());

  it('sign one in with another service, from the place where one wanted to go', async () => {
    const email = `olga${Date.now()}@example.com`;
    provider.accounts.set('olga', { email, email_verified: true, name: 'Olga' });
    provider.user = 'olga';
    const olga = await here.visit(null);
    await olga.open('/app/settings/account');
    await olga.page.getByRole('link', { name: 'Continue with Corp' }).click();
    await olga.page.getByRole('heading', { name: 'Linked accounts' }).waitFor();
    await olga.page.getByText(`${email} · since`).waitFor();
    expect(olga.page.url()).to.not.contain('token');
    // The last way in stays.
    await olga.page.getByRole('button', { name: 'Unlink' }).click();
    await olga.page.locator('.toast.bad').waitFor();
    await olga.page.getByRole('button', { name: 'Sign out' }).click();
    await olga.page.waitForURL('**/app/login');
    await olga.page.goto(`${here.alice.node.url}/app/login?error=oauth_failed&reason=denied`);
    await olga.page.getByText('Access was not allowed there.').waitFor();
    expect(olga.complaints).to.deep.equal([]);
    await olga.close();
  });

  it('link another service to an account, and take it away again', async () => {
    provider.accounts.set('alice', { email: `other${Date.now()}@example.com`, email_verified: true, name: 'Alice' });
    provider.user = 'alice';
    const { page } = alice;
    await alice.open('/app/settings/account');
    await page.getByRole('button', { name: 'Link Corp' }).click();
    await page.getByText('The account is linked.').waitFor();
    await page.getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('button', { name: 'Link Corp' }).waitFor();
  });

  it('show the devices, tokens once, and change the password', async () => {
    const { page } = alice;
    const login = { email: here.alice.username, password: 'correct horse' };
    await request(here.alice.node, 'POST', '/api/auth/login', login, { 'x-device-name': 'Old phone' });
    await alice.open('/app/settings/devices');
    await page.locator('li', { hasText: 'Old phone' }).getByRole('button', { name: 'End' }).click();
    await until(async () => (await page.getByText('Old phone').count()) === 0);
    await page.getByRole('link', { name: 'Access tokens' }).click();
    await page.getByLabel('Token name').fill('a script');
    await page.getByLabel('Valid for').selectOption('30 days');
    const old = `UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`;
    await query(here.cluster.databaseUrl, old, [here.alice.id]);
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password').fill('wrong horse');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    const token = await page.getByLabel(/copy it now/).inputValue();
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await request(here.alice.node, 'GET', '/api/auth/me', undefined, headers);
    expect(status, JSON.stringify(body)).to.equal(200);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await until(async () => (await page.getByRole('button', { name: 'Revoke' }).count()) === 0);
    await page.getByRole('link', { name: 'Signing in' }).click();
    await page.getByLabel('Current password').fill('wrong horse');
    await page.getByLabel('New password').fill(' battery staple ');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Current password').fill('correct horse');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByText('Your password is changed').waitFor();
    const changed = { email: here.alice.username, password: ' battery staple ' };
    expect((await request(here.alice.node, 'POST', '/api/auth/login', changed)).status).to.equal(200);
  });

  it('take another username, and say where one is signed in', async () => {
    const person = await register(here.alice.node);
    const visitor = await here.visit(person);
    const { page } = visitor;
    const name = `now${Date.now()}`;
    await visitor.open('/app/settings/profile');
    await page.getByLabel('Username').fill(here.bob.username);
    await page.getByRole('button', { name: 'Change the username' }).click();
    await page.getByText('This username is taken').waitFor();
    await page.getByLabel('Username').fill(name);
    await page.getByRole('button', { name: 'Change the username' }).click();
    await page.getByText(`You are @${name} now.`).waitFor();
    await page.getByText(`You are @${name}, `).waitFor();
    expect(await page.getByLabel('Display name').inputValue()).to.equal(name);
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByText('from 127.0.0.0/24 · signed in').waitFor();
    expect(visitor.complaints).to.deep.equal([]);
    await visitor.close();
  });

  it('move an account to another address, and take that back from the old one', async () => {
    const person = await register(here.alice.node);
    const mover = await here.visit(person);
    const { page } = mover;
    const old = (await person.get('/api/auth/me')).body.email;
    await proveAddress(person, folder, old);
    const email = `moved${Date.now()}@example.com`;
    const mailTo = (to: string, subject: RegExp) =>
      until(async () =>
        (await folder.mails()).find((mail) => mail.to?.[0]?.address === to && subject.test(mail.subject ?? '')),
      );
    await mover.open('/app/settings/account');
    await page.getByLabel('New address').fill(email);
    await page.getByRole('button', { name: 'Mail a code' }).click();
    // There is no mail server here.
    await page.getByText('the mail is a file in the folder “outbox”').waitFor();
    await page.getByLabel('Code from the mail').fill(codeIn(await mailTo(email, /makes this/)));
    await page.getByRole('button', { name: 'Change the address' }).click();
    await page.getByText(`It is ${email}.`).waitFor();
    const link = /http\S+undo-email\?token=[\w-]+/.exec((await mailTo(old, /another address/)).text ?? '')?.[0] ?? '';
    const owner = await here.visit(null);
    await owner.page.goto(link);
    await owner.page.getByRole('button', { name: 'Undo the change' }).click();
    await owner.page.getByText(`The address of your account is ${old} again`).waitFor();
    expect(owner.page.url()).to.not.contain('token');
    expect(owner.complaints).to.deep.equal([]);
    await owner.close();
    await page.getByText('This session was ended. Sign in again.').waitFor();
    await mover.close();
  });

  it('say what one is notified of, and what is muted', async () => {
    const { page } = alice;
    const preferences = async () => (await here.alice.get('/api/notifications/preferences')).body;
    await page.getByRole('link', { name: 'Notifications' }).last().click();
    await page.getByLabel(/^Mentions, replies and direct messages/).check();
    await until(async () => (await preferences()).strategy === 'mention_only');
    await page.getByLabel('#general').selectOption('nothing');
    await until(async () => (await preferences()).mutedChannelIds.includes(here.channel.id));
    await here.bob.say(here.channel.id, 'anyone there?');
    await alice.open(`/app/s/${here.server.id}/manage/members`);
    await page.locator('.entry.muted', { hasText: 'general' }).waitFor();
    expect(await page.locator('.list .badge').count()).to.equal(0);
    await page.getByRole('button', { name: 'Home', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Mute the server' }).click();
    await until(async () => (await preferences()).mutedServerIds.includes(here.server.id));
  });

  it('offer to make invite codes to those only who may', async () => {
    await alice.open('/app/settings/invites');
    await alice.page.getByRole('button', { name: 'New code' }).waitFor();
    await query(here.cluster.databaseUrl, `UPDATE users SET tier = 'visitor' WHERE id = $1`, [here.carol.id]);
    const carol = await here.visit(here.carol);
    await carol.open('/app/settings/invites');
    await carol.page.getByRole('link', { name: 'redeem one' }).click();
    await carol.page.getByLabel('Invite code').waitFor();
    await carol.go('/app/settings/invites');
    await carol.page.getByRole('heading', { name: 'Invite codes' }).waitFor();
    expect(await carol.page.getByRole('button', { name: 'New code' }).count()).to.equal(0);
  });

  it('mark as read what comes from a server', async () => {
    await here.bob.say(here.channel.id, `hello @${here.alice.username}`);
    await here.alice.patch('/api/notifications/preferences', { mutedServerIds: [], mutedChannelIds: [] });
    await here.bob.say(here.channel.id, `hello again @${here.alice.username}`);
    await alice.open('/app/notifications');
    const badge = alice.page.locator('.entry', { hasText: 'Notifications' }).first().locator('.badge');
    await badge.waitFor();
    // What comes after that is not read by it.
    await alice.page.getByRole('link', { name: /hello again/ }).waitFor();
    await alice.page.getByRole('button', { name: 'Mark as read' }).click();
    await alice.page.getByRole('menuitem', { name: 'Only in Home' }).click();
    await badge.waitFor({ state: 'detached' });
  });

  it('let one be friends, be seen as one wants to, and block who is too much', async () => {
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.getByRole('button', { name: here.bob.username }).first().click();
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Add friend' }).click();
    // A page that goes away may take along what it asks for.
    await until(async () => (await here.bob.get('/api/friends/pending')).body.length === 1, { message: 'not asked' });
    await alice.open('/app/friends');
    await bob.open('/app/friends');
    await bob.page.getByRole('button', { name: 'Accept' }).click();
    const friend = alice.page.locator('.people li', { hasText: here.bob.username });
    await friend.locator('.presence.online').waitFor();
    await bob.page.getByRole('button', { name: 'Your status' }).click();
    await bob.page.getByRole('menuitemradio', { name: 'Do not disturb' }).click();
    await friend.locator('.presence.dnd').waitFor();
    await alice.page.getByRole('button', { name: `Actions for ${here.bob.username}` }).click();
    await alice.page.getByRole('menuitem', { name: 'Block' }).click();
    await alice.page.getByRole('heading', { name: 'Blocked · 1' }).waitFor();
    await until(async () => (await bob.page.getByText(here.alice.username).count()) === 0);
    await alice.page.getByRole('button', { name: 'Unblock' }).click();
    await alice.page.getByText('No friends yet').waitFor();
    expect([...alice.complaints, ...bob.complaints]).to.deep.equal([]);
  });
});
