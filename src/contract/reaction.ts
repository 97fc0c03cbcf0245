import { z } from 'zod';
import { calls, clientEvents, textParam, uuidParam } from './call.ts';
import { durableEvent, ephemeralEvent } from './event.ts';
import { idSchema, record } from './schema.ts';
import { emojiMeant, isEmoji, isOwnForm } from './unicode/emoji.ts';

/** Different emoji of one user, and of all, on one message (contract §6). */
export const maxEmojiEach = 20;
export const maxEmoji = 200;
/** How many users are listed, per emoji and in total; `count` counts all of them. */
export const namedUsers = { each: 500, all: 2000 };

export const reactionSchema = record('ReactionSummary', {
  emoji: z.string().describe('Of a server’s own one its name between colons.'),
  emojiId: idSchema
    .optional()
    .describe('Of a server’s own one: its id. Without an emoji of that id, which was removed, show the name.'),
  count: z.number().int(),
  users: z
    .array(idSchema)
    .describe(`Who reacted, in that order; the first ${namedUsers.each}, fewer where there are many emoji.`),
  userIds: z.array(idSchema).describe('The same as `users`.'),
});

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function isOne(text: string): boolean {
  // Clients resolve `.` in a path, even percent-encoded: such a reaction could not be removed.
  if (text === '.') return false;
  if (/^:[\w+-]{1,30}:$/.test(text)) return true;
  const [first, second] = graphemes.segment(text);
  return first !== undefined && second === undefined && !/[\s\p{Cc}]/u.test(text);
}

const maxLength = 32;
/** What is wrong with anything else. */
export const notAnEmoji = 'must be one emoji, or the name of one between colons';
const described = 'One emoji, or the name of one between colons: `:wave:`.';

/** What someone has reacted with, perhaps in an earlier version, which took letters and any name between colons. */
export const keptEmojiSchema = z
  .string()
  .min(1)
  .max(maxLength, `must have at most ${maxLength} characters`)
  .refine(isOne, { error: 'must be one emoji, or a name between colons', abort: true })
  .describe(described);

/**
 * What one may react with (contract §6): an emoji that can be seen, whatever variation selectors it comes with, or one by
 * its name. A name that nobody else has may be an emoji of the server's own: who knows the server says whether it has one.
 */
export const emojiSchema = z
  .string()
  .min(1)
  .refine((text) => text.length <= maxLength, { error: `must have at most ${maxLength} characters`, abort: true })
  .overwrite(emojiMeant)
  .refine((text) => isEmoji(text) || isOwnForm(text), notAnEmoji)
  .describe(described)
  .meta({ maxLength });

export const reactSchema = z.object({ emoji: emojiSchema });

export const reactionsAnswerSchema = z.object({
  ok: z.literal(true),
  success: z.literal(true),
  messageId: idSchema,
  emoji: z.string(),
  reactions: z.array(reactionSchema),
});

export const reactionUpdated = durableEvent({
  name: 'reaction:updated',
  summary: 'The reactions to a message, after one was added or removed.',
  room: 'channel',
  payload: z.object({
    messageId: idSchema,
    channelId: idSchema,
    seq: z.number().int().describe('Of the message.'),
    reactions: z.array(reactionSchema),
  }),
});

const oneReaction = z.object({ messageId: idSchema, channelId: idSchema, userId: idSchema, emoji: z.string() });

export const reactionAdded = ephemeralEvent({
  name: 'reaction:add',
  summary: 'Someone reacted; comes along with reaction:updated.',
  room: 'channel',
  payload: oneReaction,
});

export const reactionRemoved = ephemeralEvent({
  name: 'reaction:remove',
  summary: 'Someone took a reaction back; comes along with reaction:updated.',
  room: 'channel',
  payload: oneReaction,
});

const tag = 'Reactions';
const id = uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.');

export const reactionCalls = calls(tag, {
  addReaction: {
    method: 'POST',
    path: '/api/messages/:id/reactions',
    summary: 'React to a message. A second time is 200 and changes nothing.',
    params: { id },
    body: reactSchema,
    status: 201,
    mayExist: true,
    answer: reactionsAnswerSchema,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_ARCHIVED', 'REACTION_LIMIT'],
    audit: { none: 'It is what members do, and there for all to see.' },
  },
  removeReaction: {
    method: 'DELETE',
    path: '/api/messages/:id/reactions/:emoji',
    summary: 'Take a reaction back.',
    params: { id, emoji: textParam('MESSAGE_NOT_FOUND', 'The emoji, percent-encoded.') },
    answer: reactionsAnswerSchema,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED', 'VALIDATION_FAILED'],
  },
  listReactions: {
    method: 'GET',
    path: '/api/messages/:id/reactions',
    summary: 'The reactions to a message.',
    params: { id },
    answer: z.array(reactionSchema),
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER'],
  },
});

const payload = reactSchema.extend({ messageId: idSchema });
const ack = z.object({ reactions: z.array(reactionSchema) });

export const reactionClientEvents = clientEvents(tag, {
  'reaction:add': {
    summary: 'React to a message.',
    payload,
    ack,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_ARCHIVED', 'REACTION_LIMIT'],
    limit: 'events',
    lane: { by: 'messageId' },
  },
  'reaction:remove': {
    summary: 'Take a reaction back.',
    payload: payload.extend({ emoji: keptEmojiSchema }),
    ack,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED'],
    limit: 'events',
    lane: { by: 'messageId' },
  },
});
