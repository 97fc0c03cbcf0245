import { customStatusCalls } from '../../contract/custom-status.ts';
import { done } from '../../contract/schema.ts';
import { serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { Module } from '../module.ts';
import { Attendance } from './attendance.ts';
import { attentionHandlers, connectAttention } from './attention.gateway.ts';
import { Attention } from './attention.ts';
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
  const { service, counts, customStatuses } = presence;
  const attention = new Attention(context.redis, context.nodeId, new Attendance(context.database, context.log));
  const countBroadcaster = new CountBroadcaster(counts, context.settings.presence.countMs);
  const snapshots = new Snapshots({ ...presence, channelAccess: context.channelAccess, countBroadcaster });
  return {
    services: { attention, customStatuses, presence: service, statuses: directory, onlineCounts: counts, snapshots },
    routes: serve(customStatusCalls, {
      setCustomStatus: ({ actor, body }) => customStatuses.set(actor, body),
      async clearCustomStatus({ actor }) {
        await customStatuses.clear(actor);
        return done;
      },
    }),
    jobs: [customStatuses.work()],
    handlers: () => [...presenceHandlers(service, snapshots, customStatuses), ...attentionHandlers(attention)],
    connect({ gateway }) {
      const sink = new PresenceSockets(gateway);
      presence.start(sink);
      countBroadcaster.start(gateway, sink);
      attention.start();
      connectAttention(gateway, attention);
      connectPresence(gateway, context.delivery, { presence, service, snapshots });
    },
    async close() {
      countBroadcaster.close();
      await attention.close();
      await presence.close();
    },
  } satisfies Module;
}
