// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedChromium } from '../rig/chromium.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';

describe('the page of the API documents', () => {
  let cluster: Cluster;
  let url: string;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    url = cluster.nodes[0]?.url ?? '';
  });
  after(() => cluster.stop());

  /** Opens it, and notes what the browser complains of and whom else it asks. */
  async function open(width: number, address = '/docs'): Promise<{ page: Page; complaints: string[] }> {
    const context = await (await sharedChromium()).newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    // All calls on one page take a busy machine half a minute.
    page.setDefaultTimeout(100_000);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) complaints.push(request.url());
    });
    const refused = `addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))`;
    await page.addInitScript(refused);
    await page.goto(url + address);
    return { page, complaints };
  }

  it('shows the routes, by feature, under a policy that lets no script in but our own', async () => {
    const { page, complaints } = await open(1280);
    await page.getByRole('heading', { name: 'Parley', exact: true }).waitFor();
    await page
      .getByRole('link', { name: /^Messages/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Send a message', exact: true }).first().waitFor();
    const answer = await fetch(`${url}/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.match(/script-src 'nonce-[\w+/=]{20,}';/)
      .and.contain("'none'");
    expect(complaints).to.deep.equal([]);
    await page.context().close();
  });

  it('shows the events', async () => {
    const { page, complaints } = await open(1280, '/docs?api=events');
    await page.getByRole('heading', { name: 'What clients send' }).first().waitFor();
    await page.getByText('message:send').first().waitFor();
    expect(complaints).to.deep.equal([]);
    await page.context().close();
  });

  it('is usable on a phone: nothing sticks out, and a menu leads to every feature', async () => {
    const { page, complaints } = await open(360);
    await page.getByRole('heading', { name: 'Parley', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open Menu' }).click();
    await page
      .getByRole('link', { name: /^Messages/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Send a message', exact: true }).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(360);
    expect(complaints).to.deep.equal([]);
    await page.context().close();
  });
});
