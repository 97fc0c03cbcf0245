import { z } from 'zod';
import { mostAheadDays } from './ahead.ts';
import { calls } from './call.ts';
import { durableEvent } from './event.ts';
import { changePreferencesSchema, preferencesSchema } from './notification.ts';
import { listedLevelsSchema } from './notification-level.ts';
import { idSchema, record, textSchema, timeSchema } from './schema.ts';

export const mostKeywords = 50;
const longestKeyword = 64;
/** Four spans of each day. */
const mostSpans = 28;

/** After so many minutes away what was missed is mailed; 0: never, a day's: once a day, at the hour that the operator set. */
const digestMinutes = [0, 15, 60, 240, 1440] as const;

const clockTimeSchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 22:30')
  .meta({ examples: ['22:30'] });

const quietSpanSchema = z.object({
  day: z.number().int().min(1).max(7).describe('The day on which it begins: 1 is Monday, 7 Sunday.'),
  from: clockTimeSchema,
  to: clockTimeSchema.describe('Where it is not after `from`, on the next day.'),
});

const quietHoursSchema = record('QuietHours', {
  isOn: z.boolean().describe('A schedule may be kept without being in force.'),
  spans: z.array(quietSpanSchema).max(mostSpans).describe('In the time zone of the account; without one, in UTC.'),
});

const keywordSchema = textSchema(longestKeyword, z.string().trim())
  .transform((text) => text.replace(/\s+/g, ' '))
  .refine((text) => /[\p{L}\p{N}]/u.test(text), 'must have a letter or a digit');

const digestMinutesSchema = z
  .literal(digestMinutes)
  .nullable()
  .describe(
    'After so many minutes away you are mailed what you missed; 0: never, 1440: once a day. null: as the operator says.',
  );

const settingsShape = {
  ...preferencesSchema.shape,
  ...listedLevelsSchema.shape,
  mutedUntil: z
    .record(idSchema, timeSchema)
    .describe('The channels and servers that are muted for a time, by id, each with its end.'),
  keywords: z.array(z.string()).describe('Words of your own that notify you like a mention.'),
  quietHours: quietHoursSchema,
  snoozedUntil: timeSchema.nullable().describe('Until then nothing disturbs you.'),
  digestMinutes: digestMinutesSchema,
};

export const notificationSettingsSchema = record('NotificationSettings', {
  ...settingsShape,
  digestDefaultMinutes: z
    .number()
    .int()
    .nullable()
    .describe('What `digestMinutes: null` stands for here; null: this installation mails nobody what they missed.'),
});

export const changeSettingsSchema = changePreferencesSchema.extend({
  keywords: z
    .array(keywordSchema)
    .max(mostKeywords)
    .optional()
    .describe('All of them; those that differ in nothing that counts are one.'),
  quietHours: quietHoursSchema.optional(),
  snoozedUntil: timeSchema
    .nullable()
    .optional()
    .describe(`In the future, and at most ${mostAheadDays} days away; null ends it.`),
  digestMinutes: digestMinutesSchema.optional(),
});

export const notificationSettingsUpdated = durableEvent({
  name: 'notification:settings',
  summary: 'You have changed what notifies you, or when, here or on another device.',
  room: 'user',
  payload: z.object(settingsShape),
});

export const settingsCalls = calls('Notifications', {
  getNotificationSettings: {
    method: 'GET',
    path: '/api/notifications/settings',
    summary: 'All that decides what you are notified of, when and how.',
    answer: notificationSettingsSchema,
  },
  updateNotificationSettings: {
    method: 'PATCH',
    path: '/api/notifications/settings',
    summary: 'Change some of it.',
    body: changeSettingsSchema,
    answer: notificationSettingsSchema,
  },
});
