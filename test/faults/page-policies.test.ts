// nodes: own

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sharedChromium } from '../rig/chromium.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

const marker = 'brought in by a member';

describe('the policies of our pages', () => {
  let cluster: Cluster;
  let here: World;
  let elsewhere: Server;
  /** A script that a member put under our origin, with the right type. */
  let script: string;
  let style: string;

  before(async () => {
    elsewhere = createServer(({ url }, response) => {
      const isStyle = url?.endsWith('.css');
      response.setHeader('content-type', isStyle ? 'text/css' : 'text/javascript');
      response.end(
        isStyle ? 'body { outline: 7px solid red }' : `document.documentElement.dataset.foreign = '${marker}'`,
      );
    });
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address: AddressInfo | string | null = elsewhere.address();
    const place = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    cluster = await startCluster({ nodes: 1, settings: { appProxyAllow: [place] } });
    here = await world(cluster);
    const body = { name: 'Scripts', type: 'url', url: `http://${place}/` };
    const { id } = (await here.alice.post(`/api/servers/${here.server.id}/apps`, body)).body;
    [script, style] = [`/api/app-proxy/${id}/x.js`, `/api/app-proxy/${id}/x.css`];
  });
  after(async () => {
    here.close();
    await cluster.stop();
    elsewhere.close();
  });

  /** Opens a page of ours with something added to its HTML, as if someone had got it in there. */
  async function openWith(path: string, added: string) {
    const context = await (await sharedChromium()).newContext();
    const page = await context.newPage();
    // The page of all calls takes a busy machine half a minute.
    page.setDefaultTimeout(100_000);
    const refused: string[] = [];
    await page.exposeFunction('noteRefusal', (directive: string) => refused.push(directive));
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => noteRefusal(event.effectiveDirective))`,
    );
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('</head>', `${added}</head>`) });
    });
    await page.goto(cluster.nodes[0]?.url + path);
    return { page, refused, close: () => context.close() };
  }

  for (const [path, shows] of [
    ['/app', 'Sign in'],
    ['/docs', 'Parley'],
  ] as const) {
    it(`${path} runs its own scripts, and takes no script, style, base, form or plug-in that is not its own`, async () => {
      expect(await (await fetch(cluster.nodes[0]?.url + script)).text()).to.contain(marker);
      const added = `<script src="${script}"></script><link rel="stylesheet" href="${style}"><base href="${script}"><object data="${script}"></object>`;
      const { page, refused, close } = await openWith(path, added);
      await page.getByText(shows).first().waitFor();
      const expected = ['script-src-elem', 'style-src-elem', 'base-uri', 'object-src'];
      await until(() => expected.every((directive) => refused.includes(directive)));
      expect(new Set(refused)).to.deep.equal(new Set(expected));
      expect(await page.evaluate('document.documentElement.dataset.foreign')).to.equal(undefined);
      await page.evaluate(`{
        const form = document.body.appendChild(document.createElement('form'));
        form.action = ${JSON.stringify(script)};
        form.submit();
      }`);
      await until(() => refused.includes('form-action'));
      expect(new URL(page.url()).pathname.startsWith(path)).to.equal(true);
      await close();
    });
  }

  it('give each answer a nonce of its own', async () => {
    for (const path of ['/app', '/docs']) {
      const nonces = await Promise.all(
        [1, 2].map(async () => {
          const answer = await fetch(cluster.nodes[0]?.url + path);
          const [, nonce = ''] =
            /script-src 'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '') ?? [];
          expect(await answer.text()).to.contain(`nonce="${nonce}"`);
          return nonce;
        }),
      );
      expect(new Set(nonces).size).to.equal(2);
    }
  });
});
