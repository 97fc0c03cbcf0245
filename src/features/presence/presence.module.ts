import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { PresenceDirectory } from './directory.ts';
import { connectPresence, presenceHandlers } from './presence.gateway.ts';
import { Presence } from './presence.ts';

export type PresenceServices = ReturnType<typeof presenceModule>['services'];

/** Presence and activities (contract §9). */
export function presenceModule(context: Context) {
  const { recoverySeconds } = context.settings.delivery;
  const { pingIntervalMs, pingTimeoutMs } = context.settings.sockets;
  // A stock client cut off this long ago may still be recovered as if it had never been away.
  const directory = new PresenceDirectory(recoverySeconds * 1000 + pingIntervalMs + pingTimeoutMs);
  const presence = new Presence({ ...context, directory });
  const { service } = presence;
  return {
    services: { presence: service, statuses: directory },
    handlers: () => presenceHandlers(service),
    connect: ({ gateway }) => connectPresence(gateway, context.delivery, presence, service),
    close: () => presence.close(),
  } satisfies Module;
}
