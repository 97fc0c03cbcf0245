import type { IncomingMessage } from 'node:http';
import type { ParleySocket } from './socket.ts';

/** The timestamp parameter of python-engineio; with WebSocket there may be nothing else to recognise it by. */
const secondsWithFraction = /[?&]t=\d{10}\.\d+(&|$)/;

/** Whether a client is python-socketio, judged by its first request. */
export function isPython({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return secondsWithFraction.test(url) || /^python\b/i.test(headers['user-agent'] ?? '');
}

/**
 * A function that tears down the connection below a socket at once. A closing handshake would wait for the peer, which may
 * not be reading, or be gone. With long polling there is nothing to wait for.
 */
export function tearDownOf(socket: ParleySocket): () => void {
  // Engine.IO has no public access to its WebSocket.
  const wire: unknown = Reflect.get(socket.conn.transport, 'socket');
  if (typeof wire !== 'object' || wire === null) return () => {};
  return () => {
    const terminate: unknown = Reflect.get(wire, 'terminate');
    if (typeof terminate === 'function') terminate.call(wire);
  };
}

/**
 * Releases the request of a socket once it has been read: its token and cookies need not be kept, and the request is a good
 * part of an idle connection's memory.
 */
export function forgetRequest(socket: ParleySocket): void {
  socket.handshake.auth = {};
  socket.handshake.headers = {};
  Object.assign(socket.conn, { request: null });
}

/**
 * What is written to a WebSocket in this turn leaves in one write: the response to its request with Engine.IO's first
 * packet, and what confirms the connection with `ready`.
 * @param request null: it was released, by another socket of the same connection
 */
export function gatherOpening(request: IncomingMessage | null): void {
  if (request?.headers.upgrade === undefined) return;
  const { socket } = request;
  socket.cork();
  setImmediate(() => socket.uncork());
}

/** Whether it is the only socket of its connection. No stock client opens more, and each would have rate limits of its own. */
export function isOnlyOne(socket: ParleySocket): boolean {
  const all: unknown = Reflect.get(socket.client, 'sockets');
  if (!(all instanceof Map)) return true;
  return [...all.values()].every((other) => other === socket || other.nsp !== socket.nsp);
}
