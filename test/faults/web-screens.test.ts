// nodes: own

import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import ar from '../../src/languages/ar.json' with { type: 'json' };
import { shareOf } from '../rig/long.ts';
import { cutOff } from '../screens/cut-off.ts';
import { drawn } from '../screens/drawn.ts';
import { consentScreen, emptyScreens, gateScreens, phoneScreens, type Screen, screensOf } from '../screens/screens.ts';
import { furnishTeam, type Team } from '../screens/team.ts';
import { treeOf } from '../screens/tree.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type Visitor, visitor } from '../world/visitor.ts';

/** From the smallest phone to a large screen; 640 × 400 is what remains of a laptop's at 200 %. */
const sizes = [
  [320, 640],
  [390, 844],
  [640, 400],
  [768, 1024],
  [1000, 700],
  [1280, 800],
  [2560, 1440],
] as const;

/** What someone wrote, or an operator called something: that is the same in each language. */
const names = new Set([
  ...[
    'Parley',
    'general',
    'design',
    'support',
    'Design',
    'GitHub',
    'Stations',
    'Plans',
    'Spam',
    'FROM',
    'GROUP',
    'before',
  ],
  // Tiers are of the configuration, and kinds of jobs are what operators name in commands.
  ...['Member', 'member', 'mail', 'push', 'reminder'],
]);

describe('the screens of the web client', () => {
  let cluster: Cluster;
  let team: Team;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    team = await furnishTeam(node, cluster.databaseUrl);
  });
  after(() => cluster.stop());

  const visit = (person: Person | null, options: BrowserContextOptions = {}): Promise<Visitor> =>
    visitor(team.people.maya.node, person, { reducedMotion: 'reduce', ...options });

  const arrive = async ({ page }: Visitor, { shows }: Screen): Promise<void> => {
    await page.locator(shows).first().waitFor({ state: 'attached' });
    // What is loaded beside it draws in the next frames.
    await drawn(page);
  };

  /** What is cut off on a screen: always on the smallest phone, and of the other sizes some in each run. */
  async function cutOn(one: Visitor, screen: Screen, at: number, go: () => Promise<unknown>): Promise<string[]> {
    const found: string[] = [];
    const [least, ...larger] = sizes;
    for (const [index, [width, height]] of [least, ...shareOf(larger, 3, at)].entries()) {
      await one.page.setViewportSize({ width, height });
      if (index === 0) await go();
      await arrive(one, screen);
      found.push(...(await cutOff(one.page)).map((what) => `${screen.path} at ${width}: ${what}`));
    }
    return found;
  }

  async function cutFor(person: Person, screens: Screen[]): Promise<string[]> {
    const one = await visit(person);
    const found: string[] = [];
    await one.open('/app/messages');
    for (const [at, screen] of screens.entries())
      found.push(...(await cutOn(one, screen, at, () => one.go(screen.path))));
    expect(one.complaints).to.deep.equal([]);
    await one.close();
    return found;
  }

  it('have nothing that is cut off, at any width', async () => {
    expect(await cutFor(team.people.maya, [...screensOf(team), ...phoneScreens(team)])).to.deep.equal([]);
  });

  it('have nothing that is cut off for those who have nothing yet', async () => {
    expect(await cutFor(team.people.leila, await emptyScreens(team))).to.deep.equal([]);
  });

  it('have nothing that is cut off before someone signs in, or allows an app', async () => {
    const stranger = await visit(null);
    const jonas = await visit(team.people.jonas);
    const base = team.people.maya.node.url.replace('127.0.0.1', 'localhost');
    const screens = gateScreens(team).map((screen) => [stranger, screen] as const);
    const found: string[] = [];
    for (const [at, [one, screen]] of [...screens, [jonas, await consentScreen(team)] as const].entries())
      found.push(...(await cutOn(one, screen, at, () => one.page.goto(base + screen.path))));
    expect(found).to.deep.equal([]);
    await stranger.close();
    await jonas.close();
  });

  it('have nothing that is cut off from right to left', async () => {
    const { maya } = team.people;
    await maya.patch('/api/auth/me', { language: 'ar' });
    expect(await cutFor(maya, shareOf(screensOf(team), 2))).to.deep.equal([]);
    await maya.patch('/api/auth/me', { language: 'en' });
  });

  it('say nothing to screen readers in another language, nor what no text says', async () => {
    const { maya } = team.people;
    await maya.patch('/api/auth/me', { language: 'ar' });
    const english = new Map(Object.entries(ar.texts).map(([text, own]) => [text.toLowerCase(), own]));
    const one = await visit(maya);
    await one.open('/app/messages');
    // Until its texts are there a page speaks English.
    await one.page.locator('html[lang=ar]').waitFor({ state: 'attached' });
    const found: string[] = [];
    // What settings are about is said in English alone, and marked as such.
    for (const screen of screensOf(team).filter(({ name }) => name !== 'operators-settings')) {
      await one.go(screen.path);
      await arrive(one, screen);
      for (const { role, name } of await treeOf(one.page)) {
        const own = english.get(name.toLowerCase());
        const isLeft = own !== undefined && own !== name && !names.has(name);
        const isBroken = /\b(?:undefined|null|NaN)\b|\[object|\{\w+[,}]/.test(name);
        if (isLeft || isBroken) found.push(`${screen.path}: ${role} “${name}”`);
      }
    }
    expect(found).to.deep.equal([]);
    await one.close();
    await maya.patch('/api/auth/me', { language: 'en' });
  });
});
