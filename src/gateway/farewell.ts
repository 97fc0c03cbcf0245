import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { draining } from '../contract/events.ts';
import type { ParleySocket } from './socket.ts';

/**
 * How many clients of a stopping node leave it in a second. Sent away faster than the other nodes let them in, beside their
 * work, they would wait there, and what is sent to them meanwhile would be late.
 */
const leavingEachSecond = 200;
/** How many are told in one turn of the event loop. */
const toldAtOnce = 256;

/**
 * Tells sockets that their node is stopping, and when each is to be closed; closes them then. More of them take longer.
 * @param maxSpreadMs after this time the last one is closed
 */
export async function sendAway(sockets: ParleySocket[], maxSpreadMs: number): Promise<void> {
  const spreadMs = Math.min(1000 + (sockets.length * 1000) / leavingEachSecond, maxSpreadMs);
  const leaving: Promise<void>[] = [];
  for (const [at, socket] of sockets.entries()) {
    if (at > 0 && at % toldAtOnce === 0) await nextTurn();
    leaving.push(close(socket, Math.round(Math.random() * spreadMs)));
  }
  await Promise.all(leaving);
}

async function close(socket: ParleySocket, reconnectInMs: number): Promise<void> {
  socket.emit(draining.name, { reconnectInMs });
  await delay(reconnectInMs);
  socket.conn.close();
}
