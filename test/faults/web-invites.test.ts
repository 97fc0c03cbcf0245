// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('invitations in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld({});
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  const button = (who: Visitor, name: string) => who.page.getByRole('button', { name, exact: true });
  const manage = () => `/app/s/${here.server.id}/manage/invites`;

  it('make a link that lets one person into its channel, and tell who came', async () => {
    await alice.open(manage());
    await alice.page.getByLabel('Number of uses').selectOption('1');
    await alice.page.getByLabel('Opens in').selectOption({ label: '#general' });
    await button(alice, 'Create a link').click();
    const link = await alice.page.getByLabel('Your new link').inputValue();
    const carol = await here.visit(here.carol);
    await carol.open(new URL(link).pathname);
    await carol.page.getByText('invites you to #general').waitFor();
    await button(carol, 'Join').click();
    await until(() => carol.page.url().endsWith(`/${here.channel.id}`), { message: 'carol is not in the channel' });
    await alice.page.getByText('There are no invite links yet.').waitFor();
    await alice.page.getByLabel('Show expired ones too').check();
    await button(alice, 'Who joined').click();
    await alice.page.getByRole('dialog').getByText(`@${here.carol.username}`).waitFor();
    await alice.page.keyboard.press('Escape');
  });

  it('hold joins in raid mode, and let moderators decide about all of them', async () => {
    const { server } = here;
    await here.alice.delete(`/api/servers/${server.id}/members/${here.carol.id}`);
    const { inviteCode } = (await here.alice.get(`/api/servers/${server.id}`)).body;
    await alice.open(manage());
    await button(alice, 'Switch raid mode on').click();
    await alice.page.locator('.raid').waitFor();
    const carol = await here.visit(here.carol);
    await carol.open(`/app/invite/${inviteCode}`);
    await button(carol, 'Join').click();
    await carol.page.getByText('You are in as soon as they approve you.').waitFor();
    await alice.page.getByText('joined, and is held by raid mode').waitFor();
    await button(alice, 'Let everyone in who is waiting').click();
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Let all in' }).click();
    await alice.page.getByText('Nobody is waiting.').waitFor();
    await carol.open(`/app/s/${server.id}`);
    await carol.page.getByRole('navigation', { name: /^Channels of/ }).waitFor();
    await button(alice, 'Switch off').click();
    await alice.page.locator('.raid').waitFor({ state: 'detached' });
    expect(alice.complaints).to.deep.equal([]);
  });
});
