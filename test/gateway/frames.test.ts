// nodes: own

import { createServer } from 'node:http';
import { Socket as TcpSocket } from 'node:net';
import { expect } from 'chai';
import { Server } from 'socket.io';
import { io as connect, type Socket } from 'socket.io-client';
import { directConnection, emitTo, frames, gather, sendPacketsDirectly } from '../../src/gateway/frames.ts';
import { buffered } from '../../src/gateway/slow-consumers.ts';
import type { ParleyServer, ParleySocket } from '../../src/gateway/socket.ts';
import { until } from '../rig/until.ts';

// These lean on insides of the libraries: when a new version moves them, this is where it shows.
describe('the short way to a socket', () => {
  let io: ParleyServer;
  let url: string;
  const clients: Socket[] = [];

  before(async () => {
    const httpServer = createServer();
    // As the gateway has it: what is emitted to one socket goes through the adapter then.
    io = new Server(httpServer, { connectionStateRecovery: {} });
    sendPacketsDirectly();
    await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
    const address = httpServer.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
  });
  after(async () => {
    for (const client of clients) client.disconnect();
    await io.close();
  });

  async function pair(transport: 'websocket' | 'polling'): Promise<{ client: Socket; socket: ParleySocket }> {
    const connected = new Promise<ParleySocket>((resolve) => io.once('connection', resolve));
    const client = connect(url, { transports: [transport], forceNew: true });
    clients.push(client);
    const socket = await connected;
    await until(() => buffered(socket).packets === 0);
    return { client, socket };
  }

  it('writes packets of every length as frames that a stock client understands, in order', async () => {
    const { client, socket } = await pair('websocket');
    const received: string[] = [];
    client.on('e', (text: string) => received.push(text));
    const texts = [0, 1, 100, 110, 125, 126, 127, 65_500, 65_535, 65_536, 200_000].map((length) => 'ü'.repeat(length));
    for (const text of texts) {
      const connection = await until(() => directConnection(socket));
      connection.write(frames([`2["e","${text}"]`]));
      socket.emit('e', 'between');
    }
    await until(() => received.length === 2 * texts.length);
    expect(received).to.deep.equal(texts.flatMap((text) => [text, 'between']));
  });

  it('keeps the order of what is gathered', async () => {
    const { client, socket } = await pair('websocket');
    const received: string[] = [];
    client.on('e', (text: string) => received.push(text));
    gather(socket);
    socket.emit('e', 'one');
    emitTo(socket, 'e', '"two"');
    gather(socket);
    socket.emit('e', 'three');
    emitTo(socket, 'e', '"four"');
    await until(() => received.length === 4);
    expect(received).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('answers in order with what is told, whichever way each goes', async () => {
    const { client, socket } = await pair('websocket');
    const taken: string[] = [];
    const count = (connection: { write(bytes: Buffer): unknown }) => {
      const write = connection.write.bind(connection);
      connection.write = (bytes) => {
        taken.push(bytes.toString());
        return write(bytes);
      };
    };
    count(await until(() => directConnection(socket)));
    socket.on('ask', (question, answer) => {
      if (question === 'late') socket.emit('e', 'one', 'two');
      if (typeof answer !== 'function') return;
      answer({ ok: question });
      answer({ ok: 'a second time' });
    });
    const heard: unknown[] = [];
    client.on('e', (text: string) => heard.push(text));
    client.emit('ask', 'at once', (answer: object) => heard.push(answer));
    await until(() => heard.length === 1);
    expect(taken.filter((text) => text.endsWith('430[{"ok":"at once"}]'))).to.have.lengthOf(1);
    expect(taken.join()).not.to.contain('a second time');
    client.emit('ask', 'late', (answer: object) => heard.push(answer));
    await until(() => heard.length === 3);
    expect(heard).to.deep.equal([{ ok: 'at once' }, 'one', { ok: 'late' }]);
    const polling = await pair('polling');
    polling.socket.on('ask', (_, answer) => typeof answer === 'function' && answer({ ok: 'polled' }));
    expect(await polling.client.emitWithAck('ask', 'anything')).to.deep.equal({ ok: 'polled' });
  });

  it('puts several packets into one write', async () => {
    const { client, socket } = await pair('websocket');
    const received: string[] = [];
    client.on('e', (text: string) => received.push(text));
    directConnection(socket)?.write(frames(['2["e","one"]', '2["e","two"]']));
    await until(() => received.length === 2);
    expect(received).to.deep.equal(['one', 'two']);
  });

  it('is not taken while something waits before it, nor for polling, nor after the end', async () => {
    const { client, socket } = await pair('websocket');
    expect(directConnection(socket)).to.not.equal(undefined);
    socket.emit('one', 'x');
    socket.emit('two', 'x');
    // The first is on its way, the second waits for it.
    expect(buffered(socket).packets).to.be.greaterThan(0);
    expect(directConnection(socket)).to.equal(undefined);
    await until(() => directConnection(socket));
    const polling = await pair('polling');
    expect(directConnection(polling.socket)).to.equal(undefined);
    client.disconnect();
    await until(() => !socket.connected);
    expect(directConnection(socket)).to.equal(undefined);
  });

  it('tells nothing to a socket that is no more, nor to the one that has its id by now', async () => {
    const { socket } = await pair('websocket');
    const { client, socket: back } = await pair('polling');
    socket.disconnect();
    // Its connection is closed by the client.
    expect(socket.conn.readyState).to.equal('open');
    expect(directConnection(socket)).to.equal(undefined);
    await back.join(socket.id);
    const heard: string[] = [];
    client.on('e', (text: string) => heard.push(text));
    emitTo(socket, 'e', '"late"');
    emitTo(back, 'e', '"last"');
    await until(() => heard.includes('last'));
    expect(heard).to.deep.equal(['last']);
  });

  for (const transport of ['websocket', 'polling'] as const) {
    it(`tells the offset behind the payload over ${transport}`, async () => {
      const { client, socket } = await pair(transport);
      const heard: unknown[][] = [];
      client.on('e', (...args: unknown[]) => heard.push(args));
      emitTo(socket, 'e', '{"some":"data"}', 'node.7');
      await until(() => heard.length > 0);
      // Where nobody recovers connections but Socket.IO itself, it adds an offset of its own.
      expect(heard[0]?.slice(0, 2)).to.deep.equal([{ some: 'data' }, 'node.7']);
    });
  }

  it('is not taken for a peer that does not read; what it is sent then can be counted', async () => {
    const { client, socket } = await pair('websocket');
    const tcp: unknown = Reflect.get(Object(Reflect.get(client.io.engine.transport, 'ws')), '_socket');
    if (!(tcp instanceof TcpSocket)) throw new Error('the client has changed inside');
    tcp.pause();
    const big = 'x'.repeat(500_000);
    for (let i = 0; i < 40; i++) directConnection(socket)?.write(frames([`2["e","${big}"]`]));
    expect(directConnection(socket)).to.equal(undefined);
    expect(buffered(socket).bytes).to.be.greaterThan(64 * 1024);
    tcp.destroy();
  });
});
