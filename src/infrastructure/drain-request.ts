import type { IncomingMessage } from 'node:http';

/**
 * Takes what is left of a body that was answered before its end. Node does so only where nobody began to read; else the
 * connection, which stays open, would never come to its next request.
 */
export function drainRequest(request: IncomingMessage): void {
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
}
