import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { banMemberSchema, memberBan } from './ban.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { messageDelete } from './message-calls.ts';
import { memberTimeout, reportDecide, reportEscalate } from './moderation-actions.ts';
import { moderatorActions, operatorActions, type ReportAction, reportKinds } from './report-decisions.ts';
import { idSchema, limitSchema, omittable, record, textSchema, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';
import { memberKick } from './server-member.ts';

export const reportCategories = [
  ...(['spam', 'harassment', 'hate', 'sexual', 'violence', 'self-harm', 'illegal', 'impersonation', 'other'] as const),
] as const;

/** Those of a case: `filter` is of messages that a filter of the server flags. */
export const caseCategories = [...reportCategories, 'filter'] as const;

const actions: ReportAction[] = [...new Set([...moderatorActions, ...operatorActions])];

const text = omittable(textSchema(1000, z.string().trim())).describe('What is wrong, for those who decide.');

export const reportSchema = z
  .object({
    kind: z.enum(reportKinds),
    messageId: omittable(idSchema),
    userId: omittable(idSchema),
    serverId: omittable(idSchema).describe('The server; of a user, where you met them: then its moderators decide.'),
    appId: omittable(idSchema).describe('An app of `serverId`.'),
    category: z.enum(reportCategories),
    text,
  })
  .superRefine(({ kind, messageId, userId, serverId, appId }, context) => {
    const given = { messageId, userId, serverId, appId };
    const wanted = { message: ['messageId'], user: ['userId'], server: ['serverId'], app: ['serverId', 'appId'] }[kind];
    for (const [name, value] of Object.entries(given)) {
      const isWanted = wanted.includes(name);
      if (isWanted && value === undefined) context.addIssue({ code: 'custom', path: [name], message: 'must be given' });
      const isRefused = !isWanted && value !== undefined && !(kind === 'user' && name === 'serverId');
      if (isRefused)
        context.addIssue({ code: 'custom', path: [name], message: `does not belong to a report of kind "${kind}"` });
    }
  });

/** A report as whoever made it sees it. */
const ownReportSchema = record('OwnReport', {
  id: idSchema,
  kind: z.enum(reportKinds),
  objectId: idSchema,
  serverId: idSchema.nullable(),
  category: z.enum(reportCategories),
  text: z.string().nullable(),
  createdAt: timeSchema,
});

const reportedMessageSchema = z.object({
  id: idSchema,
  authorId: idSchema,
  author: smallUserSchema.nullable(),
  content: z.string().describe('With what it forwards.'),
  attachments: z.array(z.string()).describe('Names of files.'),
  createdAt: timeSchema,
  reported: z.boolean().describe('False: it was beside the reported one.'),
});

/** What is kept of a reported message, or of one beside it. */
export interface KeptMessage extends Omit<z.output<typeof reportedMessageSchema>, 'author'> {
  /** What it forwards: that goes when its author has all they wrote erased. */
  forwarded?: { authorId: string; content: string; attachments: string[] } | null | undefined;
}

/** What is kept of a reported object. */
export interface Snapshot {
  name?: string;
  description?: string | null;
  messages?: KeptMessage[];
}

export const reportCaseSchema = record('ReportCase', {
  id: idSchema,
  kind: z.enum(reportKinds),
  serverId: idSchema.nullable().describe('Whose moderators decide; null: the operators.'),
  objectId: idSchema,
  channelId: idSchema.nullable(),
  about: smallUserSchema.nullable().describe('The author, the person, the owner.'),
  title: z.string().describe('The beginning of the message, or the name.'),
  categories: z.array(z.enum(caseCategories)).describe('`filter`: a filter of the server flags it.'),
  reportCount: z.number().int(),
  toOperators: z.boolean(),
  status: z.enum(['open', 'decided']),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  decidedAt: timeSchema.nullable(),
  decidedBy: smallUserSchema.nullable(),
  action: z.enum(actions).nullable(),
  reason: z.string().nullable(),
});

export const reportDetailSchema = reportCaseSchema
  .extend({
    snapshot: z
      .object({
        name: z.string().nullable(),
        description: z.string().nullable(),
        messages: z.array(reportedMessageSchema),
      })
      .nullable()
      .describe('What it was when it was first reported; null: erased.'),
    current: z.string().nullable().describe('What the message says now, or the name; null: it is gone.'),
    reports: z
      .array(
        z.object({
          id: idSchema,
          reporter: smallUserSchema.nullable().describe('Null: a filter of the server.'),
          category: z.enum(caseCategories),
          text: z.string().nullable().describe('What they wrote; of a filter, the entry that flags it.'),
          createdAt: timeSchema,
        }),
      )
      .describe('The first 100.'),
    earlier: z.array(reportCaseSchema).describe('The last 20 others about the same person that you may see.'),
  })
  .meta({ id: 'ReportDetail' });

export const listReportsSchema = z.object({
  status: z.enum(['open', 'decided']).optional(),
  kind: z.enum(reportKinds).optional(),
  limit: limitSchema(100, 50),
  cursor: z.string().optional().describe('`id` of the last one of the page before.'),
});

const untilSchema = timeSchema.refine((time) => Date.parse(time) > 0, 'must be in the future');
const reasonSchema = omittable(textSchema(500, z.string().trim()));

export const decideReportSchema = z.object({
  action: z.enum(moderatorActions),
  until: omittable(untilSchema).describe('When a ban ends by itself; when a timeout ends, by default after a day.'),
  reason: reasonSchema.describe('Of a ban or a timeout it is told to whom it is about.'),
  deleteMessageHours: banMemberSchema.shape.deleteMessageHours,
});

export const operatorDecisionSchema = z.object({
  action: z.enum(operatorActions),
  until: omittable(untilSchema).describe('When the suspension or ban ends by itself.'),
  reason: reasonSchema.describe('Told to who is suspended or banned.'),
});

export const reportCreated = durableEvent({
  name: 'report:created',
  summary: 'Something was reported that you decide about, or handed to you.',
  room: 'user',
  payload: z.object({ report: reportCaseSchema }),
});

export const reportUpdated = durableEvent({
  name: 'report:updated',
  summary: 'A report that you decide about was repeated, handed on or decided.',
  room: 'user',
  payload: z.object({ report: reportCaseSchema }),
});

export const reportParam = uuidParam('REPORT_NOT_FOUND', 'Id of the case.');

export const reportCalls = calls('Reports', {
  report: {
    method: 'POST',
    path: '/api/reports',
    summary:
      'Report a message, person, server or app to those who decide about it. A repeat answers with the first report while it is open.',
    body: reportSchema,
    status: 201,
    mayExist: true,
    answer: ownReportSchema,
    errors: [
      ...(['MESSAGE_NOT_FOUND', 'USER_NOT_FOUND', 'SERVER_NOT_FOUND', 'APP_NOT_FOUND'] as const),
      ...(['MEMBER_NOT_FOUND', 'NOT_A_MEMBER', 'OWN_USER', 'FORBIDDEN'] as const),
    ],
    limit: 'reports',
    audit: { none: 'Anyone may report; what is decided about it is written.' },
  },
  listReports: {
    method: 'GET',
    path: '/api/servers/:id/reports',
    summary: 'What was reported in a server, newest first; for its moderators. X-Has-More says whether there is more.',
    params: { id: serverParam },
    query: listReportsSchema,
    paged: true,
    answer: z.array(reportCaseSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'INVALID_CURSOR'],
  },
  getReport: {
    method: 'GET',
    path: '/api/reports/:id',
    summary: 'A case with all that helps to decide it; for moderators of its server.',
    params: { id: reportParam },
    answer: reportDetailSchema,
    errors: ['REPORT_NOT_FOUND', 'ROLE_REQUIRED'],
  },
  decideReport: {
    method: 'POST',
    path: '/api/reports/:id/decide',
    summary: 'Decide a case, with all its reports; for moderators who outrank whom it is about.',
    params: { id: reportParam },
    body: decideReportSchema,
    status: 200,
    answer: reportCaseSchema,
    errors: [
      ...(['REPORT_NOT_FOUND', 'REPORT_DECIDED', 'ROLE_REQUIRED', 'NOT_A_MEMBER'] as const),
      ...(['MEMBER_NOT_FOUND', 'USER_NOT_FOUND', 'FORBIDDEN'] as const),
    ],
    audit: [reportDecide, messageDelete, memberTimeout, memberKick, memberBan],
  },
  escalateReport: {
    method: 'POST',
    path: '/api/reports/:id/escalate',
    summary: 'Hand a case to the operators of the installation, who then decide it alone; for moderators.',
    params: { id: reportParam },
    status: 200,
    answer: reportCaseSchema,
    errors: ['REPORT_NOT_FOUND', 'REPORT_DECIDED', 'ROLE_REQUIRED'],
    audit: [reportEscalate],
  },
});
