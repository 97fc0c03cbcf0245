import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { idSchema, textSchema, timeSchema } from './schema.ts';

export const inviteSchema = z.object({
  id: idSchema,
  code: z.string().describe('8 letters and digits that no one mixes up.'),
  isActive: z.boolean(),
  note: z.string(),
  createdBy: idSchema.nullable(),
  usedBy: idSchema.nullable().describe('Who redeemed it.'),
  usedByUser: smallUserSchema.nullable(),
  usedAt: timeSchema.nullable(),
  createdAt: timeSchema,
});

export const createInvitesSchema = z.object({
  count: z.number().int('must be a whole number').min(1).max(5).default(1),
  note: textSchema(200).nullish(),
});
