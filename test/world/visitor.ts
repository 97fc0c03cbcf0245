import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Node } from '../../src/node/node.ts';
import { sharedChromium } from '../rig/chromium.ts';
import { until } from '../rig/until.ts';
import { sharedCluster, startCluster } from './nodes.ts';
import type { Person } from './person.ts';
import { type World, world } from './world.ts';

/** Someone in front of a browser. */
export interface Visitor {
  page: Page;
  /** What the browser complained of, beside requests that failed. */
  complaints: string[];
  /** Goes to an address under /app, and waits until its lists are there and all that happens arrives. */
  open(path: string): Promise<void>;
  /** Goes there as a link in the page would, without loading it anew. */
  go(path: string): Promise<void>;
  /** Waits until the parts of the page that are shown later are in the browser, too. */
  whole(): Promise<void>;
  close(): Promise<void>;
}

/** Someone at the server's own address; signed in as a person, when there is one. @param browser Chromium, if not another */
export async function visitor(
  node: Node,
  person: Person | null,
  { browser, ...options }: BrowserContextOptions & { browser?: Browser } = {},
): Promise<Visitor> {
  const context = await (browser ?? (await sharedChromium())).newContext({
    viewport: { width: 1100, height: 760 },
    // Tests take requests of pages into their own hands, which a service worker would answer.
    serviceWorkers: 'block',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A page that a test takes off the line tries to connect all the same.
    const isExpected = /^Failed to load|ERR_INTERNET_DISCONNECTED/.test(message.text());
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  const base = node.url.replace('127.0.0.1', 'localhost');
  if (person) {
    await page.goto(`${base}/app/icon.svg`);
    const tokens = { accessToken: person.token, refreshToken: person.refreshToken, userId: person.id };
    await page.evaluate((text) => localStorage.setItem('parley:tokens', text), JSON.stringify(tokens));
  }
  return {
    page,
    complaints,
    async open(path) {
      await page.goto(base + path);
      if (!person) return;
      await page.locator('.side[aria-busy=false]').waitFor({ state: 'attached' });
      await page.locator('.connection.live').waitFor({ state: 'attached' });
    },
    async go(path) {
      const where = JSON.stringify(path);
      await page.evaluate(`history.pushState(null, '', ${where}); dispatchEvent(new PopStateEvent('popstate'))`);
    },
    async whole() {
      const isHere = `[...document.getElementById('parts').content.querySelectorAll('link')].every((link) =>
        performance.getEntriesByName(location.origin + link.getAttribute('href')).some(({ responseEnd }) => responseEnd > 0))`;
      await until(() => page.evaluate<boolean>(isHere), { message: 'the parts are not here' });
    },
    close: () => context.close(),
  };
}

/** A world on nodes of its own, which people look at through browsers. */
export interface WebWorld extends World {
  /** Someone at the address of the person's node, or of alice's where there is none. */
  visit(person: Person | null, options?: BrowserContextOptions): Promise<Visitor>;
  /** Closes the browsers and stops the nodes, too, unless others are on them. */
  close(): Promise<void>;
}

/** Starts such a world, on a node of its own where options are given, else on that which the files of a process share. */
export async function webWorld(options?: Parameters<typeof startCluster>[0]): Promise<WebWorld> {
  const cluster = await (options ? startCluster({ nodes: 1, ...options }) : sharedCluster());
  const here = await world(cluster);
  const visitors: Visitor[] = [];
  return {
    ...here,
    async visit(person, browserOptions) {
      const one = await visitor(person?.node ?? here.alice.node, person, browserOptions);
      visitors.push(one);
      return one;
    },
    async close() {
      await Promise.all(visitors.map((one) => one.close()));
      here.close();
      if (options) await cluster.stop();
    },
  };
}
