import { createServer, type RequestListener, type Server } from 'node:http';
import { refuseBroken } from './broken-requests.ts';
import { isForSockets } from './upgrades.ts';

/** Longer than load balancers keep idle connections, so that none is closed here just as one is about to use it. */
const keepAliveTimeout = 75_000;
/** Node's default limit for a request to arrive; the largest upload may need longer. */
const leastRequestTimeout = 300_000;
/** The slowest line on which an upload arrives in time, in bytes a second: half a megabit. */
const slowestLine = 64 * 1024;

/** The HTTP server of a node. @param uploadBytes the largest upload */
export function createHttpServer(answer: RequestListener, uploadBytes: number): Server {
  const requestTimeout = Math.max(leastRequestTimeout, Math.ceil((uploadBytes / slowestLine) * 1000));
  const server = createServer({ keepAliveTimeout, requestTimeout, shouldUpgradeCallback: isForSockets }, answer);
  return server.on('clientError', refuseBroken);
}
