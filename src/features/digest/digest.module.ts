import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import type { NotificationsServices } from '../notifications/notifications.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { unsubscribeRoutes } from './digest.routes.ts';
import { Digests } from './digests.ts';
import { UnsubscribeLinks } from './unsubscribe-links.ts';

/** Mails about what people missed, and how they end (contract §7). */
export function digestModule(context: Context & NotificationsServices & PresenceServices) {
  const links = new UnsubscribeLinks(context.settings.jwtSecrets);
  return {
    routes: unsubscribeRoutes({ database: context.database, links, settings: context.notificationSettings }),
    jobs: [new Digests({ ...context, links }).work()],
  } satisfies Module;
}
