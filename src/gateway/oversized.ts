import type { Log } from '../infrastructure/log.ts';
import type { ParleySocket } from './socket.ts';

/**
 * Logs who was cut off for an oversized packet: nothing of it is read, so there is no event to answer. The client sees close
 * code 1009 on a WebSocket, or 413 in long polling.
 */
export function noteOversized(socket: ParleySocket, maxBytes: number, log: Log): void {
  socket.on('disconnect', (_reason, cause: unknown) => {
    if (!(cause instanceof Error) || !cause.message.includes('Max payload size exceeded')) return;
    log.warn({ userId: socket.data.actor.userId, maxBytes }, 'A socket sent a packet that is too long and is cut off.');
  });
}
