// nodes: own

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import { Unread } from '../rig/unread.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const timeoutMs = 1200;
/** Longer than the proxy waits for anything that does not come. */
const pieces = 5;
const betweenMs = 500;

describe('what the app proxy passes on for long', () => {
  let cluster: Cluster;
  let here: World;
  let upstream: Server;
  let sockets: WebSocketServer;
  let handle: RequestListener;
  let port: number;
  let count = 0;
  const handshakes: IncomingMessage[] = [];
  /** The addresses of WebSockets that ended. */
  const ends: string[] = [];

  before(async () => {
    upstream = createServer((request, response) => handle(request, response));
    sockets = new WebSocketServer({ noServer: true, handleProtocols: (all) => [...all][0] ?? false });
    upstream.on('upgrade', (request, socket, head) => {
      handshakes.push(request);
      socket.once('close', () => ends.push(request.url ?? ''));
      if (request.url?.includes('endless')) {
        socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\n\r\n');
        const more = setInterval(() => socket.write(Buffer.alloc(200_000)), 50);
        socket.once('close', () => clearInterval(more));
      } else if (request.url?.includes('stuck')) {
        socket.on('end', () => socket.destroy()).resume();
        socket.write('HTTP/1.1 200 OK\r\n\r\nx');
      } else if (request.url?.includes('closed'))
        socket.end('HTTP/1.1 403 Forbidden\r\nX-App-Why: not now\r\nContent-Length: 2\r\n\r\nno');
      else
        sockets.handleUpgrade(request, socket, head, (opened) =>
          opened.on('message', (data, isBinary) => opened.send(data, { binary: isBinary })),
        );
    });
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const address: AddressInfo | string | null = upstream.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const proxy = { timeoutMs, socketIdleMs: 2000, maxBytes: 1_000_000, concurrency: 9, perApp: 4, perAddress: 6 };
    const settings = { trustProxy: 1, appProxyAllow: [`127.0.0.1:${port}`], apps: { proxy } };
    cluster = await startCluster({ nodes: 1, settings });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    upstream.closeAllConnections();
    sockets.close();
    upstream.close();
  });

  const newApp = async (path = '/'): Promise<Loose> => {
    const url = `http://127.0.0.1:${port}${path}`;
    const body = { name: `App ${++count}`, type: 'url', url };
    return (await here.alice.post(`/api/servers/${here.server.id}/apps`, body)).body;
  };
  const change = (app: Loose, body: object) => here.alice.patch(`/api/servers/${here.server.id}/apps/${app.id}`, body);
  const addressOf = (app: Loose, path = '/') => `${here.alice.node.url}/api/app-proxy/${app.id}${path}`;
  const ask = (app: Loose, path = '/', init: RequestInit = {}) =>
    fetch(addressOf(app, path), { redirect: 'manual', ...init });
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  /** Opens a WebSocket; what it hears comes back as text. */
  const dial = async (app: Loose, path = '/', options: object = {}, protocols: string[] = []) => {
    const socket = new WebSocket(addressOf(app, path).replace('http', 'ws'), protocols, options);
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(String(data)));
    socket.on('error', () => {});
    const opened = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
    ]);
    return { socket, heard, opened };
  };

  it('goes on for as long as bytes come, from the app or to it', async () => {
    const app = await newApp();
    handle = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let i = 0; i < pieces; i++) {
        response.write(`data: ${i}\n\n`);
        await delay(betweenMs);
      }
      response.end();
    };
    expect((await (await ask(app)).text()).match(/data/g)).to.have.lengthOf(pieces);
    handle = async (request, response) => response.end(await text(request));
    const body = new ReadableStream({
      async pull(controller) {
        await delay(betweenMs);
        controller.enqueue(new TextEncoder().encode('x'));
        if (++sent === pieces) controller.close();
      },
    });
    let sent = 0;
    const answer = await ask(app, '/', { method: 'POST', body, duplex: 'half' });
    expect(await answer.text()).to.equal('x'.repeat(pieces));
  });

  it('is given up when nothing comes, before the answer or within it', async () => {
    const app = await newApp();
    handle = (_, response) => response.write('x');
    const cut = await (await ask(app)).text().catch(() => 'cut');
    expect(cut).to.equal('cut');
    handle = () => {};
    expect((await ask(app)).status).to.equal(504);
  });

  it('skips what is no answer yet, though nobody asked', async () => {
    const app = await newApp();
    handle = (request, response) => {
      request.socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      response.end('the answer');
    };
    const answer = await ask(app);
    expect([answer.status, await answer.text()]).to.deep.equal([200, 'the answer']);
  });

  it('sends what may be sent only once on a connection of its own, since one that was kept may just be ending', async () => {
    const app = await newApp();
    const used = new Set<Socket>();
    let count = 0;
    handle = ({ socket }, response) => {
      count++;
      if (used.has(socket)) socket.destroy();
      else response.end('the answer');
      used.add(socket);
    };
    const status = async (init: RequestInit) => {
      const answer = await ask(app, '/', init);
      await answer.text();
      return answer.status;
    };
    for (const body of ['a body', undefined]) {
      count = 0;
      expect(await status({ method: 'GET' })).to.equal(200);
      const before = count;
      expect(await status({ method: 'POST', body })).to.equal(200);
      expect(count - before, 'how often it was sent').to.equal(1);
    }
  });

  it('leads nobody in circles where the app adds a slash or takes it away', async () => {
    for (const [stored, served] of [
      ['/dir', '/dir/'],
      ['/dir/', '/dir'],
      ['/dir?a=b', '/dir'],
      ['/', '/home/'],
    ] as const) {
      const app = await newApp(stored);
      handle = ({ url }, response) => {
        if (url === served) response.end(`at ${url}`);
        else response.writeHead(301, { location: served }).end();
      };
      const answer = await fetch(addressOf(app));
      expect(await answer.text(), stored).to.equal(`at ${served}`);
      // What the page names lies where the app has it.
      const asked: string[] = [];
      handle = ({ url = '' }, response) => response.end(String(asked.push(url)));
      await fetch(new URL('style.css', answer.url));
      expect(asked).to.deep.equal([new URL('style.css', `http://app.test${served}`).pathname]);
    }
  });

  it('begins at an address with a slash, to which its links are relative', async () => {
    const app = await newApp('/dir');
    handle = ({ url, method }, response) => response.end(`${method} ${url}`);
    const led = async (method: string) => {
      const { status, headers } = await ask(app, '?q=1', { method });
      return [status, headers.get('location')];
    };
    expect(await led('GET')).to.deep.equal([301, `/api/app-proxy/${app.id}/?q=1`]);
    expect(await led('POST')).to.deep.equal([308, `/api/app-proxy/${app.id}/?q=1`]);
    expect(await (await fetch(addressOf(app, ''), { method: 'PUT' })).text()).to.equal('PUT /dir');
  });

  describe('as a WebSocket', () => {
    it('passes both ways, with its protocol and without the caller’s secrets', async () => {
      const app = await newApp('/dir/');
      const headers = {
        ...from('198.51.100.7').headers,
        cookie: 'secret',
        authorization: 'secret',
        'x-real-ip': '198.51.100.7',
      };
      const { socket, heard, opened } = await dial(app, '/live?q=1', { headers }, ['chat']);
      expect([opened, socket.protocol]).to.deep.equal([101, 'chat']);
      for (let i = 0; i < 5; i++) {
        socket.send(`message ${i}`);
        await delay(600);
      }
      await until(() => heard.length === 5);
      const shake = handshakes.at(-1);
      expect(shake?.url).to.equal('/dir/live?q=1');
      expect(JSON.stringify(shake?.headers)).not.to.contain('secret').and.not.contain('198.51.100.7');
      socket.close();
      await until(() => sockets.clients.size === 0);
    });

    it('is answered by the app where it takes none, and ends where there is no app', async () => {
      const app = await newApp();
      expect((await dial(app, '/closed')).opened).to.equal(403);
      expect((await dial({ id: crypto.randomUUID() })).opened).to.equal(404);
      expect((await dial({ id: 'nonsense' })).opened).to.equal(404);
      const hidden = await newApp();
      await change(hidden, { status: 'draft' });
      expect((await dial(hidden)).opened).to.equal(404);
    });

    it('has an answer of bounded length and time where the app takes none', async () => {
      const app = await newApp();
      for (const path of ['/endless', '/stuck']) {
        const { socket, opened } = await dial(app, path);
        expect([path, opened]).to.deep.equal([path, 200]);
        await until(() => ends.includes(path), { message: `${path} goes on` });
        socket.terminate();
      }
    });

    it('ends with what it was open for: the app is taken away, or is silent for long', async () => {
      const app = await newApp();
      const lost = await dial(app);
      const busy = setInterval(() => lost.socket.send('here'), 200);
      handle = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
        const more = setInterval(() => response.write('data: 2\n\n'), 200);
        response.once('close', () => clearInterval(more));
      };
      const stream = (await ask(app)).text().catch(() => 'cut');
      await until(() => lost.heard.length > 2);
      await change(app, { status: 'archived' });
      await until(() => lost.socket.readyState === WebSocket.CLOSED);
      clearInterval(busy);
      expect(await stream).to.equal('cut');
      const idle = await dial(await newApp());
      await once(idle.socket, 'close');
      await until(() => sockets.clients.size === 0);
    });
  });

  it('leaves places for other apps and other callers, and frees them', async () => {
    const apps = [await newApp(), await newApp(), await newApp()];
    const [one = {}, two = {}, three = {}] = apps;
    const held: Socket[] = [];
    handle = ({ socket, url }, response) => {
      held.push(socket);
      if (url === '/quick') response.end('quick');
      else {
        // Silent ones would lose their places while the others are still asked for.
        response.write('slow');
        const more = setInterval(() => response.write('slow'), 200);
        response.once('close', () => clearInterval(more));
      }
    };
    const unread = new Unread();
    const slow = (app: Loose, address: string) =>
      unread.fetch(addressOf(app, '/'), from(address)).then(({ status }) => status);
    const many = (app: Loose, address: string, times: number) =>
      Promise.all(Array.from({ length: times }, () => slow(app, address)));
    // One app has four places of nine, one address six.
    expect((await many(one, '198.51.100.1', 6)).sort()).to.deep.equal([200, 200, 200, 200, 503, 503]);
    expect((await many(two, '198.51.100.1', 3)).sort()).to.deep.equal([200, 200, 503]);
    const quick = async (app: Loose, address: string) => (await ask(app, '/quick', from(address))).status;
    expect([await quick(two, '198.51.100.1'), await quick(two, '198.51.100.2')]).to.deep.equal([503, 200]);
    expect([await quick(one, '198.51.100.2'), await quick(three, '198.51.100.2')]).to.deep.equal([503, 200]);
    unread.leave();
    await until(async () => (await quick(one, '198.51.100.1')) === 200);
    await until(async () => (await quick(two, '198.51.100.1')) === 200);
  });
});
