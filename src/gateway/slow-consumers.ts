import type { Log } from '../infrastructure/log.ts';
import { holdsNothingFor } from './frames.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';
import { tearDownOf } from './wire.ts';

const checkMs = 250;

/** What is buffered in this process for a socket. */
export function buffered(socket: ParleySocket): { packets: number; bytes: number } {
  // Engine.IO's buffer is private, but there is no other way to bound it (a test checks that it is still there).
  const packets: unknown = Reflect.get(socket.conn, 'writeBuffer');
  if (!Array.isArray(packets)) return { packets: 0, bytes: 0 };
  let bytes = 0;
  for (const packet of packets) if (typeof packet?.data === 'string') bytes += packet.data.length;
  const webSocket: unknown = Reflect.get(socket.conn.transport, 'socket');
  const inTransport: unknown = webSocket instanceof Object ? Reflect.get(webSocket, 'bufferedAmount') : 0;
  if (typeof inTransport === 'number') bytes += inTransport;
  return { packets: packets.length, bytes };
}

/**
 * Cuts off slow consumers, so that none can fill the memory of the node (contract §10.6). Their clients reconnect and
 * get the events they missed.
 *
 * @returns stops watching
 */
export function watchSlowConsumers(
  io: ParleyServer,
  limits: { maxBufferedBytes: number; maxBufferedPackets: number },
  log: Log,
  onCut: () => void,
): () => void {
  const timer = setInterval(() => {
    for (const socket of io.of('/').sockets.values()) {
      if (holdsNothingFor(socket)) continue;
      const { packets, bytes } = buffered(socket);
      if (packets <= limits.maxBufferedPackets && bytes <= limits.maxBufferedBytes) continue;
      log.warn({ userId: socket.data.actor.userId, packets, bytes }, 'A socket reads too slowly and is cut off.');
      onCut();
      cutOff(socket);
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

function cutOff(socket: ParleySocket): void {
  const tearDown = tearDownOf(socket);
  socket.conn.close(true);
  tearDown();
}
