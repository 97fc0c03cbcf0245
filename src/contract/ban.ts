import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { auditAction } from './audit-action.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { hoursSchema } from './member-erasure.ts';
import { doneSchema, idSchema, limitSchema, omittable, record, textSchema, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

export const maxReason = 500;

export const banSchema = record('Ban', {
  id: idSchema,
  serverId: idSchema,
  userId: idSchema,
  user: smallUserSchema,
  bannedBy: idSchema.nullable(),
  bannedByUser: smallUserSchema.nullable(),
  reason: z.string().nullable(),
  until: timeSchema.nullable().describe('When it ends by itself; null: when it is lifted.'),
  createdAt: timeSchema,
});

export const banMemberSchema = z.object({
  userId: idSchema,
  reason: omittable(textSchema(maxReason, z.string().trim())).describe('Told to those who are refused.'),
  // PostgreSQL's clock decides; it could not even read these.
  until: omittable(timeSchema.refine((text) => Date.parse(text) > 0, 'must be in the future')).describe(
    'When the ban ends by itself; in the future.',
  ),
  deleteMessageHours: omittable(hoursSchema).describe(
    'Deletes their messages of the last hours here, too, in the background; takes the permission to delete them.',
  ),
});

export const listBansSchema = z.object({
  limit: limitSchema(200, 100),
  cursor: z.string().optional().describe('`id` of the last ban of the page before.'),
});

export const memberBanned = durableEvent({
  name: 'member:banned',
  summary: 'Someone was banned from a server of yours; told to its moderators.',
  room: 'user',
  payload: z.object({ serverId: idSchema, ban: banSchema }),
});

export const memberUnbanned = durableEvent({
  name: 'member:unbanned',
  summary: 'A ban in a server of yours was lifted; told to its moderators.',
  room: 'user',
  payload: z.object({ serverId: idSchema, userId: idSchema }),
});

export const memberBan = auditAction({
  name: 'member.ban',
  summary: 'Someone was banned from the server.',
  fields: ['until', 'deleteMessageHours'],
});

export const memberUnban = auditAction({ name: 'member.unban', summary: 'A ban was lifted.' });

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;

export const banCalls = calls('Servers', {
  banUser: {
    method: 'POST',
    path: '/api/servers/:id/bans',
    summary: 'Ban someone, member or not, with their bots; a second ban replaces the first. For moderators.',
    params: { id: serverParam },
    body: banMemberSchema,
    status: 201,
    answer: banSchema,
    errors: [...errors, 'USER_NOT_FOUND', 'FORBIDDEN'],
    audit: [memberBan],
  },
  listBans: {
    method: 'GET',
    path: '/api/servers/:id/bans',
    summary: 'The bans that count, newest first; for moderators. X-Has-More says whether there are more.',
    params: { id: serverParam },
    query: listBansSchema,
    paged: true,
    answer: z.array(banSchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  liftBan: {
    method: 'DELETE',
    path: '/api/servers/:id/bans/:userId',
    summary: 'Lift a ban; for moderators.',
    params: { id: serverParam, userId: uuidParam('BAN_NOT_FOUND', 'Id of the user.') },
    answer: doneSchema,
    errors: [...errors, 'BAN_NOT_FOUND', 'FORBIDDEN'],
    audit: [memberUnban],
  },
});
