import type { Control } from '../cluster/control.ts';
import { InvalidationWatch } from '../cluster/invalidation-watch.ts';
import type { Room } from '../contract/rooms.ts';
import { isSessionCache, sessionRevokedEvent } from '../features/accounts/sessions/revocation.ts';
import { suspensionSignal } from '../features/accounts/suspensions.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Shutdown } from '../infrastructure/shutdown.ts';
import { followErasures } from './erasures.ts';
import { followLostAccess } from './lost-access.ts';
import type { Modules } from './modules.ts';

/**
 * Connects the sockets of a node with what moves them from elsewhere: events in the logs, control messages of other
 * nodes, changes found in the database, and time.
 */
export function connectSockets({ list, services }: Modules, gateway: Gateway, shutdown: Shutdown): void {
  const { log, delivery, control, serverAccess, channelAccess, events } = services;
  services.ephemeral.connect((rooms, event, data, except) => gateway.tell(rooms, event, data, except));
  const disconnect: Gateway['disconnect'] = (room, event) => {
    gateway.disconnect(room, event);
    events.end(room);
  };
  connectControl(control, gateway, disconnect);
  const endPolls = (room: Room) => events.end(room);
  control.handle({ evict: followLostAccess(delivery, gateway.membership, endPolls, serverAccess, channelAccess) });
  followErasures(delivery);
  const invalidations = new InvalidationWatch(services.database, services.caches, log, (cache, keys) => {
    if (isSessionCache(cache)) for (const id of keys) disconnect(`session:${id}`, sessionRevokedEvent(id));
    if (cache === suspensionSignal) for (const id of keys) shutOut(id, disconnect, services, log);
  });
  shutdown.add('invalidations', () => invalidations.close());
  delivery.staleness.watchSessions(invalidations);
  for (const module of Object.values(list)) module.connect?.({ gateway, disconnect });
}

/** Closes the sockets of a suspended user, who is offline from then on. */
function shutOut(userId: string, disconnect: Gateway['disconnect'], { presence }: Modules['services'], log: Log): void {
  disconnect(`user:${userId}`, null);
  presence.goodbye(userId).catch((error) => log.debug({ err: error }, 'A suspended user was not taken offline.'));
}

/** Control messages from this and other nodes. */
function connectControl(control: Control, gateway: Gateway, disconnect: Gateway['disconnect']): void {
  control.handle({
    disconnect: ({ sessionId, userId, event }) => {
      disconnect(sessionId ? `session:${sessionId}` : `user:${userId}`, event);
    },
    dissolve: ({ rooms }) => gateway.membership.dissolve(rooms),
    'hand-over': ({ pid }) => gateway.handOver(pid),
  });
}
