// nodes: own

import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { sharedChromium } from '../rig/chromium.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** An app that tries to get at all that the site has, and writes down what came of it. */
const burglar = `<!doctype html><title>burglar</title><pre id="result"></pre>
<script type="module">
  import { word } from './module.js';
  const tried = { module: word, origin: self.origin };
  const attempt = async (name, work) => {
    try { tried[name] = String(await work()); } catch (error) { tried[name] = 'refused: ' + error.name; }
  };
  await attempt('cookies', () => document.cookie);
  await attempt('setCookie', () => { document.cookie = 'planted=1; path=/'; return document.cookie; });
  await attempt('localStorage', () => localStorage.getItem('secret'));
  await attempt('sessionStorage', () => sessionStorage.length);
  await attempt('indexedDB', () => new Promise((done, failed) => {
    const open = indexedDB.open('x'); open.onsuccess = () => done('opened'); open.onerror = () => failed(open.error);
  }));
  await attempt('caches', () => caches.open('x'));
  await attempt('serviceWorker', () => navigator.serviceWorker.register('./module.js'));
  await attempt('parent', () => parent === self ? 'none' : parent.document.title);
  await attempt('api', async () => (await fetch('/api/auth/me')).status);
  await attempt('apiWithCookies', async () => (await fetch('/api/auth/me', { credentials: 'include' })).status);
  await attempt('frame', () => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.src = '/app/login';
    frame.onload = () => { try { done(frame.contentDocument ? 'read' : 'nothing'); } catch (error) { done('refused'); } };
    document.body.append(frame);
    setTimeout(() => done('nothing'), 2000);
  }));
  await attempt('data', async () => (await (await fetch('./data.json')).json()).own);
  document.getElementById('result').textContent = JSON.stringify(tried);
</script>`;

describe('an app in a real browser', () => {
  let cluster: Cluster;
  let here: World;
  let browser: Browser;
  let app: Loose;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    browser = await sharedChromium();
    const base = `/api/servers/${here.server.id}`;
    const folder = (await here.alice.post(`${base}/workspace/folders`, { name: 'burglar' })).body;
    const files = {
      'index.html': burglar,
      'module.js': "export const word = 'loaded';",
      'data.json': '{"own":"mine"}',
    };
    for (const [name, content] of Object.entries(files)) {
      await here.alice.post(`${base}/workspace/files`, { name, content, parentId: folder.id });
    }
    app = (await here.alice.post(`${base}/apps/publish`, { slug: 'burglar', folderId: folder.id })).body;
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  /** A page of this site that has something to lose. */
  async function visit(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${here.alice.node.url}/app/login`);
    await page.evaluate(`document.cookie = 'session=secret; path=/'; localStorage.setItem('secret', 'token')`);
    return page;
  }

  const serve = () => `/api/servers/${here.server.id}/apps/${app.slug}/serve/`;

  function expectNothingGot(tried: Loose): void {
    expect(tried.module).to.equal('loaded');
    expect(tried.data).to.equal('mine');
    expect(tried.origin).to.equal('null');
    expect(JSON.stringify(tried)).not.to.match(/secret|token|planted|opened|read"/);
    for (const name of ['cookies', 'localStorage', 'sessionStorage', 'indexedDB', 'caches', 'serviceWorker']) {
      expect(tried[name], name).to.match(/^refused/);
    }
    for (const name of ['api', 'apiWithCookies']) expect(tried[name], name).to.match(/^(401|refused)/);
    expect(tried.frame).to.match(/^(nothing|refused)/);
  }

  it('gets at nothing of this site when it is opened by itself', async () => {
    const page = await visit();
    await page.goto(here.alice.node.url + serve());
    await page.waitForFunction(`document.getElementById('result').textContent !== ''`);
    expectNothingGot(JSON.parse((await page.textContent('#result')) ?? '{}'));
    expect(await page.title()).to.equal('burglar');
    // Nor has it left anything behind.
    await page.goto(`${here.alice.node.url}/app/login`);
    expect(await page.evaluate('document.cookie')).to.equal('session=secret');
    await page.context().close();
  });

  it('gets at nothing of this site when it is shown in a frame of it', async () => {
    const page = await (await browser.newContext()).newPage();
    // A page of this origin that may have frames, which those of our own may not.
    await page.route('**/framing', (route) => {
      const body = `<title>host</title><iframe src="${serve()}"></iframe>`;
      return route.fulfill({ contentType: 'text/html', body });
    });
    await page.goto(`${here.alice.node.url}/framing`);
    await page.evaluate(`document.cookie = 'session=secret; path=/'; localStorage.setItem('secret', 'token')`);
    const result = page.frameLocator('iframe').locator('#result:not(:empty)');
    const tried = JSON.parse((await result.textContent()) ?? '{}');
    expectNothingGot(tried);
    expect(tried.parent).to.match(/^refused/);
    await page.context().close();
  });
});
