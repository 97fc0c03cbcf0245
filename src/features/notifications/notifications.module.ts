import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { DirectServices } from '../direct/direct.module.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { forgetRead, forgetWithdrawn } from './forget-read.ts';
import { NotificationMaker } from './notification.maker.ts';
import { notificationRoutes } from './notification.routes.ts';
import { NotificationService } from './notification.service.ts';
import { NotificationWorker } from './notification.worker.ts';

/** What people are notified of (contract §9). */
export function notificationsModule(
  context: Context & AccountsServices & DirectServices & MembersServices & PresenceServices,
) {
  const { audience, dashboard, directActivity, presence, settings } = context;
  const service = new NotificationService(context);
  const maker = new NotificationMaker({ direct: directActivity, online: presence, audience });
  const worker = new NotificationWorker({ ...context, queue: context.notifications, maker });
  dashboard.addSource(async (actor) => ({ unreadNotifications: await service.unreadCount(actor) }));
  return {
    routes: notificationRoutes(service),
    chores: [forgetRead(settings.notifications.readDays), forgetWithdrawn],
    start: () => worker.start(),
    close: () => worker.close(),
  };
}
