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

/** Sends the response to a WebSocket's request and Engine.IO's first packet in one write. */
export function gatherOpening({ headers, socket }: IncomingMessage): void {
  if (headers.upgrade === undefined) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

/** Whether it is the only socket of its connection. No stock client opens more, and sockets are counted by connection. */
export function isOnlyOne(socket: ParleySocket): boolean {
  const all: unknown = Reflect.get(socket.client, 'sockets');
  if (!(all instanceof Map)) return true;
  return [...all.values()].every((other) => other === socket || other.nsp !== socket.nsp);
}
