import { z } from 'zod';
import {
  changePreferencesSchema,
  listNotificationsSchema,
  notificationSchema,
  preferencesSchema,
  readScopeSchema,
  scopedUnreadSchema,
  unreadCountSchema,
  updatedSchema,
} from '../../contract/notification.ts';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import type { NotificationService } from './notification.service.ts';

const tag = 'Notifications';

const updated = (count: number): z.input<typeof updatedSchema> => ({ ok: true, updated: count });

export function notificationRoutes(notifications: NotificationService): Route[] {
  return [...listRoutes(notifications), ...readRoutes(notifications), ...preferenceRoutes(notifications)];
}

function listRoutes(notifications: NotificationService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/notifications',
      summary: 'Your notifications, newest first.',
      tag,
      auth: 'required',
      query: listNotificationsSchema,
      answer: z.array(notificationSchema),
      handle: ({ actor, query }) => notifications.list(actor, query),
    }),
    route({
      method: 'GET',
      path: '/api/notifications/unread-count',
      summary: 'How many of your notifications are unread.',
      tag,
      auth: 'required',
      answer: unreadCountSchema,
      handle: async ({ actor }) => ({ count: await notifications.unreadCount(actor) }),
    }),
    route({
      method: 'GET',
      path: '/api/notifications/scoped-unread',
      summary: 'Unread counts by server, channel and DM.',
      tag,
      auth: 'required',
      answer: scopedUnreadSchema,
      handle: ({ actor }) => notifications.scopedUnread(actor),
    }),
  ];
}

function readRoutes(notifications: NotificationService): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/api/notifications/:id/read',
      summary: 'Mark a notification as read.',
      tag,
      auth: 'required',
      params: { id: uuidParam('NOTIFICATION_NOT_FOUND', 'Id of the notification.') },
      answer: notificationSchema,
      errors: ['NOTIFICATION_NOT_FOUND'],
      handle: ({ actor, params }) => notifications.read(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/notifications/read-all',
      summary: 'Mark all of your notifications as read.',
      tag,
      auth: 'required',
      answer: updatedSchema,
      handle: async ({ actor }) => updated(await notifications.readAll(actor)),
    }),
    route({
      method: 'POST',
      path: '/api/notifications/read-scope',
      summary: 'Mark all notifications of a server or a channel as read.',
      tag,
      auth: 'required',
      body: readScopeSchema,
      answer: updatedSchema,
      handle: async ({ actor, body: { serverId = null, channelId = null } }) =>
        updated(await notifications.readScope(actor, { serverId, channelId })),
    }),
  ];
}

function preferenceRoutes(notifications: NotificationService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/notifications/preferences',
      summary: 'What you are notified of.',
      tag,
      auth: 'required',
      answer: preferencesSchema,
      handle: ({ actor }) => notifications.preferences(actor),
    }),
    route({
      method: 'PATCH',
      path: '/api/notifications/preferences',
      summary: 'Change what you are notified of. Muting does not hide older notifications.',
      tag,
      auth: 'required',
      body: changePreferencesSchema,
      answer: preferencesSchema,
      handle: ({ actor, body }) => notifications.changePreferences(actor, body),
    }),
  ];
}
