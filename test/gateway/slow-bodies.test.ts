// nodes: own

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createHttpServer } from '../../src/gateway/http-server.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

/** What is sent on connections of their own, and what comes back there. */
class Lines {
  private readonly port: number;
  private readonly sockets: Socket[] = [];

  constructor(port: number) {
    this.port = port;
  }

  async open(sent: string): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect(this.port, '127.0.0.1');
    this.sockets.push(socket);
    const answer = text(socket).catch(() => 'reset');
    await once(socket, 'connect');
    socket.write(sent);
    return { socket, answer };
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

const statusOf = (answer: string) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: here', ...headers].join('\r\n')}\r\n\r\n`;

describe('a request that does not arrive', () => {
  let cluster: Cluster;
  let here: World;
  let lines: Lines;

  before(async () => {
    const limits = { bodySeconds: 2, uploadIdleSeconds: 3 };
    cluster = await startCluster({ nodes: 1, settings: { limits } });
    here = await world(cluster);
    lines = new Lines(here.alice.node.port);
  });
  after(async () => {
    lines.close();
    here.close();
    await cluster.stop();
  });

  const bearer = () => `Authorization: Bearer ${here.alice.token}`;
  const json = 'Content-Type: application/json';

  it('is told so and closed, whoever reads it, signed in or not', async () => {
    const sized = 'Content-Length: 100';
    const half = [
      head('POST', '/api/auth/login', json, sized),
      head('POST', '/api/auth/disconnect', json, sized),
      head('POST', '/api/servers', json, bearer(), sized),
      head('POST', '/api/servers', json, bearer(), 'Transfer-Encoding: chunked'),
      head('PATCH', `/api/servers/${here.server.id}`, json, bearer(), sized),
    ];
    const opened = await Promise.all([...half, ...half].map((sent) => lines.open(sent)));
    for (const { answer } of opened) {
      const said = await answer;
      expect(statusOf(said), said).to.equal('408');
      expect(said).to.contain('"code":"REQUEST_TIMEOUT"').and.contain('Connection: close');
    }
  });

  it('is closed where it was answered before its body came', async () => {
    const opened = [head('GET', '/healthz', 'Content-Length: 9'), head('POST', '/nowhere', json, 'Content-Length: 9')];
    for (const { answer } of await Promise.all(opened.map((sent) => lines.open(sent)))) {
      const said = await answer;
      expect(said.match(/HTTP\/1\.1/g), said).to.have.lengthOf(1);
      expect(said).not.to.contain('REQUEST_TIMEOUT');
    }
  });

  it('has the time of an upload only where one is taken, and while bytes come', async () => {
    const path = `/api/servers/${here.server.id}/workspace/upload`;
    const form = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 100000', bearer()];
    const sent = `${head('POST', path, ...form)}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
    const slow = await lines.open(sent);
    const silent = await lines.open(sent);
    let over = false;
    void silent.answer.then(() => {
      over = true;
    });
    for (let i = 0; i < 5; i++) {
      await delay(900);
      slow.socket.write('x');
    }
    await until(() => over);
    expect(statusOf(await silent.answer)).to.equal('408');
    expect(slow.socket.closed).to.equal(false);
    slow.socket.destroy();
  });

  it('has little time for its head', () => {
    const server = createHttpServer(() => {}, 100 * 1024 * 1024);
    expect(server.headersTimeout).to.be.at.most(15_000);
  });
});

describe('connections of one address', () => {
  const limits = { connectionsPerAddress: 5 };
  const webSocket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };

  it('are so many, whatever they are for; the next one is refused, and may come when one has gone', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, limits } });
    const lines = new Lines(cluster.nodes[0]?.port ?? 0);
    try {
      const socket = head(
        'GET',
        '/socket.io/?EIO=4&transport=websocket',
        ...pairs(webSocket),
        `Sec-WebSocket-Key: ${key}`,
      );
      const kept = [];
      for (const sent of ['', 'GET', head('GET', '/healthz'), socket, socket]) kept.push(await lines.open(sent));
      const refused = await (await lines.open(head('GET', '/healthz'))).answer;
      expect(statusOf(refused)).to.equal('429');
      expect(refused).to.contain('"code":"RATE_LIMITED"').and.contain('Retry-After: 1');
      kept[0]?.socket.destroy();
      await until(async () => {
        const { socket: next, answer } = await lines.open(`${head('GET', '/healthz', 'Connection: close')}`);
        const status = statusOf(await answer);
        next.destroy();
        return status === '200';
      });
    } finally {
      lines.close();
      await cluster.stop();
    }
  });

  it('are told apart behind a proxy, whose own connections are not counted', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, trustProxy: 1, limits } });
    const port = cluster.nodes[0]?.port ?? 0;
    const dial = (from: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { ...webSocket, 'sec-websocket-key': key, 'x-forwarded-for': from };
        const sent = httpRequest({ port, host: '127.0.0.1', path: '/socket.io/?EIO=4&transport=websocket', headers });
        sent.once('upgrade', ({ statusCode }) => resolve(statusCode));
        sent.once('response', (response) => resolve(response.resume().statusCode));
        sent.once('error', reject).end();
      });
    try {
      for (let i = 0; i < 5; i++) expect(await dial('198.51.100.1')).to.equal(101);
      expect(await dial('198.51.100.1')).to.equal(429);
      expect(await dial('198.51.100.2')).to.equal(101);
      const ask = (from: string) => fetch(`http://127.0.0.1:${port}/healthz`, { headers: { 'x-forwarded-for': from } });
      expect([(await ask('198.51.100.1')).status, (await ask('198.51.100.2')).status]).to.deep.equal([429, 200]);
    } finally {
      await cluster.stop();
    }
  });

  it('bound the sessions that poll, too, which are kept without a connection', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, trustProxy: 1, limits } });
    try {
      const open = (from: string) => {
        const headers = { 'x-forwarded-for': from };
        return fetch(`${cluster.nodes[0]?.url}/socket.io/?EIO=4&transport=polling`, { headers });
      };
      const opened = [];
      for (let i = 0; i < 6; i++) opened.push((await open('198.51.100.1')).status);
      expect(opened).to.deep.equal([200, 200, 200, 200, 200, 403]);
      expect((await open('198.51.100.2')).status).to.equal(200);
    } finally {
      await cluster.stop();
    }
  });

  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const pairs = (headers: object) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
});
