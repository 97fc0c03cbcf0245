import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** An app elsewhere. */
async function listen(handle: Handle): Promise<{ server: Server; port: number }> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 };
}

describe('the app proxy', () => {
  let cluster: Cluster;
  let here: World;
  let upstream: { server: Server; port: number };
  let hidden: { server: Server; port: number };
  let handle: Handle;
  let base: string;
  let app: Loose;

  before(async () => {
    upstream = await listen((request, response) => handle(request, response));
    hidden = await listen((_, response) => response.end('secret'));
    const proxy = { timeoutMs: 2500, maxBytes: 1_000_000, concurrency: 5 };
    const change = { appProxyAllow: [`127.0.0.1:${upstream.port}`], corsOrigins: ['https://home.example'] };
    cluster = await startCluster({ settings: { ...change, apps: { bundle: { entries: 9, bytes: 9 }, proxy } } });
    here = await world(cluster);
    const url = `http://127.0.0.1:${upstream.port}/base`;
    const made = await here.alice.post(`/api/servers/${here.server.id}/apps`, { name: 'Elsewhere', type: 'url', url });
    app = made.body;
    base = `${here.bob.node.url}/api/app-proxy/${app.id}`;
  });
  after(async () => {
    here.close();
    await cluster.stop();
    upstream.server.closeAllConnections();
    for (const { server } of [upstream, hidden]) server.close();
  });

  const ask = (path: string, init: RequestInit = {}) => fetch(`${base}${path}`, { redirect: 'manual', ...init });
  const echo: Handle = async (request, response) => {
    const body = await text(request);
    const { method, url, headers } = request;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, body }));
  };

  it('passes every method, path, query and body on', async () => {
    handle = echo;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY', 'MKCOL']) {
      const body = method === 'GET' || method === 'OPTIONS' ? undefined : `body of ${method}`;
      const got: Loose = await (await ask('/a%2Fb/c?x=1&y=%20', { method, body })).json();
      expect([got.method, got.url, got.body]).to.deep.equal([method, '/base/a%2Fb/c?x=1&y=%20', body ?? '']);
    }
    expect(((await (await ask('/')).json()) as Loose).url).to.equal('/base');
    const head = await ask('/x', { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    const climbing: Loose = await (await ask('//evil.example/..%2f../x')).json();
    expect(climbing.headers.host).to.equal(`127.0.0.1:${upstream.port}`);
  });

  it('does not go round where the address of an app leads back to it', async () => {
    let rounds = 0;
    handle = async (request, response) => {
      rounds++;
      const headers = { 'cdn-loop': String(request.headers['cdn-loop']) };
      const answer = await ask(request.url?.replace('/base', '') ?? '', { headers });
      response.writeHead(answer.status).end(await answer.text());
    };
    const answer = await ask('/x', { headers: { 'cdn-loop': 'somebody-else; loops=1' } });
    const body: Loose = await answer.json();
    expect([answer.status, body.code, rounds]).to.deep.equal([502, 'APP_PROXY_FAILED', 1]);
    expect(body.error).to.contain('leads back');
  });

  it('lets the page of an app send to it, whatever origins may call this site', async () => {
    handle = (_, response) => response.writeHead(404).end();
    // What a browser asks first from a page in a sandbox, whose origin is none.
    const asking = {
      origin: 'null',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type',
    };
    const { status, headers } = await ask('/data', { method: 'OPTIONS', headers: asking });
    expect(status).to.equal(204);
    expect(headers.get('access-control-allow-origin')).to.equal('null');
    expect(headers.get('access-control-allow-methods')).to.contain('PUT');
    expect(headers.get('access-control-allow-headers')).to.equal('content-type');
    handle = (_, response) => response.writeHead(200, { 'x-total': '7' }).end();
    const read = await ask('/data', { headers: { origin: 'null' } });
    expect([read.headers.get('x-total'), read.headers.get('access-control-expose-headers')]).to.deep.equal(['7', '*']);
    const gone = await fetch(`${base}x/`, { headers: { origin: 'null' } });
    expect([gone.status, gone.headers.get('access-control-allow-origin')]).to.deep.equal([404, 'null']);
    const own = await fetch(`${here.bob.node.url}/api/auth/me`, { method: 'OPTIONS', headers: asking });
    expect(own.headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('finds what lies beside a page', async () => {
    const apps = `/api/servers/${here.server.id}/apps`;
    const url = `http://127.0.0.1:${upstream.port}/site/Index.html?a=b`;
    const page = (await here.alice.post(apps, { name: 'Page', type: 'url', url })).body;
    const at = (path: string) => fetch(base.replace(app.id, page.id) + path, { redirect: 'manual' });
    handle = echo;
    const asked = async (path: string) => ((await (await at(path)).json()) as Loose).url;
    expect(await asked('/')).to.equal('/site/Index.html?a=b');
    expect(await asked('/style.css?v=1')).to.equal('/site/style.css?v=1');
    handle = (_, response) => response.writeHead(302, { location: '/site/other.html' }).end();
    expect((await at('/')).headers.get('location')).to.equal(`/api/app-proxy/${page.id}/other.html`);
    await here.alice.delete(`${apps}/${page.id}`);
  });

  it('keeps the caller’s secrets, and those of this hop', async () => {
    handle = echo;
    const headers = {
      authorization: 'Bearer secret',
      cookie: 'session=secret',
      'x-forwarded-for': '10.0.0.1',
      'proxy-authorization': 'secret',
      te: 'trailers',
      referer: 'https://inside.example/secret',
      'x-app-kept': 'yes',
      range: 'bytes=0-9',
    };
    const got: Loose = await (await ask('/x', { headers })).json();
    expect(JSON.stringify(got.headers)).not.to.contain('secret').and.not.contain('10.0.0.1');
    expect(got.headers).to.include({ 'x-app-kept': 'yes', range: 'bytes=0-9', host: `127.0.0.1:${upstream.port}` });
  });

  it('lets no answer speak for this site', async () => {
    handle = (_, response) => {
      response.writeHead(201, {
        'set-cookie': ['a=1', 'b=2'],
        'content-security-policy': 'default-src *',
        'x-frame-options': 'DENY',
        'strict-transport-security': 'max-age=1',
        'clear-site-data': '"*"',
        'access-control-allow-origin': 'https://evil.example',
        'access-control-allow-credentials': 'true',
        'service-worker-allowed': '/',
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        'x-app-kept': 'yes',
        'content-type': 'text/html',
        etag: '"e"',
      });
      response.end('<p>');
    };
    const { status, headers } = await ask('/x');
    expect(status).to.equal(201);
    expect(headers.get('content-security-policy')).to.equal('sandbox allow-scripts allow-forms allow-popups');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    for (const [name, value] of Object.entries({ 'x-app-kept': 'yes', etag: '"e"', 'content-type': 'text/html' })) {
      expect(headers.get(name)).to.equal(value);
    }
    for (const name of ['set-cookie', 'x-frame-options', 'clear-site-data', 'service-worker-allowed', 'x-hop']) {
      expect(headers.get(name), name).to.equal(null);
    }
    expect(headers.get('access-control-allow-credentials')).to.equal(null);
  });

  it('streams both ways', async () => {
    let received = '';
    handle = (request, response) => {
      response.write('first ');
      request.on('data', (piece) => {
        received += piece;
      });
      request.once('end', () => response.end('last'));
    };
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const answer = ask('/stream', { method: 'POST', body: readable, duplex: 'half' });
    await writer.write(new TextEncoder().encode('one '));
    await until(() => received === 'one ');
    await writer.write(new TextEncoder().encode('two'));
    await writer.close();
    expect(await (await answer).text()).to.equal('first last');
    expect(received).to.equal('one two');
    let go = () => {};
    handle = (_, response) => {
      response.write('early');
      go = () => response.end(' late');
    };
    const reader = (await ask('/slow')).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).to.equal('early');
    go();
    expect(new TextDecoder().decode((await reader?.read())?.value)).to.equal(' late');
  });

  it('keeps redirects inside, and leads nobody to private addresses', async () => {
    const to = async (location: string) => {
      handle = (_, response) => response.writeHead(302, { location }).end();
      const { status, headers } = await ask('/x/y');
      return headers.get('location') ?? status;
    };
    const own = `http://127.0.0.1:${upstream.port}`;
    expect(await to('/base/z?q#h')).to.equal(`/api/app-proxy/${app.id}/z?q#h`);
    expect(await to('w')).to.equal(`/api/app-proxy/${app.id}/x/w`);
    expect(await to(`${own}/base`)).to.equal(`/api/app-proxy/${app.id}/`);
    const root = `/api/app-proxy/${app.id}/`;
    expect(await to(`${own}/elsewhere?q`)).to.equal(`${root}/elsewhere?q`);
    expect(await to('/')).to.equal(`${root}/`);
    expect(await to('/base//z')).to.equal(`${root}/base//z`);
    expect(await to('https://93.184.216.34/x')).to.equal('https://93.184.216.34/x');
    expect(await to(`http://127.0.0.1:${hidden.port}/`)).to.equal(422);
    expect(await to('http://169.254.169.254/latest')).to.equal(422);
    expect(await to('https://localhost/')).to.equal(422);
    expect(await to('javascript:alert(1)')).to.equal(422);
    expect(await to('https://[')).to.equal(502);
  });

  it('follows redirects out of the folder of the app, on its host', async () => {
    for (const path of ['/elsewhere/x?y', '/', '/base//z', '/baseline']) {
      handle = (_, response) => response.writeHead(302, { location: path }).end();
      const location = (await ask('/x')).headers.get('location');
      handle = echo;
      const got: Loose = await (await fetch(`${here.bob.node.url}${location}`)).json();
      expect([got.url, got.headers.host]).to.deep.equal([path, `127.0.0.1:${upstream.port}`]);
    }
  });

  it('has limits of size, time and number', async () => {
    const code = async (answer: Response) => ((await answer.json()) as Loose).code;
    handle = (_, response) => response.end(Buffer.alloc(1_000_001));
    expect(await code(await ask('/large'))).to.equal('APP_PROXY_FAILED');
    handle = (_, response) => {
      for (let i = 0; i < 20; i++) response.write(Buffer.alloc(100_000));
      response.end();
    };
    const cut = await ask('/larger')
      .then((answer) => answer.arrayBuffer())
      .catch(() => 'cut');
    expect(cut).to.equal('cut');
    handle = echo;
    expect((await ask('/up', { method: 'POST', body: Buffer.alloc(1_000_001) })).status).to.equal(413);
    handle = () => {};
    const begun = Date.now();
    const many = await Promise.all(Array.from({ length: 8 }, () => ask('/slow')));
    expect(many.map(({ status }) => status).sort()).to.deep.equal([503, 503, 503, 504, 504, 504, 504, 504]);
    for (const slow of many.filter(({ status }) => status === 504)) {
      expect(await code(slow)).to.equal('APP_PROXY_TIMEOUT');
    }
    expect(Date.now() - begun).to.be.lessThan(15_000);
    handle = (request) => request.socket.destroy();
    const broken = await ask('/broken');
    expect([broken.status, await code(broken)]).to.deep.equal([502, 'APP_PROXY_FAILED']);
    handle = echo;
    expect((await ask('/again')).status).to.equal(200);
  });

  it('tells the app when the caller has gone', async () => {
    let gone = false;
    handle = (request, response) => {
      response.write('x');
      request.once('close', () => {
        gone = true;
      });
    };
    const controller = new AbortController();
    const answer = await ask('/wait', { signal: controller.signal });
    await answer.body?.getReader().read();
    controller.abort();
    // Before the proxy would give it up by itself.
    await until(() => gone, { timeout: 2000 });
  });

  it('keeps no place for callers who went before it began', async () => {
    handle = echo;
    const { hostname, port, pathname } = new URL(base);
    for (let i = 0; i < 30; i++) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(`GET ${pathname}/x HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`, () => socket.destroy());
      await once(socket, 'close');
    }
    await until(async () => (await ask('/x')).status === 200);
  });

  it('is there for active apps of that type alone', async () => {
    handle = echo;
    const path = `/api/servers/${here.server.id}/apps`;
    const page = (await here.alice.post(path, { name: 'x', type: 'html', htmlContent: '' })).body;
    for (const id of [page.id, crypto.randomUUID(), 'elsewhere']) {
      expect((await fetch(`${here.bob.node.url}/api/app-proxy/${id}/`)).status).to.equal(404);
    }
    const served = await fetch(`${here.bob.node.url}${path}/elsewhere/serve/x?y`, { redirect: 'manual' });
    expect(served.headers.get('location')).to.equal(`/api/app-proxy/${app.id}/x?y`);
    await here.alice.patch(`${path}/${app.id}`, { status: 'draft' });
    expect((await ask('/x')).status).to.equal(404);
    const url = `http://127.0.0.1:${hidden.port}/`;
    expect((await here.alice.patch(`${path}/${app.id}`, { url, status: 'active' })).status).to.equal(422);
  });
});
