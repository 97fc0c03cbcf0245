import type { Server as HttpServer } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../delivery/delivery.ts';
import type { Health } from '../health/health.ts';
import type { Settings } from '../settings.ts';

/** As many connections as may be waiting when a node is told to stop. */
const acceptTurns = 100;
const checkMs = 50;
/** So long a proxy may take to use up the connections that it keeps: each is told with its answer that it was the last. */
const usingUpMs = 500;

/** Resolves when the event loop has looked at all connections once. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** No new connections; sockets are told and sent elsewhere, requests are finished. */
export async function drain(parts: {
  httpServer: HttpServer;
  gateway: { drain(maxSpreadMs: number): Promise<void> };
  delivery: Delivery;
  health: Health;
  settings: Settings;
}): Promise<void> {
  const { httpServer, gateway, delivery, health, settings } = parts;
  health.startDraining();
  // Connections wait in a queue to be accepted, one in each turn; closing the port would cut them off.
  for (let turn = 0; turn < acceptTurns; turn++) await nextTurn();
  // Only the listener: a proxy may be about to use a connection that is idle, and is told with its next answer.
  const closed = Promise.withResolvers<void>();
  TcpServer.prototype.close.call(httpServer, () => closed.resolve());
  const limit = setTimeout(() => {
    httpServer.closeAllConnections();
    // WebSockets are not among them: one whose peer does not answer the good-bye, whenever that was said, would be
    // waited for half a minute. It ends with the process.
    setTimeout(closed.resolve, checkMs);
  }, settings.shutdown.graceMs);
  // Again and again: long polls still come, on connections that are open, and would wait until they are cut off.
  delivery.wakeAll();
  const waking = setInterval(() => delivery.wakeAll(), checkMs);
  await gateway.drain(settings.shutdown.spreadMs);
  // A request that goes onto an idle connection just as that is closed is lost, and a proxy sends it to nobody else.
  await Promise.race([closed.promise, delay(usingUpMs, undefined, { ref: false })]);
  // Once everything that has arrived is read: a connection with a request on it is not idle.
  const idle = setInterval(() => setImmediate(() => httpServer.closeIdleConnections()), checkMs);
  await closed.promise;
  clearInterval(idle);
  clearInterval(waking);
  clearTimeout(limit);
}
