import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { durableEvent } from './event.ts';
import { idSchema, limitSchema, omittable, record, textSchema, timeSchema } from './schema.ts';

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
  // PostgreSQL's clock decides; these it could not even read.
  until: omittable(timeSchema.refine((text) => Date.parse(text) > 0, 'must be in the future')).describe(
    'When the ban ends by itself; in the future.',
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
