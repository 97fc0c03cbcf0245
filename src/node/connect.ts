import type { Control } from '../cluster/control.ts';
import { InvalidationWatch } from '../cluster/invalidation-watch.ts';
import { type Room, streamId } from '../contract/rooms.ts';
import { isSessionCache, sessionRevokedEvent } from '../features/accounts/sessions/revocation.ts';
import { suspensionSignal } from '../features/accounts/suspensions.ts';
import { connectBots } from '../features/agents/agent.gateway.ts';
import { AgentWatch } from '../features/agents/agent.watch.ts';
import { connectPresence } from '../features/presence/presence.gateway.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { clock } from '../infrastructure/clock.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Shutdown } from '../infrastructure/shutdown.ts';
import { followErasures } from './erasures.ts';
import { followLostAccess } from './lost-access.ts';
import type { Foundation, ServiceParts } from './services.ts';

/**
 * Connects the sockets of a node with what moves them from elsewhere: events in the logs, control messages of other
 * nodes, changes found in the database, and time.
 */
export function connectSockets(
  foundation: Foundation,
  parts: ServiceParts,
  gateway: Gateway,
  shutdown: Shutdown,
): void {
  const { settings, log, database, delivery, control, caches } = foundation;
  const { services, serverAccess, policyAccess, presence } = parts;
  foundation.ephemeral.connect((rooms, event, data, except) => gateway.tell(rooms, event, data, except));
  services.streams.start();
  const disconnect: Gateway['disconnect'] = (room, event) => {
    gateway.disconnect(room, event);
    services.events.end(room);
  };
  connectControl(control, gateway, disconnect);
  const endPolls = (room: Room) => services.events.end(room);
  const evict = followLostAccess(delivery, gateway.membership, endPolls, serverAccess, services.channelAccess);
  control.handle({ evict });
  followErasures(delivery);
  connectPresence(gateway, delivery, presence, services.presence);
  const invalidations = new InvalidationWatch(database, caches, log, (cache, keys) => {
    if (isSessionCache(cache)) for (const id of keys) disconnect(`session:${id}`, sessionRevokedEvent(id));
    if (cache === suspensionSignal) for (const id of keys) shutOut(id, disconnect, services, log);
  });
  shutdown.add('invalidations', () => invalidations.close());
  delivery.staleness.watchSessions(invalidations);
  delivery.observe((entry) => {
    const opened = services.direct.opened(entry);
    if (opened) gateway.followHere(streamId(entry.room), opened.room, opened.after);
  });
  const agentWatch = new AgentWatch(database, settings.agents.heartbeatSeconds, log, (tokenId, endsAt) => {
    if (endsAt > clock.now()) gateway.shorten(tokenId, endsAt);
    else disconnect(`session:${tokenId}`, null);
  });
  shutdown.add('agents', () => agentWatch.close());
  connectBots(gateway, {
    control,
    delivery,
    watch: agentWatch,
    policies: policyAccess,
    memberships: services.agentMemberships,
  });
}

/** Closes the sockets of a suspended user, who is offline from then on. */
function shutOut(
  userId: string,
  disconnect: Gateway['disconnect'],
  { presence }: ServiceParts['services'],
  log: Log,
): void {
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
