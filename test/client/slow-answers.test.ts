// nodes: own

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Server } from 'socket.io';
import { Parley } from '../../src/client/index.ts';
import { freePort } from '../rig/free-port.ts';
import { sideBySide } from '../rig/side-by-side.ts';
import { until } from '../rig/until.ts';

/** Longer than an answer may leave the client without a word. */
const longMs = 18_000;
/** Longer than the first patience with an answer over a socket. */
const lateMs = 8000;

describe('the client library on a line that is slow', () => {
  const server = createServer();
  const clients: Parley[] = [];
  let url: string;

  function client(): Parley {
    const parley = new Parley({ url, token: 'any' });
    clients.push(parley);
    return parley;
  }

  before(async () => {
    server.on('request', async (incoming, outgoing) => {
      if (!incoming.url?.startsWith('/api/')) return;
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.write('[');
      for (const end = Date.now() + longMs; Date.now() < end; await delay(200)) outgoing.write(' ');
      outgoing.end(']');
    });
    // Nothing is sent on a quiet line for this long.
    const io = new Server(server, { pingInterval: 60_000 });
    io.on('connection', (socket) => {
      socket.emit('ready', { userId: 'u', sessionId: 's', seq: 0 });
      socket.on('channel:join', async (_payload, answer) => {
        await delay(lateMs);
        answer({ events: [], seq: 0, recovered: true, hasMore: false });
      });
    });
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${port}`;
  });
  after(() => {
    for (const parley of clients) parley.disconnect();
    server.closeAllConnections();
    server.close();
  });

  sideBySide({
    'takes all of an answer, however long that comes': async () => {
      expect(await client().rest('GET /api/servers')).to.deep.equal([]);
    },

    'stays on a line that is silent for as long as the server has said it would be': async () => {
      const parley = client();
      const states: string[] = [];
      parley.connect();
      await until(() => parley.state.status === 'live');
      parley.on('state', ({ status }) => states.push(status));
      await delay(40_000);
      expect([parley.state.status, ...states]).to.deep.equal(['live']);
    },

    'waits longer with each connection that it gave up for want of an answer': async () => {
      const parley = client();
      parley.channel('slow').open();
      parley.connect();
      await until(() => parley.state.status === 'live', { timeout: 50_000, message: 'it never joins' });
    },
  });
});
