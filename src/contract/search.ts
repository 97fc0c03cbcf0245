import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { attachmentSchema } from './attachment.ts';
import { calls } from './call.ts';
import { messageSchema } from './message.ts';
import { idSchema, limitSchema, record, timeSchema } from './schema.ts';

/** What messages may have, and be, as operators ask for it. */
export const hasKinds = ['file', 'image', 'link', 'reaction', 'pin'] as const;
export const isKinds = ['thread', 'pinned', 'bot'] as const;

const nameOf = (what: string) => z.string().trim().min(1).max(100).optional().describe(what);
const list = <T extends string>(kinds: readonly T[], what: string) =>
  z
    .string()
    .max(100)
    .transform((text) => text.split(',').map((one) => one.trim().toLowerCase()))
    .pipe(z.array(z.enum(kinds)))
    .optional()
    .describe(what);
const time = (what: string) =>
  z
    .string()
    .trim()
    .regex(/^\d{4}(-\d{1,2}(-\d{1,2})?)?$|^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/i, 'must be a day or a time')
    .optional()
    .describe(`${what} a day, month or year (\`2026-11-27\`, \`2026-11\`, \`2026\`), or a time with its offset.`);

export const searchMessagesSchema = z
  .object({
    query: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(256)
      .optional()
      .describe(
        'Words, "phrases", `or`, `-` before what must not be there, `*` after the beginning of a word; the last word may go on. Operators: `from: in: mentions: has: is: before: after: on:`, each also with `-`.',
      ),
    serverId: z.string().max(100).optional().describe('Id or slug of a server to look in.'),
    channelId: idSchema.optional(),
    authorId: idSchema.optional(),
    from: nameOf('Username or id of the author; `me`.'),
    in: nameOf('Name or id of a channel; `@username`: the direct messages with them.'),
    mentions: nameOf('Username or id of someone who is mentioned; `me`.'),
    has: list(hasKinds, 'All of these, with commas between them: `file`, `image`, `link`, `reaction`, `pin`.'),
    is: list(isKinds, 'All of these: `thread`, `pinned`, `bot`.'),
    before: time('Before'),
    after: time('After'),
    on: time('Within'),
    timeZone: z
      .string()
      .max(64)
      .optional()
      .describe('The time zone of days, where your account has none; without both, or if it is none, UTC.'),
    sort: z
      .enum(['time', 'fit'])
      .default('time')
      .describe('`time`: newest first. `fit`: of the newest 1000, those that fit best first.'),
    limit: limitSchema(100, 25),
    cursor: z
      .string()
      .optional()
      .describe('Id of the last message of the page before; with `sort=fit`, how many came before.'),
  })
  .refine((asked) => isAsked(asked), { path: ['query'], message: 'must not be empty' });

const narrowing = ['from', 'in', 'mentions', 'has', 'is', 'before', 'after', 'on'];

/** Nobody wants all messages. */
const isAsked = (asked: Record<string, unknown>): boolean =>
  [...narrowing, 'query', 'authorId'].some((name) => asked[name] !== undefined);

export const excerptSchema = record('Excerpt', {
  text: z.string().describe('A piece of the text around the first hit; of spoilers nothing.'),
  marks: z
    .array(z.object({ start: z.number().int(), end: z.number().int() }))
    .describe('What was asked for in `text`, in UTF-16 units; the end is exclusive.'),
  of: z.enum(['message', 'filename', 'file']).describe("What it is a piece of: the message, or a file's name or text."),
  attachmentId: idSchema.nullable().describe('That file; null: it is of the message.'),
});

const place = {
  serverId: idSchema.nullable().describe('Null: it was said in a direct conversation.'),
  channelName: z.string().nullable(),
};

export const foundMessageSchema = record('FoundMessage', { ...messageSchema.shape, ...place, excerpt: excerptSchema });

export const searchOverviewSchema = z.object({
  query: z.string().trim().min(1, 'must not be empty').max(256).describe('Words; the last one may go on.'),
  serverId: z.string().max(100).optional().describe('Id or slug of a server to look in.'),
  limit: limitSchema(25, 5).describe('How many of each kind.'),
});

/** @param cursor what it is */
const kindSchema = (cursor: string) =>
  searchOverviewSchema.extend({ limit: limitSchema(100, 25), cursor: z.string().optional().describe(cursor) });
const byCount = kindSchema('How many came before.');
const byMessage = kindSchema('The `messageId` of the last of the page before.');
export type SearchKind = z.output<typeof byCount>;

const foundChannelSchema = z.object({ id: idSchema, serverId: idSchema.nullable(), name: z.string() });

export const foundFileSchema = record('FoundFile', {
  ...attachmentSchema.shape,
  messageId: idSchema,
  channelId: idSchema,
  ...place,
  threadId: idSchema.nullable(),
  author: smallUserSchema,
  sentAt: timeSchema,
  excerpt: excerptSchema,
});

export const overviewSchema = record('SearchOverview', {
  people: z.array(smallUserSchema).describe('Those whom you share a server or direct messages with.'),
  channels: z.array(foundChannelSchema),
  files: z.array(foundFileSchema).describe('By their names, and the text of plain-text files; newest first.'),
});

const kindErrors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR'] as const;

export const searchCalls = calls('Search', {
  searchOverview: {
    method: 'GET',
    path: '/api/search',
    summary: 'The first people, channels and files with a name like this, among those that you may know of.',
    query: searchOverviewSchema,
    answer: overviewSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
    limit: 'search',
  },
  searchPeople: {
    method: 'GET',
    path: '/api/search/people',
    summary: 'People and bots whose username begins like this, or who have these words in their display name.',
    query: byCount,
    paged: true,
    answer: z.array(smallUserSchema),
    errors: kindErrors,
    limit: 'search',
  },
  searchChannels: {
    method: 'GET',
    path: '/api/search/channels',
    summary: 'Channels with these words in their names, by name.',
    query: byCount,
    paged: true,
    answer: z.array(foundChannelSchema),
    errors: kindErrors,
    limit: 'search',
  },
  searchSentFiles: {
    method: 'GET',
    path: '/api/search/files',
    summary:
      'Files by their names, and the text of plain-text files, newest first. Those of one message stay together.',
    query: byMessage,
    paged: true,
    answer: z.array(foundFileSchema),
    errors: kindErrors,
    limit: 'search',
  },
  searchMessages: {
    method: 'GET',
    path: '/api/search/messages',
    summary: 'Messages with these words, among those that you may read. X-Has-More says whether there are more.',
    query: searchMessagesSchema,
    paged: true,
    answer: z.array(foundMessageSchema),
    errors: ['SERVER_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR'],
    limit: 'search',
  },
});
