import type { Log } from '../infrastructure/log.ts';
import type { ParleySocket } from './socket.ts';

/**
 * Says in the log who was cut off for a packet that is longer than any may be: nothing of it is read, so there is nobody to
 * answer. The client is told by the code with which its WebSocket ends, 1009, or by 413 in long polling.
 */
export function noteOversized(socket: ParleySocket, maxBytes: number, log: Log): void {
  socket.on('disconnect', (_reason, cause: unknown) => {
    if (!(cause instanceof Error) || !cause.message.includes('Max payload size exceeded')) return;
    log.warn({ userId: socket.data.actor.userId, maxBytes }, 'A socket sent a packet that is too long and is cut off.');
  });
}
