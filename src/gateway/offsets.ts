import type { ParleySocket } from './socket.ts';

/** They give a handler every argument of an event, so one that is made for the payload alone would fail, or get a list. */
const strictLanguages = /^(python|dart)\b/i;
/** How python-engineio says when it asks; with WebSocket there is nothing else by which to know it. */
const secondsWithFraction = /^\d{10}\.\d+$/;

/**
 * Whether events carry the offset by which Socket.IO recovers a connection, as an argument behind the payload. Clients
 * that would stumble over it get none; they do not know this kind of recovery anyway.
 * @param recover what the client says itself of it (contract §9)
 */
export function takesOffsets({ handshake }: Pick<ParleySocket, 'handshake'>, recover: boolean | undefined): boolean {
  if (recover !== undefined) return recover;
  const { t: time } = handshake.query;
  if (typeof time === 'string' && secondsWithFraction.test(time)) return false;
  return !strictLanguages.test(handshake.headers['user-agent'] ?? '');
}
