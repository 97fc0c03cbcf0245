import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { doneSchema, idSchema, nameSchema, record, timeSchema, withDefault } from './schema.ts';

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

export const personalTokenCalls = calls('Personal access tokens', {
  createPersonalToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Create a personal access token. It is shown only this once. user:read may only GET.',
    body: createTokenSchema,
    status: 201,
    answer: newTokenSchema,
    errors: ['TOKEN_LIMIT', 'INSUFFICIENT_PAT_SCOPE'],
    shownOnce: ['token'],
  },
  listPersonalTokens: {
    method: 'GET',
    path: '/api/tokens',
    summary: 'Your tokens, the newest first, without their secrets.',
    answer: z.array(personalTokenSchema),
    errors: ['INSUFFICIENT_PAT_SCOPE'],
  },
  revokePersonalToken: {
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Revoke a token; it is refused at once, and its sockets are closed.',
    params: { id: uuidParam('TOKEN_NOT_FOUND', 'Id of the token.') },
    answer: doneSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    limit: null,
  },
});
