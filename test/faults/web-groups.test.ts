// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('groups in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  beforeEach(async () => {
    here = await webWorld();
    const { server, carol } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    alice = await here.visit(here.alice);
  });
  afterEach(() => here.close());

  const groups = async (): Promise<Loose[]> =>
    (await here.alice.get('/api/dm/channels')).body.filter(({ kind }: Loose) => kind === 'group');
  const more = async (item: string) => {
    await alice.page.getByRole('button', { name: 'More', exact: true }).click();
    await alice.page.getByRole('menuitem', { name: item }).click();
  };

  it('are opened with people who are found by name, by the keyboard alone, and written in', async () => {
    const { page } = alice;
    const { bob, carol } = here;
    await alice.open('/app/friends');
    await page.getByRole('button', { name: 'New message' }).press('Enter');
    for (const { username } of [bob, carol]) {
      await page.getByRole('textbox', { name: 'People' }).fill(username);
      await page.getByRole('checkbox', { name: username }).press('Space');
    }
    await page.getByText('2 of up to 10 chosen.').waitFor();
    await page.getByLabel('Name of the group').fill('Chess');
    await page.getByLabel('Name of the group').press('Enter');
    // Once its messages are loaded they begin with a heading of the same name.
    await page.getByRole('heading', { level: 1, name: 'Chess' }).waitFor();
    const [group] = await groups();
    expect(group.members).to.have.length(3);
    await bob.say(group.id, 'Shall we play?');
    await page.locator('article', { hasText: 'Shall we play?' }).waitFor();
    await page.getByRole('link', { name: 'Chess' }).waitFor();
    await page.getByRole('button', { name: 'People', exact: true }).click();
    await page.getByRole('heading', { name: 'People · 3' }).waitFor();
    expect(alice.complaints).to.deep.equal([]);
  });

  it('are named, left by others, added to, and left', async () => {
    const { page } = alice;
    const { bob, carol } = here;
    const { id } = (await bob.post('/api/dm/channels', { userIds: [here.alice.id, carol.id] })).body;
    await alice.open(`/app/dm/${id}`);
    const title = page.locator('.conversation h1');
    await until(async () => (await title.textContent())?.includes(carol.username));
    await more('Name the group');
    await page.getByLabel('Name', { exact: true }).fill('Walks');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Walks' }).waitFor();
    await bob.patch(`/api/dm/channels/${id}`, { name: null });
    await carol.post(`/api/dm/channels/${id}/leave`);
    await until(async () => (await title.textContent()) === bob.username);
    await more('Add people');
    await page.getByRole('textbox', { name: 'People' }).fill(carol.username);
    await page.getByRole('checkbox', { name: carol.username }).check();
    await page.getByRole('button', { name: 'Open the group' }).click();
    await until(async () => (await groups()).length === 2);
    const anew = (await groups()).find((group) => group.id !== id);
    await page.waitForURL(`**/app/dm/${anew?.id}`);
    await more('Leave the group');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await until(async () => (await groups()).length === 1);
    // Where there is room for it, the messages begin with a page.
    await page.waitForURL('**/app/friends');
  });

  it('become a channel of a server for everyone who looks at them, with what was written', async () => {
    const { page } = alice;
    const { bob, carol, server } = here;
    const { id } = (await bob.post('/api/dm/channels', { userIds: [here.alice.id, carol.id], name: 'Plans' })).body;
    await bob.say(id, 'a first plan');
    const other = await here.visit(carol);
    await other.open(`/app/dm/${id}`);
    await alice.open(`/app/dm/${id}`);
    await more('Turn into a channel');
    await page.getByLabel('Name', { exact: true }).fill('Plans');
    await page.getByRole('button', { name: 'Turn into a channel' }).click();
    for (const one of [alice, other]) {
      await one.page.waitForURL(`**/app/s/${server.id}/${id}`);
      await one.page.locator('article', { hasText: 'a first plan' }).waitFor();
      await one.page.getByRole('link', { name: /Plans/ }).waitFor();
    }
    await bob.say(id, 'a second plan');
    for (const one of [alice, other]) await one.page.locator('article', { hasText: 'a second plan' }).waitFor();
  });

  it('fold what was written by people whom the user has blocked', async () => {
    const { page } = alice;
    const { bob, carol } = here;
    const { id } = (await bob.post('/api/dm/channels', { userIds: [here.alice.id, carol.id] })).body;
    await bob.say(id, 'a rude remark');
    await here.alice.put(`/api/friends/blocks/${bob.id}`);
    await alice.open(`/app/dm/${id}`);
    await page.getByText('You have blocked this person.').waitFor();
    expect(await page.getByText('a rude remark').count()).to.equal(0);
    await page.getByRole('button', { name: 'Show the message' }).click();
    await page.getByText('a rude remark').waitFor();
  });
});
