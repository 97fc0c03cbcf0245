import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { refuseBroken } from './broken-requests.ts';
import { isForSockets } from './upgrades.ts';

/** Longer than load balancers keep idle connections, so that none is closed here just as one is about to use it. */
const keepAliveTimeout = 75_000;
/** How long the head of a request may take, and how long a connection may wait for its first request. */
const headersTimeout = 15_000;
const connectionsCheckingInterval = 1000;
/** No request may take longer to arrive, except large uploads. Requests that are no upload have less (SlowBodies). */
const leastRequestTimeout = 300_000;
/** The slowest line on which an upload arrives in time, in bytes a second: half a megabit. */
const slowestLine = 64 * 1024;

/** The HTTP server of a node. @param uploadBytes the largest upload */
export function createHttpServer(answer: RequestListener, uploadBytes: number): Server {
  const requestTimeout = Math.max(leastRequestTimeout, Math.ceil((uploadBytes / slowestLine) * 1000));
  const times = { keepAliveTimeout, requestTimeout, headersTimeout, connectionsCheckingInterval };
  const server = createServer({ ...times, shouldUpgradeCallback: isForSockets }, answer);
  return server.on('clientError', refuseBroken);
}

/**
 * Follows the connections of a server.
 * @returns closes those without a request so far: browsers open some ahead, and Node does not count them as idle
 */
export function followUnused(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
