import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { mostAheadDays } from './ahead.ts';
import { auditAction } from './audit-action.ts';
import { calls, clientEvents, textParam, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import {
  idSchema,
  limitSchema,
  nameSchema,
  numberSchema,
  record,
  timeExample,
  timeSchema,
  withDefault,
} from './schema.ts';

/** Options of a poll, and the length of its texts (contract §6, Polls). */
export const pollOptions = { least: 2, most: 10 };
const maxQuestion = 300;
const maxOption = 100;
/** Messages whose votes can be asked for at once. */
const maxAsked = 100;

export const questionSchema = nameSchema(maxQuestion);
const optionTextSchema = nameSchema(maxOption);
export const optionsSchema = z
  .array(optionTextSchema)
  .min(pollOptions.least)
  .max(pollOptions.most)
  .refine((texts) => new Set(texts.map((text) => text.trim())).size === texts.length, 'must differ from each other');

export const newPollSchema = z
  .object({
    question: questionSchema,
    options: optionsSchema,
    multiple: withDefault(z.boolean(), false).describe('Several options may be chosen.'),
    anonymous: withDefault(z.boolean(), false).describe('Nobody ever learns who voted for what.'),
    closesAt: timeSchema.nullish().describe(`In the future, at most ${mostAheadDays} days; null: it stays open.`),
  })
  .meta({ example: { question: 'Where to?', options: ['Lake', 'Hills'], closesAt: timeExample } });

export type NewPoll = z.output<typeof newPollSchema>;

const optionId = z.number().int().min(1).max(pollOptions.most);

const tallySchema = z.object({ id: optionId, count: z.number().int().min(0) });

/** What changes of a poll. */
const standShape = {
  voterCount: z.number().int().min(0),
  closesAt: timeSchema.nullable().describe('When it closes by itself.'),
  closedAt: timeSchema.nullable().describe('Null while it is open, and for a moment after `closesAt`.'),
};

export const pollSchema = record('Poll', {
  question: z.string(),
  options: z.array(tallySchema.extend({ text: z.string() })).describe('Their ids count from 1.'),
  multiple: z.boolean(),
  anonymous: z.boolean(),
  ...standShape,
});

export type PollRecord = z.output<typeof pollSchema>;

const ownShape = { messageId: idSchema, channelId: idSchema, optionIds: z.array(optionId).describe('Your own vote.') };

const pollAnswer = z.object({ ...ownShape, poll: pollSchema });

const choiceSchema = z
  .array(optionId)
  .max(pollOptions.most)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name an option twice')
  .describe('All that you choose, in place of what you chose before; none takes the vote back.');

const voteSchema = z.object({ optionIds: choiceSchema }).meta({ example: { optionIds: [1] } });

export const pollUpdated = durableEvent({
  name: 'poll:updated',
  summary: 'Votes of a poll came in or were taken back, several at once as one, or it was closed.',
  room: 'channel',
  payload: z.object({
    messageId: idSchema,
    channelId: idSchema,
    seq: z.number().int().describe('Of the message.'),
    options: z.array(tallySchema),
    ...standShape,
  }),
});

export const pollVoted = durableEvent({
  name: 'poll:voted',
  summary: 'You voted in a poll, or took your vote back, on any device.',
  room: 'user',
  payload: z.object(ownShape),
});

export const pollClose = auditAction({
  name: 'poll.close',
  summary: 'A poll of someone else was closed.',
  fields: ['authorId'],
});

const tag = 'Polls';
const id = uuidParam('MESSAGE_NOT_FOUND', 'Id of the message with the poll.');
const readErrors = ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'POLL_NOT_FOUND'] as const;
const voteErrors = [...readErrors, 'ROLE_REQUIRED', 'CHANNEL_ARCHIVED', 'FORBIDDEN', 'POLL_CLOSED'] as const;
const voteAudit = { none: 'It is what members do; nobody is to learn who voted in an anonymous poll.' } as const;

export const pollCalls = calls(tag, {
  getPoll: {
    method: 'GET',
    path: '/api/messages/:id/poll',
    summary: 'The poll of a message, with your own vote.',
    params: { id },
    answer: pollAnswer,
    errors: readErrors,
  },
  vote: {
    method: 'PUT',
    path: '/api/messages/:id/poll/vote',
    summary: 'Vote, or change your vote. The same again changes nothing.',
    params: { id },
    body: voteSchema,
    answer: pollAnswer,
    errors: voteErrors,
    audit: voteAudit,
  },
  withdrawVote: {
    method: 'DELETE',
    path: '/api/messages/:id/poll/vote',
    summary: 'Take your vote back.',
    params: { id },
    answer: pollAnswer,
    errors: voteErrors,
    audit: voteAudit,
  },
  closePoll: {
    method: 'POST',
    path: '/api/messages/:id/poll/close',
    summary: 'Close a poll for good: your own, that of a bot of yours, or as a moderator that of others.',
    params: { id },
    answer: pollAnswer,
    errors: [...readErrors, 'FORBIDDEN', 'TIMED_OUT'],
    audit: [pollClose],
  },
  listVoters: {
    method: 'GET',
    path: '/api/messages/:id/poll/options/:optionId/voters',
    summary: 'Who voted for an option, by their ids; of an anonymous poll nobody learns that.',
    params: { id, optionId: textParam('POLL_NOT_FOUND', 'Id of the option.') },
    query: z.object({
      limit: limitSchema(100, 50),
      cursor: z.string().max(64).optional().describe('Id of the last one of the page before.'),
    }),
    paged: true,
    answer: z.array(smallUserSchema),
    errors: [...readErrors, 'POLL_ANONYMOUS', 'INVALID_CURSOR'],
  },
  listOwnVotes: {
    method: 'GET',
    path: '/api/channels/:channelId/poll-votes',
    summary: 'Your own votes in polls of a channel or DM.',
    params: { channelId: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
    query: z.object({
      messageIds: z
        .string()
        .max(maxAsked * 37)
        .transform((text) => text.split(','))
        .pipe(z.array(idSchema).min(1).max(maxAsked))
        .describe(`Ids of messages with polls, up to ${maxAsked}, with commas between them.`),
    }),
    answer: z.array(z.object({ messageId: idSchema, optionIds: z.array(optionId) })),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
});

export const pollClientEvents = clientEvents(tag, {
  'poll:vote': {
    summary: 'Vote, change your vote, or take it back.',
    payload: voteSchema.extend({ messageId: idSchema }),
    ack: pollAnswer,
    errors: voteErrors,
    limit: 'events',
    lane: { by: 'messageId' },
  },
});

/** The number of an option in a path. */
export const optionIdSchema = numberSchema(optionId);
