// nodes: own

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

const boundary = 'leftover';
const form = `Content-Type: multipart/form-data; boundary=${boundary}`;
const json = 'Content-Type: application/json';
const large = 'x'.repeat(6_000_000);

/** A body that comes in pieces, so that nobody knows beforehand how long it is. */
function chunked(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

function part(name: string, more: string, content: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
}

describe('a connection', () => {
  let cluster: Cluster;
  let here: World;
  const hasty = createServer((socket) => {
    socket.on('error', () => {});
    // Answers before it has read anything but the beginning.
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
  });

  before(async () => {
    hasty.listen(0, '127.0.0.1');
    await once(hasty, 'listening');
    cluster = await startCluster({ nodes: 1, settings: { appProxyAllow: [`127.0.0.1:${port()}`] } });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    hasty.close();
  });

  function port(): number {
    const address: AddressInfo | string | null = hasty.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  /** Sends a request with a body and another one behind it. @returns the statuses of both answers */
  async function statuses(path: string, headers: string[], body: string | Buffer): Promise<number[]> {
    const { node, token } = here.alice;
    const begin = (line: string) => `${line} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n`;
    const socket = connect(Number(new URL(node.url).port), '127.0.0.1');
    socket.write(`${begin(`POST ${path}`)}${headers.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    socket.write(`${begin('GET /api/membership/me')}Connection: close\r\n\r\n`);
    return [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
  }

  const sized = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;

  it('goes on behind JSON that was not read to its end', async () => {
    const path = `/api/channels/${here.channel.id}/messages`;
    const pieces = [json, 'Transfer-Encoding: chunked'];
    expect(await statuses(path, pieces, chunked(large))).to.deep.equal([413, 200]);
    const packed = gzipSync(JSON.stringify({ content: Buffer.alloc(3_000_000, 'abc').toString() }), { level: 0 });
    expect(await statuses(path, [json, 'Content-Encoding: gzip', sized(packed)], packed)).to.deep.equal([413, 200]);
    expect(await statuses(path, [json, 'Content-Encoding: gzip', sized(large)], large)).to.deep.equal([400, 200]);
    expect(await statuses('/api/auth/disconnect', pieces, chunked(large))).to.deep.equal([200, 200]);
  });

  it('goes on behind a form that was not read to its end', async () => {
    const upload = `/api/servers/${here.server.id}/workspace/upload`;
    const file = (name: string, content: string) => part('file', `; filename="${name}"`, content);
    const end = `--${boundary}--\r\n`;
    const send = (path: string, body: string) => statuses(path, [form, sized(body)], body);
    expect(await send('/api/servers/none/workspace/upload', file('a', large) + end)).to.deep.equal([404, 200]);
    for (const size of [100_000, large.length]) {
      const content = large.slice(0, size);
      expect(await send(upload, file('..', content) + end), `${size}`).to.deep.equal([400, 200]);
      expect(await send(upload, file('a', '') + end + content), `${size}`).to.deep.equal([201, 200]);
    }
    expect(await send(upload, part('parentId', '', large) + file('a', '') + end)).to.deep.equal([413, 200]);
  });

  it('goes on behind what an app did not read', async () => {
    const app = { name: 'Hasty', type: 'url', url: `http://127.0.0.1:${port()}` };
    const { body } = await here.alice.post(`/api/servers/${here.server.id}/apps`, app);
    const [, next] = await statuses(`/api/app-proxy/${body.id}/`, [json, sized(large)], large);
    expect(next).to.equal(200);
  });
});
