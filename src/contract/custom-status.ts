import { z } from 'zod';
import { mostAheadDays } from './ahead.ts';
import { calls } from './call.ts';
import { ephemeralEvent } from './event.ts';
import { emojiSchema } from './reaction.ts';
import { doneSchema, idSchema, nameSchema, omittable, record, timeSchema } from './schema.ts';
import { isEmoji } from './unicode/emoji.ts';

const maxStatusText = 100;

export const customStatusSchema = record('CustomStatus', {
  emoji: z.string().nullable(),
  text: z.string().nullable(),
  until: timeSchema.nullable().describe('When it ends; null: it stays until it is changed.'),
});

export type CustomStatusRecord = z.output<typeof customStatusSchema>;

export const setCustomStatusSchema = z
  .object({
    // Those of a server's own are known in that server alone.
    emoji: omittable(emojiSchema.refine(isEmoji, 'must be an emoji that everyone has')),
    text: omittable(nameSchema(maxStatusText)),
    until: omittable(timeSchema).describe(`When it ends: ahead, and within ${mostAheadDays} days.`),
  })
  .refine(({ emoji, text }) => emoji !== undefined || text !== undefined, {
    path: ['text'],
    message: 'must be given, or emoji',
  })
  .meta({ example: { emoji: '🌴', text: 'On holiday' } });

export const presenceCustomStatus = ephemeralEvent({
  name: 'presence:custom-status',
  summary: 'Someone whose presence you get says something else of themselves; null: nothing any more.',
  room: 'channel',
  payload: z.object({ userId: idSchema, customStatus: customStatusSchema.nullable() }),
});

export const customStatusCalls = calls('Presence', {
  setCustomStatus: {
    method: 'PUT',
    path: '/api/auth/me/custom-status',
    summary: 'Say something of yourself, with an emoji, a text, or both, for those who see your presence.',
    body: setCustomStatusSchema,
    answer: customStatusSchema,
  },
  clearCustomStatus: {
    method: 'DELETE',
    path: '/api/auth/me/custom-status',
    summary: 'Say nothing of yourself any more.',
    answer: doneSchema,
  },
});

/** Someone's, where several are listed. */
export const customStatusOfSchema = customStatusSchema.extend({ userId: idSchema }).meta({ id: 'CustomStatusOf' });
