import { z } from 'zod';
import type { Actor } from './actor.ts';
import { agentParam } from './agent.ts';
import { calls, uuidParam } from './call.ts';
import { AppError } from './errors.ts';
import { idSchema, limitSchema, nameSchema, offsetSchema, record, timeSchema, withDefault } from './schema.ts';

export const maxRehearsalDays = 7;
/** How long a rehearsal runs at most. */
export const rehearsalHours = 24;
/** How many of a bot are kept; the oldest make room for new ones. */
export const maxRehearsals = 10;
/** The most messages that one captures. */
export const maxCaptured = 5000;
/** How much text these have together. */
export const maxCapturedBytes = 4 * 1024 * 1024;

/**
 * For what changes or spends something: a version of a bot that is only tried does neither (contract §4).
 * @throws AppError INSUFFICIENT_PAT_SCOPE
 */
export function requireNoRehearsal({ agent }: Pick<Actor, 'agent'>): void {
  if (!agent?.rehearsalId) return;
  const message = 'This is a rehearsal: it reads, and sends messages that nobody gets.';
  throw new AppError('INSUFFICIENT_PAT_SCOPE', { message });
}

export const createRehearsalSchema = z.object({
  name: withDefault(nameSchema(100), 'Rehearsal').describe('Of the version that is tried.'),
  days: z.int().min(1).max(maxRehearsalDays).default(maxRehearsalDays).describe('How much of the log is played again.'),
});

export const rehearsalSchema = record('Rehearsal', {
  id: idSchema,
  agentId: idSchema,
  name: z.string(),
  state: z.enum(['running', 'ended']),
  since: timeSchema.describe('The events from here on are played again, up to the moment when the rehearsal began.'),
  createdAt: timeSchema,
  endsAt: timeSchema.describe('Its token holds until then.'),
  rooms: z.number().int().describe('Rooms of the bot that are played again.'),
  playedRooms: z.number().int().describe('Those that the new version has read to the end.'),
  captured: z.number().int().describe('Messages that it would have sent.'),
});

/** The token is shown only once; a repeated Idempotency-Key gets null. */
export const rehearsalWithTokenSchema = rehearsalSchema.extend({ token: z.string().nullable() });

const saidSchema = z.object({
  messageId: idSchema.describe('Of a captured one: an id that no message has.'),
  content: z.string(),
  createdAt: timeSchema,
});

export const differenceSchema = record('RehearsalDifference', {
  channelId: idSchema,
  threadId: idSchema.nullable(),
  answersTo: z.number().int().nullable().describe('The number that both answer; null: neither says what it answers.'),
  kind: z
    .enum(['same', 'changed', 'missing', 'added'])
    .describe('`missing`: only the bot itself said it; `added`: only the new version did.'),
  before: saidSchema.nullable().describe('What the bot has sent then.'),
  after: saidSchema.nullable().describe('What the new version would have sent.'),
});

export const differencesSchema = z.object({
  differences: z.array(differenceSchema).describe('By channel, in the order of what they answer.'),
  counts: z.object({
    same: z.number().int(),
    changed: z.number().int(),
    missing: z.number().int(),
    added: z.number().int(),
  }),
  isCut: z.boolean().describe('There is more than is compared.'),
  hasMore: z.boolean(),
});

export const differencesQuery = z.object({
  limit: limitSchema(200, 50),
  offset: offsetSchema(10_000),
  only: z.enum(['different']).optional().describe('Without what is the same.'),
});

const params = { id: agentParam };
const one = { id: agentParam, rehearsalId: uuidParam('REHEARSAL_NOT_FOUND', 'Id of the rehearsal.') };

export const rehearsalCalls = calls('Agents', {
  listRehearsals: {
    method: 'GET',
    path: '/api/agents/:id/rehearsals',
    summary: 'The rehearsals of a bot, newest first; for its owner.',
    params,
    answer: z.array(rehearsalSchema),
    errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
  },
  startRehearsal: {
    method: 'POST',
    path: '/api/agents/:id/rehearsals',
    confirmed: true,
    summary:
      'Try a new version of a bot: with this token it polls the events of the last days again, and what it sends is kept for you and published nowhere.',
    params,
    body: createRehearsalSchema,
    status: 201,
    answer: rehearsalWithTokenSchema,
    shownOnce: ['token'],
    errors: ['AGENT_NOT_FOUND', 'REHEARSAL_RUNNING', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
  },
  endRehearsal: {
    method: 'POST',
    path: '/api/agents/:id/rehearsals/:rehearsalId/end',
    summary: 'End a rehearsal: its token is refused from now on.',
    params: one,
    answer: rehearsalSchema,
    errors: ['AGENT_NOT_FOUND', 'REHEARSAL_NOT_FOUND', 'FORBIDDEN'],
  },
  listDifferences: {
    method: 'GET',
    path: '/api/agents/:id/rehearsals/:rehearsalId/differences',
    summary: 'What the new version would have said otherwise; for the owner of the bot.',
    params: one,
    query: differencesQuery,
    answer: differencesSchema,
    errors: ['AGENT_NOT_FOUND', 'REHEARSAL_NOT_FOUND', 'FORBIDDEN'],
    limit: 'search',
  },
});
