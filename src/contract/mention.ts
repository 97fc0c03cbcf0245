import { z } from 'zod';
import { calls } from './call.ts';
import { idExample, idSchema, limitSchema, textSchema } from './schema.ts';

/** Mentions in one message, at most. */
export const maxMentions = 100;

const mentionExample = { kind: 'user', targetId: idExample, token: '@bob', label: 'Bob', range: { start: 6, end: 10 } };

export const mentionSchema = z
  .object({
    kind: z
      .enum(['user', 'channel', 'here', 'everyone'])
      .describe(
        '`everyone` notifies the people of the channel, `here` those of them who are shown as present: no bots, and at most 5000 people, in the order of their ids.',
      ),
    targetId: idSchema.describe('The user, or the channel; for `@here` and `@everyone` the channel of the message.'),
    token: z.string().describe('As typed.'),
    label: z.string().describe('To show in its place.'),
    range: z
      .object({ start: z.number().int(), end: z.number().int() })
      .describe('Where it stands in the content, in UTF-16 units; the end is exclusive.'),
  })
  .meta({ examples: [mentionExample] });

export type MentionRecord = z.output<typeof mentionSchema>;

export const suggestQuerySchema = z.object({
  channelId: idSchema,
  trigger: z.enum(['@', '#']).default('@'),
  q: textSchema(64).default('').describe('What was typed after the trigger.'),
  limit: limitSchema(50, 10),
});

export const suggestionsSchema = z.object({
  suggestions: z.array(
    z.object({
      id: z.string(),
      kind: mentionSchema.shape.kind,
      targetId: idSchema,
      token: z.string().describe('To be put into the content.'),
      label: z.string(),
      username: z.string().optional(),
      avatarUrl: z.string().nullable().optional(),
      isBot: z.boolean().optional(),
    }),
  ),
});

export const resolveSchema = z.object({ channelId: idSchema, content: textSchema(16_000) });

export const resolvedSchema = z.object({ mentions: z.array(mentionSchema) });

export const mentionCalls = calls('Mentions', {
  suggestMentions: {
    method: 'GET',
    path: '/api/mentions/suggest',
    summary: 'Who or what could be meant by the beginning of a name.',
    query: suggestQuerySchema,
    answer: suggestionsSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
  },
  resolveMentions: {
    method: 'POST',
    path: '/api/mentions/resolve',
    summary: 'The mentions in a text, as they would be if it were sent.',
    body: resolveSchema,
    answer: resolvedSchema,
    byItself: true,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
  },
});
