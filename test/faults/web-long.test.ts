// nodes: own

import { expect } from 'chai';
import { isLong } from '../rig/long.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** More than a page keeps. */
const many = isLong ? 520 : 440;
/** Of these those in view, and some beyond it. */
const mostDrawn = 200;

describe('a page of the web client that is open for long', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const count = () => bob.page.locator('article[data-id]').count();
  const shown = () => bob.page.locator('article[data-id] .text').allInnerTexts();
  const scroller = () => bob.page.locator('.scroller');

  /** A channel of its own, which bob looks at. */
  async function channel(name: string): Promise<string> {
    const id = await here.newChannel(name);
    await bob.open(`/app/s/${here.server.id}/${id}`);
    await bob.page.locator('.beginning').waitFor();
    return id;
  }

  /** In the order of their numbers. */
  async function say(channelId: string, from: number, to: number): Promise<void> {
    for (let i = from; i < to; i++) await here.alice.say(channelId, `line ${i}`);
  }

  /** Scrolls step by step, and notes all that comes by. */
  async function walk(step: number, isThere: (texts: string[]) => boolean): Promise<Set<string>> {
    const seen = new Set<string>();
    await until(
      async () => {
        const texts = await shown();
        for (const text of texts) seen.add(text);
        await scroller().evaluate((element, by) => element.scrollBy({ top: by }), step);
        return isThere(texts);
      },
      { timeout: 90_000, message: 'it does not end' },
    );
    return seen;
  }

  it('keeps so much of what comes, and fetches the rest again for those who scroll back', async () => {
    const id = await channel('busy');
    await say(id, 0, many);
    await bob.page.locator('article', { hasText: `line ${many - 1}` }).waitFor();
    expect(await count()).to.be.at.most(mostDrawn);
    const seen = await walk(-500, (texts) => texts.includes('line 0'));
    expect(seen.size).to.equal(many);
    expect(await count()).to.be.at.most(mostDrawn);
  });

  it('leaves those who read at the beginning where they are, and leads them on to what came', async () => {
    const id = await channel('read');
    await say(id, 0, 60);
    await bob.page.locator('article', { hasText: 'line 59' }).waitFor();
    await scroller().evaluate((element) => element.scrollTo({ top: -element.scrollHeight }));
    await bob.page.getByRole('button', { name: /newest/ }).waitFor();
    const kept = () => bob.page.evaluate<string[]>('Object.keys(sessionStorage)');
    await until(async () => (await kept()).some((key) => key.endsWith(id)));
    await say(id, 60, many);
    await bob.page.getByRole('button', { name: 'New messages' }).waitFor();
    const top = () =>
      bob.page.locator('article', { hasText: /line 0$/ }).evaluate((one) => one.getBoundingClientRect().top);
    expect(await top()).to.be.above(0);
    expect(await count()).to.be.at.most(mostDrawn);
    const seen = await walk(500, (texts) => texts.includes(`line ${many - 1}`));
    expect(seen.size).to.equal(many);
    await here.alice.say(id, 'the latest');
    await scroller().evaluate((element) => element.scrollTo({ top: 0 }));
    await bob.page.locator('article', { hasText: 'the latest' }).waitFor();
    expect(bob.complaints).to.deep.equal([]);
  });
});
