import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { atEnd } from './ending.ts';

/** What a proxy in front of nodes does well, or badly. */
export interface ProxyHabits {
  /** With X-Forwarded-For: `append` its peer, `replace` all of it by that, or pass it on. */
  forwardedFor?: 'append' | 'replace' | 'pass';
  /** Whether a session of long polls stays with a node. */
  sticky?: boolean;
  upgrades?: boolean;
  /** What it answers instead of passing anything on. */
  instead?: { status: number; headers?: Record<string, string> };
}

/** An HTTP proxy in front of some ports. It is stopped at the end of the test file. */
export async function startHttpProxy(
  ports: number[],
  habits: ProxyHabits = {},
): Promise<{ port: number; url: string }> {
  const { forwardedFor = 'append', sticky = true, upgrades = true, instead } = habits;
  let turn = 0;
  const portFor = ({ headers: { cookie } }: IncomingMessage): number => {
    const kept = /node=(\d+)/.exec(cookie ?? '')?.[1];
    const at = sticky && kept !== undefined ? Number(kept) : turn++ % ports.length;
    return ports[at] ?? 0;
  };
  const headersOf = ({ headers, socket }: IncomingMessage) => {
    const peer = socket.remoteAddress ?? '';
    const before = headers['x-forwarded-for'];
    const [host, proto] = [headers.host ?? '', 'http'];
    const said = forwardedFor === 'append' && before ? `${before}, ${peer}` : peer;
    const own = forwardedFor === 'pass' ? {} : { 'x-forwarded-for': said };
    return { ...headers, ...own, 'x-forwarded-host': host, 'x-forwarded-proto': proto };
  };
  const server = createServer((incoming, outgoing) => {
    if (instead) {
      outgoing.writeHead(instead.status, instead.headers).end('no');
      return;
    }
    const port = portFor(incoming);
    const { method, url: path } = incoming;
    const onward = request({ host: '127.0.0.1', port, method, path, headers: headersOf(incoming) }, (answer) => {
      const cookie = sticky ? { 'set-cookie': `node=${ports.indexOf(port)}` } : {};
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...cookie });
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('upgrade', (incoming, socket, head) => {
    if (!upgrades) {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      return;
    }
    const target = connect(portFor(incoming), '127.0.0.1');
    for (const end of [socket, target]) end.on('error', () => {});
    const lines = Object.entries(headersOf(incoming)).map(([name, value]) => `${name}: ${value}`);
    target.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    target.write(head);
    socket.pipe(target).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: address.port, url: `http://127.0.0.1:${address.port}` };
}
