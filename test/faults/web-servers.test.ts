// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('servers in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;
  let carol: Visitor;

  before(async () => {
    here = await webWorld();
    [alice, bob, carol] = [await here.visit(here.alice), await here.visit(here.bob), await here.visit(here.carol)];
  });
  after(() => here.close());

  const manage = (section: string) => `/app/s/${here.server.id}/manage/${section}`;

  it('are described by those who run them, seen at once by the others', async () => {
    await bob.open(`/app/s/${here.server.id}`);
    await alice.open(manage('overview'));
    await alice.page.getByLabel('Name', { exact: true }).fill('Tea party');
    await alice.page.getByLabel('Description').fill('Every day at six');
    await alice.page.getByLabel('Home page (HTML)').fill('<h1>Six o’clock</h1><script>document.title=origin</script>');
    const form = alice.page.locator('form', { has: alice.page.getByLabel('Description') });
    await form.getByRole('button', { name: 'Save' }).click();
    await bob.page.getByRole('button', { name: 'Tea party' }).waitFor();
    await bob.page.getByRole('link', { name: 'Home', exact: true }).click();
    const frame = bob.page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Six o’clock' }).waitFor();
    // Its scripts run, in an origin that is none.
    await until(async () => (await frame.locator('html').evaluate('document.title')) === 'null');
    // Who is no admin sees no settings.
    await bob.open(manage('overview'));
    await bob.page.getByRole('heading', { name: 'Members · 2' }).waitFor();
    expect(await bob.page.getByLabel('Description').count()).to.equal(0);
  });

  it('have channels that are made, described, put in order and archived', async () => {
    await alice.open(manage('channels'));
    for (const name of ['news', 'plans']) {
      await alice.page.getByRole('button', { name: 'Create a channel' }).click();
      await alice.page.getByLabel('Name').fill(name);
      if (name === 'news') await alice.page.getByLabel('Kind').selectOption('announcement');
      await alice.page.getByRole('button', { name: 'Create', exact: true }).click();
      await alice.page.getByRole('heading', { name, exact: true }).waitFor();
      await until(async () => (await alice.page.evaluate('document.activeElement.id')) === 'composer');
    }
    await alice.open(manage('channels'));
    await alice.page.getByRole('button', { name: 'Move plans up' }).click();
    const order = () => alice.page.locator('.list .section + ul .entry .name').allInnerTexts();
    await until(async () => (await order()).slice(0, 3).join() === 'general,plans,news');
    await alice.page.getByRole('button', { name: 'Actions for plans' }).click();
    await alice.page.getByRole('menuitem', { name: 'Edit' }).click();
    await alice.page.getByRole('textbox', { name: 'Topic' }).fill('What comes next');
    await alice.page.getByRole('button', { name: 'Save' }).click();
    await bob.open(`/app/s/${here.server.id}`);
    await bob.page.getByRole('link', { name: 'plans' }).click();
    await bob.page.locator('.topic', { hasText: 'What comes next' }).waitFor();
    await bob.page.getByRole('link', { name: 'news' }).click();
    await bob.page.getByText('Only the people who run the server can write here.').waitFor();
    await alice.page.getByRole('button', { name: 'Actions for plans' }).click();
    await alice.page.getByRole('menuitem', { name: 'Archive' }).click();
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await until(async () => (await bob.page.getByRole('link', { name: 'plans' }).count()) === 0);
    await alice.page.getByRole('button', { name: 'Unarchive' }).click();
    await until(async () => (await order()).includes('plans'));
  });

  it('have private channels for those who were added', async () => {
    const body = { name: 'secret', isPrivate: true };
    const secret = (await here.alice.post(`/api/servers/${here.server.id}/channels`, body)).body;
    await bob.open(`/app/s/${here.server.id}/${secret.id}`);
    await bob.page.getByRole('button', { name: 'Ask to join' }).click();
    await bob.page.getByText('You asked to join.').waitFor();
    await alice.open(manage('invites'));
    await alice.page.getByText('wants to join #secret').waitFor();
    await alice.page.getByRole('button', { name: 'Let in' }).click();
    await bob.page.getByRole('link', { name: 'secret' }).waitFor();
    await bob.page.locator('#composer').waitFor();
  });

  it('let people in by a link, which can be made anew, and by asking', async () => {
    await alice.open(manage('invites'));
    const link = alice.page.getByLabel('Link', { exact: true });
    const old = await link.inputValue();
    await alice.page.getByRole('button', { name: 'Create a new link' }).click();
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Create a new link' }).click();
    await until(async () => (await link.inputValue()) !== old);
    await carol.open(new URL(old).pathname);
    await carol.page.getByRole('alert').waitFor();
    await carol.open(`/app/s/${here.server.id}`);
    await carol.page.getByRole('button', { name: 'Ask to join' }).click();
    await carol.page.getByText('You asked to join.').waitFor();
    await alice.page.getByText('wants to join the server').waitFor();
    await alice.page.getByRole('button', { name: 'Let in' }).click();
    await carol.page.getByRole('link', { name: 'Tea party' }).waitFor();
  });

  it('show new admins at once the private channels that they are not in', async () => {
    await carol.open(`/app/s/${here.server.id}`);
    await carol.page.getByRole('link', { name: 'general' }).waitFor();
    await here.alice.patch(`/api/servers/${here.server.id}/members/${here.carol.id}`, { role: 'admin' });
    await carol.page.getByRole('button', { name: 'Create a channel' }).waitFor();
    await carol.go(manage('channels'));
    await carol.page.getByRole('button', { name: 'Actions for secret' }).waitFor();
  });

  it('have roles, and lose members that are removed', async () => {
    await alice.open(manage('members'));
    const row = alice.page.locator('.people li', { hasText: here.carol.username });
    await row.getByRole('combobox').selectOption('moderator');
    await until(async () => {
      const members = (await here.alice.get(`/api/servers/${here.server.id}/members`)).body;
      return members.find(({ userId }: { userId: string }) => userId === here.carol.id).role === 'moderator';
    });
    await carol.open(manage('members'));
    await carol.page.getByRole('button', { name: `Actions for ${here.bob.username}` }).click();
    await carol.page.getByRole('menuitem', { name: 'Remove from the server' }).click();
    await carol.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await until(async () => (await bob.page.getByRole('link', { name: 'Tea party' }).count()) === 0);
    expect([...alice.complaints, ...bob.complaints, ...carol.complaints]).to.deep.equal([]);
  });

  it('let in again whoever is invited, by the notification of it', async () => {
    await here.alice.post(`/api/servers/${here.server.id}/invite-member`, { userId: here.bob.id });
    await bob.open('/app/notifications');
    await bob.page.getByRole('link', { name: 'invites you to Tea party' }).click();
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await bob.page.getByRole('link', { name: 'Tea party' }).waitFor();
  });

  it('ban members, who read why, and lift bans', async () => {
    await carol.open(manage('members'));
    await carol.page.getByRole('button', { name: `Actions for ${here.bob.username}` }).click();
    await carol.page.getByRole('menuitem', { name: 'Ban from the server' }).click();
    await carol.page.getByLabel('Reason').fill('Too loud');
    await carol.page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
    const lift = carol.page.getByRole('button', { name: `Lift the ban of ${here.bob.username}` });
    await lift.waitFor();
    await carol.page.locator('.people li', { hasText: 'Too loud' }).waitFor();
    await until(async () => (await bob.page.getByRole('link', { name: 'Tea party' }).count()) === 0);
    const { inviteCode } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    await bob.go(`/app/invite/${inviteCode}`);
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await bob.page.getByText('You are banned from this server').first().waitFor();
    await lift.click();
    await lift.waitFor({ state: 'detached' });
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await bob.page.getByRole('link', { name: 'Tea party' }).waitFor();
  });
});
