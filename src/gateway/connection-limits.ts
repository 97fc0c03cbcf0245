import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../contract/errors.ts';
import { AtOnce } from '../infrastructure/at-once.ts';
import { addressKey, clientAddress } from '../infrastructure/client-address.ts';
import { refuseConnection } from './broken-requests.ts';
import { intercept } from './intercept.ts';

/**
 * Bounds how many connections of a node one address has (contract §2), signed in or not. Behind trusted proxies the
 * connections are theirs: there it counts the requests that are being answered, and the WebSockets.
 * @param max for each address
 * @param trustProxy how many proxies are in front
 */
export function limitConnections(server: Server, max: number, trustProxy: number): void {
  const open = new AtOnce(max);
  /** Whether a connection is accepted; it is counted until `done` emits "close". */
  const enters = (address: string | undefined, done: Duplex | ServerResponse): boolean => {
    // The connections between nodes that share a port have none.
    if (address === undefined) return true;
    const key = addressKey(address);
    if (!open.enter(key)) return false;
    done.once('close', () => open.leave(key));
    return true;
  };
  const refuse = (socket: Duplex) => {
    const message = 'There are too many connections from your address; close some of them.';
    refuseConnection(socket, new AppError('RATE_LIMITED', { message, retryAfter: 1 }));
    return true;
  };
  if (trustProxy === 0) {
    intercept(server, 'connection', (socket: Socket) => !enters(socket.remoteAddress, socket) && refuse(socket));
    return;
  }
  const client = ({ headers, socket }: IncomingMessage) => {
    const peer = socket.remoteAddress;
    return peer === undefined ? undefined : clientAddress(headers, peer, trustProxy);
  };
  intercept(
    server,
    'request',
    (request: IncomingMessage, response: ServerResponse) =>
      !enters(client(request), response) && refuse(request.socket),
  );
  intercept(
    server,
    'upgrade',
    (request: IncomingMessage, socket: Duplex) => !enters(client(request), socket) && refuse(socket),
  );
}
