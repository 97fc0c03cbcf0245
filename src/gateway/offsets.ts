import { isPython } from './python.ts';
import type { ParleySocket } from './socket.ts';

/**
 * Whether events carry the offset by which Socket.IO recovers a connection, as an argument behind the payload. Python's
 * client gives a handler every argument, so that one for the payload alone fails, and Dart's makes a list of them; they
 * are given none, and do not know this kind of recovery anyway.
 * @param recover what the client says itself of it (contract §9)
 */
export function takesOffsets({ handshake }: Pick<ParleySocket, 'handshake'>, recover: boolean | undefined): boolean {
  if (recover !== undefined) return recover;
  const { 'user-agent': agent = '' } = handshake.headers;
  return !isPython(handshake) && !/^dart\b/i.test(agent);
}

/** The offset that a client that lost its connection came back with. */
export function offsetOf({ handshake }: Pick<ParleySocket, 'handshake'>): string | null {
  const { offset } = handshake.auth;
  return typeof offset === 'string' ? offset : null;
}
