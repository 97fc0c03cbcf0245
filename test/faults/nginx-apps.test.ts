// nodes: own

import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import { startNginx, type TestNginx } from '../rig/nginx.ts';
import { sharedRedis } from '../rig/redis.ts';
import { type Installation, install } from '../world/installation.ts';

const appsHost = 'apps.example.com';

/** What steers nginx (`ngx_http_upstream_module`), if it comes from a node. */
const accel = {
  'x-accel-redirect': '/app',
  'x-accel-limit-rate': '1',
  'x-accel-expires': '3600',
  'x-sendfile': '/etc/passwd',
};

describe('apps behind nginx, as docs/nginx.conf has it', () => {
  let app: Server;
  let sockets: WebSocketServer;
  let site: Installation;
  let nginx: TestNginx;
  let path: string;

  before(async () => {
    app = createServer(({ url }, response) => {
      if (url?.startsWith('/steering')) response.writeHead(200, accel);
      if (url === '/moved') response.writeHead(302, { location: '/steering' });
      response.end('of the app');
    });
    sockets = new WebSocketServer({ server: app });
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
    app.listen(0, '127.0.0.1');
    await once(app, 'listening');
    const address: AddressInfo | string | null = app.address();
    const place = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const env = { TRUST_PROXY: '1', APP_PROXY_ALLOW: place, APPS_URL: `http://${appsHost}` };
    site = await install({ nodes: 2, redisUrl: await sharedRedis(), env });
    const [one, other] = site.nodes;
    nginx = await startNginx([one?.port ?? 0, other?.port ?? 0]);
    const body = { name: 'Elsewhere', type: 'url', url: `http://${place}/` };
    const made = await site.here.alice.post(`/api/servers/${site.here.server.id}/apps`, body);
    path = `/api/app-proxy/${made.body.id}/`;
  });
  after(async () => {
    await nginx.stop();
    await site.stop();
    sockets.close();
    app.close();
  });

  const ask = async (host: string, at: string, method = 'GET') => {
    const sent = request(nginx.url + at, { method, headers: { host } });
    const answered = once(sent, 'response');
    sent.end();
    const [answer] = await answered;
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };

  it('are what their addresses serve, whatever an app says to nginx', async () => {
    for (const at of ['', 'steering', 'steering/?x']) {
      const { status, headers, body } = await ask(appsHost, path + at);
      expect([status, body], at).to.deep.equal([200, 'of the app']);
      expect(headers['content-security-policy']).to.contain('sandbox');
    }
    const { status, headers } = await ask(appsHost, `${path}moved`);
    expect([status, headers.location]).to.deep.equal([302, `${path}steering`]);
  });

  it('share no address with the pages of the site', async () => {
    for (const host of [appsHost, `${appsHost}.`, `${appsHost.toUpperCase()}:80`]) {
      for (const at of ['/', '/app', '/docs', '/app/stage', '/client.js', '/api/servers/discover']) {
        expect((await ask(host, at)).status, host + at).to.equal(404);
      }
      expect((await ask(host, path)).body, host).to.equal('of the app');
    }
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND']) {
      const { status, headers, body } = await ask('chat.example.com', path, method);
      expect([status, headers.location], method).to.deep.equal([
        method === 'GET' ? 302 : 307,
        `http://${appsHost}${path}`,
      ]);
      expect(body).not.to.contain('of the app');
    }
  });

  it('have WebSockets on their own host', async () => {
    const dial = async (host: string) => {
      const socket = new WebSocket(nginx.url.replace('http', 'ws') + path, { headers: { host } });
      socket.on('error', () => {});
      const refused = once(socket, 'unexpected-response').then(([, answer]) => answer.statusCode);
      return { socket, opened: await Promise.race([once(socket, 'open').then(() => 101), refused]) };
    };
    const { socket, opened } = await dial(appsHost);
    expect(opened).to.equal(101);
    socket.send('through nginx');
    const [said] = await once(socket, 'message');
    expect(String(said)).to.equal('through nginx');
    socket.close();
    expect((await dial('chat.example.com')).opened).to.equal(404);
  });
});
