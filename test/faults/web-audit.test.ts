// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedChromium } from '../rig/chromium.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

describe('the audit log in the web client', () => {
  let cluster: Cluster;
  let here: World;
  let page: Page;

  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    here = await world(cluster);
    const context = await (await sharedChromium()).newContext({ viewport: { width: 320, height: 700 } });
    page = await context.newPage();
    await page.goto(`${here.alice.node.url}/app/s/${here.server.id}/manage/audit`);
    await page.getByLabel('E-mail or username').fill(here.alice.username);
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    // What happens before that is not told.
    await page.locator('.connection.live').waitFor({ state: 'attached' });
  });
  after(async () => {
    await page.context().close();
    here.close();
    await cluster.stop();
  });

  const lines = () => page.locator('.log > li').allInnerTexts();

  it('says what was done as it is done, and shows only what is asked for', async () => {
    const { alice, bob, server, channel } = here;
    await page.getByText('No entries.').waitFor();
    await alice.patch(`/api/channels/${channel.id}`, { name: 'lobby' });
    // Each has the list read again, and the answers may overtake each other.
    await until(async () => (await lines()).length === 1, { message: 'the first is not told' });
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' });
    await until(async () => (await lines()).length === 2);
    const [role, renamed] = await lines();
    expect(role).to.match(/changed the role of .*Role: “member” → “moderator”/s);
    expect(renamed).to.match(/changed the channel lobby.*Name: “general” → “lobby”/s);
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Members' });
    await until(async () => (await lines()).length === 1);
    const width = await page.locator('html').evaluate((html) => html.scrollWidth);
    expect(width).to.be.at.most(320);
  });

  it('is saved as a file', async () => {
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    expect((await saving).suggestedFilename()).to.equal('audit-log.csv');
  });
});
