import type { Socket } from 'socket.io-client';

/**
 * A refusal ends the tries of a stock client; has this one go on after `pauseMs`, as applications do.
 * @returns closes it, for good
 */
export function persist(socket: Socket, pauseMs: number): () => void {
  let again: NodeJS.Timeout | undefined;
  socket.on('connect_error', () => {
    if (!socket.active) again = setTimeout(() => socket.connect(), pauseMs);
  });
  return () => {
    clearTimeout(again);
    socket.disconnect();
  };
}
