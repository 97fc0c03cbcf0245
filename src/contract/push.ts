import { z } from 'zod';
import { calls } from './call.ts';
import { durableEvent } from './event.ts';
import { doneSchema, idSchema, record, timeSchema } from './schema.ts';

/** Longer than that of any push service, and short enough for an index. */
const maxEndpoint = 2000;

/** Base64 for URLs of so many bytes; the padding that some clients add does not count. */
const bytesSchema = (bytes: number, what: string) =>
  z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}={0,2}$`))
    .transform((text) => text.replace(/=/g, ''))
    .describe(what);

export const pushKeySchema = z.object({
  publicKey: z.string().describe('`applicationServerKey` of `PushManager.subscribe`: base64 for URLs.'),
});

export const putSubscriptionSchema = z
  .object({
    endpoint: z
      .string()
      .max(maxEndpoint)
      .refine((text) => URL.canParse(text), 'must be a URL'),
    keys: z.object({
      p256dh: bytesSchema(65, 'The public key of the browser, uncompressed (RFC 8291).'),
      auth: bytesSchema(16, 'The secret that it shares with this server.'),
    }),
    expirationTime: z.number().nullish().describe('Ignored: a push service says itself that a subscription is over.'),
  })
  .meta({
    example: {
      endpoint: 'https://push.example.com/send/dGhpcyBpcyBhIG5hbWU',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
  });

export const pushSubscriptionSchema = record('PushSubscription', {
  endpoint: z.string(),
  sessionId: idSchema,
  createdAt: timeSchema,
});

export const pushStateSchema = z.object({
  subscription: pushSubscriptionSchema.nullable().describe('That of the calling session; null: there is none.'),
});

export const pushPreferencesSchema = z.object({
  preview: z
    .boolean()
    .describe('Whether pushes show who wrote what and where; else only that there is something new. For all devices.'),
});

export const pushPreferencesUpdated = durableEvent({
  name: 'push:preferences',
  summary: 'You have changed what pushes show, here or on another device.',
  room: 'user',
  payload: pushPreferencesSchema,
});

/** What a push contains, for the service worker that gets it; later versions have more fields. */
export type PushPayload =
  | {
      type: 'notification';
      /** Also the `tag` under which it is shown: a push of the same notification replaces it. */
      id: string;
      kind: string;
      title: string;
      body: string;
      serverId: string | null;
      channelId: string | null;
      referenceType: string | null;
      referenceId: string | null;
      /** To join with, of a `server.invite`. */
      inviteCode: string | null;
      at: string;
      /** For the badge. */
      unreadCount: number;
      /** Earlier ones to take back. */
      closed: string[];
    }
  /** Shows nothing: notifications that were read elsewhere, or are gone, are taken back. */
  | { type: 'closed'; closed: string[]; unreadCount: number }
  | { type: 'test'; title: string; body: string };

const path = '/api/push/subscription';

/** Pushes to browsers and other devices (contract §7, Push). */
export const pushCalls = calls('Notifications', {
  getPushKey: {
    method: 'GET',
    path: '/api/push/key',
    summary: 'The key with which this server signs pushes, to subscribe with.',
    answer: pushKeySchema,
    errors: ['PUSH_OFF'],
  },
  getPushSubscription: {
    method: 'GET',
    path,
    summary: 'Where pushes of the calling session go.',
    answer: pushStateSchema,
    errors: ['FORBIDDEN'],
  },
  putPushSubscription: {
    method: 'PUT',
    path,
    summary:
      'Have pushes sent to this device, as long as the calling session lasts. It replaces an earlier subscription.',
    body: putSubscriptionSchema,
    answer: pushSubscriptionSchema,
    byItself: true,
    errors: ['PUSH_OFF', 'UNSAFE_URL', 'FORBIDDEN'],
    limit: 'webhooks',
  },
  deletePushSubscription: {
    method: 'DELETE',
    path,
    summary: 'No more pushes to this device. Without a subscription nothing changes.',
    answer: doneSchema,
    errors: ['FORBIDDEN'],
  },
  testPush: {
    method: 'POST',
    path: '/api/push/test',
    summary: 'Push something to this device, to see whether it arrives; also while you are active.',
    answer: doneSchema,
    errors: ['PUSH_OFF', 'PUSH_SUBSCRIPTION_NOT_FOUND', 'FORBIDDEN'],
    limit: 'webhooks',
  },
  getPushPreferences: {
    method: 'GET',
    path: '/api/push/preferences',
    summary: 'What pushes show.',
    answer: pushPreferencesSchema,
  },
  updatePushPreferences: {
    method: 'PATCH',
    path: '/api/push/preferences',
    summary: 'Choose what pushes show.',
    body: pushPreferencesSchema,
    answer: pushPreferencesSchema,
  },
});
