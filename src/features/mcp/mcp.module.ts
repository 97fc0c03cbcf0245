import { InnerCalls } from '../../rest/inner-calls.ts';
import { limitCall } from '../../rest/limits.ts';
import type { Route } from '../../rest/route.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { EventsServices } from '../events/events.module.ts';
import type { Module } from '../module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { Listeners } from './listeners.ts';
import { mcpRoutes } from './mcp.routes.ts';
import { McpSessions } from './mcp-sessions.ts';
import { McpProtocol } from './protocol.ts';
import { mcpSubscriptionTable } from './subscription.table.ts';
import { McpSubscriptions } from './subscriptions.service.ts';

/**
 * The Model Context Protocol, by which assistants use what people use (contract §8).
 * @param context.called the routes of all features: its tools are calls of theirs
 */
export function mcpModule(
  context: Context & AccountsServices & EventsServices & PresenceServices & { called: Route[] },
) {
  const { settings, limits, attention, identity, control, publicUrl } = context;
  const sessions = new McpSessions(settings.jwtSecrets);
  const subscriptions = new McpSubscriptions(context);
  const refreshed = (actor: Parameters<typeof identity.refreshed>[0]) => identity.refreshed(actor);
  const listeners = new Listeners({ ...context, subscriptions, refreshed });
  const countChange = (actor: Parameters<typeof limitCall>[2]) => limitCall(limits, { limit: 'changes' }, actor);
  const protocol = new McpProtocol({ ...context, sessions, subscriptions, countChange });
  const inner = new InnerCalls(context.called, { limits, used: (actor) => attention.used(actor) });
  const { corsOrigins } = settings;
  const admits = (origin: string) =>
    corsOrigins.length === 0 || corsOrigins.includes(origin) || origin === new URL(publicUrl()).origin;
  control.handle({ mcp: ({ sessionId, isOver }) => listeners.changed(sessionId, isOver) });
  return {
    services: { mcpListeners: listeners },
    routes: mcpRoutes({ inner, protocol, sessions, subscriptions, listeners, admits }),
    chores: [{ name: 'forget subscriptions of the Model Context Protocol', step: mcpSubscriptionTable.forget }],
    close: () => listeners.close(),
  } satisfies Module;
}
