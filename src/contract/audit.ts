import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { auditTargets } from './audit-action.ts';
import { calls, rawAnswer } from './call.ts';
import { durableEvent } from './event.ts';
import { idSchema, limitSchema, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

const fieldsSchema = z.record(z.string(), z.unknown());

export const auditEntrySchema = record('AuditEntry', {
  id: idSchema,
  serverId: idSchema.nullable().describe('Null: it concerns the installation.'),
  channelId: idSchema.nullable(),
  channelName: z.string().nullable().describe('What the channel is called now; null: it is gone, or there is none.'),
  action: z.string().describe('`<thing>.<verb>`, as the calls name it; later versions have more.'),
  source: z.enum(['user', 'cli', 'system']).describe('A user, a command of the operator, or the system by itself.'),
  actor: smallUserSchema.nullable(),
  token: z
    .object({
      kind: z.enum(['session', 'personal', 'agent']),
      id: idSchema.nullable(),
      name: z.string().nullable().describe('Of a personal access token while it is there.'),
    })
    .nullable(),
  target: z
    .object({
      kind: z.enum(auditTargets),
      id: idSchema.nullable(),
      label: z.string().nullable().describe('What a thing was called then; null for people and things without a name.'),
      user: smallUserSchema.nullable().describe('The person or bot, as they are called now.'),
    })
    .nullable(),
  before: fieldsSchema.nullable().describe('The changed fields as they were; null where it was made.'),
  after: fieldsSchema.nullable().describe('The same as they became; null where it has gone.'),
  reason: z.string().nullable(),
  createdAt: timeSchema,
});

const filters = {
  actorId: idSchema.optional(),
  action: z.string().max(100).optional().describe('The name of an action, or with `.*` at its end of a kind of thing.'),
  targetId: idSchema.optional(),
  channelId: idSchema.optional(),
  after: timeSchema.optional().describe('Entries from this time on.'),
  before: timeSchema.optional().describe('Entries before this time.'),
};

export const auditFilterSchema = z.object(filters);

export const listAuditSchema = z.object({
  ...filters,
  limit: limitSchema(200, 50),
  cursor: z.string().optional().describe('`id` of the last entry of the page before.'),
});

export const exportAuditSchema = z.object({
  ...filters,
  format: z.enum(['ndjson', 'csv']).default('ndjson'),
});

export const auditCreated = durableEvent({
  name: 'audit:created',
  summary: 'The audit log of a server of yours has new entries; told to those who may read them, once for each change.',
  room: 'user',
  payload: z.object({
    serverId: idSchema,
    entryId: idSchema.describe('Id of the newest.'),
    action: z.string(),
    actorId: idSchema.nullable(),
    channelId: idSchema.nullable(),
    count: z.number().int().describe('How many entries the change has written.'),
  }),
});

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;

export const auditCalls = calls('Servers', {
  listAuditLog: {
    method: 'GET',
    path: '/api/servers/:id/audit',
    summary:
      'Who did what in a server, newest first; for admins, and others in channels that they may know of. X-Has-More says whether there is more.',
    params: { id: serverParam },
    query: listAuditSchema,
    paged: true,
    answer: z.array(auditEntrySchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  exportAuditLog: {
    method: 'GET',
    path: '/api/servers/:id/audit/export',
    summary: 'The audit log as a file, newest first: JSON lines (`ndjson`) or CSV; for admins.',
    params: { id: serverParam },
    query: exportAuditSchema,
    produces: '*/*',
    answer: rawAnswer,
    errors,
    limit: 'auditExport',
  },
});
