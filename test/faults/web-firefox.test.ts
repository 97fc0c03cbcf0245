// nodes: own

import { expect } from 'chai';
import { sharedFirefox } from '../rig/firefox.ts';
import { shareOf } from '../rig/long.ts';
import { until } from '../rig/until.ts';
import { cutOff } from '../screens/cut-off.ts';
import { screensOf } from '../screens/screens.ts';
import { furnishTeam, type Team } from '../screens/team.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Visitor, visitor } from '../world/visitor.ts';

/** What matters most, in the browser itself: what it does in other ways than Chromium is in web-engines.test.ts. */
describe('the web client in Firefox', () => {
  let cluster: Cluster;
  let team: Team;
  let maya: Visitor;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    team = await furnishTeam(node, cluster.databaseUrl);
    maya = await visitor(node, team.people.maya, { browser: await sharedFirefox() });
  });
  after(async () => {
    await maya?.close();
    await cluster?.stop();
  });

  const engineering = () => `/app/s/${team.server.id}/${team.channels.engineering}`;
  const articles = () => maya.page.locator('article[data-id]');

  it('shows a conversation at its end, and what is said there at once', async () => {
    await maya.open(engineering());
    await articles().first().waitFor();
    const left = () =>
      maya.page.evaluate<number>(`Math.abs(Math.round(document.querySelector('.scroller').scrollTop))`);
    expect(await left()).to.equal(0);
    await team.people.jonas.say(team.channels.engineering, 'Hello from the other side');
    await articles().filter({ hasText: 'Hello from the other side' }).waitFor();
  });

  it('sends what is written, and answers a message by the keyboard alone', async () => {
    const composer = maya.page.locator('#composer');
    await composer.fill('Written in Firefox');
    await composer.press('Enter');
    const sent = articles().filter({ hasText: 'Written in Firefox' });
    await sent.waitFor();
    await sent.last().focus();
    await maya.page.keyboard.press('r');
    await until(async () => (await maya.page.evaluate('document.activeElement.id')) === 'composer');
    await maya.page.keyboard.type('And answered');
    await maya.page.keyboard.press('Enter');
    await articles().filter({ hasText: 'And answered' }).locator('.reply').waitFor();
  });

  it('opens menus and dialogs that the keyboard closes again', async () => {
    const more = maya.page.locator('.conversation header').getByRole('button', { name: 'More', exact: true });
    await more.press('Enter');
    await maya.page.getByRole('menu').waitFor();
    expect(await cutOff(maya.page)).to.deep.equal([]);
    await maya.page.keyboard.press('Escape');
    await maya.page.getByRole('menu').waitFor({ state: 'detached' });
    await maya.page.keyboard.press('Control+k');
    await maya.page.getByRole('dialog').waitFor();
    await maya.page.keyboard.press('Escape');
    await maya.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('cuts nothing off, on a phone nor on a wide screen', async () => {
    const found: string[] = [];
    for (const { path, shows } of shareOf(screensOf(team), 3)) {
      await maya.go(path);
      for (const [width, height] of [
        [320, 640],
        [1280, 800],
      ] as const) {
        await maya.page.setViewportSize({ width, height });
        await maya.page.locator(shows).first().waitFor({ state: 'attached' });
        found.push(...(await cutOff(maya.page)).map((what) => `${path} at ${width}: ${what}`));
      }
    }
    expect(found).to.deep.equal([]);
    expect(maya.complaints).to.deep.equal([]);
  });
});
