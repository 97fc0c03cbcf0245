import { defineEntity, p } from '@mikro-orm/core';
import type { NotificationKind, NotificationType, Strategy } from '../../contract/notification.ts';
import type { QuietSettings } from '../../contract/quiet-times.ts';
import { User } from './user.entity.ts';

/** Something that a user should learn of (contract §7). */
const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  indexes: [
    { name: 'notifications_recent', properties: ['userId', 'updatedAt', 'id'] },
    // Finds those that quote a message, to empty them with it.
    { name: 'notifications_reference', properties: ['referenceId'], where: { referenceType: 'message' } },
    {
      // Finds those read long ago, to delete them.
      name: 'notifications_read',
      expression: 'create index notifications_read on notifications (read_at) where read_at is not null',
    },
    {
      // Finds those that wait for an answer in a server.
      name: 'notifications_open_questions',
      expression: `create index notifications_open_questions on notifications (server_id) where read_at is null and kind in ('server.invite', 'server.join_request', 'channel.join_request')`,
    },
    // Counts of unread ones, and the row that a repeat is merged into.
    {
      name: 'notifications_open',
      properties: ['userId', 'kind', 'scope', 'createdAt'],
      where: { readAt: null },
    },
    // Finds those of what a deleted user did.
    { name: 'notifications_sender', properties: ['senderId'], where: { senderId: { $ne: null } } },
    { name: 'notifications_unread_recent', properties: ['userId', 'updatedAt', 'id'], where: { readAt: null } },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    type: p.string().columnType('text').$type<NotificationType>(),
    kind: p.string().columnType('text').$type<NotificationKind>(),
    title: p.string().columnType('text'),
    body: p.string().columnType('text'),
    referenceType: p.string().columnType('text').nullable(),
    referenceId: p.uuid().nullable(),
    senderId: () => p.manyToOne(User).mapToPk().fieldName('sender_id').nullable().deleteRule('set null').index(false),
    serverId: p.uuid().nullable(),
    channelId: p.uuid().nullable(),
    /** The scope in which repeats are merged: a channel, a server or a person. */
    scope: p.string().columnType('text'),
    aggregatedCount: p.integer().default(1),
    readAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    /** When the newest repeat happened. */
    updatedAt: p.datetime(3),
  },
});

export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification);

/**
 * A message that a notification counts. The row outlives its notification when the message stops mentioning the user,
 * so that the user is not notified of the same message again.
 */
const SourceSchema = defineEntity({
  name: 'NotificationSource',
  tableName: 'notification_sources',
  primaryKeys: ['messageId', 'userId'],
  indexes: [
    { name: 'notification_sources_of', properties: ['notificationId', 'at'] },
    { name: 'notification_sources_withdrawn', properties: ['at'], where: { notificationId: null } },
  ],
  properties: {
    messageId: p.uuid().primary(),
    userId: p.uuid().primary(),
    notificationId: () =>
      p.manyToOne(Notification).mapToPk().fieldName('notification_id').nullable().deleteRule('cascade').index(false),
    /** Whether the user had read it when it was withdrawn. */
    wasRead: p.boolean().default(false),
    /** When the message was sent, or edited to mention the user. */
    at: p.datetime(3),
  },
});

export class NotificationSource extends SourceSchema.class {}
SourceSchema.setClass(NotificationSource);

/** A user's notification preferences. Without a row: everything. */
const PreferencesSchema = defineEntity({
  name: 'NotificationPreferences',
  tableName: 'notification_preferences',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    strategy: p.string().columnType('text').$type<Strategy>().default('all'),
    mutedServerIds: p.array().columnType('uuid[]').$type<string[]>(),
    mutedChannelIds: p.array().columnType('uuid[]').$type<string[]>(),
    quietHours: p.json<QuietSettings['quietHours']>().columnType('json').default('{"isOn":false,"spans":[]}'),
    snoozedUntil: p.datetime(3).nullable(),
    /** When the muting of channels and servers ends, by their ids; what is not here is muted until that is taken back. */
    muteEnds: p.json<Record<string, string>>().columnType('jsonb').default('{}'),
    /** How long the user is away until what was missed is mailed; 0: never. Null: as the operator says. */
    digestMinutes: p.integer().nullable(),
  },
});

export class NotificationPreferences extends PreferencesSchema.class {}
PreferencesSchema.setClass(NotificationPreferences);

/** A word of a user's own that notifies them. They are replaced together, and have their order. */
const KeywordSchema = defineEntity({
  name: 'NotificationKeyword',
  tableName: 'notification_keywords',
  primaryKeys: ['userId', 'place'],
  // Finds who has a word of a message among theirs.
  indexes: [{ name: 'notification_keywords_word', properties: ['word', 'userId'] }],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    place: p.integer().primary(),
    text: p.string().columnType('text'),
    /** The longest of its words, as the search compares words. */
    word: p.string().columnType('text'),
  },
});

export class NotificationKeyword extends KeywordSchema.class {}
KeywordSchema.setClass(NotificationKeyword);

/** The last mail about what a user missed. */
const DigestSchema = defineEntity({
  name: 'Digest',
  tableName: 'digests',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    /** Which job sent it: a repeat of that may send it again. */
    jobId: p.uuid(),
    sentAt: p.datetime(3),
  },
});

export class Digest extends DigestSchema.class {}
DigestSchema.setClass(Digest);
