import type { IncomingMessage } from 'node:http';
import type { ParleySocket } from './socket.ts';

/**
 * What tears the connection below a socket down at once. Closing politely waits for the peer's good-bye, which does not
 * come from one that does not read, or is gone without a word. With long polling there is nobody to wait for.
 */
export function tearDownOf(socket: ParleySocket): () => void {
  // Engine.IO has no public way to its WebSocket.
  const wire: unknown = Reflect.get(socket.conn.transport, 'socket');
  if (typeof wire !== 'object' || wire === null) return () => {};
  return () => {
    const terminate: unknown = Reflect.get(wire, 'terminate');
    if (typeof terminate === 'function') terminate.call(wire);
  };
}

/**
 * Lets go of what a socket came with, once it has been read: its token and cookies are nobody's business any more, and
 * the request is a good part of what an idle connection keeps in memory.
 */
export function forgetRequest(socket: ParleySocket): void {
  socket.handshake.auth = {};
  socket.handshake.headers = {};
  Object.assign(socket.conn, { request: null });
}

/** Has the answer to a WebSocket's request and Engine.IO's first packet leave in one piece. */
export function gatherOpening({ headers, socket }: IncomingMessage): void {
  if (headers.upgrade === undefined) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

/**
 * Whether it is the only socket that its connection has here. No stock client opens more; each would count as a socket of
 * its own, with limits of its own.
 */
export function isOnlyOne(socket: ParleySocket): boolean {
  const all: unknown = Reflect.get(socket.client, 'sockets');
  if (!(all instanceof Map)) return true;
  return [...all.values()].every((other) => other === socket || other.nsp !== socket.nsp);
}
