// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedChromium } from '../rig/chromium.ts';
import { chooseInMenu } from '../rig/message-menu.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** Someone in front of a browser, on a line that can be cut. */
interface Visitor {
  page: Page;
  line: TcpProxy;
  /** What the browser complained of. */
  complaints: string[];
}

describe('the web client', () => {
  let cluster: Cluster;
  let here: World;
  let alice: Visitor;
  let bob: Visitor;

  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    here = await world(cluster);
    [alice, bob] = [await visit(here.alice), await visit(here.bob)];
  });
  after(async () => {
    await Promise.all([alice, bob].map(({ page }) => page.context().close()));
    here.close();
    await cluster.stop();
  });

  const address = () => `/app/s/${here.server.id}/${here.channel.id}`;

  async function visit(person: Person): Promise<Visitor> {
    const line = await startProxy(person.node.port);
    const context = await (await sharedChromium()).newContext({ viewport: { width: 1000, height: 700 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('ERR_')) complaints.push(message.text());
    });
    await page.goto(`http://localhost:${line.port}${address()}`);
    await page.getByLabel('E-mail or username').fill(person.username);
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await live(page);
    return { page, line, complaints };
  }

  const live = (page: Page) => page.locator('.connection.live').waitFor();

  async function say(page: Page, ...texts: string[]): Promise<void> {
    for (const text of texts) {
      await page.locator('#composer').fill(text);
      await page.locator('#composer').press('Enter');
    }
  }

  /** A message; what is read out to those who do not see it stands elsewhere. */
  const said = (page: Page, text: string) => page.locator('article').getByText(text, { exact: true });

  /** What stands there, confirmed by the server, from the top to the end. */
  const texts = (page: Page) => page.locator('article[data-id] .text').allInnerTexts();

  it('lets two people talk through two nodes', async () => {
    await say(alice.page, 'Hello Bob');
    await said(bob.page, 'Hello Bob').waitFor();
    await say(bob.page, 'Hello Alice');
    await said(alice.page, 'Hello Alice').waitFor();
    expect(await texts(alice.page)).to.deep.equal(['Hello Bob', 'Hello Alice']);
  });

  it('queues what is said without a connection, says so, and ends up the same on both sides', async () => {
    bob.line.refuse(true);
    bob.line.cut();
    await bob.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await say(bob.page, 'one from the tunnel', 'two from the tunnel');
    await bob.page.getByText('Will be sent when you are back online').first().waitFor();
    await say(alice.page, 'meanwhile', 'in the office');
    await until(async () => (await texts(alice.page)).length === 4);
    bob.line.refuse(false);
    // It may come back by itself before the button is pressed.
    await Promise.any([bob.page.getByRole('button', { name: 'Try now' }).click(), live(bob.page)]);
    await live(bob.page);
    for (const { page } of [alice, bob]) await until(async () => (await texts(page)).length === 6);
    const [hers, his] = [await texts(alice.page), await texts(bob.page)];
    expect(his).to.deep.equal(hers);
    expect(hers.slice(-2)).to.deep.equal(['one from the tunnel', 'two from the tunnel']);
    expect(await bob.page.locator('article.unsent').count()).to.equal(0);
  });

  it('keeps unsent messages and drafts over a reload', async () => {
    alice.line.refuse(true);
    alice.line.cut();
    await alice.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await say(alice.page, 'said before the reload');
    await alice.page.locator('#composer').fill('half a thought');
    alice.line.refuse(false);
    await alice.page.reload();
    await live(alice.page);
    await until(async () => (await texts(bob.page)).at(-1) === 'said before the reload');
    await until(async () => (await texts(alice.page)).join() === (await texts(bob.page)).join());
    expect((await texts(bob.page)).filter((text) => text === 'said before the reload')).to.have.length(1);
    expect(await alice.page.locator('#composer').inputValue()).to.equal('half a thought');
    await alice.page.locator('#composer').fill('');
  });

  it('keeps the place over a reload', async () => {
    for (let i = 0; i < 120; i++) await here.alice.say(here.channel.id, `line ${i}`);
    await said(bob.page, 'line 119').waitFor();
    await bob.page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: -2500 }));
    await said(bob.page, 'line 20').waitFor();
    const place = () =>
      bob.page.locator('.scroller').evaluate((scroller) => {
        const top = scroller.getBoundingClientRect().top;
        const first = [...scroller.querySelectorAll('article')].find((one) => one.getBoundingClientRect().bottom > top);
        return { id: first?.dataset.id, offset: Math.round((first?.getBoundingClientRect().top ?? 0) - top) };
      });
    await bob.page.waitForFunction(() => Object.keys(sessionStorage).some((key) => key.startsWith('parley:scroll:')));
    const before = await place();
    await bob.page.reload();
    await live(bob.page);
    await bob.page.locator(`article[data-id="${before.id}"]`).waitFor();
    const after = await until(async () => {
      const now = await place();
      return now.id === before.id && now;
    });
    expect(Math.abs(after.offset - before.offset)).to.be.at.most(3);
    await here.alice.say(here.channel.id, 'while he reads old things');
    await bob.page.getByRole('button', { name: /newest|New messages/ }).click();
    await said(bob.page, 'while he reads old things').waitFor();
  });

  it('edits, answers and deletes, for both to see', async () => {
    await say(alice.page, 'a tpyo');
    await alice.page.locator('article', { hasText: 'a tpyo' }).waitFor();
    await until(async () => (await alice.page.locator('article.unsent').count()) === 0);
    await alice.page.locator('#composer').press('ArrowUp');
    await alice.page.getByLabel('Edit the message').fill('a typo');
    await alice.page.getByLabel('Edit the message').press('Enter');
    await bob.page.locator('article', { hasText: 'a typo (edited)' }).hover();
    await bob.page.locator('article', { hasText: 'a typo (edited)' }).getByRole('button', { name: 'Reply' }).click();
    await say(bob.page, 'an answer');
    await alice.page.locator('article', { hasText: 'an answer' }).locator('.reply', { hasText: 'a typo' }).waitFor();
    await alice.page
      .locator('article', { hasText: 'a typo (edited)' })
      .locator('.text')
      .last()
      .focus()
      .catch(() => {});
    await chooseInMenu(alice.page.locator('article', { hasText: 'an answer' }), 'Delete');
    await alice.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await until(async () => (await bob.page.getByText('an answer').count()) === 0);
  });

  it('has reactions, threads, pins and search, live for both', async () => {
    await say(alice.page, 'a word before', 'shall we meet at noon');
    const hers = alice.page.locator('article[data-id]', { hasText: 'shall we meet at noon' });
    const his = bob.page.locator('article[data-id]', { hasText: 'shall we meet at noon' });
    await his.hover();
    await his.getByRole('button', { name: 'React' }).click();
    await his.getByRole('option', { name: 'thumbs up' }).first().click();
    await his.hover();
    await his.getByRole('button', { name: 'React' }).click();
    await bob.page.getByLabel('Find an emoji').fill('🦉');
    await bob.page.getByLabel('Find an emoji').press('Enter');
    await hers.getByRole('button', { name: '🦉, 1' }).waitFor();
    await hers.getByRole('button', { name: '👍, 1' }).click();
    await his.getByRole('button', { name: '👍, 2' }).waitFor();
    await his.hover();
    await his.getByRole('button', { name: 'Thread' }).click();
    await bob.page.locator('#thread-composer').fill('noon is fine');
    await bob.page.locator('#thread-composer').press('Enter');
    await hers.locator('.thread-link', { hasText: '1 reply' }).click();
    await alice.page.locator('aside').getByText('noon is fine').waitFor();
    await bob.page.getByRole('button', { name: 'Thread menu' }).click();
    await bob.page.getByRole('menuitem', { name: 'Rename' }).click();
    await bob.page.getByLabel('Name', { exact: true }).fill('Lunch');
    await bob.page.getByRole('button', { name: 'Rename' }).click();
    await alice.page.locator('aside').getByRole('heading', { name: 'Lunch' }).waitFor();
    await alice.page.getByRole('link', { name: 'Close the thread' }).click();
    await alice.page.getByRole('button', { name: 'Threads', exact: true }).click();
    await alice.page.getByRole('dialog').getByRole('link', { name: 'Lunch' }).waitFor();
    await alice.page.keyboard.press('Escape');
    await bob.page.getByRole('link', { name: 'Close the thread' }).click();
    await chooseInMenu(hers, 'Pin');
    // Also of one that says no name, since it follows another of the same person.
    await his.getByRole('img', { name: 'Pinned' }).waitFor();
    await bob.page.getByRole('button', { name: 'Pinned messages' }).click();
    await bob.page.getByRole('dialog').getByText('shall we meet at noon').waitFor();
    await bob.page.keyboard.press('Escape');
    await bob.page.getByRole('button', { name: 'Search' }).click();
    await bob.page.getByLabel('Words to look for').fill('noon');
    await bob.page.keyboard.press('Enter');
    await bob.page.locator('.aside').getByText('shall we meet at noon').click();
    await bob.page.locator('article.target', { hasText: 'shall we meet at noon' }).waitFor();
    await bob.page.locator('.aside').getByRole('button', { name: 'Close' }).click();
  });

  it('counts what is unread and draws the line where one was', async () => {
    await bob.page.getByRole('link', { name: 'Friends and messages' }).click();
    await bob.page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
    await say(alice.page, 'news one', 'news two');
    await bob.page.locator('.rail .badge', { hasText: '2' }).waitFor();
    await bob.page.goBack();
    await said(bob.page, 'news two').waitFor();
    await bob.page.locator('.line.new').waitFor();
    await until(async () => (await bob.page.locator('.rail .badge').count()) === 0);
  });

  it('shows who is there, also after a reload', async () => {
    await bob.page.reload();
    await live(bob.page);
    await bob.page.getByRole('button', { name: 'Members' }).click();
    await until(async () => (await bob.page.locator('.aside .presence.online').count()) === 2);
    await bob.page.getByRole('button', { name: 'Members' }).click();
    await bob.page.locator('.aside').waitFor({ state: 'detached' });
  });

  it('takes someone from an invitation over a new account into the server, on a phone', async () => {
    const viewport = { width: 390, height: 844 };
    const context = await (await sharedChromium()).newContext({ viewport, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    await page.goto(`${here.carol.node.url}/app/invite/${here.server.inviteCode}`);
    await page.getByText('You are invited to Home.').waitFor();
    await page.getByRole('link', { name: 'I already have an account' }).click();
    await page.getByText('You are invited to Home.').waitFor();
    await page.goBack();
    await page.getByLabel('E-mail').fill(`dora${Date.now()}@example.com`);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Join Home' }).waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('link', { name: 'general' }).click();
    await page.locator('#composer').fill('hello from a phone');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await said(alice.page, 'hello from a phone').waitFor();
    const widths = await page.locator('html').evaluate((html) => [html.scrollWidth, html.clientWidth]);
    expect(widths[0]).to.be.at.most(widths[1] ?? 0);
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByRole('link', { name: 'general' }).waitFor();
    await context.close();
  });

  it('shows what people write as text, whatever it is', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script> javascript:alert(1)';
    await say(alice.page, evil);
    await said(bob.page, evil).waitFor();
    expect(await bob.page.locator('article img, article script').count()).to.equal(0);
    expect(await bob.page.title()).to.contain('Parley');
  });

  it('is small, quick and under a strict policy, without a complaint of the browser', async () => {
    const page = await fetch(`${here.alice.node.url}/app`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).to.match(/script-src 'nonce-[\w+/=]{20,}';/);
    expect(policy).to.contain("require-trusted-types-for 'script'");
    expect(policy).to.not.contain('unsafe');
    const starting = /<(?:script type="module"|link rel="modulepreload")[^>]* (?:src|href)="([^"]+)"/g;
    let bytes = 0;
    for (const [, script] of (await page.text()).matchAll(starting)) {
      const answer = await fetch(`${here.alice.node.url}${script}`, { headers: { 'accept-encoding': 'gzip' } });
      bytes += Number(answer.headers.get('content-length'));
    }
    expect(bytes).to.be.within(50_000, 150_000);
    // What the page shows stays where it is while the rest arrives, and while others write.
    await alice.page.addInitScript(`{
      window.jumped = 0;
      const add = (list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) jumped += entry.value; };
      new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
    }`);
    alice.line.refuse(true);
    alice.line.cut();
    await alice.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await say(alice.page, 'not sent yet');
    // With a line this page would send it before the next one is there.
    await alice.page.goto('about:blank');
    alice.line.refuse(false);
    await alice.page.route('**/api/channels/*/messages?*', async (route) => {
      await said(alice.page, 'not sent yet').first().waitFor();
      await route.continue();
    });
    await alice.page.goto(`http://localhost:${alice.line.port}${address()}`);
    await live(alice.page);
    await here.bob.say(here.channel.id, 'a last word');
    await said(alice.page, 'a last word').waitFor();
    expect(await alice.page.evaluate('jumped')).to.be.below(0.1);
    const painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    const paint = await until(() => alice.page.evaluate<number | undefined>(painted));
    expect(paint).to.be.below(5000);
    expect([...alice.complaints, ...bob.complaints]).to.deep.equal([]);
  });
});
