// nodes: own

import { expect } from 'chai';
import { receiver } from '../agents/receiver.ts';
import { until } from '../rig/until.ts';
import { Person } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('agents in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  const name = `helper${Date.now()}`;

  before(async () => {
    here = await webWorld({ settings: { appProxyAllow: ['127.0.0.1'] } });
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  const own = async () => (await here.alice.get('/api/agents')).body[0];

  it('are made with a token that is shown once, and added to a server', async () => {
    const { page } = alice;
    await alice.open('/app/settings/agents');
    await page.getByLabel('Username').fill(name);
    await page.getByLabel('Display name').fill('Helper');
    await page.getByRole('button', { name: 'New bot' }).click();
    const secret = await page.getByLabel(/copy it now/).inputValue();
    const bot = new Person(here.alice.node, { id: '', username: name, token: secret, refreshToken: '' });
    expect((await bot.get('/api/auth/me')).body.isBot).to.equal(true);
    await page.reload();
    await page.getByRole('link', { name: 'Helper' }).click();
    expect(await page.getByLabel(/copy it now/).count()).to.equal(0);
    await page.getByRole('button', { name: 'Add: Server to add it to' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    expect(await page.getByLabel(/copy it now/).inputValue()).to.not.equal(secret);
  });

  it('are held to policies, for a server and for a channel', async () => {
    const { page } = alice;
    const { id } = await own();
    await page.getByLabel('Policy for Everywhere in the server').selectOption('mentionOnly');
    const policies = async () => (await here.alice.get(`/api/agents/${id}/policies`)).body;
    const modes = async () =>
      (await policies()).map(({ channelId, mode }: { channelId: string | null; mode: string }) => [channelId, mode]);
    await until(async () => JSON.stringify(await modes()) === JSON.stringify([[null, 'mentionOnly']]));
    await page.getByLabel('Policy for #general').selectOption('custom');
    await page.getByRole('checkbox', { name: 'Receives messages' }).uncheck();
    await until(async () => (await policies()).some(({ listen }: { listen: boolean }) => !listen));
    await page.getByLabel('Policy for #general').selectOption('inherit');
    await until(async () => (await modes()).length === 1);
    // Whoever runs the server finds the same from the other side.
    await alice.open(`/app/s/${here.server.id}/manage/agents`);
    await page.locator('main').getByRole('button', { name: 'Channels' }).click();
    await page.getByRole('dialog').getByLabel('Policy for #general').selectOption('disabled');
    await until(async () => (await modes()).some(([, mode]: string[]) => mode === 'disabled'));
    const seat = async () =>
      (await here.alice.get(`/api/servers/${here.server.id}/members`)).body.find(
        ({ agent }: { agent: { id: string } | null }) => agent?.id === id,
      ).agent;
    await page.getByRole('checkbox', { name: 'It can change files' }).check();
    await until(async () => (await seat()).workspaceWrite);
    await page.keyboard.press('Escape');
  });

  it('are written to directly, from a list of members', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await page.getByRole('button', { name: 'Members' }).click();
    // The list is made anew once it is known who is there, without the menu that is open.
    await page.getByRole('heading', { name: /^Online · / }).waitFor();
    await page.getByRole('button', { name: 'Actions for Helper' }).click();
    await page.getByRole('menuitem', { name: 'Message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Helper' }).waitFor();
    await page.keyboard.press('Control+.');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await page.locator('#composer').fill('just between us');
    await page.keyboard.press('Enter');
    await page.locator('article', { hasText: 'just between us' }).waitFor();
  });

  it('have slash commands that are suggested to those who type a slash', async () => {
    const { page } = alice;
    const { id } = await own();
    const commands = [{ name: 'weather', description: 'What it is like outside' }, { name: 'wake' }];
    await here.alice.put(`/api/agents/${id}/slash-commands`, { commands });
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await page.locator('#composer').pressSequentially('/w');
    await page.getByRole('option', { name: '/weather What it is like outside' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await page.locator('#composer').inputValue()).to.equal('/wake ');
    // What changes meanwhile is suggested without a reload.
    await here.alice.put(`/api/agents/${id}/slash-commands`, { commands: [{ name: 'wonder' }] });
    await until(async () => {
      await page.locator('#composer').fill('');
      await page.locator('#composer').pressSequentially('/w');
      const option = page.getByRole('option', { name: '/wonder' });
      return option.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
    });
  });

  it('have a webhook whose deliveries are seen, and which leads there from a notification', async () => {
    const { page } = alice;
    const { id } = await own();
    const ear = await receiver();
    try {
      await alice.open(`/app/settings/agents/${id}`);
      await page.getByLabel('Address (https)').fill('https://10.0.0.1/');
      await page.getByRole('button', { name: 'Deliver events' }).click();
      await page.getByText('The address of 10.0.0.1 is private or reserved.').waitFor();
      await page.getByLabel('Address (https)').fill(ear.url);
      await page.getByRole('button', { name: 'Deliver events' }).click();
      ear.secret = await page.getByLabel(/signed with: copy it now/).inputValue();
      await page.getByText('Deliveries work.').waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test was delivered.').waitFor();
      expect(ear.arrived.at(-1)?.verified).to.equal(true);
      ear.behave(() => 410);
      await here.alice.put(`/api/agents/${id}/policies`, { serverId: here.server.id, mode: 'replyAll' });
      await until(async () => (await here.alice.get(`/api/agents/${id}/webhook`)).body.state === 'gone');
      await alice.open('/app/notifications');
      await page.getByText('Nothing is delivered to the webhook of').click();
      await page.getByText('Stopped: the address no longer accepts deliveries.').waitFor();
      ear.behave(() => 200);
      await page.getByRole('button', { name: 'Try again now' }).click();
      await page.getByText('Deliveries work.').waitFor();
      await page.getByRole('button', { name: 'Stop deliveries' }).click();
      await page.getByRole('button', { name: 'Deliver events' }).waitFor();
    } finally {
      await ear.close();
    }
  });

  it('are stopped, started and deleted', async () => {
    const { page } = alice;
    await alice.open(`/app/settings/agents/${(await own()).id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Delete the bot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await until(async () => (await own()) === undefined);
    expect(alice.complaints).to.deep.equal([]);
  });
});
