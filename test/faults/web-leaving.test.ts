// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type Visitor, visitor } from '../world/visitor.ts';
import { type World, world } from '../world/world.ts';

describe('a browser that several people use', () => {
  let cluster: Cluster;
  let here: World;
  let browser: Visitor;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    here = await world(cluster);
    browser = await visitor(here.alice.node, null);
    await browser.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await signIn(browser.page, here.alice);
    await composer().fill('not for others');
    await until(async () => (await draftsIn(browser.page)) === 1);
  });
  afterEach(async () => {
    await browser.close();
    here.close();
  });

  const composer = () => browser.page.locator('#composer');

  async function signIn(page: Page, person: Person): Promise<void> {
    await page.getByLabel('E-mail or username').fill(person.username);
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await page.locator('.connection.live').waitFor({ state: 'attached' });
  }

  const draftsIn = (page: Page): Promise<number> =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('parley:draft:')).length);

  it('keeps nothing of one who signs out', async () => {
    await browser.go('/app/settings/account');
    await browser.page.getByRole('button', { name: 'Sign out' }).click();
    await browser.page.waitForURL('**/app/login');
    expect(await draftsIn(browser.page)).to.equal(0);
  });

  it('makes nobody somebody else by a link, unless they mean it', async () => {
    const { page } = browser;
    const { username, token, refreshToken } = here.bob;
    const followLink = async (tokens: string) => {
      await page.goto('about:blank');
      await page.goto(`${here.alice.node.url.replace('127.0.0.1', 'localhost')}/app/oauth-callback#${tokens}`);
    };
    await followLink('access_token=made-up&refresh_token=made-up');
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await followLink(`access_token=${token}&refresh_token=${refreshToken}`);
    await page.getByRole('link', { name: 'No, that is not me' }).click();
    await composer().waitFor();
    expect(await composer().inputValue()).to.equal('not for others');
    await page.getByText(`@${here.alice.username}`).waitFor();
    await followLink(`access_token=${token}&refresh_token=${refreshToken}`);
    await page.getByRole('button', { name: `Continue as @${username}` }).click();
    await page.getByText(`@${username}`).waitFor();
    await browser.go(`/app/s/${here.server.id}/${here.channel.id}`);
    await until(async () => (await composer().inputValue()) === '');
    expect(await draftsIn(page)).to.equal(0);
  });

  it('asks where nobody is signed in too, unless the sign-in began here', async () => {
    const { username, token, refreshToken } = here.bob;
    const other = await visitor(here.alice.node, null);
    const tokens = `access_token=${token}&refresh_token=${refreshToken}&redirect=/app/settings/account`;
    await other.open(`/app/oauth-callback#${tokens}`);
    await other.page.getByRole('link', { name: 'No, that is not me' }).click();
    await other.page.getByLabel('Password').waitFor();
    expect(await other.page.evaluate(() => localStorage.getItem('parley:tokens'))).to.equal(null);
    await other.page.evaluate(() => sessionStorage.setItem('parley:begun', 'yes'));
    await other.page.goto('about:blank');
    await other.open(`/app/oauth-callback#${tokens}`);
    await other.page.getByText(`@${username}`).waitFor();
    expect(new URL(other.page.url()).pathname).to.equal('/app/settings/account');
    await other.close();
  });
});
