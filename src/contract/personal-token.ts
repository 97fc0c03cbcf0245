import { z } from 'zod';
import { idSchema, nameSchema, record, timeSchema, withDefault } from './schema.ts';

export const createTokenSchema = z.object({
  name: nameSchema(100),
  scope: withDefault(z.enum(['user:read', 'user:write']), 'user:read'),
  /** Null or left out: it never expires. */
  expiresInDays: z.number().int().min(1).max(365).nullable().optional(),
});

export const personalTokenSchema = record('PersonalToken', {
  id: idSchema,
  name: z.string(),
  scope: z.enum(['user:read', 'user:write']),
  createdAt: timeSchema,
  expiresAt: timeSchema.nullable(),
  lastUsedAt: timeSchema.nullable(),
});

/** `token` is shown only once; a repeated Idempotency-Key gets null. */
export const newTokenSchema = personalTokenSchema.extend({ token: z.string().nullable() });
