import type { ParleySocket } from './socket.ts';
import { isPython } from './wire.ts';

/**
 * Whether events carry the offset by which Socket.IO recovers a connection, as an extra argument after the payload. Python's
 * client passes handlers every argument, so that one that takes only the payload fails, and Dart's makes a list of them;
 * they get no offset, and do not support this kind of recovery anyway.
 * @param recover the client's own choice (contract §9)
 */
export function takesOffsets({ handshake }: Pick<ParleySocket, 'handshake'>, recover: boolean | undefined): boolean {
  if (recover !== undefined) return recover;
  const { 'user-agent': agent = '' } = handshake.headers;
  return !isPython(handshake) && !/^dart\b/i.test(agent);
}

/** The offset with which a client returned after it lost its connection. */
export function offsetOf({ handshake }: Pick<ParleySocket, 'handshake'>): string | null {
  const { offset } = handshake.auth;
  return typeof offset === 'string' ? offset : null;
}
