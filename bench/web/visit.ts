import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { sharedChromium } from '../../test/rig/chromium.ts';
import { until } from '../../test/rig/until.ts';
import { pause } from '../load.ts';
import type { Site } from './site.ts';

/** What a line lets through, in ms and bytes a second. */
export interface Line {
  latency: number;
  downloadThroughput: number;
  uploadThroughput: number;
}

/** What the main thread did so far, in ms. */
interface Work {
  total: number;
  script: number;
  layout: number;
}

const slowness = 4;

/** In the page: notes long tasks, what keys took until they were painted, and when the first message was there. */
const notes = `
  const noted = { tasks: [], keys: [], text: null };
  window.noted = noted;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) noted.tasks.push(duration);
  }).observe({ type: 'longtask' });
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (one.name === 'keydown') noted.keys.push(one.duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  new MutationObserver((_, observer) => {
    if (!document.querySelector('article[data-id] .text')) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { noted.text = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
`;

/** In the page: shows a channel by its link, and says how long it takes until its messages are painted. */
const showing = (id: string) => `new Promise((resolve) => {
  const started = performance.now();
  const before = document.querySelector('.messages');
  document.querySelector('.list a[href$="${id}"]').click();
  const look = () => {
    const now = document.querySelector('.messages');
    if (now === before || !now?.querySelector('article[data-id]')) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
  };
  look();
})`;

/** In the page: notes the time between frames for so long, while \`step\` is done in each. */
const frames = (ms: number) => `new Promise((resolve) => {
  const all = [];
  const seen = new Set();
  const started = performance.now();
  let last = started;
  const list = document.querySelector('.messages');
  const note = () => { for (const one of list.querySelectorAll('article[data-id]')) seen.add(one.dataset.id); };
  const watch = new MutationObserver(note);
  watch.observe(list, { childList: true, subtree: true });
  note();
  const frame = () => {
    const now = performance.now();
    all.push(now - last);
    last = now;
    if (now - started < ${ms}) return requestAnimationFrame(frame);
    watch.disconnect();
    resolve({ frames: all.slice(1), seen: seen.size });
  };
  requestAnimationFrame(frame);
})`;

/** Someone signed in, in front of a browser of their own. */
export class Visit {
  readonly page: Page;
  private readonly context: BrowserContext;
  private readonly cdp: CDPSession;

  private constructor(page: Page, context: BrowserContext, cdp: CDPSession) {
    this.page = page;
    this.context = context;
    this.cdp = cdp;
  }

  /** @param line with one, nothing is waited for, and the processor is slow from the start */
  static async open(site: Site, path: string, line?: Line): Promise<Visit> {
    const context = await (await sharedChromium()).newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${site.origin}/app/icon.svg`);
    await page.evaluate((text) => localStorage.setItem('parley:tokens', text), JSON.stringify(site.tokens));
    await page.addInitScript(notes);
    const visit = new Visit(page, context, await context.newCDPSession(page));
    // Times of the thread alone: what else the machine does is not the page's.
    await visit.cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    if (line) {
      await visit.throttle();
      await visit.cdp.send('Network.enable');
      await visit.cdp.send('Network.emulateNetworkConditions', { offline: false, ...line });
      await page.goto(site.origin + path, { waitUntil: 'commit' });
      return visit;
    }
    await page.goto(site.origin + path);
    await page.locator('.side[aria-busy=false]').waitFor();
    await page.locator('.connection.live').waitFor();
    await page.locator('article[data-id]').first().waitFor();
    return visit;
  }

  /** From now on the processor is slow, and long tasks are noted. */
  async slowDown(): Promise<void> {
    await this.throttle();
    await this.page.evaluate('void (noted.tasks.length = 0, noted.keys.length = 0)');
  }

  private async throttle(): Promise<void> {
    await this.cdp.send('Emulation.setCPUThrottlingRate', { rate: slowness });
  }

  async work(): Promise<Work> {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    const of = (name: string) => 1000 * (metrics.find((one) => one.name === name)?.value ?? 0);
    return {
      total: of('TaskDuration'),
      script: of('ScriptDuration'),
      layout: of('LayoutDuration') + of('RecalcStyleDuration'),
    };
  }

  /** Asks the page again and again whether it is there. @returns how long it took to answer, each in ms */
  async answers(ms: number): Promise<number[]> {
    const waits: number[] = [];
    for (const end = performance.now() + ms; performance.now() < end; await pause(100)) {
      const asked = performance.now();
      await this.page.evaluate('0');
      waits.push(performance.now() - asked);
    }
    return waits;
  }

  /** Types for so long, as fast as people do. @returns what each key took until it was painted, in ms */
  async type(ms: number): Promise<number[]> {
    for (const end = performance.now() + ms; performance.now() < end; await pause(90))
      await this.page.keyboard.press('a');
    await pause(500);
    return this.page.evaluate<number[]>('noted.keys');
  }

  /** Turns the wheel towards the past for so long. */
  async scroll(ms: number): Promise<{ frames: number[]; seen: number }> {
    const box = await this.page.locator('.scroller').boundingBox();
    await this.page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 300);
    const noted = this.page.evaluate<{ frames: number[]; seen: number }>(frames(ms));
    for (const end = performance.now() + ms; performance.now() < end; await pause(16)) {
      await this.page.mouse.wheel(0, -120);
    }
    return noted;
  }

  /** Shows a channel by its link. @returns how long it took until its messages were painted, in ms */
  async show(path: string): Promise<number> {
    return this.page.evaluate<number>(showing(path.slice(path.lastIndexOf('/'))));
  }

  /** How long it took from the start of the navigation until a message was painted, in ms. */
  async textAfter(): Promise<number> {
    // Asked again from here: the page's policy lets no text be evaluated in it by itself.
    await until(() => this.page.evaluate<boolean>('noted.text !== null'), { timeout: 60_000 });
    return this.page.evaluate<number>('noted.text');
  }

  async firstPaint(): Promise<number> {
    return this.page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`);
  }

  /** 0: none was longer than 50 ms. */
  async longestTask(): Promise<number> {
    return this.page.evaluate<number>('Math.max(0, ...noted.tasks)');
  }

  async longTasks(): Promise<number> {
    return this.page.evaluate<number>('noted.tasks.length');
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
