import type { z } from 'zod';
import { notificationCalls, type updatedSchema } from '../../contract/notification.ts';
import { levelCalls } from '../../contract/notification-level.ts';
import { settingsCalls } from '../../contract/notification-settings.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { LevelService } from './level.service.ts';
import type { NotificationService } from './notification.service.ts';
import type { SettingsService } from './settings.service.ts';

const updated = (count: number): z.input<typeof updatedSchema> => ({ ok: true, updated: count });

export function notificationRoutes(notifications: NotificationService): Route[] {
  return serve(notificationCalls, {
    listNotifications: ({ actor, query }) => notifications.list(actor, query),
    countUnreadNotifications: async ({ actor }) => ({ count: await notifications.unreadCount(actor) }),
    countUnreadByPlace: ({ actor }) => notifications.scopedUnread(actor),
    readNotification: ({ actor, params }) => notifications.read(actor, params.id),
    readAllNotifications: async ({ actor }) => updated(await notifications.readAll(actor)),
    readNotificationsIn: async ({ actor, body: { serverId = null, channelId = null } }) =>
      updated(await notifications.readScope(actor, { serverId, channelId })),
    getNotificationPreferences: ({ actor }) => notifications.preferences(actor),
    updateNotificationPreferences: ({ actor, body }) => notifications.changePreferences(actor, body),
  });
}

export function levelRoutes(levels: LevelService): Route[] {
  return serve(levelCalls, {
    listChannelLevels: ({ actor }) => levels.list(actor),
    getChannelLevel: ({ actor, params }) => levels.get(actor, params.id),
    setChannelLevel: ({ actor, params, body }) => levels.set(actor, params.id, body),
    getServerLevel: ({ actor, params }) => levels.ofServer(actor, params.id),
    setServerLevel: ({ actor, params, body }) => levels.setOfServer(actor, params.id, body),
  });
}

export function settingsRoutes(settings: SettingsService): Route[] {
  return serve(settingsCalls, {
    getNotificationSettings: ({ actor }) => settings.get(actor),
    updateNotificationSettings: ({ actor, body }) => settings.change(actor, body),
  });
}
