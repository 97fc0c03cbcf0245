import type { ParleySocket } from './socket.ts';

/**
 * What tears the connection below a socket down at once. Closing politely waits for the peer's good-bye, which does not
 * come from one that does not read, or is gone without a word.
 */
export function tearDownOf(socket: ParleySocket): () => void {
  // Engine.IO has no public way to its WebSocket; long polling has nothing to tear down.
  const wire: unknown = Reflect.get(socket.conn.transport, 'socket');
  if (typeof wire !== 'object' || wire === null || !('terminate' in wire)) return () => {};
  const { terminate } = wire;
  return typeof terminate === 'function' ? () => void terminate.call(wire) : () => {};
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
