import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Session, User } from './user.entity.ts';

/** Where the pushes of a session go (contract §7, Push). A trigger deletes it as the session is revoked. */
const PushSubscriptionSchema = defineEntity({
  name: 'PushSubscription',
  tableName: 'push_subscriptions',
  properties: {
    sessionId: () => p.oneToOne(Session).mapToPk().fieldName('session_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    /** One browser has one: whoever signs in there next takes it over. */
    endpoint: p.string().columnType('text').unique(),
    p256dh: p.string().columnType('text'),
    auth: p.string().columnType('text'),
    /** The public key of this installation that it was made with: push services take no other. */
    serverKey: p.string().columnType('text'),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** Pushes that showed nothing since the device was last here: browsers allow only some. */
    silentPushes: p.integer().default(0),
  },
});

export class PushSubscription extends PushSubscriptionSchema.class {}
PushSubscriptionSchema.setClass(PushSubscription);

/** A notification that was pushed to a session: it is pushed there again once it has news, and taken back when it is read. */
const PushedNotificationSchema = defineEntity({
  name: 'PushedNotification',
  tableName: 'pushed_notifications',
  primaryKeys: ['sessionId', 'notificationId'],
  properties: {
    sessionId: () =>
      p.manyToOne(PushSubscription).mapToPk().fieldName('session_id').primary().deleteRule('cascade').index(false),
    /** Of one that may be gone by now. */
    notificationId: p.uuid().primary(),
    pushedAt: p.datetime(3).onCreate(dateNow),
    /** When its newest part that was pushed happened; null: the version before pushed it, whatever it had then. */
    shownAt: p.datetime(3).nullable(),
  },
});

export class PushedNotification extends PushedNotificationSchema.class {}
PushedNotificationSchema.setClass(PushedNotification);

/** What someone's pushes show. Without a row: who wrote what, and where. */
const PushPreferencesSchema = defineEntity({
  name: 'PushPreferences',
  tableName: 'push_preferences',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    preview: p.boolean(),
  },
});

export class PushPreferences extends PushPreferencesSchema.class {}
PushPreferencesSchema.setClass(PushPreferences);
