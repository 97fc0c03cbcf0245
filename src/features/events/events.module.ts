import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AgentsServices } from '../agents/agents.module.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { roomHandlers } from './events.gateway.ts';
import { eventsRoutes } from './events.routes.ts';
import { EventsService } from './events.service.ts';

export type EventsServices = ReturnType<typeof eventsModule>['services'];

/** Entering the rooms of channels, and replaying missed events (contract §10). */
export function eventsModule(context: Context & AccountsServices & AgentsServices & PresenceServices) {
  const { channelAccess, identity, snapshots } = context;
  const events = new EventsService({ ...context, refreshed: (actor) => identity.refreshed(actor) });
  return {
    services: { events },
    routes: eventsRoutes(events),
    handlers: ({ subscriptions }) =>
      roomHandlers(channelAccess, subscriptions, (socket, channelId) => snapshots.send(socket, channelId)),
  } satisfies Module;
}
