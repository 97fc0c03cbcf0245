// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';
import { register } from '../world/world.ts';

describe("a server's roles in the web client", () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    [alice, bob] = [
      await here.visit(here.alice),
      await here.visit(here.bob, { viewport: { width: 320, height: 640 } }),
    ];
  });
  after(() => here.close());

  const manage = (section: string) => `/app/s/${here.server.id}/manage/${section}`;
  const choose = async (visitor: Visitor, button: string, item: string) => {
    await visitor.page.getByRole('button', { name: button, exact: true }).click();
    await visitor.page.getByRole('menuitem', { name: item, exact: true }).click();
    return visitor.page.getByRole('dialog');
  };
  const ownRoles = async (): Promise<Loose[]> =>
    (await here.alice.get(`/api/servers/${here.server.id}/roles`)).body.filter(({ builtIn }: Loose) => !builtIn);
  const add = async (name: string, permission: string) => {
    await alice.page.getByRole('button', { name: 'New role' }).click();
    const dialog = alice.page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Give it a colour').check();
    await dialog.getByLabel('Colour', { exact: true }).fill('#aa3300');
    await dialog.getByLabel(permission, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Create the role' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const namesAre = (...names: string[]) =>
    until(async () => (await ownRoles()).map(({ name }) => name).join() === names.join());

  it('are made, put in order by buttons and by dragging, changed and deleted', async () => {
    await alice.open(manage('roles'));
    await add('Helpers', 'Remove members');
    await add('Guides', 'Create and assign roles');
    await namesAre('Helpers', 'Guides');
    expect((await ownRoles())[0]).to.deep.include({ color: '#aa3300', permissions: ['member:kick'] });
    await alice.page.getByRole('button', { name: 'Move Guides up' }).click();
    await namesAre('Guides', 'Helpers');
    const row = (name: string) => alice.page.locator('.people li', { hasText: name });
    await until(async () => /Guides[\s\S]*Helpers/.test(await alice.page.locator('.people').innerText()));
    await row('Helpers').dragTo(row('Guides'));
    await namesAre('Helpers', 'Guides');
    // A row that moves closes its menu.
    await until(async () => /Helpers[\s\S]*Guides/.test(await alice.page.locator('.people').innerText()));
    const dialog = await choose(alice, 'Actions for Helpers', 'Edit');
    await dialog.getByLabel('Name', { exact: true }).fill('Crew');
    await dialog.getByLabel('Give it a colour').uncheck();
    await dialog.getByLabel('Time members out').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await namesAre('Crew', 'Guides');
    expect((await ownRoles())[0]).to.deep.include({ color: null, permissions: ['member:kick', 'member:timeout'] });
    const confirm = await choose(alice, 'Actions for Crew', 'Delete');
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await namesAre('Guides');
    await row('Crew').waitFor({ state: 'detached' });
  });

  it('change what a fixed one may do, and reset it', async () => {
    const moderator = async () =>
      (await here.alice.get(`/api/servers/${here.server.id}/roles`)).body.find(({ id }: Loose) => id === 'moderator');
    const dialog = await choose(alice, 'Actions for Moderator', 'Edit');
    await dialog.getByLabel('Ban members').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(async () => !(await moderator()).permissions.includes('member:ban'));
    const confirm = await choose(alice, 'Actions for Moderator', 'Reset');
    await confirm.getByRole('button', { name: 'Reset' }).click();
    await until(async () => (await moderator()).permissions.includes('member:ban'));
  });

  it('are given to members, who then manage what is below them, also on a phone', async () => {
    await bob.open(manage('members'));
    expect(await bob.page.getByRole('link', { name: 'Roles' }).count()).to.equal(0);
    await alice.open(manage('members'));
    const dialog = await choose(alice, `Actions for ${here.bob.username}`, 'Roles');
    await dialog.getByLabel('Guides').check();
    await alice.page
      .locator('.people li', { hasText: `@${here.bob.username}` })
      .getByText('Guides')
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await bob.page.getByRole('link', { name: 'Roles' }).click();
    await bob.page.getByRole('button', { name: 'New role' }).click();
    const made = bob.page.getByRole('dialog');
    expect(await made.getByLabel('Ban members').isDisabled()).to.equal(true);
    expect(await made.getByLabel('Write messages').isDisabled()).to.equal(false);
    await made.getByLabel('Name', { exact: true }).fill('Guests');
    const width = await bob.page.evaluate('document.documentElement.scrollWidth');
    expect(width).to.be.at.most(320);
    await made.getByRole('button', { name: 'Create the role' }).click();
    await namesAre('Guides', 'Guests');
    // Not their own role, nor a higher one.
    await bob.page.getByRole('button', { name: 'Actions for Guides' }).click();
    expect(await bob.page.getByRole('menuitem', { name: 'Edit' }).count()).to.equal(0);
    await bob.page.keyboard.press('Escape');
    const members = await choose(alice, `Actions for ${here.bob.username}`, 'Roles');
    await members.getByLabel('Guests').check();
    await members.getByRole('button', { name: 'Close' }).click();
    // The dialog reads once who has it.
    const [, guests] = await ownRoles();
    const list = async (): Promise<Loose[]> => (await here.alice.get(`/api/servers/${here.server.id}/members`)).body;
    await until(async () =>
      (await list()).some(({ userId, roles }) => userId === here.bob.id && roles.includes(guests?.id)),
    );
    const holders = await choose(bob, 'Actions for Guests', 'Members');
    await holders.getByRole('button', { name: 'Remove' }).click();
    await until(async () => (await holders.locator('.people li').count()) === 0);
  });

  it('show each member the tabs and actions that theirs allow, from when they are given until they are taken', async () => {
    const base = `/api/servers/${here.server.id}`;
    const permissions = ['member:timeout', 'report:decide'];
    const { body: role } = await here.alice.post(`${base}/roles`, { name: 'Wardens', permissions });
    const [carol, dave] = [await register(here.alice.node), await register(here.alice.node)];
    const join = { inviteCode: here.server.inviteCode };
    await dave.post('/api/servers/_/join', join);
    const visitor = await here.visit(dave);
    await visitor.open(manage('members'));
    const { page } = visitor;
    const row = page.locator('.people li', { hasText: `@${carol.username}` });
    const tabs = async () => (await page.locator('.tabs a').allInnerTexts()).map((text) => text.trim());
    const actions = async () => {
      await row.getByRole('button', { name: 'Actions for' }).click();
      const found = await page.getByRole('menuitem').allInnerTexts();
      await page.keyboard.press('Escape');
      return found.map((text) => text.trim());
    };
    // Whoever joins appears without a reload.
    await carol.post('/api/servers/_/join', join);
    await row.waitFor();
    const [plainTabs, plainActions] = [await tabs(), await actions()];
    expect(plainTabs).to.deep.equal(['Members', 'Invitations', 'Bots']);
    await here.alice.put(`${base}/members/${dave.id}/roles/${role.id}`, {});
    await page.getByRole('link', { name: 'Reports' }).waitFor();
    expect(await tabs()).to.deep.equal([...plainTabs, 'Reports']);
    await until(async () => (await actions()).includes('Time out'));
    expect(await actions()).to.deep.equal([...plainActions, 'Time out']);
    expect(await page.getByText('Nobody is banned.').count()).to.equal(0);
    await here.alice.delete(`${base}/members/${dave.id}/roles/${role.id}`);
    await page.getByRole('link', { name: 'Reports' }).waitFor({ state: 'detached' });
    expect(await tabs()).to.deep.equal(plainTabs);
    expect(await actions()).to.deep.equal(plainActions);
    // Other roles of others, and who leaves, are seen at once too.
    await here.alice.put(`${base}/members/${carol.id}/roles/${role.id}`, {});
    await row.getByText('Wardens').waitFor();
    await here.alice.put(`${base}/members/${dave.id}/roles/${role.id}`, {});
    await page.getByRole('link', { name: 'Reports' }).waitFor();
    // Equals are not acted on.
    expect(await actions()).to.deep.equal(plainActions);
    await carol.post(`${base}/leave`, {});
    await row.waitFor({ state: 'detached' });
    await here.alice.delete(`${base}/roles/${role.id}`);
    await page.getByRole('link', { name: 'Reports' }).waitFor({ state: 'detached' });
    expect(visitor.complaints).to.deep.equal([]);
    await visitor.close();
  });

  it('and people are allowed and denied things in a channel', async () => {
    await alice.open(manage('channels'));
    const { name } = (await here.alice.get(`/api/channels/${here.channel.id}`)).body;
    const dialog = await choose(alice, `Actions for ${name}`, 'Permissions');
    await dialog.getByLabel('A role', { exact: true }).selectOption('Guides');
    await dialog.getByRole('button', { name: 'Add: A role' }).click();
    await dialog.getByLabel('React to messages').selectOption('Deny');
    await dialog.getByLabel('Mention everyone').selectOption('Allow');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('May: mention everyone. May not: react to messages').waitFor();
    await dialog.getByLabel('A person', { exact: true }).selectOption({ value: here.bob.id });
    await dialog.getByRole('button', { name: 'Add: A person' }).click();
    await dialog.getByLabel('Write messages').selectOption('Deny');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('May not: write messages').waitFor();
    const say = () => here.bob.post(`/api/channels/${here.channel.id}/messages`, { content: 'hello' });
    expect((await say()).status).to.equal(403);
    await dialog.getByRole('button', { name: `Remove @${here.bob.username}` }).click();
    await until(async () => (await say()).status === 201);
    await dialog.getByRole('button', { name: 'Change Everyone' }).waitFor({ state: 'detached' });
    await dialog.getByLabel('A role', { exact: true }).selectOption('Everyone');
    await dialog.getByRole('button', { name: 'Add: A role' }).click();
    await dialog.getByLabel('See the channel').selectOption('Deny');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Change Everyone' }).waitFor();
    expect((await here.alice.get(`/api/channels/${here.channel.id}`)).body.isPrivate).to.equal(true);
  });

  it('are lowered by whoever has a fixed one', async () => {
    const at = `/api/servers/${here.server.id}/members/${here.bob.id}`;
    await here.alice.patch(at, { role: 'admin' });
    await bob.open(manage('members'));
    const dialog = await choose(bob, `Actions for ${here.bob.username}`, 'Lower your role');
    await dialog.getByLabel('Your role').selectOption('Member');
    await dialog.getByRole('button', { name: 'Lower it' }).click();
    await until(async () => (await here.bob.get(`/api/servers/${here.server.id}`)).body.role === 'member');
    expect([...alice.complaints, ...bob.complaints]).to.deep.equal([]);
  });
});
