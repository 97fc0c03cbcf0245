import { insideWork } from '../../jobs/job.kind.ts';
import { atOnce, notificationKind, reachOf } from '../../jobs/notification.jobs.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { DirectServices } from '../direct/direct.module.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { audienceWork } from './audience-notices.ts';
import { forgetRead, forgetWithdrawn } from './forget-read.ts';
import { keywordWork } from './keyword-notices.ts';
import { LevelService } from './level.service.ts';
import { muteEndWork } from './mute-end.ts';
import { NotificationMaker } from './notification.maker.ts';
import { levelRoutes, notificationRoutes, settingsRoutes } from './notification.routes.ts';
import { NotificationService } from './notification.service.ts';
import { SettingsService } from './settings.service.ts';

export type NotificationsServices = ReturnType<typeof notificationsModule>['services'];

/** What people are notified of (contract §7). */
export function notificationsModule(
  context: Context & AccountsServices & DirectServices & MembersServices & PresenceServices,
) {
  const { audience, dashboard, directActivity, jobs, notifications: queue, presence, settings } = context;
  const service = new NotificationService(context);
  const maker = new NotificationMaker({ direct: directActivity, online: presence, audience, queue, jobs, settings });
  dashboard.addSource(async (actor) => ({ unreadNotifications: await service.unreadCount(actor) }));
  const notificationSettings = new SettingsService(context);
  return {
    services: { notificationSettings },
    routes: [
      ...notificationRoutes(service),
      ...levelRoutes(new LevelService(context)),
      ...settingsRoutes(notificationSettings),
    ],
    chores: [forgetRead(settings.notifications.readDays), forgetWithdrawn],
    jobs: [
      audienceWork(jobs, settings),
      keywordWork(jobs, settings),
      muteEndWork,
      // After the acknowledgement of what they announce, on any node, and exactly once.
      insideWork(
        notificationKind,
        (change, asked) =>
          maker.make(
            change,
            asked.map(({ data }) => data),
          ),
        {
          batch: 100,
          reach: { most: atOnce, of: reachOf },
        },
      ),
    ],
  };
}
