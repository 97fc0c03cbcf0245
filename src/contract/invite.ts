import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { doneSchema, idSchema, textSchema, timeSchema } from './schema.ts';

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

const id = uuidParam('INVITE_CODE_NOT_FOUND', 'Id of the invite code.');
const list = {
  method: 'GET',
  summary: 'Your invite codes, newest first.',
  answer: z.array(inviteSchema),
  errors: ['INSUFFICIENT_PAT_SCOPE'],
} as const;
const create = {
  method: 'POST',
  summary: 'Make 1 to 5 invite codes; needs the capability `invite:create`.',
  body: createInvitesSchema,
  status: 201,
  answer: z.array(inviteSchema),
  errors: ['INVITE_REQUIRED', 'INVITE_LIMIT', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
} as const;
const deactivate = {
  method: 'PATCH',
  summary: 'Deactivate a code: it can no longer be redeemed.',
  params: { id },
  answer: inviteSchema,
  errors: ['INVITE_CODE_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE'],
} as const;
const remove = {
  method: 'DELETE',
  summary: 'Delete a code.',
  params: { id },
  answer: doneSchema,
  errors: ['INVITE_CODE_NOT_FOUND'],
} as const;

/** Under both spellings (contract §12). */
export const inviteCalls = calls('Invite codes', {
  listInviteCodes: { ...list, path: '/api/invite-codes' },
  createInviteCodes: { ...create, path: '/api/invite-codes' },
  deactivateInviteCode: { ...deactivate, path: '/api/invite-codes/:id/deactivate' },
  deleteInviteCode: { ...remove, path: '/api/invite-codes/:id' },
  listInvites: { ...list, path: '/api/invites' },
  createInvites: { ...create, path: '/api/invites' },
  deactivateInvite: { ...deactivate, path: '/api/invites/:id/deactivate' },
  deleteInvite: { ...remove, path: '/api/invites/:id' },
});
