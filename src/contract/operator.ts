import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { auditEntrySchema, listAuditSchema } from './audit.ts';
import { calls, uuidParam } from './call.ts';
import { reportDecide } from './moderation-actions.ts';
import {
  accountReset,
  accountRevoke,
  accountSuspend,
  accountTier,
  accountUnsuspend,
  instanceBan,
  instanceUnban,
} from './operating.ts';
import {
  listReportsSchema,
  operatorDecisionSchema,
  reportCaseSchema,
  reportDetailSchema,
  reportParam,
} from './report.ts';
import { doneSchema, idSchema, limitSchema, omittable, record, textSchema, timeSchema, withDefault } from './schema.ts';

/** The capability of those who operate the installation from within (contract §3). */
export const operatorCapability = 'instance:admin';

const reason = omittable(textSchema(500, z.string().trim())).describe('Told to them.');
const until = omittable(timeSchema.refine((time) => Date.parse(time) > 0, 'must be in the future')).describe(
  'When it ends by itself; in the future.',
);

export const instanceBanSchema = record('InstanceBan', {
  id: idSchema,
  userId: idSchema,
  user: smallUserSchema,
  bannedBy: smallUserSchema.nullable().describe('Null: the command line.'),
  reason: z.string().nullable(),
  until: timeSchema.nullable(),
  createdAt: timeSchema,
});

const operatedUserSchema = record('OperatedUser', {
  ...smallUserSchema.shape,
  email: z.string().nullable(),
  verified: z.boolean(),
  tier: z.string(),
  createdAt: timeSchema,
  suspended: z.boolean(),
  isOperator: z.boolean(),
  deletesAt: timeSchema.nullable(),
  sessions: z.number().int(),
});

export const standingSchema = z.object({ reason, until });
export const banUserSchema = z.object({ userId: idSchema, reason, until });
export const searchUsersSchema = z.object({
  search: z.string().max(320).default('').describe('A part of a username, a display name or an e-mail.'),
  limit: limitSchema(100, 50),
  cursor: z.string().optional().describe('`id` of the last account of the page before.'),
});
export const signOutUserSchema = z.object({
  tokens: withDefault(z.boolean(), false).describe(
    'Also tokens of all kinds, and those of their bots, whose webhooks pause.',
  ),
});
export const setTierSchema = z.object({ tier: z.string().max(100) });
export const listBansSchema = z.object({
  limit: limitSchema(200, 100),
  cursor: z.string().optional().describe('`id` of the last ban of the page before.'),
});

const userParam = uuidParam('USER_NOT_FOUND', 'Id of the user.');
const errors = ['FORBIDDEN', 'CONFIRMATION_REQUIRED', 'INSUFFICIENT_PAT_SCOPE'] as const;
/** Every call takes a session whose user has lately shown who it is; a token of a program opens none. */
const operated = { confirmed: true, repeats: 'never' } as const;

export const operatorCalls = calls('Operators', {
  listOperatorReports: {
    ...operated,
    method: 'GET',
    path: '/api/operator/reports',
    summary: 'What was reported to the operators, newest first. X-Has-More says whether there is more.',
    query: listReportsSchema,
    paged: true,
    answer: z.array(reportCaseSchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  getOperatorReport: {
    ...operated,
    method: 'GET',
    path: '/api/operator/reports/:id',
    summary: 'A case with all that helps to decide it.',
    params: { id: reportParam },
    answer: reportDetailSchema,
    errors: [...errors, 'REPORT_NOT_FOUND'],
  },
  decideOperatorReport: {
    ...operated,
    method: 'POST',
    path: '/api/operator/reports/:id/decide',
    summary: 'Decide a case, with all its reports.',
    params: { id: reportParam },
    body: operatorDecisionSchema,
    status: 200,
    answer: reportCaseSchema,
    errors: [...errors, 'REPORT_NOT_FOUND', 'REPORT_DECIDED', 'USER_NOT_FOUND'],
    audit: [reportDecide, accountSuspend, instanceBan],
  },
  searchUsers: {
    ...operated,
    method: 'GET',
    path: '/api/operator/users',
    summary:
      'The newest accounts, or those whose name or e-mail contains a text, newest first. X-Has-More says whether there are more.',
    query: searchUsersSchema,
    paged: true,
    answer: z.array(operatedUserSchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  signOutUser: {
    ...operated,
    method: 'POST',
    path: '/api/operator/users/:id/sign-out',
    summary: 'End all sessions of someone; with `tokens` everything else that acts for them as well.',
    params: { id: userParam },
    body: signOutUserSchema,
    status: 200,
    answer: z.object({ ended: z.number().int().describe('How many sessions, tokens and webhooks.') }),
    errors: [...errors, 'USER_NOT_FOUND'],
    audit: [accountRevoke],
  },
  mailPasswordReset: {
    ...operated,
    method: 'POST',
    path: '/api/operator/users/:id/password-reset',
    summary:
      'Mail someone a link for a new password, as they could ask for themselves. Nothing ends before they use it.',
    params: { id: userParam },
    status: 200,
    answer: doneSchema,
    errors: [...errors, 'USER_NOT_FOUND', 'NO_EMAIL', 'SERVER_BUSY'],
    audit: [accountReset],
  },
  setUserTier: {
    ...operated,
    method: 'PUT',
    path: '/api/operator/users/:id/tier',
    summary: 'Put someone on another tier of the settings.',
    params: { id: userParam },
    body: setTierSchema,
    answer: doneSchema,
    errors: [...errors, 'USER_NOT_FOUND'],
    audit: [accountTier],
  },
  suspendUser: {
    ...operated,
    method: 'PUT',
    path: '/api/operator/users/:id/suspension',
    summary: 'Shut someone and their bots out; a second suspension replaces the first.',
    params: { id: userParam },
    body: standingSchema,
    answer: doneSchema,
    errors: [...errors, 'USER_NOT_FOUND'],
    audit: [accountSuspend],
  },
  endSuspension: {
    ...operated,
    method: 'DELETE',
    path: '/api/operator/users/:id/suspension',
    summary: 'Let someone in again, with what they had; it lifts a ban too.',
    params: { id: userParam },
    answer: doneSchema,
    errors: [...errors, 'USER_NOT_FOUND'],
    audit: [accountUnsuspend],
  },
  listInstanceBans: {
    ...operated,
    method: 'GET',
    path: '/api/operator/bans',
    summary: 'Who is banned from the installation, newest first. X-Has-More says whether there are more.',
    query: listBansSchema,
    paged: true,
    answer: z.array(instanceBanSchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  banFromInstance: {
    ...operated,
    method: 'POST',
    path: '/api/operator/bans',
    summary: 'Ban someone from the installation: they are shut out, and make no new account with their mailbox.',
    body: banUserSchema,
    status: 201,
    answer: instanceBanSchema,
    errors: [...errors, 'USER_NOT_FOUND'],
    audit: [instanceBan],
  },
  liftInstanceBan: {
    ...operated,
    method: 'DELETE',
    path: '/api/operator/bans/:id',
    summary: 'Lift a ban; the account is as it was.',
    params: { id: uuidParam('BAN_NOT_FOUND', 'Id of the user.') },
    answer: doneSchema,
    errors: [...errors, 'BAN_NOT_FOUND'],
    audit: [instanceUnban],
  },
  listOperatorAudit: {
    ...operated,
    method: 'GET',
    path: '/api/operator/audit',
    summary: 'What operators did, by commands and from within, newest first. X-Has-More says whether there is more.',
    query: listAuditSchema,
    paged: true,
    answer: z.array(auditEntrySchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
});
