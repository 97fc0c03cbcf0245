import type { IncomingMessage } from 'node:http';

/**
 * Consumes the rest of a body that was answered before its end. Node does so only if nobody started reading; otherwise
 * the connection stays open and never reaches its next request.
 */
export function drainRequest(request: IncomingMessage): void {
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
}
