import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../contract/errors.ts';
import { AtOnceByNetwork } from '../infrastructure/at-once.ts';
import { clientAddress, networksOf } from '../infrastructure/client-address.ts';
import type { Settings } from '../settings/settings.ts';
import { refuseConnection } from './broken-requests.ts';
import { intercept } from './intercept.ts';

/**
 * Bounds how many connections of a node one address has (contract §2), signed in or not. Behind trusted proxies the
 * connections are theirs: there it counts the requests that are being answered, and the WebSockets.
 */
export function limitConnections(
  server: Server,
  { limits, trustProxy }: Pick<Settings, 'limits' | 'trustProxy'>,
): void {
  const open = new AtOnceByNetwork(limits.connectionsPerAddress, limits.ipv6SiteFactor);
  /** Whether a connection is accepted; it is counted until `done` emits "close". */
  const enters = (address: string | undefined, done: Duplex | ServerResponse): boolean => {
    // The connections between nodes that share a port have none.
    if (address === undefined) return true;
    const networks = networksOf(address);
    if (!open.enter(networks)) return false;
    done.once('close', () => open.leave(networks));
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
