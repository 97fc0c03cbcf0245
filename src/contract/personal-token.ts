import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { doneSchema, idSchema, nameSchema, record, timeSchema } from './schema.ts';
import { scopeListSchema, scopes, scopeTextSchema } from './scopes.ts';

export const createTokenSchema = z.object({
  name: nameSchema(100),
  scope: scopeTextSchema.nullish().describe('One scope, or several with spaces between them; user:read by default.'),
  scopes: scopeListSchema.nullish().describe('The same as a list; in place of `scope` if both are given.'),
  /** Null or left out: it never expires. */
  expiresInDays: z.number().int().min(1).max(365).nullable().optional(),
});

export const personalTokenSchema = record('PersonalToken', {
  id: idSchema,
  name: z.string(),
  scope: z.string().describe('Its scopes, with spaces between them.'),
  scopes: z.array(z.enum(scopes)),
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
    confirmed: true,
    summary: 'Create a personal access token. It is shown only this once. It may do what its scopes say, for its user.',
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
