import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

/** A proxy as some companies have it: plain requests pass, sockets of any kind do not. */
export interface Gate {
  url: string;
  /** Lets sockets through from now on. */
  open(): void;
  stop(): Promise<void>;
}

export async function startGate(targetPort: number): Promise<Gate> {
  let blocked = true;
  const server = createServer((incoming, outgoing) => {
    if (blocked && incoming.url?.startsWith('/socket.io')) {
      outgoing.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>');
      return;
    }
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: targetPort, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on('upgrade', (incoming, socket) => {
    socket.on('error', () => {});
    if (blocked) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const onward = connect(targetPort, '127.0.0.1');
    const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${value}`);
    onward.write([`GET ${incoming.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
    onward.on('error', () => socket.destroy());
    onward.pipe(socket).pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    open: () => {
      blocked = false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
