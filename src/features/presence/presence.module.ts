import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { Module } from '../module.ts';
import { PresenceDirectory } from './directory.ts';
import { connectPresence, presenceHandlers } from './presence.gateway.ts';
import { Presence } from './presence.ts';
import { Snapshots } from './snapshot.gateway.ts';
import { CountBroadcaster, PresenceSockets } from './sockets.gateway.ts';

export type PresenceServices = ReturnType<typeof presenceModule>['services'];

/** Presence and activities (contract §9). */
export function presenceModule(context: Context & FiltersServices) {
  const { recoverySeconds } = context.settings.delivery;
  const { pingIntervalMs, pingTimeoutMs } = context.settings.sockets;
  // A stock client cut off this long ago may still be recovered as if it had never been away.
  const directory = new PresenceDirectory(recoverySeconds * 1000 + pingIntervalMs + pingTimeoutMs);
  const presence = new Presence({ ...context, directory });
  const { service, counts } = presence;
  const countBroadcaster = new CountBroadcaster(counts, context.settings.presence.countMs);
  const snapshots = new Snapshots({ ...presence, channelAccess: context.channelAccess, countBroadcaster });
  return {
    services: { presence: service, statuses: directory, onlineCounts: counts, snapshots },
    handlers: () => presenceHandlers(service, snapshots),
    connect({ gateway }) {
      const sink = new PresenceSockets(gateway);
      presence.start(sink);
      countBroadcaster.start(gateway, sink);
      connectPresence(gateway, context.delivery, { presence, service, snapshots });
    },
    close() {
      countBroadcaster.close();
      return presence.close();
    },
  } satisfies Module;
}
