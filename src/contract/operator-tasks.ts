import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { jobDiscard, jobRetry } from './operating.ts';
import { doneSchema, idSchema, limitSchema, record, timeSchema } from './schema.ts';

const errors = ['FORBIDDEN', 'CONFIRMATION_REQUIRED', 'INSUFFICIENT_PAT_SCOPE'] as const;
const operated = { confirmed: true, repeats: 'never' } as const;
const jobParam = uuidParam('JOB_NOT_FOUND', 'Id of the dead job.');
const whole = z.number().int();

const jobKindSchema = record('JobKind', {
  kind: z.string(),
  waiting: whole.describe('To be run, now or later.'),
  dead: whole.describe('Given up.'),
  oldestSeconds: z.number().describe('For how long the oldest one that is due has waited; 0 without one.'),
  isAbout: z.boolean().describe('There are more than are counted, 1000 of each.'),
});

const deadJobSchema = record('DeadJob', {
  id: idSchema,
  kind: z.string(),
  attempts: whole,
  error: z.string().nullable().describe('Why the last attempt failed.'),
  diedAt: timeSchema,
});

export const listDeadJobsSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: z.string().optional().describe('`id` of the last job of the page before.'),
});

/** Why a mail was not taken, as far as it is known. */
export const mailProblems = [
  'unknown-host',
  'not-reachable',
  'timed-out',
  'certificate',
  'sign-in',
  'sender',
  'recipient',
  'refused',
  'outbox',
  'other',
] as const;

const mailTrialSchema = record('MailTrial', {
  ok: z.boolean().describe('The mail server took it; whether it arrives is seen in the mailbox.'),
  to: z.string(),
  by: z.enum(['smtp', 'outbox']).describe('`outbox`: written to a file, since no mail server is set.'),
  problem: z.enum(mailProblems).nullable(),
  detail: z.string().nullable().describe('What the mail server or the system said.'),
});

const pushTrialSchema = record('PushTrial', {
  sessionId: idSchema,
  device: z.string().nullable(),
  outcome: z
    .enum(['sent', 'gone', 'outdated', 'refused', 'failed'])
    .describe('`outdated`: it was subscribed with another key, and has to be anew.'),
  detail: z.string().nullable().describe('What the push service or the system said.'),
});

/** The queue of jobs, and trials of what this installation sends (contract §3). */
export const operatorTaskCalls = calls('Operators', {
  listJobKinds: {
    method: 'GET',
    path: '/api/operator/jobs',
    summary: 'The kinds of jobs, with how many wait and how many were given up.',
    repeats: 'never',
    answer: z.array(jobKindSchema),
    errors: ['FORBIDDEN', 'INSUFFICIENT_PAT_SCOPE'],
  },
  listDeadJobs: {
    ...operated,
    method: 'GET',
    path: '/api/operator/jobs/dead',
    summary: 'The jobs that were given up, newest first. X-Has-More says whether there are more.',
    query: listDeadJobsSchema,
    paged: true,
    answer: z.array(deadJobSchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  retryDeadJobs: {
    ...operated,
    method: 'POST',
    path: '/api/operator/jobs/retry',
    summary: 'Run all dead jobs again, but for those whose place another job has taken.',
    status: 200,
    answer: z.object({ count: whole }),
    errors: [...errors],
    audit: [jobRetry],
  },
  retryDeadJob: {
    ...operated,
    method: 'POST',
    path: '/api/operator/jobs/:id/retry',
    summary: 'Run a dead job again.',
    params: { id: jobParam },
    status: 200,
    answer: doneSchema,
    errors: [...errors, 'JOB_NOT_FOUND'],
    audit: [jobRetry],
  },
  discardDeadJob: {
    ...operated,
    method: 'DELETE',
    path: '/api/operator/jobs/:id',
    summary: 'Delete a dead job: what it was to do is never done.',
    params: { id: jobParam },
    answer: doneSchema,
    errors: [...errors, 'JOB_NOT_FOUND'],
    audit: [jobDiscard],
  },
  tryMail: {
    ...operated,
    method: 'POST',
    path: '/api/operator/trials/mail',
    summary: 'Send a mail to your own address at once, and say what the mail server answers.',
    status: 200,
    limit: 'webhooks',
    answer: mailTrialSchema,
    errors: [...errors, 'NO_EMAIL'],
    audit: { none: 'it only sends a mail to the one who asks for it' },
  },
  tryPushes: {
    ...operated,
    method: 'POST',
    path: '/api/operator/trials/push',
    summary: 'Push something to all your own devices at once, and say what their push services answer.',
    status: 200,
    limit: 'webhooks',
    answer: z.array(pushTrialSchema).describe('Without a device that is subscribed it is empty.'),
    errors: [...errors, 'PUSH_OFF'],
    audit: { none: 'it only pushes to the devices of the one who asks for it' },
  },
});
