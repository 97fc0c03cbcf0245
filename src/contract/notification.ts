import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { idSchema, limitSchema, offsetSchema, timeSchema } from './schema.ts';

/** The type of a notification determines how it is shown, and which preference applies (contract §7). */
const notificationTypes = ['mention', 'reply', 'dm', 'system', 'message'] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** All kinds of notifications, with their types. */
export const typeOfKind = {
  'message.mention': 'mention',
  'message.keyword': 'mention',
  'message.reply': 'reply',
  'thread.reply': 'reply',
  'dm.message': 'dm',
  'friendship.request': 'system',
  'friendship.accepted': 'system',
  'server.member_joined': 'system',
  'server.kicked': 'system',
  'server.banned': 'system',
  'server.timed_out': 'system',
  'server.invite': 'system',
  'server.join_request': 'system',
  'server.raid': 'system',
  'channel.member_added': 'system',
  'channel.join_request': 'system',
  'agent.webhook_stopped': 'system',
  'agent.webhook_set': 'system',
  'agent.token_created': 'system',
  'account.export_ready': 'system',
  'account.export_failed': 'system',
  'server.offered': 'system',
  'agent.offered': 'system',
  'message.held_approved': 'system',
  'message.held_rejected': 'system',
  'report.decided': 'system',
  'later.reminder': 'system',
  'message.not_sent': 'system',
  'channel.message': 'message',
} as const satisfies Record<string, NotificationType>;

export type NotificationKind = keyof typeof typeOfKind;

const strategies = ['all', 'mention_only', 'none'] as const;
export type Strategy = (typeof strategies)[number];

const kinds = Object.keys(typeOfKind) as [NotificationKind, ...NotificationKind[]];

export const notificationSchema = z.object({
  id: idSchema,
  userId: idSchema,
  type: z.enum(notificationTypes),
  kind: z.enum(kinds),
  title: z.string(),
  body: z
    .string()
    .describe(
      'What a message says, cut; of a `server.invite` the code to join with, of a `server.banned` or `server.timed_out` the reason, of a `later.reminder` the note, of a `message.not_sent` why it was refused.',
    ),
  code: z
    .string()
    .optional()
    .describe('Of a `message.not_sent`: the code of the error that `body` has the English sentence of.'),
  referenceType: z.string().nullable(),
  referenceId: idSchema.nullable(),
  senderId: idSchema.nullable(),
  sender: smallUserSchema.nullable(),
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable(),
  isRead: z.boolean(),
  readAt: timeSchema.nullable(),
  aggregatedCount: z.number().int().describe('How many repeats it stands for.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const listNotificationsSchema = z.object({
  limit: limitSchema(100, 50),
  offset: offsetSchema(1_000_000),
  unread: z.enum(['true', 'false']).optional().describe('`true`: only those that are unread.'),
});

export const readScopeSchema = z
  .object({ serverId: idSchema.nullish(), channelId: idSchema.nullish() })
  .refine(({ serverId, channelId }) => serverId || channelId, 'needs a serverId or a channelId');

export const updatedSchema = z.object({ ok: z.literal(true), updated: z.number().int() });

export const unreadCountSchema = z.object({ count: z.number().int() });

const counts = z.record(idSchema, z.number().int());

export const scopedUnreadSchema = z.object({
  servers: z.array(
    z.object({
      serverId: idSchema,
      count: z.number().int(),
      channels: z.array(z.object({ channelId: idSchema, count: z.number().int() })),
    }),
  ),
  channelUnread: counts.describe('By channel of a server.'),
  serverUnread: counts,
  dmUnread: counts.describe('By DM channel.'),
});

const mutedIds = z
  .array(idSchema)
  .max(1000)
  .transform((ids) => [...new Set(ids)]);

export const preferencesSchema = z.object({
  strategy: z.enum(strategies),
  mutedServerIds: z.array(idSchema),
  mutedChannelIds: z.array(idSchema),
});

export const changePreferencesSchema = z.object({
  strategy: z.enum(strategies).optional(),
  mutedServerIds: mutedIds.optional(),
  mutedChannelIds: mutedIds.optional(),
});

export const notificationNew = durableEvent({
  name: 'notification:new',
  summary: 'There is a new notification for you.',
  room: 'user',
  payload: notificationSchema,
});

export const notificationUpdated = durableEvent({
  name: 'notification:updated',
  summary:
    'A notification counts one more repeat and moves to the top (`updatedAt`), one less since a message was deleted, its message was edited, or a message mentions you again.',
  room: 'user',
  payload: notificationSchema,
});

/** Which notifications of a user an event is about, and how many are unread after it. */
const affectedSchema = z.object({
  ids: z.array(idSchema).optional(),
  scope: z
    .object({ serverId: idSchema.nullable(), channelId: idSchema.nullable() })
    .optional()
    .describe('Everything of this server or channel; both null: everything.'),
  unreadCount: z.number().int(),
});

export const notificationRead = durableEvent({
  name: 'notification:read',
  summary:
    'Notifications were read, here or on another device, or count as read, since you lost access to their place, or a request was answered or cancelled.',
  room: 'user',
  payload: affectedSchema,
});

export const notificationDeleted = durableEvent({
  name: 'notification:deleted',
  summary:
    'Notifications are gone with what they were about: their message, thread, channel or server was deleted, or mentions you no more.',
  room: 'user',
  payload: affectedSchema,
});

export const notificationCalls = calls('Notifications', {
  listNotifications: {
    method: 'GET',
    path: '/api/notifications',
    summary: 'Your notifications, newest first.',
    query: listNotificationsSchema,
    answer: z.array(notificationSchema),
  },
  countUnreadNotifications: {
    method: 'GET',
    path: '/api/notifications/unread-count',
    summary: 'How many of your notifications are unread.',
    answer: unreadCountSchema,
  },
  countUnreadByPlace: {
    method: 'GET',
    path: '/api/notifications/scoped-unread',
    summary: 'Unread counts by server, channel and DM.',
    answer: scopedUnreadSchema,
  },
  readNotification: {
    method: 'PATCH',
    path: '/api/notifications/:id/read',
    summary: 'Mark a notification as read.',
    params: { id: uuidParam('NOTIFICATION_NOT_FOUND', 'Id of the notification.') },
    answer: notificationSchema,
    errors: ['NOTIFICATION_NOT_FOUND'],
  },
  readAllNotifications: {
    method: 'POST',
    path: '/api/notifications/read-all',
    summary: 'Mark all of your notifications as read.',
    answer: updatedSchema,
  },
  readNotificationsIn: {
    method: 'POST',
    path: '/api/notifications/read-scope',
    summary: 'Mark all notifications of a server or a channel as read.',
    body: readScopeSchema,
    answer: updatedSchema,
  },
  getNotificationPreferences: {
    method: 'GET',
    path: '/api/notifications/preferences',
    summary: 'What you are notified of.',
    answer: preferencesSchema,
  },
  updateNotificationPreferences: {
    method: 'PATCH',
    path: '/api/notifications/preferences',
    summary: 'Change what you are notified of. Muting does not hide older notifications.',
    body: changePreferencesSchema,
    answer: preferencesSchema,
  },
});
