// nodes: own

import { request } from 'node:http';
import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { raw } from '../rest/raw.ts';
import { type Cluster, sharedCluster, startCluster } from '../world/nodes.ts';
import { register } from '../world/world.ts';

const first = ({ nodes: [node] }: Cluster): Node => {
  if (!node) throw new Error('no node');
  return node;
};

describe('a request to upgrade', () => {
  // As Java's HttpClient and `curl --http2` write it to any server.
  const http2 = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
  const webSocket = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };

  it('to HTTP/2 is answered as any other', async () => {
    const person = await register(first(await sharedCluster()));
    const headers = { ...http2, authorization: `Bearer ${person.token}` };
    expect(await raw(person.node, 'GET', '/api/auth/me', { headers })).to.include({ status: 200 });
    const body = JSON.stringify({ email: person.username, password: 'correct horse' });
    const posted = { ...http2, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    expect(await raw(person.node, 'POST', '/api/auth/login', { headers: posted, body })).to.include({ status: 200 });
  });

  it('to a WebSocket is answered where there are none', async () => {
    const node = first(await sharedCluster());
    const answer = await raw(node, 'GET', '/api/auth/me', { headers: webSocket });
    expect([answer.status, answer.body.code]).to.deep.equal([401, 'AUTH_TOKEN_MISSING']);
  });

  it('to a WebSocket may come from a page of this site, whatever other origins are set', async () => {
    const dial = (node: Node, headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = '/socket.io/?EIO=4&transport=websocket';
        const sent = request({ port: node.port, host: '127.0.0.1', path, headers: { ...webSocket, ...headers } });
        sent.once('upgrade', (response, socket) => {
          socket.destroy();
          resolve(response.statusCode);
        });
        sent.once('response', (response) => resolve(response.resume().statusCode));
        sent.once('error', reject);
        sent.end();
      });
    const corsOrigins = ['https://other.example'];
    for (const publicUrl of [null, 'https://chat.example']) {
      const cluster = await startCluster({ nodes: 1, settings: { corsOrigins, publicUrl } });
      try {
        const node = first(cluster);
        const host = 'chat.example';
        expect(await dial(node, { host, origin: 'https://chat.example' })).to.equal(101);
        expect(await dial(node, { host, origin: 'https://other.example' })).to.equal(101);
        // As python-socketio does it on the same machine.
        expect(await dial(node, { host: 'localhost:3000', origin: 'http://localhost:3000' })).to.equal(101);
        for (const origin of ['https://evil.example', 'https://chat.example.evil.example', 'null']) {
          expect(await dial(node, { host, origin }), origin).to.be.within(400, 403);
        }
      } finally {
        await cluster.stop();
      }
    }
  });
});
