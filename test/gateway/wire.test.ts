// nodes: own

import { createServer } from 'node:http';
import { expect } from 'chai';
import { Server } from 'socket.io';
import { io as connect, type Socket } from 'socket.io-client';
import type { ParleyServer, ParleySocket } from '../../src/gateway/socket.ts';
import { forgetRequest } from '../../src/gateway/wire.ts';
import { until } from '../rig/until.ts';

// Like that of the frames, this shows when a new version of the libraries needs what is taken away here.
describe('a socket whose request is forgotten', () => {
  let io: ParleyServer;
  let url: string;
  const clients: Socket[] = [];

  before(async () => {
    const httpServer = createServer();
    io = new Server(httpServer, { pingInterval: 100, pingTimeout: 20_000 });
    await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
    const address = httpServer.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
  });
  after(async () => {
    for (const client of clients) client.disconnect();
    await io.close();
  });

  for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']]) {
    it(`goes on as before, by ${transports.join(' and then ')}`, async () => {
      const connected = new Promise<ParleySocket>((resolve) => io.once('connection', resolve));
      const client = connect(url, { transports, forceNew: true, auth: { token: 'a secret' } });
      clients.push(client);
      const socket = await connected;
      forgetRequest(socket);
      expect(JSON.stringify(socket.handshake)).not.to.include('a secret');
      await until(() => client.io.engine.transport.name === transports.at(-1));
      let beats = 0;
      socket.conn.on('heartbeat', () => beats++);
      await until(() => beats > 1);
      socket.on('echo', (text, ack) => typeof ack === 'function' && ack(text));
      expect(await client.timeout(15_000).emitWithAck('echo', 'still there')).to.equal('still there');
      io.of('/other').on('connection', (other) => void other.emit('hello'));
      const other = client.io.socket('/other');
      await new Promise<void>((resolve) => other.once('hello', resolve));
      other.disconnect();
    });
  }
});
