// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

describe('two tabs of one person in the web client', () => {
  let here: WebWorld;

  before(async () => {
    here = await webWorld();
  });
  after(() => here.close());

  it('have one draft, which is sent once', async () => {
    const alice = await here.visit(here.alice);
    const path = `/app/s/${here.server.id}/${here.channel.id}`;
    await alice.open(path);
    const second = await alice.page.context().newPage();
    await second.goto(new URL(path, alice.page.url()).href);
    const [here1, there] = [alice.page.locator('#composer'), second.locator('#composer')];
    await there.waitFor();
    await here1.fill('written in one tab');
    await until(async () => (await there.inputValue()) === 'written in one tab');
    await there.press('Enter');
    await until(async () => (await here1.inputValue()) === '');
    await alice.page.locator('article[data-id]', { hasText: 'written in one tab' }).waitFor();
    await here1.press('Enter');
    await here1.fill('and then something else');
    await here1.press('Enter');
    await second.locator('article[data-id]', { hasText: 'and then something else' }).waitFor();
    expect(await second.locator('article[data-id]').count()).to.equal(2);
    await second.close();
    await alice.close();
  });

  it('are both of whoever signs in with one of them', async () => {
    const browser = await here.visit(null);
    const first = browser.page;
    const second = await first.context().newPage();
    const base = here.alice.node.url.replace('127.0.0.1', 'localhost');
    const signIn = async (username: string) => {
      await second.getByLabel('E-mail or username').fill(username);
      await second.getByLabel('Password').fill('correct horse');
      await second.keyboard.press('Enter');
      await first.getByText(`@${username}`).waitFor();
    };
    for (const page of [first, second]) await page.goto(`${base}/app/settings/account`);
    await signIn(here.alice.username);
    const { username, token, refreshToken } = here.bob;
    await second.goto(`${base}/app/oauth-callback#access_token=${token}&refresh_token=${refreshToken}`);
    await second.getByRole('button', { name: `Continue as @${username}` }).click();
    await first.getByText(`@${username}`).waitFor();
    await first.goto(`${base}/app/s/${here.server.id}/${here.channel.id}`);
    await first.locator('#composer').fill('said by Bob');
    await first.keyboard.press('Enter');
    await first.locator('article[data-id]', { hasText: 'said by Bob' }).waitFor();
    await first.locator('article header').getByText(username).waitFor();
    await browser.close();
  });
});
