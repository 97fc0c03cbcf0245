import type { Server as HttpServer } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../delivery/delivery.ts';
import { refuseSessions } from '../gateway/session-limits.ts';
import type { Settings } from '../settings/settings.ts';
import type { Health } from './health.ts';

/** How many connections may be waiting to be accepted when a node is told to stop. */
const acceptTurns = 100;
const checkMs = 50;
/** How long a proxy has to use its idle connections once more: each response then says that it was the last. */
const usingUpMs = 500;

/** Resolves when the event loop has polled all connections once. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Drains a node: no new connections; sockets are told and sent elsewhere, requests are finished. */
export async function drain(parts: {
  httpServer: HttpServer;
  closeUnused: () => void;
  gateway: { drain(maxSpreadMs: number): Promise<void> };
  delivery: Delivery;
  appProxy: { drain(): void };
  health: Health;
  settings: Settings;
}): Promise<void> {
  const { httpServer, closeUnused, gateway, delivery, appProxy, health, settings } = parts;
  health.startDraining();
  refuseSessions(httpServer);
  // Connections wait in a queue to be accepted, one each turn; closing the port would cut them off.
  for (let turn = 0; turn < acceptTurns; turn++) await nextTurn();
  // Only the listener: a proxy may be about to use an idle connection, and is told with its next response.
  const closed = Promise.withResolvers<void>();
  TcpServer.prototype.close.call(httpServer, () => closed.resolve());
  const limit = setTimeout(() => {
    httpServer.closeAllConnections();
    // Not WebSockets: one whose peer does not answer the closing handshake, whenever that was started, would be
    // waited for half a minute. They end with the process.
    setTimeout(closed.resolve, checkMs);
  }, settings.shutdown.graceMs);
  // Repeatedly: long polls still arrive on open connections, and would wait until they are cut off.
  delivery.wakeAll();
  const waking = setInterval(() => delivery.wakeAll(), checkMs);
  appProxy.drain();
  await gateway.drain(settings.shutdown.spreadMs);
  // A request sent on an idle connection just as that is closed is lost, and a proxy does not send it elsewhere.
  await Promise.race([closed.promise, delay(usingUpMs, undefined, { ref: false })]);
  // After everything that has arrived is read: then a connection with a request on it is not idle.
  const closeIdle = () => {
    httpServer.closeIdleConnections();
    closeUnused();
  };
  const idle = setInterval(() => setImmediate(closeIdle), checkMs);
  await closed.promise;
  clearInterval(idle);
  clearInterval(waking);
  clearTimeout(limit);
}
