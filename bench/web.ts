import { webBundle } from '../src/web/bundle.ts';
import { pause, percentile } from './load.ts';
import type { Figures } from './scenario.ts';
import { Tables } from './table.ts';
import { openSite, type Site } from './web/site.ts';
import { type Line, Visit } from './web/visit.ts';

/**
 * `npm run bench -- web [parts of names]`: what a conversation takes of the main thread of a browser whose processor is four
 * times slower than this machine's, and what people notice of that. What a message costs is processor time of the page's thread;
 * the other times grow with what else the machine does, so its load stands in the last column.
 */
const floodMs = 8000;
/** What the page keeps at hand. */
const rows = 400;
const rounds = 5;

/** The preset of the developer tools. */
const slow4G: Line = { latency: 562.5, downloadThroughput: 188_744, uploadThroughput: 86_400 };

type Measure = (site: Site) => Promise<Figures>;

const measures: [string, Measure][] = [
  ['quiet channel of 400 rows', (site) => busy(site, 0)],
  ['20 messages a second in a channel of 400 rows', (site) => busy(site, 20)],
  ['50 messages a second in a channel of 400 rows', (site) => busy(site, 50)],
  ['typing at 50 messages a second', typing],
  ['scrolling back through 10 000 messages', scrolling],
  ['opening a channel that was seen before', opening],
  ['cold load on slow 4G', coldLoad],
  ['script of the first page', size],
];

/** @param file where the table goes @param wanted parts of the names of measures; none: all of them */
export async function web(file: string, wanted: string[]): Promise<void> {
  const tables = new Tables(file);
  const site = await openSite();
  try {
    for (const [name, measure] of measures) {
      if (wanted.length === 0 || wanted.some((part) => name.includes(part))) tables.row(name, await measure(site));
    }
  } finally {
    await site.stop();
  }
}

/** A page that shows the newest messages of a channel, and keeps as many as it may. */
async function openBusy(site: Site): Promise<Visit> {
  const visit = await Visit.open(site, site.busy);
  await site.flood(rows + 20, 200);
  await visit.page.locator(`text=said ${site.said}`).first().waitFor();
  await visit.slowDown();
  await pause(1000);
  return visit;
}

async function busy(site: Site, perSecond: number): Promise<Figures> {
  const visit = await openBusy(site);
  try {
    const before = await visit.work();
    const [, waits] = await Promise.all([
      perSecond === 0 ? pause(floodMs) : site.flood((perSecond * floodMs) / 1000, perSecond),
      visit.answers(floodMs),
    ]);
    await pause(500);
    const now = await visit.work();
    const each = (was: number, is: number) => (is - was) / Math.max(1, (perSecond * floodMs) / 1000);
    return {
      'main thread (ms a message)': each(before.total, now.total),
      'script (ms)': each(before.script, now.script),
      'style and layout (ms)': each(before.layout, now.layout),
      'longest task (ms)': await visit.longestTask(),
      'answers after, p95 (ms)': percentile(waits, 0.95),
    };
  } finally {
    await visit.close();
  }
}

async function typing(site: Site): Promise<Figures> {
  const visit = await openBusy(site);
  try {
    await visit.page.locator('#composer').focus();
    const [, keys] = await Promise.all([site.flood((50 * floodMs) / 1000, 50), visit.type(floodMs)]);
    return {
      'longest task (ms)': await visit.longestTask(),
      'tasks over 50 ms': await visit.longTasks(),
      'key to paint, p50 (ms)': percentile(keys, 0.5),
      'key to paint, p95 (ms)': percentile(keys, 0.95),
    };
  } finally {
    await visit.close();
  }
}

async function scrolling(site: Site): Promise<Figures> {
  const visit = await Visit.open(site, site.long);
  try {
    await visit.slowDown();
    await pause(1000);
    const { frames, seen } = await visit.scroll(12_000);
    return {
      'frames a second': (1000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0),
      'frame, p95 (ms)': percentile(frames, 0.95),
      'longest task (ms)': await visit.longestTask(),
      'tasks over 50 ms': await visit.longTasks(),
      'messages passed': seen,
    };
  } finally {
    await visit.close();
  }
}

async function opening(site: Site): Promise<Figures> {
  const visit = await Visit.open(site, site.busy);
  try {
    await visit.show(site.long);
    await visit.show(site.busy);
    await pause(1000);
    await visit.slowDown();
    const waits: number[] = [];
    for (let i = 0; i < rounds; i++) {
      for (const channel of [site.long, site.busy]) {
        waits.push(await visit.show(channel));
        await pause(700);
      }
    }
    return { 'click to paint, p50 (ms)': percentile(waits, 0.5), 'p95 (ms)': percentile(waits, 0.95) };
  } finally {
    await visit.close();
  }
}

async function coldLoad(site: Site): Promise<Figures> {
  const texts: number[] = [];
  const paints: number[] = [];
  for (let i = 0; i < 3; i++) {
    const visit = await Visit.open(site, site.busy, slow4G);
    texts.push(await visit.textAfter());
    paints.push(await visit.firstPaint());
    await visit.close();
  }
  return { 'to the text (ms)': percentile(texts, 0.5), 'to the first paint (ms)': percentile(paints, 0.5) };
}

async function size(): Promise<Figures> {
  const { page, assets } = await webBundle();
  const first = [...page.matchAll(/<(?:link rel="modulepreload"|script type="module")[^>]*assets\/([^"]+)"/g)];
  const sum = (of: 'gzip' | 'brotli' | 'bytes') =>
    first.reduce((all, [, name = '']) => all + (assets.get(name)?.[of].length ?? 0), 0) / 1000;
  return { 'gzip (kB)': sum('gzip'), 'brotli (kB)': sum('brotli'), 'as it is (kB)': sum('bytes') };
}
