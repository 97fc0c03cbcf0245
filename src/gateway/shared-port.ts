import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { drainRequest } from '../infrastructure/drain-request.ts';
import { intercept } from './intercept.ts';
import { answerUnknownSession } from './polling.ts';

/** Several nodes behind one port of one machine. */
export interface SharedPort {
  /** This node's number. */
  number: number;
  /** Where each node listens on a Unix socket named after its number. */
  folder: string;
}

/**
 * How such a node listens. On Linux each has a listening socket of its own and the kernel distributes connections; those of a
 * node that dies end with it. Elsewhere the primary distributes them, and one that was being handed to a dead node hangs.
 */
export const sharedListening = process.platform === 'linux' ? { reusePort: true, exclusive: true } : {};

const socketPathOf = ({ folder }: SharedPort, number: number): string => path.join(folder, `${number}.sock`);

/**
 * Long polling behind a port that several nodes share: the node that gets a request of a session forwards it to the
 * node that has the session. A session's id begins with the number of its node.
 *
 * @param engine whose session ids get that number
 * @returns closes this node's private socket
 */
export async function sharePort(
  server: Server,
  engine: { generateId: (request: IncomingMessage) => string | PromiseLike<string> },
  port: SharedPort,
): Promise<() => void> {
  engine.generateId = () => `${port.number}-${randomBytes(15).toString('base64url')}`;
  const stranger = ({ url = '' }: IncomingMessage): number | undefined => {
    if (!url.startsWith('/socket.io/')) return undefined;
    const number = Number(/[?&]sid=(\d{1,9})-/.exec(url)?.[1] ?? port.number);
    return number === port.number ? undefined : number;
  };
  intercept(server, 'request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const number = stranger(incoming);
    if (number !== undefined) passRequest(socketPathOf(port, number), incoming, outgoing);
    return number !== undefined;
  });
  intercept(server, 'upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const number = stranger(incoming);
    if (number !== undefined) passUpgrade(socketPathOf(port, number), incoming, socket, head);
    return number !== undefined;
  });
  const privateServer = createServer((socket) => server.emit('connection', socket));
  await new Promise<void>((resolve, reject) => {
    privateServer.once('error', reject);
    privateServer.listen({ path: socketPathOf(port, port.number), exclusive: true }, resolve);
  });
  return () => void privateServer.close();
}

function passRequest(socketPath: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url } = incoming;
  // Only for the client's own connection: ours would be closed at once, perhaps before the response has been read.
  const { connection: _, ...headers } = incoming.headers;
  const onward = request({ socketPath, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => {
    // The node is down, and its sessions are gone with it.
    if (outgoing.headersSent) outgoing.destroy();
    else answerUnknownSession(outgoing);
  });
  outgoing.on('finish', () => {
    if (!onward.writableFinished) onward.destroy();
    drainRequest(incoming);
  });
  outgoing.on('close', () => {
    // After the response the connection may already belong to another request.
    if (!outgoing.writableFinished) onward.destroy();
  });
  incoming.pipe(onward);
}

function passUpgrade(socketPath: string, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const onward = connect(socketPath);
  const headers: string[] = [];
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    headers.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
  }
  onward.write([`GET ${incoming.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
  onward.write(head);
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
  onward.pipe(socket).pipe(onward);
}
