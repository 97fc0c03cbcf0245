// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { countMembers, crowd } from '../world/crowd.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';
import { register } from '../world/world.ts';

/** More than the server gives at a time. */
const size = 1200;

describe('a server of many people in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  /** Whom the first page of the list does not have. */
  let last: string;

  before(async () => {
    here = await webWorld();
    const { databaseUrl } = here.cluster;
    const site = { databaseUrl, secret: 'unused-'.repeat(10), serverId: here.server.id, at: () => here.alice.node };
    const people = await crowd(size, site);
    await countMembers(databaseUrl, here.server.id);
    const ids = people.map(({ id }) => id).sort();
    last = people.find(({ id }) => id === ids.at(-1))?.username ?? '';
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  const found = () => alice.page.locator('.people li', { hasText: `@${last}` });
  const drawn = () => alice.page.locator('.people li').count();

  it('has a list in which each of them can be found', async () => {
    await alice.open(`/app/s/${here.server.id}/manage/members`);
    await alice.page.getByRole('heading', { name: `Members · ${(size + 2).toLocaleString('en')}` }).waitFor();
    // Those at the end wait until they are asked for.
    const before = await drawn();
    expect(before).to.be.below(size / 2);
    await alice.page.getByRole('button', { name: 'Show more' }).click();
    await alice.page.locator(`.people li:nth-child(${before + 1})`).waitFor();
    await alice.page.getByLabel('Find a member').fill(last);
    await found().getByRole('combobox').waitFor();
    expect(await drawn()).to.equal(1);
  });

  it('says of a channel who is in it, however many there are', async () => {
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.getByRole('button', { name: 'Members' }).click();
    // By then it is known that the server is large: the list is drawn anew with that, and an open menu would go.
    await alice.page.getByText(/^\d+ online$/).waitFor();
    await alice.page.getByLabel('Find a member').fill(last);
    await found()
      .getByRole('button', { name: /^Actions for / })
      .click();
    await alice.page.getByRole('menuitem', { name: 'Remove from the channel' }).waitFor();
    await alice.page.keyboard.press('Escape');
    await alice.page.getByRole('button', { name: 'Members' }).click();
    expect(alice.complaints).to.deep.equal([]);
  });

  it('says how many are online, and shows those in view as they are', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await page.locator('.connection.live').waitFor();
    const [dora, eve] = [await register(here.bob.node), await register(here.bob.node)];
    for (const person of [dora, eve]) {
      await person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    }
    const before = await dora.connect();
    await page.getByRole('button', { name: 'Members' }).click();
    const row = (username: string) => page.locator('.people li', { hasText: `@${username}` });
    await page.getByLabel('Find a member').fill(dora.username);
    await row(dora.username).locator('.presence.online').waitFor();
    await page.getByText('2 online', { exact: true }).waitFor();
    await page.getByLabel('Find a member').fill(eve.username);
    await row(eve.username).locator('.presence.offline').waitFor();
    const mouth = await eve.connect();
    await row(eve.username).locator('.presence.online').waitFor();
    await page.getByText('3 online', { exact: true }).waitFor();
    mouth.close();
    before.close();
    await row(eve.username).locator('.presence.offline').waitFor();
    await page.getByRole('button', { name: 'Members' }).click();
    expect(alice.complaints).to.deep.equal([]);
  });

  it('shows as offline who went while the line was away, though the snapshot does not list them', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await page.locator('.connection.live').waitFor();
    const other = here.bob.node;
    // Of those offline, the first ones are listed: not who came last.
    const dora = await register(here.alice.node);
    await dora.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const mouth = await dora.connect();
    await dora.say(here.channel.id, 'here I am');
    const his = page.locator('article[data-id]', { hasText: 'here I am' });
    await his.waitFor();
    await page.getByRole('button', { name: 'Members' }).click();
    const row = page.locator('.people li', { hasText: `@${dora.username}` });
    await page.getByLabel('Find a member').fill(dora.username);
    await row.locator('.presence.online').waitFor();
    await page.context().setOffline(true);
    await page.locator('.connection', { hasText: 'Offline' }).waitFor();
    mouth.close();
    const isOffline = async () => {
      const { users } = await (await here.alice.on(other).connect()).emit('presence:subscribe', {
        userIds: [dora.id],
      });
      return users[0]?.status === 'offline';
    };
    await until(isOffline, { message: 'dora stays' });
    await page.context().setOffline(false);
    await page.locator('.connection.live').waitFor();
    await row.locator('.presence.offline').waitFor();
  });
});
