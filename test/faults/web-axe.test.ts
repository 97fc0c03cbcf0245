// nodes: own

import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { shareOf } from '../rig/long.ts';
import { scan, withAxe } from '../screens/axe.ts';
import { cutOff } from '../screens/cut-off.ts';
import { drawn } from '../screens/drawn.ts';
import { Explorer, opened } from '../screens/explorer.ts';
import { consentScreen, emptyScreens, gateScreens, phoneScreens, type Screen, screensOf } from '../screens/screens.ts';
import { furnishTeam, type Team } from '../screens/team.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type Visitor, visitor } from '../world/visitor.ts';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** Both sizes, and both sets of colours. */
const looks: [look: string, options: BrowserContextOptions][] = [
  ['on a wide screen in the light', { colorScheme: 'light' }],
  ['on a phone in the dark', { ...phone, colorScheme: 'dark' }],
];

describe('the web client, looked at by axe-core', () => {
  let cluster: Cluster;
  let team: Team;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    team = await furnishTeam(node, cluster.databaseUrl);
  });
  after(() => cluster.stop());

  async function visit(person: Person | null, options: BrowserContextOptions): Promise<Visitor> {
    const context = { ...options, bypassCSP: true, reducedMotion: 'reduce' as const };
    const one = await visitor(team.people.maya.node, person, context);
    await withAxe(one.page);
    return one;
  }

  /**
   * A screen is there with all of it. What shows may be on the one before, too, and a heading that fades in stands for a page
   * until its script is there.
   */
  async function shown({ page }: Visitor, { shows }: Screen, state: 'attached' | 'visible'): Promise<void> {
    await drawn(page);
    await page.locator(shows).first().waitFor({ state });
    await page.locator('.late').waitFor({ state: 'detached' });
    await drawn(page);
  }

  /** What is found on screens that someone goes to. */
  async function findings(person: Person, screens: Screen[], options: BrowserContextOptions): Promise<string[]> {
    const one = await visit(person, options);
    const found: string[] = [];
    await one.open('/app/messages');
    for (const screen of screens) {
      await one.go(screen.path);
      await shown(one, screen, 'attached');
      found.push(...(await scan(one.page)).map((what) => `${screen.path}: ${what}`));
    }
    expect(one.complaints).to.deep.equal([]);
    await one.close();
    return found;
  }

  for (const [at, [look, options]] of looks.entries()) {
    it(`has no finding on any screen, ${look}`, async () => {
      const lists = 'isMobile' in options ? phoneScreens(team) : [];
      const screens = [...shareOf(screensOf(team), 2, at), ...lists];
      expect(await findings(team.people.maya, screens, options)).to.deep.equal([]);
    });

    it(`has no finding before someone signs in, ${look}`, async () => {
      const found: string[] = [];
      const base = team.people.maya.node.url.replace('127.0.0.1', 'localhost');
      for (const [person, screens] of [
        [null, gateScreens(team)],
        [team.people.jonas, [await consentScreen(team)]],
      ] as const) {
        const one = await visit(person, options);
        for (const screen of screens) {
          await one.page.goto(base + screen.path);
          await shown(one, screen, 'visible');
          found.push(...(await scan(one.page)).map((what) => `${screen.path}: ${what}`));
        }
        await one.close();
      }
      expect(found).to.deep.equal([]);
    });
  }

  it('has no finding where there is nothing yet', async () => {
    expect(await findings(team.people.leila, await emptyScreens(team), {})).to.deep.equal([]);
  });

  it('has no finding while its lists are on the way', async () => {
    const one = await visit(team.people.maya, { ...phone, viewport: { width: 390, height: 400 } });
    const found: string[] = [];
    // What is fetched for a screen comes when that was looked at without it.
    const held = Promise.withResolvers<void>();
    await one.page.route(/\/api\/(?:servers\/[^/]+|channels|operator)\/(?!jobs$)/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await one.open('/app/messages');
    await one.whole();
    const meanwhile = new Map([
      ['channel', 'h1'],
      ['files', 'h1'],
      ['server-audit', '.body'],
      ['operators-storage', '.body'],
      // How many jobs wait is there before those that were given up.
      ['operators-jobs', '.facts'],
    ]);
    for (const screen of screensOf(team)) {
      const shows = meanwhile.get(screen.name);
      if (!shows) continue;
      await one.go(screen.path);
      await shown(one, { ...screen, shows }, 'attached');
      found.push(...(await scan(one.page)).map((what) => `${screen.name}: ${what}`));
    }
    await one.page.unrouteAll({ behavior: 'ignoreErrors' });
    held.resolve();
    await one.close();
    expect(found).to.deep.equal([]);
  });

  it('lets the keyboard scroll wide code from the moment in which it is there', async () => {
    const one = await visit(team.people.maya, phone);
    await one.open('/app/messages');
    await one.page.evaluate(`{
      window.codes = [];
      new MutationObserver(() => {
        for (const code of document.querySelectorAll('pre'))
          if (!codes.some((one) => one.code === code)) codes.push({ code, isWide: code.scrollWidth > code.clientWidth, index: code.tabIndex });
      }).observe(document.body, { childList: true, subtree: true });
    }`);
    const thread = screensOf(team).find(({ name }) => name === 'thread');
    if (!thread) throw new Error('no thread');
    await one.go(thread.path);
    await one.page.locator('.thread pre').first().waitFor();
    const wide = await one.page.evaluate<number[]>('codes.filter(({ isWide }) => isWide).map(({ index }) => index)');
    await one.close();
    expect(wide).to.include(0).and.not.include(-1);
  });

  describe('where a button or a menu opens something', () => {
    const found: string[] = [];
    const sizes = [
      [320, 640],
      [1280, 800],
    ] as const;
    let one: Visitor;
    let explorer: Explorer;

    before(async () => {
      one = await visit(team.people.maya, {});
      explorer = new Explorer(one, async (where) => {
        for (const [width, height] of sizes) {
          await one.page.setViewportSize({ width, height });
          found.push(...(await cutOff(one.page)).map((what) => `${where} at ${width}: ${what}`));
        }
        found.push(...(await scan(one.page, opened)).map((what) => `${where}: ${what}`));
      });
      await one.open('/app/messages');
      await explorer.begin();
    });
    after(() => one.close());

    async function explore(isWanted: (screen: Screen) => boolean): Promise<void> {
      for (const screen of shareOf(screensOf(team), 3, 0).filter(isWanted)) await explorer.explore(screen);
      expect(found.splice(0)).to.deep.equal([]);
    }

    it('has no finding in that, nor is anything of it cut off, on the screen with most of it', () =>
      explore(({ name }) => name === 'channel'));

    it('has none on the others either', () => explore(({ name }) => name !== 'channel'));
  });
});
