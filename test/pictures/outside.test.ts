// nodes: own

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import sharp from 'sharp';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { photo } from './samples.ts';

async function codeOf(response: Response): Promise<string> {
  const body: Loose = await response.json();
  return body.code;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(handle: Handle): Promise<{ server: Server; at: string }> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return { server, at: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

describe('pictures at outside addresses', () => {
  let cluster: Cluster;
  let here: World;
  let host: Awaited<ReturnType<typeof listen>>;
  let hidden: Awaited<ReturnType<typeof listen>>;
  let picture: Buffer;
  const asked: IncomingMessage[] = [];
  let hiddenAsked = 0;

  before(async () => {
    picture = await photo();
    host = await listen((request, response) => {
      asked.push(request);
      answers[request.url?.split('?')[0] ?? '']?.(request, response);
    });
    hidden = await listen((_, response) => {
      hiddenAsked++;
      response.end(picture);
    });
    const outside = { timeoutMs: 1500 };
    cluster = await startCluster({ nodes: 1, settings: { appProxyAllow: [host.at], pictures: { outside } } });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    for (const { server } of [host, hidden]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const answers: Record<string, Handle> = {
    '/picture.jpg': (_, response) => response.setHeader('content-type', 'text/html').end(picture),
    '/redirected': (_, response) => response.writeHead(302, { location: '/picture.jpg?moved' }).end('elsewhere'),
    '/around': (_, response) => response.writeHead(302, { location: '/around' }).end(),
    '/inside': (_, response) => response.writeHead(302, { location: `http://${hidden.at}/` }).end(),
    '/metadata': (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
    '/page': (_, response) => response.end('<!doctype html><p>no picture'),
    '/svg': (_, response) =>
      response.setHeader('content-type', 'image/svg+xml').end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    '/missing': (_, response) => response.writeHead(404).end(picture),
    '/silent': () => {},
    '/stalling': (_, response) => void response.write(picture.subarray(0, 100)),
    '/endless': (_, response) => {
      const more = () => {
        if (response.destroyed) return;
        response.write(Buffer.alloc(65_536));
        setTimeout(more, 1);
      };
      more();
    },
    '/large': (_, response) => response.writeHead(200, { 'content-length': '99999999' }).write('x'),
    '/slow.jpg': (_, response) => void setTimeout(() => response.end(picture), 300),
  };

  async function linkTo(url: string): Promise<string | null> {
    const { status, body } = await here.alice.post('/api/media/outside-links', { urls: [url] });
    expect(status).to.equal(200);
    expect(body.links[0].url).to.equal(url);
    return body.links[0].link;
  }
  const open = (link: string, headers: Record<string, string> = {}) => fetch(here.bob.node.url + link, { headers });
  const at = (path: string) => `http://${host.at}${path}`;

  it('come from this site, encoded anew in their own proportions, and are fetched once', async () => {
    const link = (await linkTo(at('/picture.jpg'))) ?? '';
    asked.length = 0;
    const [large, small] = await Promise.all([open(link), open(`${link}&size=small`)]);
    expect([large.status, small.status]).to.deep.equal([200, 200]);
    expect(asked.length).to.equal(1);
    const sent = Object.keys(asked[0]?.headers ?? {});
    expect(
      sent.filter((name) => !['host', 'connection', 'accept', 'accept-encoding', 'user-agent'].includes(name)),
    ).to.deep.equal([]);
    const { format, width, height, exif } = await sharp(Buffer.from(await large.arrayBuffer())).metadata();
    expect({ format, width, height, exif }).to.deep.equal({ format: 'webp', width: 341, height: 512, exif: undefined });
    expect(await sharp(Buffer.from(await small.arrayBuffer())).metadata()).to.include({ width: 64, height: 96 });
    expect(large.headers.get('content-type')).to.equal('image/webp');
    expect(large.headers.get('cache-control')).to.equal('public, max-age=86400');
    expect(large.headers.get('content-security-policy')).to.contain('sandbox');
    const again = await open(link, { 'if-none-match': large.headers.get('etag') ?? '' });
    expect([again.status, asked.length]).to.deep.equal([304, 1]);
  });

  it('are fetched for nobody but those whom this site gave the link', async () => {
    const link = (await linkTo(at('/picture.jpg'))) ?? '';
    asked.length = 0;
    const other = new URLSearchParams({ url: at('/other') });
    for (const path of [
      link.replace(/outside\/./, 'outside/_'),
      `${link.split('?')[0]}?${other}`,
      `/media/outside/x?${other}`,
    ]) {
      const response = await open(path);
      expect([response.status, await codeOf(response)]).to.deep.equal([404, 'PICTURE_NOT_FOUND']);
    }
    expect(asked.length).to.equal(0);
    const anonymous = await fetch(`${here.bob.node.url}/api/media/outside-links`, { method: 'POST', body: '{}' });
    expect(anonymous.status).to.equal(401);
    expect(await Promise.all(['javascript:alert(1)', 'x', 'file:///etc/passwd', 'data:,x'].map(linkTo))).to.deep.equal([
      null,
      null,
      null,
      null,
    ]);
    const many = await here.alice.post('/api/media/outside-links', {
      urls: Array.from({ length: 51 }, () => at('/x')),
    });
    expect(many.body.code).to.equal('VALIDATION_FAILED');
  });

  it('are followed over redirects, but never to hosts inside', async () => {
    expect((await open((await linkTo(at('/redirected'))) ?? '')).status).to.equal(200);
    const inside = [
      `http://${hidden.at}/`,
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.0.0.1/x',
      at('/inside'),
      at('/metadata'),
    ];
    for (const url of inside) {
      const response = await open((await linkTo(url)) ?? '');
      expect([url, response.status, await codeOf(response)]).to.deep.equal([url, 422, 'UNSAFE_URL']);
      expect(response.headers.get('cache-control')).to.equal('no-store');
    }
    expect(hiddenAsked).to.equal(0);
  });

  it('are refused where there is no usable picture, and are not asked for again at once', async () => {
    const bad = ['/around', '/page', '/svg', '/missing', '/silent', '/stalling', '/endless', '/large'];
    const links = await Promise.all(bad.map(async (path) => (await linkTo(at(path))) ?? ''));
    const fetchAll = () =>
      Promise.all(
        links.map(async (link, index) => {
          const response = await open(link);
          return [bad[index], response.status, await codeOf(response)];
        }),
      );
    const expected = bad.map((path) => [path, 502, 'PICTURE_UNAVAILABLE']);
    expect(await fetchAll()).to.deep.equal(expected);
    asked.length = 0;
    expect(await fetchAll()).to.deep.equal(expected);
    expect(asked.length).to.equal(0);
  });

  it('are fetched once for many who want them at the same time', async () => {
    const link = (await linkTo(at('/slow.jpg'))) ?? '';
    asked.length = 0;
    const all = await Promise.all(Array.from({ length: 20 }, () => open(link)));
    expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(asked.length).to.equal(1);
  });

  it('stay as they are where people set them', async () => {
    const url = 'https://example.com/halves.png?x=1&y=ä';
    expect((await here.alice.patch('/api/auth/me', { avatarUrl: url })).body.avatarUrl).to.equal(url);
  });
});
